import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { explainError, errorFacts } from './engine-error.ts'
import type { LogFields, Logger } from './ports.ts'

export interface IsolatedOptions<Item> {
  readonly folders: ArchiveFolders
  readonly logger: Logger
  /** Completes "Solarchive could not ...". */
  readonly what: string
  /** Returns the log fields of an item: ids. */
  readonly facts: (item: Item) => LogFields
}

/**
 * Processes one item after the other. A disk error that concerns only one item is logged, and the item is left for the
 * next run. Rejects with any other error: an unusable archive, the database, or a bug.
 */
export async function forEachIsolated<Item>(
  items: Iterable<Item>,
  { folders, logger, what, facts }: IsolatedOptions<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (const item of items) {
    try {
      await work(item)
    } catch (thrown) {
      const error = await explainError(folders, thrown, what)
      const isOfItemAlone = error.code === 'disk-error' && error.details?.['sqlite'] === undefined
      if (!isOfItemAlone) throw error
      logger.warn('A part of the archive could not be repaired and is left for later', {
        ...facts(item),
        ...errorFacts(error),
      })
    }
  }
}
