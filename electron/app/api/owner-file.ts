import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type OwnerFacts, ownerFactsSchema } from '../../../shared/contract/owner-calls.ts'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'

/** Returns the folder of the socket and of `owner.json`. */
export const ownerFolder = (homeFolder: string) => join(homeFolder, 'owner')

/** Returns the path of the file with the owner's address and key. */
export const ownerFile = (homeFolder: string) => join(ownerFolder(homeFolder), 'owner.json')

/** Returns the content of `owner.json`, or `undefined` if there is none that can be read. */
export function readOwnerFacts(homeFolder: string): OwnerFacts | undefined {
  try {
    return ownerFactsSchema.safeParse(JSON.parse(readFileSync(ownerFile(homeFolder), 'utf8'))).data
  } catch {
    return undefined
  }
}

/** Returns the first path that exists and belongs to another user of this machine. */
export function foreignPath(paths: readonly string[]): string | undefined {
  const user = process.getuid?.()
  return paths.find((path) => {
    try {
      const { uid } = lstatSync(path)
      return user !== undefined && uid !== user
    } catch (error) {
      // A folder of another user that only that user can enter.
      return errnoCode(error) === 'EACCES'
    }
  })
}
