import { defaultSetback, type SetbackName } from '../../../../shared/order/order-fields.ts'
import { orderSchema } from '../../../../shared/order/order-schema.ts'
import {
  describeDefaultSetback,
  describeInches,
  setbackDefaults,
  type SetbackRegion,
} from '../../../../shared/order/setback-defaults.ts'

/**
 * Returns the setback that a field's text stands for, also as a sentence such as `36 in (3 ft), default of NYC`.
 * `inches` is `null` if the text is invalid, or if it depends on a region and none is chosen.
 */
export function effectiveSetback(name: SetbackName, text: string, region: SetbackRegion | null) {
  const read = orderSchema.shape[name].safeParse(text)
  if (!read.success) return { inches: null, isDefault: false, sentence: 'not valid yet' }
  if (read.data !== defaultSetback) {
    return { inches: read.data, isDefault: false, sentence: describeInches(read.data) }
  }
  const defaults = setbackDefaults[name]
  const isSameEverywhere = new Set(Object.values(defaults)).size === 1
  const inches = region === null ? (isSameEverywhere ? defaults.NYC : null) : defaults[region]
  const source = region === null ? (isSameEverywhere ? 'default' : 'default, by region') : `default of ${region}`
  return { inches, isDefault: true, sentence: `${describeDefaultSetback(name, region)}, ${source}` }
}
