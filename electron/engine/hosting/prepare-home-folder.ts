import { AppError } from '../../../shared/errors.ts'
import { makeFoldersSync } from '../make-folders.ts'

/** Makes the data folder, which nobody else may read: it tells where people live. */
export function prepareHomeFolder(folder: string): void {
  try {
    makeFoldersSync(folder, 0o700)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new AppError(
      'wrong-settings',
      `The data folder ${folder} cannot be made${code}. Choose another one: SOLARCHIVE_HOME says where it is.`,
      { cause: error },
    )
  }
}
