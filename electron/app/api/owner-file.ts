import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { type OwnerFacts, ownerFactsSchema } from '../../../shared/contract/owner-facts.ts'
import { AppError } from '../../../shared/errors.ts'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'

/** Returns the folder of the socket and of `owner.json`. */
export const ownerFolder = (homeFolder: string) => join(homeFolder, 'owner')

/** Returns the path of the file with the owner's address and key. */
export const ownerFile = (homeFolder: string) => join(ownerFolder(homeFolder), 'owner.json')

/** Maximum size; the facts take far less. */
const maxFactsBytes = 64 * 1024

/** Returns the content of `owner.json`, or `undefined` if there is none that can be read. */
export function readOwnerFacts(homeFolder: string): OwnerFacts | undefined {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  let file: number | undefined
  try {
    // Opening a pipe would wait for somebody who writes into it.
    file = openSync(ownerFile(homeFolder), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const found = fstatSync(file)
    if (!found.isFile() || found.size > maxFactsBytes) return undefined
    return ownerFactsSchema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Returns when the owner described itself, ISO 8601, or `undefined` if nobody did. */
export function ownerSince(homeFolder: string): string | undefined {
  return lstatSync(ownerFile(homeFolder), { throwIfNoEntry: false })?.mtime.toISOString()
}

/** Returns the error for a data folder of another user, or whose owner is another user's process, or `undefined`. */
export function otherUserError(homeFolder: string, pid?: number): AppError | undefined {
  const inside = [join(homeFolder, 'lock.sqlite3'), ownerFolder(homeFolder), ownerFile(homeFolder)]
  if (!isForeign(homeFolder) && !inside.some((path) => ownerOf(path) === 'other')) return undefined
  return new AppError(
    'data-folder-locked',
    `The data folder ${homeFolder} belongs to another user of this machine` +
      `${pid === undefined ? '' : `, whose process ${pid} is using it`}. Nothing was changed. Run the command as that ` +
      'user, or choose another data folder with --home.',
  )
}

/** Returns the reason why this user could not read a data folder, if it belongs to another one. Root can read all. */
export function whyUnreadable(homeFolder: string): AppError | undefined {
  return process.getuid?.() === 0 ? undefined : otherUserError(homeFolder)
}

/**
 * A folder that cannot be looked at is in a folder that only another user may enter. A link to the data folder may be
 * anybody's, such as root's.
 */
const isForeign = (folder: string) => ownerOf(folder, statSync) !== 'own'

function ownerOf(path: string, look: (path: string) => Stats = lstatSync): 'own' | 'other' | 'not-known' {
  const user = process.getuid?.()
  try {
    return user === undefined || look(path).uid === user ? 'own' : 'other'
  } catch (error) {
    return errnoCode(error) === 'EACCES' ? 'not-known' : 'own'
  }
}
