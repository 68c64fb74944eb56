import { errorCodes } from '../../../shared/error-policy.ts'
import { logLevels } from '../../../shared/settings.ts'
import { type ScrubContext, scrubText } from './scrub-text.ts'

/** Fields that hold an id of the service or of the database, or a word out of a list. */
const idFields = /^(?:project|checklist|asset|question|category|order|job)(?:Id)?$/
const wordFields =
  /^(?:from|to|obstacle|because|by|code|errno|reason|kind|purpose|state|status|phase|sqlite|expected|looksLike)$/
const sentenceFields = /^(?:message|stack|subject|cause)$/

/** Numbers under these names would say where somebody lives. */
const placeFields = /lat|lon|lng|coord|place|geo|gps|position/i

/** Of a call to the service: words and ids. */
const callPath = /^\/api\/v1(?:\/[\w.:-]{1,64}){0,6}\/?$/
const id = /^[\w.:-]{1,64}$/
const word = /^[A-Za-z][\w-]{0,40}$/
const errorName = /^(?:[A-Z]\w{0,40})?Error$/
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/
const fieldName = /^[A-Za-z]\w{0,40}$/

const removed = '[removed]'
const maxDepth = 8

/**
 * A line of the log as it may leave the machine, or undefined for one that is not of the log's format. By construction:
 * ids, numbers, times, and words and sentences of Solarchive's own stay; any other text goes.
 */
export function scrubLogLine(line: string, context: ScrubContext): string | undefined {
  const json = parse(line)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  const { level, time: at, pid, fields, msg } = json as Readonly<Record<string, unknown>>
  if (!logLevels.some((known) => known === level) || typeof msg !== 'string') return undefined
  return JSON.stringify({
    level,
    time: typeof at === 'string' && time.test(at) ? at : null,
    pid: typeof pid === 'number' ? pid : null,
    fields: scrubValue('', fields, context, 0),
    msg: scrubText(msg, context),
  })
}

function scrubValue(key: string, value: unknown, context: ScrubContext, depth: number): unknown {
  if (typeof value === 'string') return scrubString(key, value, context)
  if (typeof value === 'number') return placeFields.test(key) ? removed : value
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return removed
  if (Array.isArray(value)) return value.map((item) => scrubValue(key, item, context, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => fieldName.test(name))
      .map(([name, item]) => [name, scrubValue(name, item, context, depth + 1)]),
  )
}

function scrubString(key: string, text: string, context: ScrubContext): string {
  if (time.test(text) || errorCodes.some((code) => code === text)) return text
  if (idFields.test(key)) return id.test(text) ? context.redactText(text) : removed
  if (sentenceFields.test(key)) return scrubText(text, context)
  if (wordFields.test(key) && word.test(text)) return context.redactText(text)
  if (key === 'path' && callPath.test(text)) return context.redactText(text)
  if (key === 'name' && errorName.test(text)) return text
  return removed
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
