import { lstat } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { atPath, resolveInside } from '../archive/inside-archive.ts'
import type { Clock, Logger, StartProcess } from '../lib/ports.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'
import { isKnownArchive } from '../recovery/open-archive.ts'
import type { AnalysisJob } from '../store/analysis-store.ts'
import type { Store } from '../store/create-store.ts'
import { createAnalysisRunner, type RunnerOptions } from './analysis-runner.ts'
import {
  type AnalysisKind,
  type AnalysisResult,
  type FailureReason,
  maxTaskMs,
  type PhotoWord,
} from './analysis-task.ts'
import { chooseJob, maxRetryMs, mayHavePrint, pauseAfter, planRetry } from './analysis-plan.ts'
import { findHints, isCopy } from './find-hints.ts'

export interface AnalysisDeps {
  readonly store: Store
  /** Absolute path of the archive folder. */
  readonly root: string
  readonly clock: Clock
  readonly logger: Logger
  readonly sanitizer: Sanitizer
  /** `undefined` where no process can be started. */
  readonly startProcess: StartProcess | undefined
  readonly runner?: Omit<RunnerOptions, 'start'>
  /** Look for codes and print on photos. */
  readonly readsPhotos: boolean
  /** Returns true while files are being downloaded. */
  readonly isBusy: () => boolean
  /** Called after results were recorded, at most once a second. */
  readonly onRead: () => void
}

/** Versions of the results. A higher one has the files of its kind analyzed again. */
const versions: Readonly<Record<AnalysisKind, number>> = { pages: 1, text: 1, measures: 1 }

const versionsKey = 'analysis-versions'

/** `none`: nothing is due. `later`: files cannot be read now. */
type Outcome = 'done' | 'later' | 'none'

/** Files whose jobs are created at once, in some milliseconds. */
const queuedAtOnce = 200

/** Wait for the next archived file: queries that find nothing cost 50 µs. */
const idleMs = 3_000

/** Wait until the archive is looked for again, or a process can be started. */
const retryMs = 60_000

/** Wait for the next archived file beside the work that archives them. */
const besideMs = 250

/** Time in which results are gathered before `onRead` is called. */
const gatherMs = 1_000

/**
 * Reads archived files in another process, the newest first, and records what they contain. Reports are read always,
 * photos as set; measures come last.
 */
export class Analysis {
  readonly #deps: AnalysisDeps
  readonly #runner: ReturnType<typeof createAnalysisRunner> | undefined
  readonly #texts: readonly AnalysisKind[]
  #isPrepared = false
  #onReport: (() => void) | undefined
  #gathering: NodeJS.Timeout | undefined

  constructor(deps: AnalysisDeps) {
    const { startProcess } = deps
    this.#deps = deps
    this.#runner = startProcess && createAnalysisRunner({ start: startProcess, ...deps.runner })
    this.#texts = deps.readsPhotos ? ['pages', 'text'] : ['pages']
  }

  /**
   * Analyzes the next file that is due. Returns the milliseconds until the next call makes sense. One call at a time.
   * Rejects with the signal's reason if it aborts, and with errors of the database.
   */
  async analyzeNext(signal: AbortSignal): Promise<number> {
    const { clock, isBusy } = this.#deps
    const startMs = clock.monotonicMs()
    const outcome = await this.#analyze([...this.#texts, 'measures'], signal)
    if (outcome === 'none') return idleMs
    if (outcome === 'later') return retryMs
    // On some systems the monotonic clock goes on while the machine sleeps.
    return pauseAfter(Math.min(clock.monotonicMs() - startMs, maxTaskMs), isBusy())
  }

