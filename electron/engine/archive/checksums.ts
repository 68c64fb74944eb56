/** A file and its SHA-256 in hex. In a project's SHA256SUMS, paths are relative to the project folder. */
export interface ChecksumEntry {
  readonly path: string
  readonly sha256: string
}

export interface ParsedChecksums {
  readonly entries: readonly ChecksumEntry[]
  /** Numbers, from 1, of the lines that are not a checksum. */
  readonly badLines: readonly number[]
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r' }
const unescapes: Readonly<Record<string, string>> = { '\\\\': '\\', '\\n': '\n', '\\r': '\r' }

/**
 * Returns the text of a SHA256SUMS, sorted by path. A line consists of the hash, two spaces, and the path, and starts
 * with a backslash if the path is escaped (GNU coreutils manual, "md5sum invocation"). Without entries it is empty,
 * which `sha256sum -c` rejects.
 */
export function formatChecksums(entries: Iterable<ChecksumEntry>): string {
  return [...entries]
    .sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0))
    .map(formatLine)
    .join('')
}

/**
 * Reads a SHA256SUMS, including one with CRLF, a byte order mark, `*` for binary, upper-case hashes, or empty lines.
 */
export function parseChecksums(text: string): ParsedChecksums {
  const entries: ChecksumEntry[] = []
  const badLines: number[] = []
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    if (line === '') continue
    const entry = parseLine(line)
    if (entry === undefined) badLines.push(index + 1)
    else entries.push(entry)
  }
  return { entries, badLines }
}

function formatLine({ path, sha256 }: ChecksumEntry): string {
  const escaped = path.replace(/[\\\n\r]/g, (character) => escapes[character] ?? character)
  return `${escaped === path ? '' : '\\'}${sha256}  ${escaped}\n`
}

function parseLine(line: string): ChecksumEntry | undefined {
  const [, backslash, sha256, path] = /^(\\?)([0-9A-Fa-f]{64}) [ *](.+)$/s.exec(line) ?? []
  if (sha256 === undefined || path === undefined) return undefined
  const readable = backslash === '' ? path : unescape(path)
  return readable === undefined ? undefined : { path: readable, sha256: sha256.toLowerCase() }
}

function unescape(path: string): string | undefined {
  if (!/^(?:[^\\]|\\[\\nr])*$/.test(path)) return undefined
  return path.replace(/\\[\\nr]/g, (escaped) => unescapes[escaped] ?? escaped)
}
