import type { HttpAnswer } from '../http-exchange.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

/**
 * Maximum nesting of an answer. A form of sections, groups, and follow-up questions has about a dozen levels, each
 * worth two of JSON.
 */
export const MAX_DEPTH = 64

/** Maximum number of values; a list of ten thousand media records has about two hundred thousand. */
const MAX_VALUES = 2_000_000

/** Returns the JSON of a successful answer. Throws `unreadable-answer` if there is none or it is unreasonably large. */
export function parseAnswer(answer: Pick<HttpAnswer, 'status' | 'contentType' | 'body'>, subject: string): unknown {
  const { status, contentType, body } = answer
  const details = { status, ...(contentType === undefined ? {} : { contentType }) }
  if (body.trim() === '') throw unreadableAnswer(subject, 'it is empty', details)
  const json = parse(body)
  if (json === undefined) {
    const isPage = /^\s*</.test(body)
    throw unreadableAnswer(subject, isPage ? 'it is a web page instead of data' : 'it is not complete JSON', details)
  }
  if (!isOfReasonableSize(json)) throw unreadableAnswer(subject, 'it is too large or nested too deeply', details)
  return json
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** Visits level by level, so that it cannot exhaust the stack. */
function isOfReasonableSize(json: unknown): boolean {
  let level: readonly unknown[] = [json]
  let values = 1
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return false
    const next: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      for (const item of Object.values(value)) next.push(item)
      if (values + next.length > MAX_VALUES) return false
    }
    values += next.length
    level = next
  }
  return true
}
