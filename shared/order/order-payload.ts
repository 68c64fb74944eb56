import { z } from 'zod'
import {
  defaultSetback,
  fieldOf,
  fieldPath,
  missingMessage,
  orderFieldNames,
  type OrderFieldName,
  type OrderTexts,
  type FieldNote,
} from './order-fields.ts'
import { type Order, orderSchema } from './order-schema.ts'
import { orderWarnings } from './order-warnings.ts'

const setback = z.union([z.number(), z.literal(defaultSetback)])
const tolerance = z.number().nullable()

/** The payload that is sent, key for key (the service's specification, sections 2.1 and 2.2). */
export const orderPayloadSchema = z.strictObject({
  projectId: z.string(),
  status: z.literal('ordered'),
  tierLevel: z.string(),
  form: z.strictObject({
    sizedForCategory: z.string(),
    sizedForValue: z.string(),
    fireSetbacks: z.strictObject({ ridge: setback, eave: setback, rake: setback, valley: setback, hip: setback }),
    obstructionSetbacks: z.strictObject({
      vents: setback,
      exhaust: setback,
      skylights: setback,
      parapet: setback,
      general: setback,
    }),
    projectAddress: z.string(),
    homeownerName: z.string(),
    designOneModule: z.string(),
    moduleOrientation: z.string(),
    mixedOrientation: z.string(),
    moduleSpacingLong: z.string(),
    moduleSpacingShort: z.string(),
    azimuthRangeStart: z.string(),
    azimuthRangeEnd: z.string(),
    newBuildPlansRequired: z.boolean(),
    isCommercialZone: z.boolean(),
    negativeTolerance: tolerance,
    positiveTolerance: tolerance,
  }),
  upgrade: z.boolean(),
  isExpedited: z.boolean(),
})
export type OrderPayload = z.output<typeof orderPayloadSchema>

