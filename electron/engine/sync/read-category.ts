import { clearCategory, confirmEmptyCategory, unconfirmedCategory } from '../checklists/confirmation.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Clock } from '../lib/ports.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'
import type { CallOptions, ServiceClient } from '../service/service-types.ts'
import type { Store } from '../store/create-store.ts'
import type { LinkTable } from './links.ts'
import { recordMedia } from './record-media.ts'

export interface CategoryReaderDeps {
  readonly store: Store
  readonly client: ServiceClient
  readonly links: LinkTable
  readonly sanitizer: Sanitizer
  readonly clock: Clock
}

export interface CategoryReader {
  /** Reads a category. Concurrent reads of the same category share one call. */
  readonly read: (projectId: string, categoryId: string, options: CallOptions) => Promise<void>
  /** Collects the categories of a project that are read until `end`, whoever reads them. One collection at a time. */
  collect(projectId: string): { readonly categories: ReadonlySet<string>; readonly end: () => void }
}

/**
 * Returns a reader that requests one media category of a project and updates the rows of every question that uses it:
 * new files are queued, possibly changed ones are queued to be checked, missing ones are marked, links are cached.
 */
export function createCategoryReader({ store, client, links, sanitizer, clock }: CategoryReaderDeps): CategoryReader {
  const inFlight = new Map<string, Promise<void>>()
  const collections = new Map<string, Set<string>>()

  async function ask(projectId: string, categoryId: string, options: CallOptions): Promise<void> {
    const collected = collections.get(projectId)
    // A pass reads each category once for changes; any other read is for links.
    const wantsChanges = collected !== undefined && !collected.has(categoryId)
    const { list: records, isPartial } = await readList(options, (call) => client.getMedia(projectId, categoryId, call))
    const isUnconfirmed =
      wantsChanges && !isPartial && records.length === 0 && !confirmEmptyCategory(store, projectId, categoryId)
    const isComplete = !isPartial && !isUnconfirmed
    const found = store.transactionWithoutFlush(() =>
      recordMedia(
        store,
        sanitizer,
        { projectId, categoryId, wantsChanges },
        records,
        isComplete ? new Date(clock.nowMs()) : null,
      ),
    )
    for (const [assetId, link] of found) links.set(assetId, link?.url ?? null, link?.sourceHash)
    if (!wantsChanges) return
    collected.add(categoryId)
    if (isPartial) throw partialList('photos')
    if (isUnconfirmed) throw unconfirmedCategory()
    clearCategory(store, projectId, categoryId)
  }

  return {
    read(projectId, categoryId, options) {
      const key = JSON.stringify([projectId, categoryId])
      const running = inFlight.get(key) ?? ask(projectId, categoryId, options).finally(() => inFlight.delete(key))
      inFlight.set(key, running)
      return running
    },
    collect(projectId) {
      const categories = new Set<string>()
      collections.set(projectId, categories)
      return { categories, end: () => collections.delete(projectId) }
    },
  }
}

/** Asks for a list. `isPartial` if the answer says that it is only a part of the list. */
export async function readList<T>(
  options: CallOptions,
  ask: (options: CallOptions) => Promise<readonly T[]>,
): Promise<{ readonly list: readonly T[]; readonly isPartial: boolean }> {
  let isPartial = false
  const onPartial = () => {
    isPartial = true
  }
  const list = await ask({ ...options, onPartial })
  return { list, isPartial }
}

/** Returns the error for a partial list. */
export function partialList(of: 'checklists' | 'photos'): AppError {
  return new AppError(
    'unreadable-answer',
    `The service said that it listed only a part of the ${of}. Those are archived; the others are missing. ` +
      "Ask the service's support how to get the whole list.",
    { details: { partial: true } },
  )
}
