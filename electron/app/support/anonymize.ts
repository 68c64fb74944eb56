import { errorCodes } from '../../../shared/error-policy.ts'
import { logLevels } from '../../../shared/setting-names.ts'
import { parseJson } from '../../engine/lib/parse-json.ts'

/** Fields with an id of the service or the database, and fields with a word of a fixed list. */
const idFields = /^(?:project|checklist|asset|question|category|order|job)(?:Id)?$/
const wordFields =
  /^(?:from|to|obstacle|because|by|code|errno|reason|kind|purpose|state|status|phase|sqlite|expected|looksLike)$/
const sentenceFields = /^(?:message|stack|subject|cause)$/

/** Fields whose numbers may be the location of someone's home. */
const placeFields = /lat|lon|lng|coord|place|geo|gps|position/i

/** Path of an API call: words and ids. */
const callPath = /^\/api\/v1(?:\/[\w.:-]{1,64}){0,6}\/?$/
const id = /^[\w.:-]{1,64}$/
const word = /^[A-Za-z][\w-]{0,40}$/
const errorName = /^(?:[A-Z]\w{0,40})?Error$/
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z$/
const fieldName = /^[A-Za-z]\w{0,40}$/

const removed = '[removed]'
const maxDepth = 8

/**
 * Returns a line of the log that may leave the machine, or undefined for a line in another format. Only ids, numbers,
 * times, and Solarchive's own words and sentences are kept.
 */
export function anonymizeLogLine(line: string, context: AnonymizeContext): string | undefined {
  const json = parseJson(line)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return undefined
  const { level, time: at, pid, fields, msg } = json as Readonly<Record<string, unknown>>
  if (!logLevels.some((known) => known === level) || typeof msg !== 'string') return undefined
  return JSON.stringify({
    level,
    time: typeof at === 'string' && time.test(at) ? at : null,
    pid: typeof pid === 'number' ? pid : null,
    fields: anonymizeValue('', fields, context, 0),
    msg: anonymizeText(msg, context),
  })
}

function anonymizeValue(key: string, value: unknown, context: AnonymizeContext, depth: number): unknown {
  if (typeof value === 'string') return anonymizeString(key, value, context)
  if (typeof value === 'number') return placeFields.test(key) ? removed : value
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return removed
  if (Array.isArray(value)) return value.map((item) => anonymizeValue(key, item, context, depth + 1))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => fieldName.test(name))
      .map(([name, item]) => [name, anonymizeValue(name, item, context, depth + 1)]),
  )
}

function anonymizeString(key: string, text: string, context: AnonymizeContext): string {
  if (time.test(text) || errorCodes.some((code) => code === text)) return text
  if (idFields.test(key)) return id.test(text) ? context.redactText(text) : removed
  if (sentenceFields.test(key)) return anonymizeText(text, context)
  if (wordFields.test(key) && word.test(text)) return context.redactText(text)
  if (key === 'path' && callPath.test(text)) return context.redactText(text)
  if (key === 'name' && errorName.test(text)) return text
  return removed
}

/** Folders and names that texts may contain. Folders are absolute. */
export interface AnonymizeContext {
  readonly archiveFolder: string | undefined
  readonly homeFolder: string
  /** Home folder of the user, whose name is usually theirs. */
  readonly userFolder: string
  readonly redactText: (text: string) => string
  /** Returns the text without names that are in the database, or null if the database cannot be read. */
  readonly withoutNames: (text: string) => string | null
}

const omitted = '[…]'

/** Message of a Node system error: it ends with the name of the system call, followed by the paths. */
const systemError = /\b(E[A-Z0-9]{2,15}: [^,'"]{1,80}, [a-z]{2,16})\b(?=\s|$).*$/

/** Stack frame: function, file, line, and column. The lengths are limited to bound backtracking. */
const frame = /^\s*at (?:(.{1,200}) \()?(.{1,500}):(\d{1,7}):(\d{1,7})\)?\s*$/

/** First folder of a path within Solarchive or Node. */
const knownFolder = /^(?:electron|shared|out|node_modules|node:.*)$/

/** Absolute path of any platform at the start of a word, with the rest of the line. */
const absolutePath = /(^|[\s'"`(=<[])(?:\/[^/\s]|[A-Za-z]:[\\/]|\\\\).*$/

/** End of a folder's name in the archive: ` [a1b2c3]`, the last characters of an id. */
const archiveFolderName = / \[(?!secret\])[\w-]{1,6}\]/

const quoted = /"[^"]*"|“[^”]*”/g

/**
 * Returns a sentence of Solarchive or an error message without paths, quoted words, and known names, which are what
 * programs insert into such texts. It removes too much rather than too little.
 */
export function anonymizeText(text: string, context: AnonymizeContext): string {
  const lines = context.redactText(text).split(/\r?\n/)
  const sentences = lines.filter((line) => !frame.test(line)).map((line) => anonymizeLine(line, context))
  // Frames name Solarchive's own functions and files.
  const frames = lines.filter((line) => frame.test(line)).map(anonymizeFrame)
  const known = sentences.join('\n')
  return [context.withoutNames(known) ?? known, ...frames].join('\n')
}

function anonymizeFrame(line: string): string {
  const [, what = '', file = '', row = '', column = ''] = frame.exec(line) ?? []
  const parts = file.split(/[\\/]/)
  const from = parts.findLastIndex((part) => knownFolder.test(part))
  // Paths outside Solarchive and Node may contain personal names.
  return `    at ${what} (${from === -1 ? omitted : parts.slice(from).join('/')}:${row}:${column})`
}

function anonymizeLine(line: string, { archiveFolder, homeFolder }: AnonymizeContext): string {
  const folders = [archiveFolder, homeFolder].filter((folder) => folder !== undefined && folder.length > 1)
  let rest = line
  for (const folder of folders) {
    const at = folder === undefined ? -1 : rest.indexOf(folder)
    if (at !== -1) rest = `${rest.slice(0, at)}${omitted}`
  }
  rest = rest.replace(systemError, `$1 ${omitted}`)
  rest = rest.replace(absolutePath, `$1${omitted}`).replace(quoted, `"${omitted}"`)
  return archiveFolderName.test(rest) ? omitted : rest
}

/** Returns a path or URL of the settings without secrets and known names, and with `~` for the user's home folder. */
export function anonymizeSetting(text: string, context: AnonymizeContext): string {
  const { userFolder, redactText, withoutNames } = context
  const short =
    userFolder.length > 1 && (text === userFolder || /^[/\\]/.test(text.slice(userFolder.length)))
      ? text.replace(userFolder, '~')
      : text
  const clean = redactText(short)
  return withoutNames(clean) ?? clean
}