  /**
   * Reads the reports that are due, and the photos with `readsPhotos`, without pauses, for `maxMs` at most. With `work`
   * that archives files, reports are read while it runs, from the first one that it expects, and the rest afterwards.
   */
  async readDue(signal: AbortSignal, maxMs: number, work?: Promise<unknown>): Promise<void> {
    const { clock } = this.#deps
    if (work !== undefined) await this.#readBeside(work, signal)
    const untilMs = clock.monotonicMs() + maxMs
    while (clock.monotonicMs() < untilMs && (await this.#analyze(this.#texts, signal)) === 'done');
  }

  /** To be called when a report is about to be archived: `readDue` starts its process if it waits for one. */
  expectReport(): void {
    this.#onReport?.()
  }

  /** Ends the process. */
  close(): void {
    clearTimeout(this.#gathering)
    this.#runner?.close()
  }

  /** Reads reports while `work` archives them. */
  async #readBeside(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    const firstReport = Promise.withResolvers<void>()
    this.#onReport = firstReport.resolve
    let isRunning = true
    const ended = work
      .catch(() => undefined)
      .then(() => {
        isRunning = false
      })
    await Promise.race([firstReport.promise, ended])
    this.#onReport = undefined
    if (isRunning) this.#runner?.prepare()
    for (let outcome: Outcome = 'done'; isRunning && outcome !== 'later';) {
      outcome = await this.#analyze(['pages'], signal)
      if (outcome === 'none') await Promise.race([ended, clock.sleep(besideMs, signal)])
    }
    await ended
  }

  async #analyze(kinds: readonly AnalysisKind[], signal: AbortSignal): Promise<Outcome> {
    const { store, clock } = this.#deps
    this.#prepare()
    if (this.#runner === undefined) return 'none'
    if (store.analysis.createJobs(queuedAtOnce)) {
      await nextTurn()
      signal.throwIfAborted()
      return 'done'
    }
    store.analysis.retry(clock.nowMs(), clock.nowMs() + maxRetryMs)
    const job = chooseJob(
      kinds.flatMap((kind) => store.analysis.newest(kind) ?? []),
      clock.nowMs(),
    )
    if (job === undefined) {
      if (!kinds.includes('measures') || !refreshNextHints(store)) return 'none'
      this.#announce()
      return 'done'
    }
    const startMs = clock.nowMs()
    const result = await this.#read(job, signal)
    if (result === undefined) return 'later'
    if (result.kind === 'failed' && (await this.#isTemporary(result.reason, signal))) return 'later'
    this.#record(job, result, clock.nowMs() - startMs > 2 * maxTaskMs)
    return result.kind === 'failed' && result.reason === 'too-long' ? 'later' : 'done'
  }

  #prepare(): void {
    const { store } = this.#deps
    const wanted = JSON.stringify(versions)
    if (!this.#isPrepared && store.meta.get(versionsKey) !== wanted) {
      store.transaction(() => {
        for (const kind of Object.keys(versions) as AnalysisKind[]) store.analysis.redo(kind, versions[kind])
        store.meta.set(versionsKey, wanted)
      })
    }
    this.#isPrepared = true
  }

  async #read(job: AnalysisJob, signal: AbortSignal): Promise<AnalysisResult | undefined> {
    const { root } = this.#deps
    const { kind, path, sizeBytes, sha256, label } = job
    try {
      const stats = await atPath(root, path, lstat)
      if (!stats.isFile()) return { kind: 'failed', reason: 'changed' }
    } catch {
      return { kind: 'failed', reason: 'missing' }
    }
    const file = { path: resolveInside(root, path), sizeBytes, sha256 }
    return this.#runner?.run({ kind, file, readsPrint: mayHavePrint(label) }, signal)
  }

  /** Returns whether files cannot be read because the whole archive is, on a drive that is not connected. */
  async #isTemporary(reason: FailureReason, signal: AbortSignal): Promise<boolean> {
    const { root, store } = this.#deps
    if (reason !== 'missing' && reason !== 'inaccessible') return false
    return !(await isKnownArchive(root, store, signal))
  }

  #record(job: AnalysisJob, result: AnalysisResult, hasSlept: boolean): void {
    const { store, clock, logger, sanitizer } = this.#deps
    const { assetId, kind, sha256 } = job
    const reason = result.kind === 'failed' ? result.reason : null
    // Time that passed while the machine slept is not the file's fault, whatever came of it.
    const { tries, delayMs } =
      reason === null ? { tries: 0, delayMs: null } : planRetry(hasSlept ? 'too-long' : reason, job)
    const retryAt = delayMs === null ? null : clock.nowMs() + delayMs
    // No flush: after a power cut the file is read again.
    store.transactionWithoutFlush(() => {
      // The file was replaced meanwhile: its new content is due.
      if (!store.analysis.isCurrent(assetId, sha256)) return
      if (result.kind === 'pages') {
        const pages = result.pages.map(({ page, text }) => ({ page, text: sanitizer.text(text) }))
        store.analysis.putPages(assetId, pages)
      }
      if (result.kind === 'text') {
        const wordsOf = (words: readonly PhotoWord[]) =>
          words.map((word) => ({ ...word, text: sanitizer.photoText(word.text) }))
        store.analysis.putText(assetId, 'code', wordsOf(result.codes))
        store.analysis.putText(assetId, 'print', wordsOf(result.print))
      }
      if (result.kind === 'measures') store.analysis.putMeasures(assetId, result.measures)
      store.analysis.end({ assetId, kind, version: versions[kind], reason, tries, retryAt })
      if (kind === 'measures') refreshHints(store, assetId)
    })
    this.#announce()
    if (reason !== null) logger.info('A file could not be analyzed', { asset: assetId, kind, reason })
  }

  #announce(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined
      this.#deps.onRead()
    }, gatherMs).unref()
  }
}

/**
 * Computes the hints of a measured photo's checklist, once all of its photos are measured. Checklists with later copies
 * of the photo become stale.
 */
function refreshHints(store: Store, assetId: number): void {
  const asset = store.assets.get(assetId)
  if (asset === undefined) return
  const hash = store.hints.photos(asset.checklistKey).find((photo) => photo.assetId === assetId)?.hash
  for (const other of hash ? store.hints.similar(assetId, hash) : []) {
    if (other.assetId > assetId && isCopy(hash ?? '', other.hash)) store.hints.markStale(other.checklistKey)
  }
  if (!store.hints.isBeingMeasured(asset.checklistKey)) putHints(store, asset.checklistKey)
}

/** Computes the hints of a stale checklist. Returns false if there is none. */
function refreshNextHints(store: Store): boolean {
  const key = store.hints.stale()
  if (key === undefined) return false
  store.transaction(() => putHints(store, key))
  return true
}

function putHints(store: Store, checklistKey: number): void {
  const photos = store.hints.photos(checklistKey).map(({ hash, ...photo }) => {
    const copies = hash === null ? [] : store.hints.similar(photo.assetId, hash)
    const earlier = copies.find((other) => other.assetId < photo.assetId && isCopy(hash ?? '', other.hash))
    return { ...photo, copyOf: earlier?.assetId ?? null }
  })
  store.hints.put(checklistKey, findHints(photos))
}
