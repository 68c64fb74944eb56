import { readlink } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { ArchiveCheck } from '../../../shared/settings.ts'
import { checkArchiveFolder, isInside } from '../settings/archive-folder.ts'

/** A move to check. Folders are absolute. */
export interface MoveQuestion {
  readonly from: string
  /** The new folder, as typed. */
  readonly to: string
  readonly homeFolder: string
  readonly userFolder: string
  /** Project folders, relative to `from`. */
  readonly folders: readonly string[]
}

/** Checks a folder that the archive is to move to. Changes nothing and never rejects. */
export async function checkMoveTarget({ from, to, folders, ...context }: MoveQuestion): Promise<ArchiveCheck> {
  const found = await checkArchiveFolder(to, { ...context, archivedFolders: [] })
  const problem = found.problem ?? (await problemOf(from, found)) ?? (await linkProblem(from, folders))
  return { ...found, usable: problem === null, problem }
}

/** Returns the folder to move to as an absolute path. Throws `wrong-settings` if it cannot be used. */
export async function requireMoveTarget(question: MoveQuestion): Promise<string> {
  const { folder, problem } = await checkMoveTarget(question)
  if (problem !== null) throw new AppError('wrong-settings', `${problem} Nothing was changed.`)
  return folder
}

async function problemOf(from: string, { folder, exists, isEmpty }: ArchiveCheck): Promise<string | null> {
  if (await isInside(folder, from)) return 'This is in the folder where the archive is now. Choose another one.'
  if (await isInside(from, folder)) return 'The archive is in this folder already. Choose another one.'
  return exists && !isEmpty ? 'There is something in this folder already. Choose an empty one, or a new one.' : null
}

/** Returns a problem for a project folder that is a relative link: moved elsewhere, it would point to nothing. */
async function linkProblem(from: string, folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    const leadsTo = await readlink(join(from, folder)).catch(() => undefined)
    if (leadsTo === undefined || isAbsolute(leadsTo)) continue
    return (
      `The project folder ${join(from, folder)} is a link to ${leadsTo}, which would be broken in the new folder. ` +
      'Replace it by the folder itself, or by a link with an absolute path, then move the archive.'
    )
  }
  return null
}