/** Returns an order's values in the structure that the service expects. */
function orderPayloadOf(order: Order): OrderPayload {
  const { projectId, tierLevel, upgrade, isExpedited, ridge, eave, rake, valley, hip, ...others } = order
  const { vents, exhaust, skylights, parapet, general, ...form } = others
  return {
    projectId,
    status: 'ordered',
    tierLevel,
    form: {
      ...form,
      fireSetbacks: { ridge, eave, rake, valley, hip },
      obstructionSetbacks: { vents, exhaust, skylights, parapet, general },
    },
    upgrade,
    isExpedited,
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An order read from JSON, field by field, as it would be typed. */
export interface OrderJsonReading {
  readonly texts: OrderTexts
  /** Unknown fields, and values that are not text, numbers, true, false, or null. `path` is the path in the JSON. */
  readonly problems: readonly { readonly path: string; readonly message: string }[]
}

/**
 * Reads an order from JSON: a payload, part of one, or an earlier order's form as the service repeats it. Numbers may
 * be numbers or text; fields with a default may be missing.
 */
export function readOrderJson(json: unknown): OrderJsonReading {
  if (!isObject(json)) return { texts: {}, problems: [{ path: '', message: 'An order has to be a JSON object.' }] }
  const texts: Partial<Record<OrderFieldName, string>> = {}
  const problems: { path: string; message: string }[] = []
  const names = new Map(orderFieldNames.map((name) => [fieldPath(name), name]))
  const branches = new Set(orderFieldNames.flatMap((name) => prefixesOf(fieldOf(name).path)))

  const walk = (holder: Record<string, unknown>, above: readonly string[]): void => {
    for (const [key, value] of Object.entries(holder)) {
      const path = [...above, key].join('.')
      const name = names.get(path)
      if (branches.has(path)) {
        if (isObject(value)) walk(value, [...above, key])
        else problems.push({ path, message: 'This has to be a JSON object.' })
      } else if (path === 'status') {
        if (value !== 'ordered') problems.push({ path, message: 'A new order has the status "ordered".' })
      } else if (name === undefined) {
        problems.push({ path: path.slice(0, 100), message: unknownField(path) })
      } else if (value === null && fieldOf(name).rule.kind !== 'tolerance') {
        const { default: initial } = fieldOf(name)
        const message =
          initial === undefined
            ? missingMessage(fieldOf(name))
            : 'This cannot be null. Leave it out to use the default.'
        problems.push({ path, message })
      } else {
        const text = textOf(value)
        if (text === null) problems.push({ path, message: 'This has to be text, a number, true, false or null.' })
        else texts[name] = text
      }
    }
  }
  walk(json, [])
  return { texts, problems }
}

/** Returns what to do about a key that no order has: it may be spelled otherwise, or belong into another object. */
function unknownField(path: string): string {
  const plain = (text: string) => (text.split('.').at(-1) ?? '').replaceAll(/[^A-Za-z]/g, '').toLowerCase()
  const typed = plain(path)
  const meant = orderFieldNames.map(fieldPath).find((known) => isAlmost(plain(known), typed))
  return meant === undefined
    ? 'This is not a field of an order.'
    : `This is not a field of an order. Did you mean "${meant}"?`
}

/** Returns whether two words are equal but for one letter that is missing, extra, or another. */
function isAlmost(one: string, other: string): boolean {
  if (one === other) return true
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (long.length - short.length > 1 || short.length < 4) return false
  let same = 0
  while (short[same] === long[same]) same += 1
  const rest = short.length === long.length ? same + 1 : same
  return short.slice(rest) === long.slice(same + 1)
}

function prefixesOf(path: readonly string[]): string[] {
  return path.slice(0, -1).map((_, index) => path.slice(0, index + 1).join('.'))
}

/** Returns the value as it would be typed, or null if it cannot be. */
function textOf(value: unknown): string | null {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  // A number with an exponent is refused later.
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? value : null
}

/**
 * Returns the field that a path in the service's answer refers to, in any notation: `form.homeownerName`,
 * `/form/ridge`.
 */
export function fieldOfPath(path: string): OrderFieldName | null {
  const last = path
    .split(/[./[\]'"]+/)
    .filter((part) => part !== '')
    .at(-1)
    ?.toLowerCase()
  return orderFieldNames.find((name) => name.toLowerCase() === last) ?? null
}

/** Result of reading an order: its payload, or its problems. `warnings` are about unusual but permitted values. */
export type OrderReading =
  | { readonly ok: true; readonly payload: OrderPayload; readonly warnings: readonly FieldNote[] }
  | { readonly ok: false; readonly problems: readonly FieldNote[]; readonly warnings: readonly FieldNote[] }

/** Reads a complete order. Every invalid field is listed once. */
export function readOrder(texts: OrderTexts): OrderReading {
  const warnings = orderWarnings(readableFields(texts))
  const parsed = orderSchema.safeParse(texts)
  if (parsed.success) return { ok: true, payload: orderPayloadOf(parsed.data), warnings }
  const problems = new Map<OrderFieldName, string>()
  for (const { path, message } of parsed.error.issues) {
    const field = path[0] as OrderFieldName
    if (!problems.has(field)) problems.set(field, message)
  }
  return { ok: false, problems: [...problems].map(([field, message]) => ({ field, message })), warnings }
}

/**
 * Returns the yes-or-no fields without a text. The specification requires a value and has no default; they are sent as
 * no.
 */
export function notStated(texts: OrderTexts): OrderFieldName[] {
  return orderFieldNames.filter((name) => fieldOf(name).rule.kind === 'yes-no' && (texts[name] ?? '').trim() === '')
}

/** Returns the valid fields of an unfinished order. */
function readableFields(texts: OrderTexts): Partial<Order> {
  const { shape } = orderSchema
  const fields = Object.entries(shape).flatMap(([name, schema]) => {
    const read = schema.safeParse(texts[name as OrderFieldName])
    return read.success ? [[name, read.data] as const] : []
  })
  return Object.fromEntries(fields)
}
