import { storeAnswers } from '../../checklists/answers.ts'
import type { Clock, Log } from '../../lib/ports.ts'
import type { Store } from '../../store/create-store.ts'
import { toEngineError } from '../../lib/engine-error.ts'

/** Time of one step, in which nothing else runs, before its commit. */
const stepMs = 4

/** Documents between two looks at the clock. */
const batchSize = 16

/** Maximum number of documents of a step: more make its commit slow. */
const maxPerStep = 500

/** A build queues the next checklist while fewer documents are queued. */
const lowQueue = 200

/**
 * Pause before a step that indexes all that is queued. A sync queues a few documents at a time: larger steps take fewer
 * commits and merges for them. A search takes a step of its own.
 */
const gatherMs = 1_000

/** Pause between two steps while more is queued. The build of an index has enough for each. */
const pauseMs = 100
const buildPauseMs = 10

/** Time that blocks everything else after an index was completed, at most. */
const catchUpMs = 100

/** Time that the end of an engine spends on what is left. The rest stays queued. */
const closingMs = 250

/** Pause after an error, such as a full disk. */
const retryMs = 60_000

/**
 * Keeps the search index up to date while this process owns the database: indexes queued documents in short steps, and
 * builds the index of a database that has none, or one by other rules. Its commits do not wait for the disk: what a
 * power cut takes is still queued.
 */
export function createSearchIndexer(deps: { store: Store; clock: Clock; logger: Log }) {
  const { store, clock, logger } = deps
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let hasFailed = false
  let isStepping = false
  let isMerging = false
  let isBehind = false

  /** Returns whether there is more to do. */
  function step(limitMs: number): boolean {
    const untilMs = clock.monotonicMs() + limitMs
    isStepping = true
    try {
      return store.transactionWithoutFlush(() => {
        if (store.search.isOutdated()) store.search.beginRebuild()
        const isLow = () => store.search.queued(lowQueue).length < lowQueue
        while (isLow() && clock.monotonicMs() < untilMs && continueBuild(store)) {
          // The next checklist.
        }
        // FTS5 begins a new segment with each id that is lower than the last one.
        for (const [count, id] of store.search.queued(maxPerStep).toReversed().entries()) {
          store.search.indexAgain(id)
          if ((count + 1) % batchSize === 0 && clock.monotonicMs() >= untilMs) return true
        }
        return store.search.isIncomplete()
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
        isBehind = step(stepMs)
        isMerging = !hasFailed
      } else return
      const pause = store.search.isBuilding() ? buildPauseMs : isMerging || isBehind ? pauseMs : gatherMs
      schedule(hasFailed ? retryMs : pause)
    }, delayMs).unref()
  }

  store.onCommit(() => {
    if (!isStepping && timer === undefined && store.search.isIncomplete()) schedule(gatherMs)
  })
  if (store.search.isIncomplete()) schedule(gatherMs)

  return {
    /** Indexes what changed, for at most the time of a step. Never throws. */
    refresh(): void {
      if (store.search.isIncomplete()) step(stepMs)
    },
    /** Resolves once everything is indexed, or cannot be. Rejects with the signal's reason. */
    async complete(signal: AbortSignal): Promise<void> {
      for (let hasMore = true; hasMore && !isClosed;) {
        hasMore = step(stepMs)
        do {
          await new Promise((resolve) => setImmediate(resolve))
          signal.throwIfAborted()
        } while (!isClosed && merge())
      }
      // Index documents queued meanwhile, without yielding.
      const untilMs = clock.monotonicMs() + catchUpMs
      while (!isClosed && store.search.isIncomplete() && clock.monotonicMs() < untilMs && step(stepMs)) {
        // The next step.
      }
    },
    close(): void {
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
