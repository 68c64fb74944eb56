import { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { checkFile } from '../archive/check-file.ts'
import { assertRootExists } from '../archive/inside-archive.ts'
import { checksumsPath } from '../archive/layout.ts'
import {
  nextSteps,
  pauseMs,
  readingCost,
  readingDue,
  readingSpeed,
  limitReadingSpeed,
  type WalkPosition,
  walkPositionSchema,
  walkStart,
} from './scrub-plan.ts'
import { projectFolderOf } from '../downloads/part-file.ts'
import { explainError } from '../lib/engine-error.ts'
import type { ScrubFinding } from '../lib/events.ts'
import type { HeldFile } from '../store/held-files-store.ts'
import { writeArchiveRecords } from '../checklists/archive-records.ts'
import { checkChecksums, type Finding, recordFindings, type RecordDeps } from './findings.ts'
import { measureHeldFiles } from '../checklists/held-files.ts'
import { requireKnownArchive } from '../recovery/open-archive.ts'

export interface ScrubDeps extends RecordDeps {
  /** Whether a project is being synced: its rows and its files may differ for a moment. */
  readonly isBusy: (projectId: string) => boolean
  /** Told once of every file that is not as it was archived. */
  readonly onFinding?: ((finding: ScrubFinding) => void) | undefined
}

/** What one call did, and after how many milliseconds the next one makes sense (0: at once). */
export type ScrubOutcome =
  | { readonly kind: 'read'; readonly files: number; readonly bytes: number; readonly nextInMs: number }
  /** Nothing was due. */
  | { readonly kind: 'idle'; readonly nextInMs: number }
  /** The next file is not as the rows say, and a pass is at work on its project: it is looked at again. */
  | { readonly kind: 'busy'; readonly projectId: string; readonly nextInMs: number }
  /** The archive is not there. Nothing was taken for lost. */
  | { readonly kind: 'archive-away'; readonly nextInMs: number }

export interface Scrub {
  /**
   * Reads the next few files again, some seconds' worth at most. To be called again and again, from one place. Rejects
   * with the signal's reason when that aborts, and with errors of the database.
   */
  scrubNext(signal: AbortSignal): Promise<ScrubOutcome>
}

/** How far the present round is. */
const roundSchema = z.object({
  /** ISO 8601 UTC. */
  startedAt: z.iso.datetime(),
  place: walkPositionSchema,
  doneBytes: z.number().min(0),
  /** What may be read before more becomes due; negative after a large file. */
  creditBytes: z.number(),
})
type Round = z.infer<typeof roundSchema>

const roundKey = 'rolling-verify'

/** Rows that are looked up at once. */
const stepsAtOnce = 50

/** A call ends after this time, so that the caller can look after other things, and a kill costs no more. */
const sliceMs = 5_000

/** The sums are taken anew once a day: an archive of a million files takes a second of small turns. */
const totalsAgeMs = 24 * 60 * 60_000

/** Shorter rounds, as of an archive that has only begun, are no news: at most one a day is told. */
const minReportedRoundMs = 24 * 60 * 60_000

/** After this time it is looked again whether the archive is back, or the project's pass at its end. */
const recheckMs = 60_000

/**
 * Re-reads the whole archive every 30 days, evenly and slowly, beside everything else. What is found damaged is dealt
 * with as `verify --repair` does: set aside, marked, queued. Only old versions keep their rows, since nobody asked for
 * them to be given up.
 */
export function createScrub(deps: ScrubDeps): Scrub {
  const { folders, store, clock } = deps
  const { root } = folders
  let totals: { readonly costBytes: number; readonly atMs: number } | undefined
  let lastMs: number | undefined

  async function totalCost(signal: AbortSignal): Promise<number> {
    if (totals === undefined || clock.monotonicMs() - totals.atMs > totalsAgeMs) {
      const { files, bytes } = await measureHeldFiles(store, signal)
      totals = { costBytes: readingCost(files, bytes), atMs: clock.monotonicMs() }
    }
    return totals.costBytes
  }

  function due(totalBytes: number, round: Round): number {
    const nowMs = clock.monotonicMs()
    const sinceLastMs = lastMs === undefined ? 0 : nowMs - lastMs
    lastMs = nowMs
    const roundAgeMs = clock.nowMs() - Date.parse(round.startedAt)
    return readingDue({ totalBytes, doneBytes: round.doneBytes, roundAgeMs, sinceLastMs })
  }

  async function scrubNext(signal: AbortSignal): Promise<ScrubOutcome> {
    signal.throwIfAborted()
    const totalBytes = await totalCost(signal)
    const round = readRound() ?? newRound()
    round.creditBytes += due(totalBytes, round)
    if (totalBytes === 0 || round.creditBytes <= 0) {
      writeRound(round, [])
      return { kind: 'idle', nextInMs: pauseMs(totalBytes, round.creditBytes) }
    }
    const slice = new Slice(deps, round, limitReadingSpeed(readingSpeed(totalBytes), clock, signal), signal)
    try {
      await requireKnownArchive(root, store)
      const stop = await slice.run()
      if (stop !== undefined) return stop
    } catch (error) {
      if (error instanceof AppError && error.code === 'archive-unavailable') {
        return { kind: 'archive-away', nextInMs: recheckMs }
      }
      throw error
    } finally {
      writeRound(slice.isEnd ? newRound(round.creditBytes) : round, slice.right, slice.isEnd ? round : undefined)
    }
    const nextInMs = pauseMs(totalBytes, round.creditBytes)
    return { kind: 'read', files: slice.files, bytes: slice.bytes, nextInMs }
  }

  function newRound(creditBytes = 0): Round {
    return { startedAt: new Date(clock.nowMs()).toISOString(), place: walkStart, doneBytes: 0, creditBytes }
  }

  function readRound(): Round | undefined {
    try {
      return roundSchema.safeParse(JSON.parse(store.meta.get(roundKey) ?? 'null')).data
    } catch {
      return undefined
    }
  }

  function writeRound(round: Round, right: readonly HeldFile[], ended?: Round): void {
    const at = new Date(clock.nowMs()).toISOString()
    store.transaction(() => {
      store.heldFiles.markVerified(right, at)
      if (ended !== undefined && clock.nowMs() - Date.parse(ended.startedAt) >= minReportedRoundMs) {
        store.activity.note({ at, kind: 'archive-read', facts: { since: ended.startedAt } })
      }
      store.meta.set(roundKey, JSON.stringify(round))
    })
  }

  return { scrubNext }
}

/** The files of one call. Moves the round on as it goes. */
class Slice {
  files = 0
  bytes = 0
  /** The round is through. */
  isEnd = false
  /** Read, and as they were archived. */
  readonly right: HeldFile[] = []
  readonly #deps: ScrubDeps
  readonly #round: Round
  readonly #pace: (bytes: number) => Promise<void>
  readonly #signal: AbortSignal

  constructor(deps: ScrubDeps, round: Round, pace: (bytes: number) => Promise<void>, signal: AbortSignal) {
    this.#deps = deps
    this.#round = round
    this.#pace = pace
    this.#signal = signal
  }

  /** Ends when nothing more is due, after some seconds, or after a finding. Answers why it had to end before its end. */
  async run(): Promise<ScrubOutcome | undefined> {
    const { store, clock, isBusy } = this.#deps
    const startMs = clock.monotonicMs()
    for (;;) {
      const steps = nextSteps(store, this.#round.place, stepsAtOnce)
      this.isEnd = steps.length === 0
      if (this.isEnd) return undefined
      for (const { file, position } of steps) {
        const finding = await this.#check(file)
        if (finding !== undefined && isBusy(file.projectId)) {
          return { kind: 'busy', projectId: file.projectId, nextInMs: recheckMs }
        }
        if (finding !== undefined) await this.#record(finding)
        this.#moveOn(file, position)
        if (this.#round.creditBytes <= 0 || finding !== undefined) return undefined
        if (clock.monotonicMs() - startMs >= sliceMs) return undefined
      }
    }
  }

  async #check(file: Finding['file']): Promise<Finding | undefined> {
    const { folders, store } = this.#deps
    const { root } = folders
    const options = { signal: this.#signal, pace: this.#pace }
    if (file.kind === 'checksums') {
      const folder = projectFolderOf(file.path)
      const found = await checkChecksums(store, root, file.projectId, folder, this.#signal)
      if (found !== 'ok') return found
      store.findings.clear(file.path)
      return undefined
    }
    const state = await checkFile(root, file, options)
    if (state !== 'ok') return { file, state }
    this.right.push(file)
    return undefined
  }

  /** An archive that goes away looks like one from which all was deleted: nothing is recorded before that is ruled out. */
  async #record(finding: Finding): Promise<void> {
    const { folders, store, logger, isBusy, onFinding } = this.#deps
    const { file } = finding
    await assertRootExists(folders.root)
    await requireKnownArchive(folders.root, store)
    const findings = [finding, ...(await this.#checkRecords(file))]
    const { left } = await recordFindings(this.#deps, findings, { forgetVersions: false })
    for (const { file: found, state: how } of findings) {
      const { path, projectId } = found
      const reason = left.get(path)
      const state = how === 'missing' ? 'missing' : 'changed'
      logger.info('An archived file is not as it was archived', { project: projectId, kind: found.kind, state })
      onFinding?.({ projectId, path, state, outcome: reason ?? 'queued' })
    }
    if (isBusy(file.projectId)) return
    try {
      await writeArchiveRecords(folders, store, file.projectId)
    } catch (thrown) {
      const error = await explainError(folders, thrown, 'write the records of a project')
      if (error.code === 'archive-unavailable' || error.code === 'internal') throw error
      logger.error('The records of a project could not be written', { project: file.projectId, code: error.code })
    }
  }

  /** What is about to be written anew because of a finding is looked at before: somebody may have edited it. */
  async #checkRecords(file: Finding['file']): Promise<Finding[]> {
    const { store } = this.#deps
    const folder = projectFolderOf(file.path)
    const records: Finding['file'][] = store.heldFiles
      .documentsOfProject(file.projectId)
      .filter((document) => file.kind === 'asset' && document.checklistKey === file.checklistKey)
    if (file.kind !== 'checksums') {
      records.push({ kind: 'checksums', projectId: file.projectId, path: checksumsPath(folder) })
    }
    const found: Finding[] = []
    for (const record of records) {
      const finding = await this.#check(record)
      if (finding !== undefined) found.push(finding)
    }
    return found
  }

  #moveOn(file: Finding['file'], position: WalkPosition): void {
    const bytes = file.kind === 'checksums' ? 0 : file.sizeBytes
    const cost = readingCost(1, bytes)
    this.files += 1
    this.bytes += bytes
    this.#round.place = position
    // Checksums are in no sum: counted, they would end the round before its time.
    if (file.kind !== 'checksums') this.#round.doneBytes += cost
    this.#round.creditBytes -= cost
  }
}
