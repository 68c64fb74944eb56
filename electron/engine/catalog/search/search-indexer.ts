import { storeAnswers } from '../../checklists/answers.ts'
import type { Clock, Log } from '../../lib/ports.ts'
import type { Store } from '../../store/create-store.ts'
import { toEngineError } from '../../lib/engine-error.ts'

/** Time of one step, in which nothing else runs, before its commit. */
const stepMs = 6

/** Documents between two looks at the clock. */
const batchSize = 16

/** Maximum number of documents of a step: more make its commit slow. */
const maxPerStep = 500

/** Pause before the first step after a change, so that a step has the changes of several transactions. */
const gatherMs = 100

/**
 * Pause between two steps. A sync queues a few documents at a time: larger steps take fewer commits and merges for them.
 * The build of an index has enough for each step.
 */
const pauseMs = 100
const buildPauseMs = 10

/** Time that the end of an engine spends on what is left. The rest stays queued. */
const closingMs = 250

/** Pause after an error, such as a full disk. */
const retryMs = 60_000

export interface SearchIndexer {
  /** Indexes what changed, for at most the time of a step. Never throws. */
  refresh(): void
  /** Resolves once everything is indexed, or cannot be. Rejects with the signal's reason. */
  complete(signal: AbortSignal): Promise<void>
  close(): void
}

/**
 * Keeps the search index up to date while this process owns the database: indexes queued documents in short steps, and
 * builds the index of a database that has none, or one by other rules. Its commits do not wait for the disk: what a
 * power cut takes is still queued.
 */
export function createSearchIndexer(deps: { store: Store; clock: Clock; logger: Log }): SearchIndexer {
  const { store, clock, logger } = deps
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let hasFailed = false
  let isStepping = false
  let isMerging = false

  /** Returns whether there is more to do. */
  function step(limitMs: number): boolean {
    const untilMs = clock.monotonicMs() + limitMs
    isStepping = true
    try {
      return store.transactionWithoutFlush(() => {
        if (store.search.isOutdated()) store.search.beginRebuild()
        for (let count = 0; count < maxPerStep; count += batchSize) {
          const ids = store.search.queued(batchSize)
          for (const id of ids) store.search.indexAgain(id)
          if (ids.length < batchSize && !continueBuild(store)) return store.search.queued(1).length > 0
          if (clock.monotonicMs() >= untilMs) return true
        }
        return true
      })
    } catch (thrown) {
      const { code } = toEngineError(thrown, 'update the search index')
      if (!hasFailed) logger.warn('The search index could not be updated; it will be tried again', { code })
      hasFailed = true
      return false
    } finally {
      isStepping = false
    }
  }

  /** Merges parts of the index after steps. Returns whether there is more to merge. */
  function merge(): boolean {
    isStepping = true
    try {
      return store.transactionWithoutFlush(() => store.search.mergeSome())
    } catch {
      // The same error as that of the next step, which is reported.
      return false
    } finally {
      isStepping = false
    }
  }

  function schedule(delayMs: number): void {
    if (isClosed || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      hasFailed = false
      if (isMerging) isMerging = merge()
      else if (store.search.isIncomplete()) {
        step(stepMs)
        isMerging = !hasFailed
      } else return
      schedule(hasFailed ? retryMs : store.search.isBuilding() ? buildPauseMs : pauseMs)
    }, delayMs).unref()
  }

  store.onCommit(() => {
    if (!isStepping && timer === undefined && store.search.isIncomplete()) schedule(gatherMs)
  })
  if (store.search.isIncomplete()) schedule(gatherMs)

  return {
    refresh() {
      if (store.search.isIncomplete()) step(stepMs)
    },
    async complete(signal) {
      for (let hasMore = true; hasMore && !isClosed;) {
        hasMore = step(stepMs)
        do {
          await new Promise((resolve) => setImmediate(resolve))
          signal.throwIfAborted()
        } while (!isClosed && merge())
      }
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      const untilMs = performance.now() + closingMs
      while (store.search.isIncomplete() && performance.now() < untilMs && step(stepMs)) {
        // The next step.
      }
    },
  }
}

/** Queues the documents of the next checklist for a build. Returns false if nothing is left. */
function continueBuild(store: Store): boolean {
  if (!store.search.isBuilding()) return false
  const next = store.search.nextChecklist()
  if (next === undefined) {
    store.search.markBuilt()
    return false
  }
  storeAnswers(store, next)
  store.search.queueChecklist(next.key)
  return true
}
