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

const removed = '[…]'

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
  return `    at ${what} (${from === -1 ? removed : parts.slice(from).join('/')}:${row}:${column})`
}

function scrubLine(line: string, { archiveFolder, homeFolder }: ScrubContext): string {
  const folders = [archiveFolder, homeFolder].filter((folder) => folder !== undefined && folder.length > 1)
  let rest = line
  for (const folder of folders) {
    const at = folder === undefined ? -1 : rest.indexOf(folder)
    if (at !== -1) rest = `${rest.slice(0, at)}${removed}`
  }
  rest = rest.replace(systemError, `$1 ${removed}`)
  rest = rest.replace(absolutePath, `$1${removed}`).replace(quoted, `"${removed}"`)
  return archiveFolderName.test(rest) ? removed : rest
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
