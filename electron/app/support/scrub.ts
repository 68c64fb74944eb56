import { errorCodes } from '../../../shared/error-policy.ts'
import { logLevels } from '../../../shared/settings.ts'

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

/** Places on this machine that may stand in a text, and what is known about names. Folders are absolute. */
export interface ScrubContext {
  readonly archiveFolder: string | undefined
  readonly homeFolder: string
  /** The person's own folder: its name is mostly theirs. */
  readonly userFolder: string
  readonly redactText: (text: string) => string
  /** The text without names that the database knows, or null when that cannot be told. */
  readonly withoutNames: (text: string) => string | null
}

const omitted = '[…]'

/** Node's words for an error of the system end with the call's name; the paths come behind it. */
const systemError = /\b(E[A-Z0-9]{2,15}: [^,'"]{1,80}, [a-z]{2,16})\b(?=\s|$).*$/

/** A frame of a stack: what runs, and where in which file. Bounded, because its pattern takes its time. */
const frame = /^\s*at (?:(.{1,200}) \()?(.{1,500}):(\d{1,7}):(\d{1,7})\)?\s*$/

/** Where the part of a file's path begins that is Solarchive's or Node's own. */
const knownFolder = /^(?:electron|shared|out|node_modules|node:.*)$/

/** An absolute path of any platform, at the start of a word. */
const absolutePath = /(^|[\s'"`(=<[])(?:\/[^/\s]|[A-Za-z]:[\\/]|\\\\).*$/

/** The end of a folder's name in the archive: ` [a1b2c3]`, the last characters of an id. */
const archiveFolderName = / \[(?!secret\])[\w-]{1,6}\]/

const quoted = /"[^"]*"|“[^”]*”/g

/**
 * A sentence of Solarchive or an error's message, without paths, quoted words and known names. Meant for texts that a
 * program put together: what it removes is what a program inserts. Errs towards removing too much.
 */
export function scrubText(text: string, context: ScrubContext): string {
  const lines = context.redactText(text).split(/\r?\n/)
  const sentences = lines.filter((line) => !frame.test(line)).map((line) => scrubLine(line, context))
  // Frames name Solarchive's own functions and files.
  const frames = lines.filter((line) => frame.test(line)).map(scrubFrame)
  const known = sentences.join('\n')
  return [context.withoutNames(known) ?? known, ...frames].join('\n')
}

function scrubFrame(line: string): string {
  const [, what = '', file = '', row = '', column = ''] = frame.exec(line) ?? []
  const parts = file.split(/[\\/]/)
  const from = parts.findLastIndex((part) => knownFolder.test(part))
  // A file of somebody else's is none of our business.
  return `    at ${what} (${from === -1 ? omitted : parts.slice(from).join('/')}:${row}:${column})`
}

function scrubLine(line: string, { archiveFolder, homeFolder }: ScrubContext): string {
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

/** A path or address of the settings: the person's folder is `~`, and secrets and known names are gone. */
export function scrubSetting(text: string, context: ScrubContext): string {
  const { userFolder, redactText, withoutNames } = context
  const short =
    userFolder.length > 1 && (text === userFolder || /^[/\\]/.test(text.slice(userFolder.length)))
      ? text.replace(userFolder, '~')
      : text
  const clean = redactText(short)
  return withoutNames(clean) ?? clean
}
