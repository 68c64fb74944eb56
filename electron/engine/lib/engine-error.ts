import type { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { toDiskError } from './fs/disk-error.ts'
import { storeError } from '../store/store-error.ts'
import type { LogFields, Logger } from './ports.ts'

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

/** Returns whether an error is that of one file or folder, not of the archive or the database. */
export function concernsItemAlone({ code, details }: AppError): boolean {
  return code === 'disk-error' && details?.['sqlite'] === undefined
}

interface IsolatedOptions<Item> {
  readonly folders: ArchiveFolders
  readonly logger: Logger
  /** Completes "Solarchive could not ...". */
  readonly what: string
  /** Returns the log fields of an item: ids. */
  readonly facts: (item: Item) => LogFields
  /** Returns what messages call an item: its path, or else its ID. */
  readonly label: (item: Item) => string
  /** Returns whether an item is left for the next run after another error than one of its own, too. */
  readonly canWait?: ((error: AppError) => boolean) | undefined
}

/**
 * Processes one item after the other. A disk error that concerns only one item is logged and shown, and the item is
 * left for the next run. Rejects with any other error: an unusable archive, the database, or a bug.
 */
export async function forEachIsolated<Item>(
  items: Iterable<Item>,
  { folders, logger, what, facts, label, canWait = () => false }: IsolatedOptions<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (const item of items) {
    try {
      await work(item)
    } catch (thrown) {
      const error = await explainError(folders, thrown, what)
      if (!concernsItemAlone(error) && !canWait(error)) throw error
      logger.warn('A part of the archive could not be repaired and is left for later', {
        ...facts(item),
        ...errorFacts(error),
      })
      logger.showMessage(`${label(item)}: ${error.message}`)
    }
  }
}
