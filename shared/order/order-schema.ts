import { z } from 'zod'
import { projectIdProblem } from '../project-list.ts'
import {
  defaultSetback,
  isDefaultSetback,
  knownChoice,
  missingMessage,
  orderFields,
  type FieldRule,
  type OrderField,
  type OrderFieldName,
  withUnit,
} from './order-fields.ts'
import { roundInches } from './setback-defaults.ts'

/** Value read from a field's text, or the problem with it. */
type Reading<Value> = { readonly value: Value } | { readonly problem: string }

const decimal = /^[+-]?(\d{1,12}(\.\d{0,6})?|\.\d{1,6})$/
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** Texts that programs write instead of a value that is missing. A homeowner may be called Nan. */
const emptied = /^(?:[Uu]ndefined|UNDEFINED|[Nn]ull|NULL|NaN|\[object Object\])$/

function readText(text: string, maxLength: number): Reading<string> {
  const value = text.normalize('NFC').trim()
  if (value.length > maxLength) return { problem: `Use at most ${maxLength} characters.` }
  if (emptied.test(value))
    return { problem: `“${value}” is what a program writes for a missing value. Enter the real text.` }
  if (unseen.test(value)) return { problem: 'Remove line breaks and invisible characters.' }
  return { value }
}

/** Reads a decimal number; `plain` has no plus sign, no superfluous zeros, and no exponent. */
function readDecimal(text: string): Reading<{ number: number; plain: string }> {
  const typed = text.trim()
  if (/^[+-]?\d+,\d+$/.test(typed)) return { problem: 'Write a decimal point, not a comma.' }
  if (!decimal.test(typed)) return { problem: 'Write a number, such as 12 or 0.5, without a unit.' }
  const [whole = '', part = ''] = typed.replace(/^[+-]/, '').split('.')
  const fraction = part.replace(/0+$/, '')
  const digits = `${whole.replace(/^0+(?=\d)/, '') || '0'}${fraction === '' ? '' : `.${fraction}`}`
  const plain = typed.startsWith('-') && Number(digits) !== 0 ? `-${digits}` : digits
  return { value: { number: Number(plain), plain } }
}

type Limits = Extract<FieldRule, { kind: 'number' }>

function readNumber(text: string, { min, above, max, unit }: Limits): Reading<string> {
  const reading = readDecimal(text)
  if ('problem' in reading) return reading
  const { number, plain } = reading.value
  const of = (limit: number) => withUnit(limit.toLocaleString('en-US'), unit)
  if (above !== undefined && number <= above) return { problem: `Use a number above ${of(above)}.` }
  if ((min !== undefined && number < min) || (max !== undefined && number > max)) {
    const from = min === undefined ? undefined : `from ${of(min)}`
    const to = max === undefined ? undefined : from === undefined ? `up to ${of(max)}` : `to ${of(max)}`
    return { problem: `Use a number ${[from, to].filter((part) => part !== undefined).join(' ')}.` }
  }
  return { value: plain }
}

