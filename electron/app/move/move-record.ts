import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { UnfinishedMove } from '../../../shared/background-tasks.ts'
import { AppError } from '../../../shared/errors.ts'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'
import { fsyncFolder } from '../../engine/lib/fs/durable-files.ts'
import { isSameFolder } from '../../engine/lib/fs/is-within.ts'
import { writePrivateFile } from '../../engine/lib/fs/private-files.ts'

/**
 * Progress of a move, in `archive-move.json` of the data folder: written before the first change, removed after the
 * last one. Phases: `renaming` project folders one by one; `copying` those that cannot be renamed; `removing` from the
 * old folder what is proven to be in the new one, which the settings name by then; `undoing` a stopped or failed move.
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
  /** True once a project folder to copy is in the new folder. */
  isBegun: z.boolean().optional(),
  /**
   * From `copying` on: true once the new folder is whole, right before the move names it in settings.json; a take-over
   * or a user may do so before. Not recorded by earlier versions.
   */
  isWhole: z.boolean().optional(),
})
export type MoveRecord = z.infer<typeof moveRecordSchema>

type MoveFolders = Pick<MoveRecord, 'from' | 'to'>

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
      `${path} records a move of the archive, but it cannot be read. Nothing is lost. Find out which of the two ` +
        'folders holds the archive, choose that one in the settings, and delete this file.',
      { cause: error },
    )
  }
}

/** Resolves once the record is durable. */
export async function writeMoveRecord(homeFolder: string, record: MoveRecord): Promise<void> {
  await writePrivateFile(pathIn(homeFolder), `${JSON.stringify(record, null, 2)}\n`)
}

/** Resolves once the removal is durable. */
export async function removeMoveRecord(homeFolder: string): Promise<void> {
  await rm(pathIn(homeFolder), { force: true })
  await fsyncFolder(homeFolder)
}

/**
 * Returns whether settings.json was changed to the new folder, which is whole by then. `saved` is the folder that it
 * names: a process may have ended before it could record the change.
 */
export function hasArrived({ to, phase, isWhole }: MoveRecord, saved: string | undefined): boolean {
  return phase === 'removing' || (phase === 'copying' && isWhole !== false && saved === to)
}

/**
 * Returns the unfinished rest of a move that ended, or undefined if it is complete. `archiveFolder` is that of the
 * settings, and `saved` that of settings.json, in place of which an option may name another one. If the record cannot
 * be read, parts of the archive may be in both folders.
 */
export async function findUnfinishedMove(
  homeFolder: string,
  { from, to }: MoveFolders,
  { archiveFolder, saved }: { readonly archiveFolder: string; readonly saved: string | undefined },
): Promise<UnfinishedMove | undefined> {
  const atRest = (isArrived: boolean) =>
    ({ from, to, archive: isArrived ? 'arrived' : 'between', isAtRest: true }) as const
  return readMoveRecord(homeFolder).then(
    (record) => {
      if (record?.phase !== 'removing') return record && atRest(hasArrived(record, saved))
      return { from, to, archive: 'arrived', isAtRest: isOldFolder({ from, to }, archiveFolder) }
    },
    () => atRest(saved === to),
  )
}

/** Returns whether a move concerns the archive of the settings. */
export function isMoveOf({ from, to }: MoveFolders, archiveFolder: string): boolean {
  // Resolving the links of a drive that is away may stall the process: paths are compared first.
  return archiveFolder === from || isSameFolder(to, archiveFolder) || isSameFolder(from, archiveFolder)
}

/** Returns whether this is only the old folder: it may have become a link to the new one since, which is whole. */
export function isOldFolder({ from, to }: MoveFolders, archiveFolder: string): boolean {
  return archiveFolder !== to && isSameFolder(from, archiveFolder) && !isSameFolder(to, archiveFolder)
}

/** Returns whether this is only the new folder, or has its path. */
export function isNewFolder({ from, to }: MoveFolders, archiveFolder: string): boolean {
  return archiveFolder === to || isOldFolder({ from: to, to: from }, archiveFolder)
}

/** Returns the error of another archive folder than `to` in phase `removing`: `from` holds only what is left. */
export function movedAway({ from, to }: MoveFolders): AppError {
  return new AppError(
    'wrong-usage',
    `The archive is complete in ${to}: it was moved there from ${from}, where old files are still to be removed. ` +
      `Nothing is lost, and nothing was changed. Start Solarchive with the archive folder ${to}, without an option ` +
      'or environment variable that names another one.',
  )
}

/**
 * Throws `wrong-usage` while the archive is in two folders, and for the old folder of a move that is removing it: a
 * command that knows only one folder would report half of the archive as lost. `isBesideOwner`: another process owns
 * the data folder, so the move is its.
 */
export async function requireNoMove(
  homeFolder: string,
  archiveFolder: string,
  { isBesideOwner = false }: { readonly isBesideOwner?: boolean } = {},
): Promise<void> {
  const record = await readMoveRecord(homeFolder)
  if (record === undefined) return
  const { from, to, phase } = record
  if (phase === 'removing' && isOldFolder(record, archiveFolder)) throw movedAway(record)
  if (phase === 'removing') return
  throw new AppError(
    'wrong-usage',
    isMoveOf(record, archiveFolder)
      ? `The archive is being moved from ${from} to ${to}, and that is not finished. Nothing is lost. ` +
          (isBesideOwner
            ? 'The running Solarchive shows how far it is. Try again when it is done.'
            : 'Open the app, which resumes the move by itself, then try again.')
      : `A move of the archive from ${from} to ${to} is not finished, and the archive folder is now ` +
          `${archiveFolder}, which is neither. Nothing is lost. To finish the move, set "archiveFolder": ` +
          `${JSON.stringify(from)} in ${join(homeFolder, 'settings.json')} and open the app without another archive ` +
          `folder. If your archive is complete in ${archiveFolder}, delete ${pathIn(homeFolder)} instead.`,
  )
}
