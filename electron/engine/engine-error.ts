import type { AppError } from '../../shared/errors.ts'
import { toDiskError } from './archive/disk-error.ts'
import { storeError } from './store/store-error.ts'

/** Makes an AppError of whatever the engine's parts throw. `what` completes "Solarchive could not ...". */
export function toEngineError(thrown: unknown, what: string): AppError {
  return storeError(thrown) ?? toDiskError(thrown, what)
}
