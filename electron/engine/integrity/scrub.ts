import { z } from 'zod'
import { errorPolicy } from '../../../shared/error-policy.ts'
import type { AppError } from '../../../shared/errors.ts'
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
import { concernsItemAlone, errorFacts, explainError } from '../lib/engine-error.ts'
import type { ScrubFinding } from '../lib/events.ts'
import { parseJson } from '../lib/parse-json.ts'
import type { ProjectLocks } from '../lib/project-locks.ts'
import type { ArchivedFile } from '../store/archived-files-store.ts'
import { findMisplaced, isDiscarded, isIn } from '../checklists/find-misplaced.ts'
import { restoreRenamedFolders } from '../checklists/renamed-folders.ts'
import { writeArchiveRecords } from '../checklists/archive-records.ts'
import { checkChecksums, type Finding, recordFindings, type RecordDeps } from './findings.ts'
import { measureArchivedFiles } from '../checklists/archived-files.ts'
import { isKnownArchive, requireKnownArchive } from '../recovery/open-archive.ts'

export interface ScrubDeps extends RecordDeps {
  /** The rows and files of a locked project may differ for a moment. What is found is recorded under the lock. */
  readonly locks: ProjectLocks
  /** Called once for each file that is missing or changed. */
  readonly onFinding?: ((finding: ScrubFinding) => void) | undefined
}

/** Outcome of one call; `nextInMs` is the time until the next call makes sense (0: at once). */
export type ScrubOutcome =
  | { readonly kind: 'read'; readonly files: number; readonly bytes: number; readonly nextInMs: number }
  /** Nothing was due. */
  | { readonly kind: 'idle'; readonly nextInMs: number }
  /** The next file differs from its row while a pass works on its project: it is checked again. */
  | { readonly kind: 'busy'; readonly projectId: string; readonly nextInMs: number }
  /** The archive folder is not available, or cannot be read. Nothing was recorded as lost. */
  | { readonly kind: 'archive-away'; readonly nextInMs: number }

/** Progress of the current round, as stored between calls. */
const roundSchema = z.object({
  /** ISO 8601 UTC. */
  startedAt: z.iso.datetime(),
  place: walkPositionSchema,
  doneBytes: z.number().min(0),
  /** Bytes that may be read now; negative after a large file. */
  creditBytes: z.number(),
})
type Round = z.infer<typeof roundSchema>

const roundKey = 'rolling-verify'

/** Rows per query. */
const stepsAtOnce = 50

/** Maximum duration of a call: the caller has other work, and a kill loses no more than this. */
const sliceMs = 5_000

/** The totals are computed again once a day: for a million files this takes a second, in small steps. */
const totalsAgeMs = 24 * 60 * 60_000

/** Shorter rounds, as of a new archive, are not recorded as activity: one per day at most. */
const minReportedRoundMs = 24 * 60 * 60_000

/** Time until the next check if the archive is away, or a pass works on the project. */
const recheckMs = 60_000

const archiveAway: ScrubOutcome = { kind: 'archive-away', nextInMs: recheckMs }

/**
 * Reads the whole archive every 30 days, slowly and in the background. Damaged files are treated as by `verify
 * --repair`: quarantined, marked, and queued. Only lost old versions keep their rows, because only a user may dismiss
 * them.
 */
