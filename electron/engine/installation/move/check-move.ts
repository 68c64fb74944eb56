import { AppError } from '../../../../shared/errors.ts'
import type { ArchiveCheck } from '../../../../shared/settings.ts'
import { checkArchiveFolder, isInside } from '../check-archive-folder.ts'

/** Where an archive is to move. Folders are absolute. */
export interface MoveQuestion {
  readonly from: string
  /** As a person typed it. */
  readonly to: string
  readonly homeFolder: string
  readonly userFolder: string
}

/** Looks at a folder as a place to move the archive to. Changes nothing and never rejects. */
export async function checkMoveTarget({ from, to, ...places }: MoveQuestion): Promise<ArchiveCheck> {
  const found = await checkArchiveFolder(to, { ...places, archivedFolders: [] })
  const problem = found.problem ?? (await problemOf(from, found))
  return { ...found, usable: problem === null, problem }
}

/** The folder to move to, absolute. Throws `wrong-settings` for one that does not do. */
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
