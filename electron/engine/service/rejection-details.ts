import { parseJson } from '../lib/parse-json.ts'
import type { Redactor } from '../lib/redact.ts'
import { firstOf, isJsonObject, valuesOf } from './readers/json-object.ts'
import { readText } from './readers/read-scalars.ts'

/** One reason of a `400`. `field` is the field's name as the service writes it; `null` if it names none. */
export interface RejectionProblem {
  readonly field: string | null
  readonly message: string
}

/** More reasons than an order's form has fields are no help. */
const maxProblems = 30
const maxLength = 300
const maxDepth = 6

const fieldNames = ['field', 'path', 'param', 'property', 'instancepath', 'loc']
const messageNames = ['message', 'msg', 'reason', 'detail', 'description', 'title', 'error']
/** White space, and control and bidirectional characters, which could garble the message around a reason. */
const unseen = /[\s\p{Cc}\p{Cf}]+/gu

/** Names of lists or objects of further reasons; some are also names of a single message. */
const listNames = [
  'errors',
  'details',
  'problems',
  'violations',
  'issues',
  'fields',
  'validationerrors',
  'data',
  'error',
  'message',
  'messages',
  'detail',
  'constraints',
  'children',
]

/** Names beside a reason that are not form fields. */
const envelopeNames = new Set(['status', 'statusCode', 'code', 'type', 'success', 'ok', 'timestamp', 'requestId'])

/**
 * Reads the reasons of a rejection. The specification does not define the body's shape, so the common ones are read: a
 * list of `{ field, message }` under any of several names, an object of field to message or messages, a single message,
 * plain text. Never throws; unreadable parts are left out. Redacted and limited.
 */
export function readRejectionDetails(body: string, redactor: Redactor): readonly RejectionProblem[] {
  const found = new Map<string, RejectionProblem>()
  for (const { field, message } of problemsIn(parse(body), null, 0)) {
    const problem = { field: field === null ? null : clean(field, redactor), message: clean(message, redactor) }
    found.set(JSON.stringify(problem), problem)
    if (found.size >= maxProblems) break
  }
  return [...found.values()]
}

function parse(body: string): unknown {
  const json = parseJson(body)
  if (json !== undefined) return json
  // An HTML page or an incomplete document explains nothing, but a line of text may.
  return /^\s*[<{[]/.test(body) ? null : body
}

function* problemsIn(value: unknown, field: string | null, depth: number): Generator<RejectionProblem> {
  if (depth > maxDepth) return
  const message = readText(value)
  if (message !== null) {
    yield { field, message }
  } else if (Array.isArray(value)) {
    for (const item of value) yield* problemsIn(item, field, depth + 1)
  } else if (isJsonObject(value)) {
    yield* problemsInObject(value, field, depth)
  }
}

function* problemsInObject(
  object: Readonly<Record<string, unknown>>,
  outerField: string | null,
  depth: number,
): Generator<RejectionProblem> {
  const nested = valuesOf(object, listNames).filter((value) => typeof value === 'object' && value !== null)
  const field = firstOf(object, fieldNames, readPath) ?? outerField
  const message = firstOf(object, messageNames, readText)
  for (const value of nested) yield* problemsIn(value, field, depth + 1)
  if (message !== null) yield { field, message }
  else if (nested.length === 0) {
    for (const [key, value] of Object.entries(object)) {
      if (!envelopeNames.has(key))
        yield* problemsIn(value, outerField === null ? key : `${outerField}.${key}`, depth + 1)
    }
  }
}

/** Reads a field's name, or its path as a list (`['form', 'homeownerName']`). */
function readPath(value: unknown): string | null {
  if (!Array.isArray(value)) return readText(value)
  const steps = value.map(readText).filter((step) => step !== null)
  return steps.length === 0 ? null : steps.join('.')
}

function clean(text: string, redactor: Redactor): string {
  return redactor.redactText(text).replace(unseen, ' ').slice(0, maxLength)
}
