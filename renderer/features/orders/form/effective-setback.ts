import { defaultSetback, type SetbackName } from '../../../../shared/order/order-fields.ts'
import { orderSchema } from '../../../../shared/order/order-schema.ts'
import {
  describeDefaultSetback,
  describeInches,
  setbackDefaults,
  type SetbackRegion,
} from '../../../../shared/order/setback-defaults.ts'

/** Resolved setback. `inches` is `null` if invalid, or if it depends on a region and none is chosen. */
export interface EffectiveSetback {
  readonly inches: number | null
  readonly isDefault: boolean
  /** `36 in (3 ft), default of NYC`. */
  readonly sentence: string
}

/** Returns the setback that a field's text stands for. */
export function effectiveSetback(name: SetbackName, text: string, region: SetbackRegion | null): EffectiveSetback {
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
