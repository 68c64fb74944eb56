import { findMisplaced, withCurrentPaths } from '../checklists/find-misplaced.ts'
import type { Clock } from '../lib/ports.ts'
import { requireKnownArchive } from '../recovery/open-archive.ts'
import type { Store } from '../store/create-store.ts'
import { type Finding, recordDamage } from './findings.ts'
import { reportStatus } from './report-status.ts'
import { confirmedState } from './verify-beside.ts'

export interface RecordLostDeps {
  readonly store: Store
  /** Absolute path of the archive. */
  readonly root: string
  readonly clock: Clock
}

/**
 * Checks files that were not as recorded when they were read for something else, such as an export, and records those
 * that are missing or changed, as a verify does: they no longer count as archived. Each is read again, in a renamed
 * folder where it is now; one that is being replaced, is intact, or cannot be read at all is left unchanged. `assetIds`
 * are those of reports, photos, and thumbnails. Returns how many were recorded. Throws `archive-unavailable` if the
 * folder is not the archive, and records nothing then.
 */
export async function recordLost(
  deps: RecordLostDeps,
  assetIds: Iterable<number>,
  signal: AbortSignal,
): Promise<number> {
  const { store, root, clock } = deps
  const findings: Finding[] = []
  const files = Array.from(assetIds, (id) => store.archivedFiles.asset(id)).filter((file) => file !== undefined)
  for (const [projectId, ofProject] of Map.groupBy(files, (file) => file.projectId)) {
    const misplaced = await findMisplaced({ root, store }, projectId)
    for await (const file of withCurrentPaths(root, ofProject, misplaced)) {
      const state = await confirmedState(deps, file, signal)
      if (state === 'missing' || state === 'changed') findings.push({ file: file.recorded, state })
    }
  }
  if (findings.length === 0) return 0
  // In an empty mount point, and on a drive that was disconnected meanwhile, everything is missing and nothing is lost.
  await requireKnownArchive(root, store)
  signal.throwIfAborted()
  store.transaction(() => recordDamage(store, findings, new Date(clock.nowMs()).toISOString()))
  return findings.length
}

/**
 * Looks for the files of all active projects as `reportStatus` does, by name and size, and records those that are
 * missing or changed. Returns how many were recorded. Throws as `reportStatus` and `recordLost`.
 */
export async function recordMissing(deps: RecordLostDeps, signal: AbortSignal): Promise<number> {
  const { store, root } = deps
  const lost = new Set<number>()
  const isLost = (assetId: number) => {
    lost.add(assetId)
    return true
  }
  const into = { add: () => signal.throwIfAborted(), clear: () => undefined }
  await reportStatus(store, root, { into, isLost })
  return lost.size === 0 ? 0 : recordLost(deps, lost, signal)
}
