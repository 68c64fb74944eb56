import { AppError } from '../../../shared/errors.ts'
import type { Desktop } from '../../engine/lib/ports.ts'
import { absoluteFolder } from './check-archive-folder.ts'
import { nearestThere } from './folder-nesting.ts'

/** Asks the person for a folder, beginning where what they typed leads. Throws `wrong-usage` where there is no window. */
export async function chooseFolder(
  desktop: Desktop | undefined,
  typed: string,
  userFolder: string,
): Promise<{ readonly folder: string | null }> {
  if (desktop?.chooseFolder === undefined) {
    throw new AppError(
      'wrong-usage',
      'Folders can be chosen in the window of the app alone. Type the path of the folder.',
    )
  }
  const from = await nearestThere(absoluteFolder(typed, userFolder) ?? userFolder).catch(() => userFolder)
  return { folder: await desktop.chooseFolder(from) }
}
