import { clearCategory, confirmEmptyCategory, unconfirmedCategory } from '../checklists/confirmation.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Clock } from '../lib/ports.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { CallOptions } from '../service/service-types.ts'
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

export interface CategoryPass {
  /** Reads a category for changes, unless this pass has read it: then returns or throws as that read did. */
  readonly read: (categoryId: string, options: CallOptions) => Promise<void>
  readonly end: () => void
}

/**
 * Returns a reader that requests one media category of a project and updates the rows of every question that uses it:
 * new files are queued, possibly changed ones are queued to be checked, missing ones are marked, and the links of files
 * that have a job are cached.
 */
export function createCategoryReader({ store, client, links, sanitizer, clock }: CategoryReaderDeps) {
  const inFlight = new Map<string, Promise<void>>()
  /** Of each project with a pass: the categories that it has read, each with the error of its answer. */
  const passes = new Map<string, Map<string, AppError | null>>()

  async function ask(projectId: string, categoryId: string, options: CallOptions): Promise<void> {
    const pass = passes.get(projectId)
    // A pass reads each category once for changes; any other read is for links.
    const wantsChanges = pass !== undefined && !pass.has(categoryId)
    const { list: records, isPartial } = await readList(options, (call) => client.getMedia(projectId, categoryId, call))
    const isUnconfirmed =
      wantsChanges && !isPartial && records.length === 0 && !confirmEmptyCategory(store, projectId, categoryId)
    const isComplete = !isPartial && !isUnconfirmed
    const { listed, changed } = store.transactionWithoutFlush(() =>
      recordMedia(
        store,
        sanitizer,
        { projectId, categoryId, wantsChanges, isUserInitiated: options.priority === 'user' },
        records,
        isComplete ? new Date(clock.nowMs()) : null,
      ),
    )
    // Most files of an archive are unchanged and need no link: the links of a million files would take a gigabyte.
    const open = store.jobs.openAmong([...listed.keys()])
    for (const [assetId, link] of listed) {
      if (open.has(assetId)) links.set(assetId, link?.url ?? null, link?.sourceHash, changed.has(assetId))
      else links.forget(assetId)
    }
    if (!wantsChanges) return
    const error = isPartial ? partialList('photos') : isUnconfirmed ? unconfirmedCategory() : null
    pass.set(categoryId, error)
    if (error !== null) throw error
    clearCategory(store, projectId, categoryId)
  }

  /** Reads a category. Concurrent reads of the same category share one call. */
  function read(projectId: string, categoryId: string, options: CallOptions): Promise<void> {
    const key = JSON.stringify([projectId, categoryId])
    const running = inFlight.get(key) ?? ask(projectId, categoryId, options).finally(() => inFlight.delete(key))
    inFlight.set(key, running)
    return running
  }

  /**
   * Begins a pass: until its end, the first read of each of the project's categories is also for changes, even if a
   * download reads it for its links. To be called before any download of the pass, one pass at a time.
   */
  function beginPass(projectId: string): CategoryPass {
    const outcomes = new Map<string, AppError | null>()
    passes.set(projectId, outcomes)
    return {
      async read(categoryId, options) {
        const error = outcomes.get(categoryId)
        if (error === undefined) {
          await read(projectId, categoryId, options)
          // It may have shared a call that began before the pass, which was for links alone.
          if (!outcomes.has(categoryId)) await read(projectId, categoryId, options)
        } else if (error !== null) throw error
      },
      end: () => passes.delete(projectId),
    }
  }

  return { read, beginPass }
}

export type CategoryReader = ReturnType<typeof createCategoryReader>

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
export function partialList(of: 'checklists' | 'questions' | 'photos'): AppError {
  return new AppError(
    'unreadable-answer',
    `The service said that it listed only a part of the ${of}. Those are archived; the others are missing. ` +
      "Ask the service's support how to get the whole list.",
    { details: { partial: true } },
  )
}
