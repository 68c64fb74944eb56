import { errorPolicy } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import { writeArchiveRecords } from '../checklists/archive-records.ts'
import { isDiscarded } from '../checklists/find-misplaced.ts'
import type { DownloadManager } from '../downloads/download-manager.ts'
import type { JobOutcome } from '../downloads/job-runner.ts'
import { explainError } from '../lib/engine-error.ts'
import type { HostGates } from '../lib/host-gates.ts'
import type { CallOptions } from '../service/service-types.ts'
import type { ArchivedAsset, LostAsset } from '../store/archived-files-store.ts'
import { type Finding, recordFindings, type RecordDeps, versionLost } from './findings.ts'

export interface RepairDeps extends RecordDeps {
  readonly downloads: Pick<DownloadManager, 'processQueue'>
  readonly gates?: HostGates | undefined
  /** Makes one call about a project, to learn whether the service answers. Rejects with an AppError. */
  readonly askService: (projectId: string, call: CallOptions) => Promise<unknown>
}

/** A file that is still missing or damaged. */
export interface RepairFailure {
  /** Relative to the archive root. */
  readonly path: string
  readonly error: AppError
}

export interface ProjectRepair {
  /** Original paths of the repaired files. */
  readonly repaired: ReadonlySet<string>
  readonly failures: readonly RepairFailure[]
  /** New paths of changed files. */
  readonly quarantined: readonly string[]
  /** Error that also prevents downloads for the next project, if any. */
  readonly fetchBlocker: AppError | undefined
}

/** Findings of one project. */
export interface ProjectFindings {
  readonly projectId: string
  readonly findings: readonly Finding[]
  /** Files that an earlier verify or pass found missing and that are still missing. */
  readonly lost: readonly LostAsset[]
}

/** Returns whether an error concerns one project only: the service answered, or the project's folder failed. */
function concernsProjectOnly({ code }: AppError): boolean {
  return errorPolicy[code].answer !== undefined || code === 'disk-error'
}

/**
 * Restores a project's missing and changed files: downloads what the service has now, and writes `checklist.json` and
 * SHA256SUMS again. Failed downloads stay queued for the next pass. If `fetchBlocker` is set, or the project was
 * removed from the list, nothing is downloaded; if its folder was deleted, too, nothing is written or recorded either.
 * Rejects with `cancelled`, `archive-unavailable`, and errors of the database.
 */
export async function repairProject(
  deps: RepairDeps,
  { projectId, findings, lost }: ProjectFindings,
  signal: AbortSignal,
  fetchBlocker: AppError | undefined,
): Promise<ProjectRepair> {
  const { store, folders } = deps
  if (await isDiscarded({ root: folders.root, store }, projectId)) {
    const files = [...findings.map(({ file }) => file), ...lost]
    const failures = files.map(({ path }) => ({ path, error: removedFromList() }))
    return { repaired: new Set(), failures, quarantined: [], fetchBlocker }
  }
  const { quarantined, left } = await recordFindings(deps, findings, { forgetVersions: true })
  const assets = [...findings.map(({ file }) => file).filter((file) => file.kind === 'asset'), ...lost]
  const wanted = assets.filter(({ id }) => store.assets.get(id)?.sha256 === null).map(({ id }) => id)
  const isListed = store.projects.isActive(projectId)
  const attempt = new Attempt(deps, projectId)
  await attempt.run(() => writeArchiveRecords(folders, store, projectId))
  try {
    if (wanted.length > 0 && isListed && fetchBlocker === undefined) await attempt.fetch(wanted, signal)
  } finally {
    await attempt.run(() => writeArchiveRecords(folders, store, projectId))
  }

  const repaired = new Set<string>()
  const failures: RepairFailure[] = []
  const record = (path: string, error: AppError | undefined) => {
    if (error === undefined) repaired.add(path)
    else failures.push({ path, error })
  }
  for (const { file } of findings) {
    const kept = left.get(file.path)
    if (kept !== undefined) record(file.path, kept)
    else if (file.kind === 'asset') record(file.path, lossError(file))
    else if (file.kind === 'version') record(file.path, versionLost())
    else record(file.path, attempt.recordsError)
  }
  for (const asset of lost) record(asset.path, lossError(asset))
  const stopping = attempt.error !== undefined && !concernsProjectOnly(attempt.error) ? attempt.error : undefined
  return { repaired, failures, quarantined, fetchBlocker: fetchBlocker ?? stopping }

  function lossError({ id }: ArchivedAsset | LostAsset): AppError | undefined {
    const row = store.assets.get(id)
    if (row === undefined || row.sha256 !== null) return undefined
    if (row.present === 0 || store.checklists.get(row.checklistKey)?.upstreamGoneAt != null) return goneUpstream()
    if (!isListed) return removedFromList()
    return attempt.failures.get(id) ?? attempt.error ?? fetchBlocker ?? notFetched()
  }
}

/** Steps of a repair that may fail, and what they failed with. */
class Attempt {
  /** Download errors by asset id. */
  readonly failures = new Map<number, AppError>()
  /** Error that ended the downloads. */
  error: AppError | undefined
  /** Error of writing `checklist.json` or SHA256SUMS. */
  recordsError: AppError | undefined
  readonly #deps: RepairDeps
  readonly #projectId: string

  constructor(deps: RepairDeps, projectId: string) {
    this.#deps = deps
    this.#projectId = projectId
  }

  async run(writeRecords: () => Promise<void>): Promise<void> {
    try {
      await writeRecords()
      this.recordsError = undefined
    } catch (thrown) {
      this.recordsError = await explainError(this.#deps.folders, thrown, 'write the records of a project')
      if (this.recordsError.code === 'archive-unavailable') throw this.recordsError
    }
  }

  async fetch(assetIds: readonly number[], signal: AbortSignal): Promise<void> {
    const { downloads, askService, gates, logger, store } = this.#deps
    store.transaction(() => {
      for (const id of assetIds) store.jobs.enqueueAgain(id, this.#projectId, 'fetch')
    })
    try {
      await askService(this.#projectId, { signal, gate: gates?.service })
      const onOutcome = (outcome: JobOutcome) => {
        const { kind } = outcome
        if (kind === 'failed' || kind === 'deferred' || kind === 'not-uploaded')
          this.failures.set(outcome.asset.id, outcome.error)
      }
      await downloads.processQueue(this.#projectId, { signal, gates, onOutcome })
    } catch (thrown) {
      this.error = await explainError(this.#deps.folders, thrown, 'download files again')
      if (signal.aborted || this.error.code === 'archive-unavailable') throw this.error
      logger.error('Files could not be downloaded again', { project: this.#projectId, code: this.error.code })
    } finally {
      // Files that the service no longer lists were tried once: their jobs must not wait forever.
      store.transaction(() => {
        for (const id of assetIds) if (store.assets.get(id)?.present === 0) store.jobs.finish(id)
      })
    }
  }
}

function goneUpstream(): AppError {
  return new AppError(
    'file-gone',
    'The service no longer has this file, so it cannot be downloaded again. If you have a backup, restore it from ' +
      'there.',
  )
}

function removedFromList(): AppError {
  const message = 'This project was removed from the list. Add it again to have its files downloaded.'
  return new AppError('internal', message)
}

function notFetched(): AppError {
  return new AppError('internal', 'It was not downloaded again. It stays queued for the next sync.')
}
