import type { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { toDiskError } from './fs/disk-error.ts'
import { storeError } from '../store/store-error.ts'

/** Makes an AppError of whatever the engine's parts throw. `what` completes "Solarchive could not ...". */
export function toEngineError(thrown: unknown, what: string): AppError {
  return storeError(thrown) ?? toDiskError(thrown, what)
}

/** Like `toEngineError`, where the archive can be asked whether the error is that of one folder or of all. */
export async function explainError(folders: ArchiveFolders, thrown: unknown, what: string): Promise<AppError> {
  return folders.explain(toEngineError(thrown, what), what)
}
