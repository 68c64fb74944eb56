import type { Redactor } from '../../engine/lib/redact.ts'
import { plainText } from './plain-text.ts'

/** Room for a stack with its causes; a longer text is somebody's data. */
const maxTextLength = 8_192

/**
 * A line of the log, which is one JSON object, without secrets and without characters that a terminal would obey. First
 * each key and value is redacted as it was before JSON escaped it, then the line as a whole, so that a secret is found
 * in either form. A line that would not be JSON any more is left out, but for its being there.
 */
export function redactLine(line: string, redactor: Redactor): string {
  const cut = (_key: string, value: unknown) =>
    typeof value === 'string' && value.length > maxTextLength ? `${value.slice(0, maxTextLength)}…` : value
  const clean = JSON.stringify(redactor.redactJson(JSON.parse(line)), cut)
  const text = plainText(redactor.redactText(clean))
  return `${isJson(text) ? text : JSON.stringify({ level: 'warn', msg: 'A line that could not be redacted was left out' })}\n`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
