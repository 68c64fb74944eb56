import { firstOf, isJsonObject, valuesOf, type JsonObject } from './json-object.ts'
import { readFlag, readText } from './read-scalars.ts'

/**
 * Returns whether an object reports a failure although its status was a success: `{ error }`, `{ success: false }`, `{
 * statusCode: 500 }`. A message alone does not count.
 */
export function reportsError(object: JsonObject): boolean {
  return (
    valuesOf(object, ['error', 'errors', 'errormessage', 'exception', 'fault']).some(isMark) ||
    firstOf(object, ['success', 'ok', 'succeeded'], readFlag) === false ||
    valuesOf(object, ['status', 'statuscode', 'code', 'result']).some(isFailureStatus)
  )
}

function isMark(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (isJsonObject(value)) return Object.keys(value).length > 0
  return value === true || readText(value) !== null
}

function isFailureStatus(value: unknown): boolean {
  return /^\s*(?:[45]\d\d|error|fail(?:ed|ure)?)\s*$/i.test(readText(value) ?? '')
}
