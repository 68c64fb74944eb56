import type { FieldProblem } from '../http/responses.ts'

/** Checks one value: returns the problem, or null if it is valid. */
type Rule = (value: unknown) => string | null

const text: Rule = (value) => (typeof value === 'string' && value.trim() !== '' ? null : 'must be a non-empty string')
const yesOrNo: Rule = (value) => (typeof value === 'boolean' ? null : 'must be true or false')
const numericText: Rule = (value) =>
  typeof value === 'string' && /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(value.trim())
    ? null
    : 'must be a number written as a string'
const setback: Rule = (value) =>
  value === 'undefined' || (typeof value === 'number' && Number.isFinite(value))
    ? null
    : 'must be a number or the string "undefined"'
const tolerance: Rule = (value) =>
  value === null || (typeof value === 'number' && Number.isFinite(value)) ? null : 'must be a number or null'
const oneOf =
  (...values: readonly string[]): Rule =>
  (value) =>
    typeof value === 'string' && values.includes(value) ? null : `must be ${values.join(' or ')}`

/**
 * The service's specification, section 2.1. Tiers beyond `maxFill` exist but are not documented, so any is accepted.
 */
const orderRules: Readonly<Record<string, Rule>> = {
  projectId: text,
  status: oneOf('ordered'),
  tierLevel: text,
  upgrade: yesOrNo,
  isExpedited: yesOrNo,
}

/**
 * The service's specification, section 2.2. The categories of `sizedForCategory` are not all documented, so any is
 * accepted.
 */
const formRules: Readonly<Record<string, Rule>> = {
  sizedForCategory: text,
  sizedForValue: numericText,
  projectAddress: text,
  homeownerName: text,
  designOneModule: text,
  moduleOrientation: oneOf('portrait', 'landscape'),
  mixedOrientation: oneOf('yes', 'no'),
  moduleSpacingLong: numericText,
  moduleSpacingShort: numericText,
  azimuthRangeStart: numericText,
  azimuthRangeEnd: numericText,
  newBuildPlansRequired: yesOrNo,
  isCommercialZone: yesOrNo,
}

const optionalFormRules: Readonly<Record<string, Rule>> = { negativeTolerance: tolerance, positiveTolerance: tolerance }

const setbackKeys = {
  fireSetbacks: ['ridge', 'eave', 'rake', 'valley', 'hip'],
  obstructionSetbacks: ['vents', 'exhaust', 'skylights', 'parapet', 'general'],
} as const

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function check(source: Record<string, unknown>, rules: Readonly<Record<string, Rule>>, prefix: string): FieldProblem[] {
  return Object.entries(rules).flatMap(([name, rule]) => {
    const field = `${prefix}${name}`
    if (!Object.hasOwn(source, name)) return [{ field, message: 'is required' }]
    const message = rule(source[name])
    return message === null ? [] : [{ field, message }]
  })
}

/** Returns every problem of an order's body by the service's specification, sections 2.1 and 2.2. */
export function orderProblems(body: unknown): FieldProblem[] {
  if (!isObject(body)) return [{ field: '', message: 'must be a JSON object' }]
  const problems = check(body, orderRules, '')
  const { form } = body
  if (!isObject(form))
    return [...problems, { field: 'form', message: form === undefined ? 'is required' : 'must be an object' }]
  problems.push(...check(form, formRules, 'form.'))
  const present = Object.entries(optionalFormRules).filter(([name]) => Object.hasOwn(form, name))
  problems.push(...check(form, Object.fromEntries(present), 'form.'))
  for (const [name, keys] of Object.entries(setbackKeys)) {
    const setbacks = form[name]
    const field = `form.${name}`
    if (!isObject(setbacks)) {
      problems.push({ field, message: setbacks === undefined ? 'is required' : 'must be an object' })
      continue
    }
    problems.push(...check(setbacks, Object.fromEntries(keys.map((key) => [key, setback])), `${field}.`))
  }
  return problems
}
