import { orderFieldNames, type OrderTexts } from '../../../shared/order/order-fields.ts'
import { setbackRegions, type SetbackRegion } from '../../../shared/order/setback-defaults.ts'

/** Parses the stored texts of an order or a preset. Unknown fields of another version are left out. */
export function readTexts(json: string): OrderTexts {
  const stored = JSON.parse(json) as Readonly<Record<string, unknown>> | null
  const known = orderFieldNames.flatMap((name) => {
    const text = stored?.[name]
    return typeof text === 'string' ? [[name, text] as const] : []
  })
  return Object.fromEntries(known)
}

/** Returns the stored region, or null if there is none or this version does not know it. */
export function readRegion(stored: string | null): SetbackRegion | null {
  return setbackRegions.find((region) => region === stored) ?? null
}
