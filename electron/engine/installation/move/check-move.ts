import { AppError } from '../../../../shared/errors.ts'
import { checkArchiveFolder, isInside } from '../check-archive-folder.ts'

/** Where an archive is to move. Folders are absolute. */
export interface MoveQuestion {
  readonly from: string
  /** As a person typed it. */
  readonly to: string
  readonly homeFolder: string
  readonly userFolder: string
}

/** The folder to move to, absolute. Throws `wrong-settings` for one that does not do. */
export async function requireMoveTarget({ from, to, ...places }: MoveQuestion): Promise<string> {
  const { folder, problem, exists, isEmpty } = await checkArchiveFolder(to, { ...places, archivedFolders: [] })
  const refuse = (why: string) => new AppError('wrong-settings', `${why} Nothing was changed.`)
  if (problem !== null) throw refuse(problem)
  if (await isInside(folder, from)) throw refuse('This is in the folder where the archive is now. Choose another one.')
  if (await isInside(from, folder)) throw refuse('The archive is in this folder already. Choose another one.')
  if (exists && !isEmpty) throw refuse('There is something in this folder already. Choose an empty one, or a new one.')
  return folder
}
