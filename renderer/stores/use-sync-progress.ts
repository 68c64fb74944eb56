import { createSharedComposable, useTimestamp } from '@vueuse/core'
import { computed } from 'vue'
import type { EventValue } from '../../shared/contract/events.ts'
import {
  capitalized,
  countOfTotal,
  formatBytes,
  formatCount,
  formatDuration,
  photosAndReports,
} from '../../shared/format.ts'
import { hostWaitText, timeLeftText } from '../../shared/status-text.ts'
import type { ArchiveCounts } from '../../shared/views.ts'
import { missingFiles } from '../labels/missing-labels.ts'
import { movePresentation } from '../labels/move-labels.ts'
import { watchPresentation, type WatchPresentation } from '../labels/watch-labels.ts'
import { useEngine } from './engine-store.ts'
import { useInstallation } from './installation-store.ts'

/** A sync while it runs: first its projects are read, then files are downloaded. */
export interface SyncProgressView {
  /** "Reading projects: 4 of 2,000", "54 photos and reports to download". */
  readonly headline: string
  /** Set while projects are read for the first time. A page has one bar: later, that of the archived files. */
  readonly share: { readonly done: number; readonly total: number } | null
  /** "about 9 h left at 60 calls a minute", or `null` if that is not known well enough. */
  readonly timeLeft: string | null
  /** Reason why the sync waits, or `null`. */
  readonly wait: string | null
  /** Page that lists what the headline counts. */
  readonly to: string
  /** Further facts, such as the speed. */
  readonly details: readonly string[]
}

/** One clock for all pages: two countdowns never differ by the second in which each began. */
export const useNow = createSharedComposable(() => useTimestamp({ interval: 1_000 }))

/** The progress of the current sync, the same for the sidebar and the overview; `null` if none reports progress. */
export function useSyncProgress() {
  const engine = useEngine()
  const now = useNow()
  /** Milliseconds until the rate limit allows the next call; 0 if nothing waits for it. */
  const rateLimitWaitMs = computed(() => (engine.isSyncing ? Math.max(0, engine.nextCallAtMs - now.value) : 0))

  return computed<SyncProgressView | null>(() => {
    const progress = engine.syncProgress
    if (!engine.isSyncing || progress === null) return null
    const { projectsRead, projectsTotal, filesDone, filesFailed, filesTotal, timeLeft, hostWait } = progress
    const isReading = projectsRead < projectsTotal
    const wait =
      hostWait === undefined
        ? rateLimitWaitMs.value > 1_000
          ? `The service limits calls: resumes in ${formatDuration(rateLimitWaitMs.value)}`
          : null
        : capitalized(hostWaitText(hostWait))
    const isEnding = !isReading && filesDone + filesFailed >= filesTotal
    const common = {
      timeLeft: timeLeft === null || isEnding || hostWait !== undefined ? null : timeLeftText(timeLeft),
      wait,
      details: [
        ...(filesTotal > 0 ? [`${countOfTotal(filesDone, filesTotal, 'file')} of this sync, thumbnails included`] : []),
        ...(filesFailed > 0 ? [`${formatCount(filesFailed)} failed`] : []),
        ...(progress.bytesDownloaded > 0 ? [formatBytes(progress.bytesDownloaded)] : []),
        ...(engine.syncMeter.bytesPerSecond > 0 && wait === null
          ? [`${formatBytes(engine.syncMeter.bytesPerSecond)}/s`]
          : []),
      ],
    }
    if (isReading) {
      const share = readShare(progress, engine.overview?.counts)
      return {
        headline: `Reading projects: ${formatCount(share.done)} of ${formatCount(share.total)}`,
        share: share.isFirst ? { done: share.done, total: share.total } : null,
        to: share.isFirst ? '/projects?filter=unread' : '/projects',
        ...common,
      }
    }
    const files = engine.overview === null ? 0 : missingFiles(engine.overview).waiting
    // Previews, files that the counts of damaged ones cover, and archived files that are only checked.
    const hasOthers = (engine.overview?.counts.filesWaiting ?? 0) > 0
    const headline = hasOthers ? 'Checking and downloading files' : 'Checking for changes'
    return {
      headline: files > 0 ? `${photosAndReports(files)} to download` : headline,
      share: null,
      to: files > 0 || hasOthers ? '/projects?filter=working' : '/projects',
      ...common,
    }
  })
}

/**
 * Returns what the archive is busy with (a move, a sync, or the watch) and the progress of a sync. `detailOf` describes
 * a running one.
 */
export function useSyncStatus(detailOf: (progress: SyncProgressView | null) => string) {
  const engine = useEngine()
  const installation = useInstallation()
  const now = useNow()
  const progress = useSyncProgress()
  const status = computed<WatchPresentation>(() => {
    const moving = movePresentation(installation.move, installation.moveProgress)
    if (moving !== null) return moving
    if (progress.value === null && engine.sync.kind !== 'running')
      return watchPresentation(engine.watch, now.value, engine.waitingFiles, engine.failedChecks)
    const detail = detailOf(progress.value)
    return { title: 'Syncing', detail, icon: 'i-lucide-refresh-cw', tone: 'info', isBusy: true }
  })
  return { status, progress }
}

/**
 * Returns how many projects were read. A sync of all projects that are not all known yet counts those that were read
 * before, too: its line leads to the others.
 */
export function readShare(
  { projectsRead, projectsTotal }: Pick<EventValue<'sync-progress'>, 'projectsRead' | 'projectsTotal'>,
  counts: Pick<ArchiveCounts, 'projects' | 'unreadProjects'> | undefined,
) {
  const isFirst = counts !== undefined && counts.unreadProjects > 0 && projectsTotal === counts.projects
  return isFirst
    ? { done: counts.projects - counts.unreadProjects, total: counts.projects, isFirst }
    : { done: projectsRead, total: projectsTotal, isFirst }
}