const feetMark = /\s*(?:ft|feet|foot|'|′)$/i
const inchMark = /\s*(?:in|inch|inches|"|″)$/i

function readSetback(text: string): Reading<number | typeof defaultSetback> {
  const typed = text.trim()
  if (isDefaultSetback(typed)) return { value: defaultSetback }
  const inFeet = feetMark.test(typed)
  const reading = readDecimal(typed.replace(inFeet ? feetMark : inchMark, ''))
  if ('problem' in reading) return { problem: 'Write inches, such as 18, or feet, such as 3 ft; or use the default.' }
  const number = inFeet ? roundInches(reading.value.number * 12) : reading.value.number
  if (number < 0) return { problem: 'Use a number of inches from 0 on.' }
  return { value: number }
}

function readTolerance(text: string): Reading<number | null> {
  if (/^(null)?$/.test(text.trim())) return { value: null }
  const reading = readDecimal(text)
  return 'problem' in reading ? reading : { value: reading.value.number }
}

function readYesNo(text: string): Reading<boolean> {
  const typed = text.trim().toLowerCase()
  if (['yes', 'true', 'y', '1'].includes(typed)) return { value: true }
  if (['no', 'false', 'n', '0'].includes(typed)) return { value: false }
  return { problem: 'Write yes or no.' }
}

function readChoice(text: string, values: readonly string[]): Reading<string> {
  const typed = text.trim().toLowerCase()
  return values.includes(typed) ? { value: typed } : { problem: `Choose ${values.join(' or ')}.` }
}

/** The service has its own spelling of known values, and the form shows words. */
function readOpenChoice(text: string, rule: Extract<FieldRule, { kind: 'open-choice' }>): Reading<string> {
  const reading = readText(text, rule.maxLength)
  if ('problem' in reading) return reading
  return { value: knownChoice(reading.value, rule.known) ?? reading.value }
}

/** Ids are opaque, but none begins as a formula of a spreadsheet does, or has punctuation of texts and programs. */
const unlikeAnyId = /^[=+\-@]|[|<>"'`;,{}]/

function readProjectId(text: string): Reading<string> {
  const value = text.trim()
  const problem = projectIdProblem(value)
  if (problem !== undefined) return { problem: `This is not a project ID: ${problem}.` }
  return unlikeAnyId.test(value)
    ? { problem: 'This is not a project ID: it looks like a formula, or has a character that no ID has.' }
    : { value }
}

/** Far longer than any field permits; longer text is not even read. */
const maxTypedLength = 2000

const text = <Value>(field: OrderField, read: (text: string) => Reading<Value>) =>
  z
    .string()
    .max(maxTypedLength, `Use at most ${'maxLength' in field.rule ? field.rule.maxLength : maxTypedLength} characters.`)
    .default(field.default ?? '')
    .transform((typed, context) => {
      const isEmpty = typed.trim() === ''
      const isMissing = isEmpty && field.default === undefined
      const reading = isMissing ? { problem: missingMessage(field) } : read(isEmpty ? (field.default ?? '') : typed)
      if ('value' in reading) return reading.value
      context.addIssue({ code: 'custom', message: reading.problem })
      return z.NEVER
    })

const fields: typeof orderFields = orderFields
const plainText = (field: OrderField & { rule: { maxLength: number } }) =>
  text(field, (typed) => readText(typed, field.rule.maxLength))
const openChoice = (field: OrderField & { rule: Extract<FieldRule, { kind: 'open-choice' }> }) =>
  text(field, (typed) => readOpenChoice(typed, field.rule))
const choice = (field: OrderField & { rule: { values: readonly string[] } }) =>
  text(field, (typed) => readChoice(typed, field.rule.values))
const number = (field: OrderField & { rule: Limits }) => text(field, (typed) => readNumber(typed, field.rule))
const setback = (field: OrderField) => text(field, readSetback)
const tolerance = (field: OrderField) => text(field, readTolerance)
const yesNo = (field: OrderField) => text(field, readYesNo)

/**
 * Schema of an order: reads each field's text into the value that is sent. An issue's path is the field's name, its
 * message a sentence that says what to do.
 */
export const orderSchema = z.strictObject({
  projectId: text(fields.projectId, readProjectId),
  homeownerName: plainText(fields.homeownerName),
  projectAddress: plainText(fields.projectAddress),
  tierLevel: openChoice(fields.tierLevel),
  sizedForCategory: openChoice(fields.sizedForCategory),
  sizedForValue: number(fields.sizedForValue),
  negativeTolerance: tolerance(fields.negativeTolerance),
  positiveTolerance: tolerance(fields.positiveTolerance),
  isExpedited: yesNo(fields.isExpedited),
  upgrade: yesNo(fields.upgrade),
  designOneModule: plainText(fields.designOneModule),
  moduleOrientation: choice(fields.moduleOrientation),
  mixedOrientation: choice(fields.mixedOrientation),
  moduleSpacingLong: number(fields.moduleSpacingLong),
  moduleSpacingShort: number(fields.moduleSpacingShort),
  azimuthRangeStart: number(fields.azimuthRangeStart),
  azimuthRangeEnd: number(fields.azimuthRangeEnd),
  ridge: setback(fields.ridge),
  eave: setback(fields.eave),
  rake: setback(fields.rake),
  valley: setback(fields.valley),
  hip: setback(fields.hip),
  vents: setback(fields.vents),
  exhaust: setback(fields.exhaust),
  skylights: setback(fields.skylights),
  parapet: setback(fields.parapet),
  general: setback(fields.general),
  newBuildPlansRequired: yesNo(fields.newBuildPlansRequired),
  isCommercialZone: yesNo(fields.isCommercialZone),
} satisfies Record<OrderFieldName, z.ZodType>)

/** An order's values as they are sent, by field name. */
export type Order = z.output<typeof orderSchema>
