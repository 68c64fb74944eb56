import type { SetbackName } from './order-fields.ts'

/** Regions as the service's own pages name them. */
export const setbackRegions = ['NYC', 'LI', 'WcCO'] as const
export type SetbackRegion = (typeof setbackRegions)[number]

const everywhere = (inches: number) => ({ NYC: inches, LI: inches, WcCO: inches })
const elsewhere = (nyc: number, inches: number) => ({ NYC: nyc, LI: inches, WcCO: inches })

/**
 * Setbacks in inches that the service uses where an order says `undefined` (the service's specification, section 2.2).
 */
export const setbackDefaults: Readonly<Record<SetbackName, Readonly<Record<SetbackRegion, number>>>> = {
  ridge: elsewhere(36, 18),
  eave: everywhere(8),
  rake: elsewhere(8, 22),
  valley: everywhere(6),
  hip: elsewhere(8, 22),
  vents: everywhere(5),
  exhaust: everywhere(5),
  skylights: everywhere(5),
  general: everywhere(5),
  parapet: everywhere(12),
}

/**
 * Returns `36 in (3 ft)` for a region; if regions differ and none is chosen, `18 in (1 ft 6 in); in NYC 36 in (3 ft)`.
 */
export function describeDefaultSetback(name: SetbackName, region: SetbackRegion | null): string {
  const { NYC: city, LI: elsewhere } = setbackDefaults[name]
  if (region !== null) return describeInches(setbackDefaults[name][region])
  return city === elsewhere ? describeInches(city) : `${describeInches(elsewhere)}; in NYC ${describeInches(city)}`
}

/** Rounds to six decimals, as many as a setback is shown and sent with. */
export const roundInches = (inches: number): number => Math.round(inches * 1e6) / 1e6

/** Returns `36 in (3 ft)`; below a foot, `8 in`. */
export function describeInches(inches: number): string {
  const rounded = roundInches(inches)
  const rest = roundInches(rounded % 12)
  const feet = Math.floor(rounded / 12)
  const plain = `${rounded} in`
  if (feet === 0) return plain
  return `${plain} (${feet} ft${rest === 0 ? '' : ` ${rest} in`})`
}
