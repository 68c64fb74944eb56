import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { UnfinishedMove } from '../../../shared/background-tasks.ts'
import { AppError } from '../../../shared/errors.ts'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'
import { fsyncFolder } from '../../engine/lib/fs/durable-files.ts'
import { writePrivateFile } from '../../engine/lib/fs/private-files.ts'

/**
 * How far a move has come, in `archive-move.json` of the data folder; it is there from before the first change until
 * after the last. `renaming`: project folders are renamed one by one; `copying`: that is not possible, all is copied;
 * `removing`: the setting names the new place, what is proven to be there leaves the old one; `undoing`: the other way
 * round.
 */
const moveRecordSchema = z.object({
  /** The archive folder of the settings before the move. */
  from: z.string(),
  to: z.string(),
  /** Project folders, relative to both; from `copying` on, only those that are copied. */
  folders: z.array(z.string()),
  /** Project folders that were renamed before one could not be; filled from `copying` on. */
  renamed: z.array(z.string()),
  phase: z.enum(['renaming', 'copying', 'removing', 'undoing']),
})
export type MoveRecord = z.infer<typeof moveRecordSchema>

const pathIn = (homeFolder: string) => join(homeFolder, 'archive-move.json')

/** Returns the record, or undefined if no move is unfinished. Throws `wrong-settings` for an unreadable record. */
export async function readMoveRecord(homeFolder: string): Promise<MoveRecord | undefined> {
  const path = pathIn(homeFolder)
  try {
    return moveRecordSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    if (errnoCode(error) === 'ENOENT') return undefined
    throw new AppError(
      'wrong-settings',
      `${path} says that the archive is being moved, but it cannot be read. Nothing is lost. Look in which of the two ` +
        'folders the archive is, choose that one in the settings, and delete this file.',
      { cause: error },
    )
  }
}

/** Durable when it resolves. */
export async function writeMoveRecord(homeFolder: string, record: MoveRecord): Promise<void> {
  await writePrivateFile(pathIn(homeFolder), `${JSON.stringify(record, null, 2)}\n`)
}

/** Durable when it resolves. */
export async function removeMoveRecord(homeFolder: string): Promise<void> {
  await rm(pathIn(homeFolder), { force: true })
  await fsyncFolder(homeFolder)
}

/**
 * What is left of a move that ended. `isSettled`: the settings name the new folder. Undefined: nothing is left of it. A
 * record that cannot be read tells nothing: then the archive is taken to be in both folders.
 */
export async function whatIsUnfinished(
  homeFolder: string,
  { from, to }: { readonly from: string; readonly to: string },
  isSettled: boolean,
): Promise<UnfinishedMove | undefined> {
  const archive = isSettled ? 'arrived' : 'between'
  return readMoveRecord(homeFolder).then(
    (record) => record && { from, to, archive, isAtRest: record.phase !== 'removing' },
    () => ({ from, to, archive, isAtRest: true }),
  )
}

/** Returns whether a move concerns the archive of the settings. */
export function isMoveOf({ from, to }: MoveRecord, archiveFolder: string): boolean {
  return from === archiveFolder || to === archiveFolder
}

/** Throws `wrong-usage` while the archive is in two places: half of it would look lost to who knows one folder only. */
export async function requireNoMove(homeFolder: string, archiveFolder: string): Promise<void> {
  const record = await readMoveRecord(homeFolder)
  if (record === undefined || record.phase === 'removing') return
  const { from, to } = record
  throw new AppError(
    'wrong-usage',
    isMoveOf(record, archiveFolder)
      ? `The archive is being moved from ${from} to ${to}, and that is not finished. Nothing is lost. Open the app, which ` +
          'goes on with it by itself, then try again.'
      : `A move of the archive from ${from} to ${to} is not finished, and the archive folder is now said to be ` +
          `${archiveFolder}, which is neither. Nothing is lost. To finish the move, say "archiveFolder": ` +
          `${JSON.stringify(from)} in ${join(homeFolder, 'settings.json')} and open the app without another archive folder. ` +
          `If your archive is whole in ${archiveFolder}, delete ${pathIn(homeFolder)} instead.`,
  )
}