export function createScrub(deps: ScrubDeps) {
  const { folders, store, clock } = deps
  const { root } = folders
  let totals: { readonly costBytes: number; readonly atMs: number } | undefined
  let lastMs: number | undefined
  /** Messages about projects that could not be repaired: each of their files meets the same problem. */
  const shown = new Set<string>()
  /** Removed projects whose folders were searched for in this round, and found nowhere in the archive. */
  const discarded = new Set<string>()

  async function totalCost(signal: AbortSignal): Promise<number> {
    if (totals === undefined || clock.monotonicMs() - totals.atMs > totalsAgeMs) {
      const { files, bytes } = await measureArchivedFiles(store, signal)
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

  /**
   * Reads the next few files, for a few seconds at most. One call at a time. Rejects with the signal's reason if it
   * aborts, and with `disk-full` and errors of the database.
   */
  async function scrubNext(signal: AbortSignal): Promise<ScrubOutcome> {
    signal.throwIfAborted()
    const totalBytes = await totalCost(signal)
    const round = readRound() ?? newRound()
    round.creditBytes += due(totalBytes, round)
    if (totalBytes === 0 || round.creditBytes <= 0) {
      writeRound(round, [])
      return { kind: 'idle', nextInMs: pauseMs(totalBytes, round.creditBytes) }
    }
    const slice = new Slice(
      { ...deps, shown, discarded },
      round,
      limitReadingSpeed(readingSpeed(totalBytes), clock, signal),
      signal,
    )
    try {
      if (!(await isKnownArchive(root, store, signal))) return archiveAway
      const stop = await slice.run()
      if (stop !== undefined) return stop
    } catch (thrown) {
      const error = await explainError(folders, thrown, 'read the archive')
      if (!isOfArchive(error)) throw thrown
      if (!shown.has(error.message)) {
        shown.add(error.message)
        deps.logger.warn('The archive could not be read', errorFacts(error))
        deps.logger.showMessage(error.message)
      }
      return archiveAway
    } finally {
      if (slice.isEnd) discarded.clear()
      writeRound(slice.isEnd ? newRound(round.creditBytes) : round, slice.intact, slice.isEnd ? round : undefined)
    }
    const nextInMs = pauseMs(totalBytes, round.creditBytes)
    return { kind: 'read', files: slice.files, bytes: slice.bytes, nextInMs }
  }

  function newRound(creditBytes = 0): Round {
    return { startedAt: new Date(clock.nowMs()).toISOString(), place: walkStart, doneBytes: 0, creditBytes }
  }

  const readRound = () => roundSchema.safeParse(parseJson(store.meta.get(roundKey))).data

  function writeRound(round: Round, intact: readonly ArchivedFile[], ended?: Round): void {
    const at = new Date(clock.nowMs()).toISOString()
    store.transaction(() => {
      store.archivedFiles.markVerified(intact, at)
      if (ended !== undefined && clock.nowMs() - Date.parse(ended.startedAt) >= minReportedRoundMs) {
        store.activity.record({ at, kind: 'archive-read', facts: { since: ended.startedAt } })
      }
      store.meta.set(roundKey, JSON.stringify(round))
    })
  }

  return { scrubNext }
}

export type Scrub = ReturnType<typeof createScrub>

/** Returns whether the archive folder, or something in it, cannot be used for now. */
function isOfArchive(error: AppError): boolean {
  return concernsItemAlone(error) || (errorPolicy[error.code].scope === 'disk' && error.code !== 'disk-full')
}

interface SliceDeps extends ScrubDeps {
  /** Messages that were shown before and are not repeated. */
  readonly shown: Set<string>
  /** Removed projects that need not be searched for again, see `isDiscarded`. */
  readonly discarded: Set<string>
}

/** The work of one call. It advances the round after each file. */
class Slice {
  files = 0
  bytes = 0
  /** True if the round is complete. */
  isEnd = false
  /** Files that were read and are unchanged. */
  readonly intact: ArchivedFile[] = []
  readonly #deps: SliceDeps
  readonly #round: Round
  readonly #pace: (bytes: number) => Promise<void>
  readonly #signal: AbortSignal

  constructor(deps: SliceDeps, round: Round, pace: (bytes: number) => Promise<void>, signal: AbortSignal) {
    this.#deps = deps
    this.#round = round
    this.#pace = pace
    this.#signal = signal
  }

  /**
   * Runs until nothing more is due, a few seconds passed, or a file is damaged. Returns the outcome if it was cut
   * short.
   */
  async run(): Promise<ScrubOutcome | undefined> {
    const { store, clock, locks } = this.#deps
    const startMs = clock.monotonicMs()
    for (;;) {
      const steps = nextSteps(store, this.#round.place, stepsAtOnce)
      this.isEnd = steps.length === 0
      if (this.isEnd) return undefined
      for (const { file, position } of steps) {
        const damage = await this.#check(file)
        const finding = damage !== undefined && (await this.#isDiscarded(file)) ? undefined : damage
        if (finding !== undefined && locks.isBusy(file.projectId)) {
          return { kind: 'busy', projectId: file.projectId, nextInMs: recheckMs }
        }
        if (finding !== undefined) await locks.run(file.projectId, () => this.#recordOrLeave(finding), this.#signal)
        this.#advance(file, position)
        if (this.#round.creditBytes <= 0 || finding !== undefined) return undefined
        if (clock.monotonicMs() - startMs >= sliceMs) return undefined
      }
    }
  }

  async #isDiscarded({ projectId }: Finding['file']): Promise<boolean> {
    const { store, discarded } = this.#deps
    const { root } = this.#deps.folders
    const isSearched = discarded.has(projectId)
    if (!(await isDiscarded({ root, store }, projectId, { isSearched }))) return false
    if (!isSearched) await requireKnownArchive(root, store)
    discarded.add(projectId)
    return true
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
    this.intact.push(file)
    return undefined
  }

  /**
   * Records a finding. If folders of the project cannot get their names back, what belongs into one of them is left for
   * the next round.
   */
  async #recordOrLeave(finding: Finding): Promise<void> {
    const { folders, store, logger, shown } = this.#deps
    const { projectId, path } = finding.file
    try {
      await this.#record(finding)
    } catch (thrown) {
      this.#signal.throwIfAborted()
      const error = await explainError(folders, thrown, 'repair a project')
      if (!concernsItemAlone(error)) throw error
      const message = `${projectFolderOf(path)}: ${error.message}`
      if (!shown.has(message)) {
        shown.add(message)
        logger.warn('A project could not be repaired', { project: projectId, ...errorFacts(error) })
        logger.showMessage(message)
      }
      const { renamed, taken } = await findMisplaced({ root: folders.root, store }, projectId)
      const isMisplaced = [...renamed.map(({ from }) => from), ...taken].some((folder) => isIn(path, folder))
      if (!isMisplaced) await this.#record(finding, { isRenamed: true })
    }
  }

  /**
   * Records a finding, unless the archive is disconnected, which looks like one in which everything was deleted. With
   * `isRenamed`, folders of the project have other names: new documents in their places would hide them for good.
   */
  async #record(finding: Finding, { isRenamed = false } = {}): Promise<void> {
    const { folders, store, logger, onFinding } = this.#deps
    const { file } = finding
    await assertRootExists(folders.root)
    await requireKnownArchive(folders.root, store)
    if (!isRenamed) await restoreRenamedFolders(this.#deps, file.projectId, this.#signal)
    if ((await this.#check(file)) === undefined) return
    const findings = [finding, ...(await this.#checkRecords(file))]
    const options = { forgetVersions: false, signal: this.#signal }
    const { left, recorded } = await recordFindings(this.#deps, findings, options)
    for (const { file: found, state: how } of recorded) {
      const { path, projectId } = found
      const reason = left.get(path)
      const state = how === 'missing' ? 'missing' : 'changed'
      logger.info('An archived file is missing or changed', { project: projectId, kind: found.kind, state })
      onFinding?.({ projectId, path, state, outcome: reason ?? 'queued' })
    }
    if (isRenamed) return
    try {
      await writeArchiveRecords(folders, store, file.projectId)
    } catch (thrown) {
      const error = await explainError(folders, thrown, 'write the records of a project')
      if (error.code === 'archive-unavailable' || error.code === 'internal') throw error
      logger.error('The records of a project could not be written', { project: file.projectId, code: error.code })
    }
  }

  /** Checks the records that a finding causes to be rewritten: a user may have edited them. */
  async #checkRecords(file: Finding['file']): Promise<Finding[]> {
    const { store } = this.#deps
    const folder = projectFolderOf(file.path)
    const records: Finding['file'][] = store.archivedFiles
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

  #advance(file: Finding['file'], position: WalkPosition): void {
    const bytes = file.kind === 'checksums' ? 0 : file.sizeBytes
    const cost = readingCost(1, bytes)
    this.files += 1
    this.bytes += bytes
    this.#round.place = position
    // SHA256SUMS files are not part of the total cost: counting them would end the round early.
    if (file.kind !== 'checksums') this.#round.doneBytes += cost
    this.#round.creditBytes -= cost
  }
}
