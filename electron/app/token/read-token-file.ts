import { constants, type Stats } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { decodeText } from '../../engine/lib/decode-text.ts'
import { plainText } from '../log/plain-text.ts'

/** Far longer than any token; a larger file is a mistake. */
const maxBytes = 4096

/** Permission bits of the group and others. */
const othersRights = 0o077

/**
 * Result of reading a token file. `problem` completes "<file> is not used: ..." and repeats none of its text. It may
 * contain the path.
 */
export type TokenFile =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unusable'; readonly problem: string }

/**
 * Reads the token from a private file: one line, which only its owner may read. Links are not followed. Permissions are
 * not checked on Windows, where the data folder is in the user's profile. Never rejects.
 */
export async function readTokenFile(path: string, platform: NodeJS.Platform): Promise<TokenFile> {
  try {
    const problem = problemOf(path, await lstat(path), platform)
    return problem === undefined ? await readPrivately(path, platform) : unusable(problem)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unexpected'
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    return unusable(`it cannot be read (${code}).`)
  }
}

/** Checks the open file again before it is read, since the path may have been replaced. */
async function readPrivately(path: string, platform: NodeJS.Platform): Promise<TokenFile> {
  // Opening a named pipe in the file's place would block until someone writes to it.
  const posix = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, platform === 'win32' ? 'r' : posix)
  try {
    const problem = problemOf(path, await file.stat(), platform)
    if (problem !== undefined) return unusable(problem)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0)
    return parseToken(decodeText(buffer.subarray(0, bytesRead)) ?? '\uFFFD')
  } finally {
    await file.close()
  }
}

function problemOf(path: string, stats: Stats, platform: NodeJS.Platform): string | undefined {
  if (stats.isSymbolicLink()) return 'it is a symbolic link. Put a plain file in its place.'
  if (!stats.isFile()) return 'it is not a plain file.'
  if (platform !== 'win32' && (stats.mode & othersRights) !== 0) {
    return `other users of this machine may access it. Restrict it: ${chmodCommand(path)}`
  }
  return stats.size > maxBytes ? 'it is larger than 4 KB, which no token is.' : undefined
}

/** Returns the command to type. A path with other characters than these is quoted for a shell. */
function chmodCommand(path: string): string {
  const shown = plainText(path)
  return `chmod 600 ${/^[\w./@:+-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`}`
}

/** Returns whether a text may be a token: printable ASCII without spaces, as in an HTTP header. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text)
}

function parseToken(text: string): TokenFile {
  const token = text.trim()
  if (token === '') return unusable('it is empty.')
  if (!isToken(token)) {
    return unusable('it must contain only the token, on one line, without spaces or control characters.')
  }
  return { kind: 'token', token }
}

function unusable(problem: string): TokenFile {
  return { kind: 'unusable', problem }
}
