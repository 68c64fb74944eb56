import { defaultSetback, type SetbackName } from '../../../../shared/order/order-fields.ts'
import { orderSchema } from '../../../../shared/order/order-schema.ts'
import {
  describeDefaultSetback,
  describeInches,
  setbackDefaults,
  type SetbackRegion,
} from '../../../../shared/order/setback-defaults.ts'

/** What a setback comes to. `inches` null: it cannot be read, or depends on a region that was not chosen. */
export interface EffectiveSetback {
  readonly inches: number | null
  readonly isDefault: boolean
  /** `36 in (3 ft), default of NYC` */
  readonly sentence: string
}

/** The setback that a field's text asks for. */
export function effectiveSetback(name: SetbackName, text: string, region: SetbackRegion | null): EffectiveSetback {
  const read = orderSchema.shape[name].safeParse(text)
  if (!read.success) return { inches: null, isDefault: false, sentence: 'not readable yet' }
  if (read.data !== defaultSetback) {
    return { inches: read.data, isDefault: false, sentence: describeInches(read.data) }
  }
  const defaults = setbackDefaults[name]
  const isSameEverywhere = new Set(Object.values(defaults)).size === 1
  const inches = region === null ? (isSameEverywhere ? defaults.NYC : null) : defaults[region]
  const whose = region === null ? (isSameEverywhere ? 'default' : 'default, by region') : `default of ${region}`
  return { inches, isDefault: true, sentence: `${describeDefaultSetback(name, region)}, ${whose}` }
}
