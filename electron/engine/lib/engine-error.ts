import type { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { toDiskError } from './fs/disk-error.ts'
import { storeError } from '../store/store-error.ts'

/** Converts anything that the engine throws into an AppError. `what` completes "Solarchive could not ...". */
export function toEngineError(thrown: unknown, what: string): AppError {
  return storeError(thrown) ?? toDiskError(thrown, what)
}

/** Like `toEngineError`, but asks the archive whether the error concerns one folder or the whole archive. */
export async function explainError(folders: ArchiveFolders, thrown: unknown, what: string): Promise<AppError> {
  return folders.explain(toEngineError(thrown, what), what)
}

/** Details that may be logged: numbers or words of a fixed list, never a name, a path, or the service's text. */
const loggable = [
  'status',
  'errno',
  'code',
  'phase',
  'sqlite',
  'retryAfterMs',
  'maxBytes',
  'expected',
  'looksLike',
  'contentType',
  'entries',
  'withoutId',
]

/** Returns the log fields of an error: its code, and those details that say nothing about customers. */
export function errorFacts({ code, details = {} }: AppError): Record<string, unknown> {
  const facts = Object.entries(details).filter(([key]) => loggable.includes(key))
  const { code: reason, ...others } = Object.fromEntries(facts)
  return { ...others, ...(reason === undefined ? {} : { reason }), code }
}
