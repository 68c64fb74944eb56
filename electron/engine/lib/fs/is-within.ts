import { type BigIntStats, realpathSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, relative, sep } from 'node:path'
import { errnoCode } from './disk-error.ts'

/**
 * Returns the path of a folder with all links resolved. Some Windows drives (ImDisk, DFS) support everything but this
 * and fail with `EISDIR`: their paths are returned unchanged. Rejects with the errors of Node's `realpath` otherwise.
 */
export async function withoutLinks(folder: string): Promise<string> {
  return realpath(folder).catch((error: unknown) => {
    if (errnoCode(error) === 'EISDIR') return folder
    throw error
  })
}

/**
 * Returns whether two paths lead to one folder. Links, and on Windows the case of letters, make no difference if the
 * folders exist.
 */
export function isSameFolder(one: string, other: string): boolean {
  return one === other || realFolder(one) === realFolder(other)
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return folder
  }
}

/**
 * Returns whether a folder is another one or below it. Both are absolute, without links, and exist. Compares the
 * folders themselves as well as their paths: with a bind mount one folder has several paths.
 */
export async function isWithin(folder: string, above: string): Promise<boolean> {
  const way = relative(above, folder)
  if (way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`))) return true
  const wanted = await identify(above)
  for (let at = folder; ; at = dirname(at)) {
    if (isOne(await identify(at), wanted)) return true
    if (dirname(at) === at) return false
  }
}

/**
 * Returns whether two folders are one: one is a link to the other, or a mount of it, which `isSameFolder` cannot tell.
 * False if that cannot be found out.
 */
export async function areOneFolder(one: string, other: string): Promise<boolean> {
  return isOne(await identify(one), await identify(other))
}

/** Returns whether two files or folders that exist are one. */
export function isOne(one: BigIntStats | undefined, other: BigIntStats | undefined): boolean {
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev
}

/** Returns undefined on file systems that do not number their folders. */
async function identify(folder: string): Promise<BigIntStats | undefined> {
  const found = await stat(folder, { bigint: true }).catch(() => undefined)
  return found?.ino === 0n ? undefined : found
}
