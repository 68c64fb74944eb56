import { obstacleTitle } from '../../shared/sync-words.ts'
import type { WatchState } from '../../shared/watch.ts'
import { countOf } from './format-numbers.ts'
import { formatClock, formatUntil } from './format-times.ts'
import type { Tone } from './status-labels.ts'

/** The state of the continuous sync for the side bar and the overview. */
export interface WatchLook {
  readonly title: string
  readonly detail: string
  readonly icon: string
  readonly tone: Tone
  readonly isBusy: boolean
}

const obstacleIcons = {
  offline: 'i-lucide-wifi-off',
  service: 'i-lucide-server-off',
  token: 'i-lucide-key-round',
  disk: 'i-lucide-hard-drive',
} as const

/** Files that wait are begun with at most so long after they turned up: the poll that is due goes first. */
const soonMs = 60_000

/** `waitingFiles`: how many are queued; between two projects the watch is idle although they go on at once. */
export function lookOfWatch(state: WatchState, nowMs: number, waitingFiles = 0): WatchLook {
  switch (state.kind) {
    case 'stopped':
      return {
        title: 'Not syncing',
        detail: 'Continuous sync is not running.',
        icon: 'i-lucide-circle-stop',
        tone: 'neutral',
        isBusy: false,
      }
    case 'idle':
      if (waitingFiles > 0 && isSoon(state.nextPollAt, nowMs)) {
        return {
          title: 'Syncing',
          detail: `${countOf(waitingFiles, 'file')} waiting`,
          icon: 'i-lucide-refresh-cw',
          tone: 'info',
          isBusy: true,
        }
      }
      if (state.onlyWhenAsked === true) {
        return {
          title: 'Ready',
          detail: 'Syncs only when you ask',
          icon: 'i-lucide-hand',
          tone: 'neutral',
          isBusy: false,
        }
      }
      return {
        // Not "up to date": files may have failed, and be tried again later.
        title: 'Watching for changes',
        detail:
          state.nextPollAt === null
            ? 'There is no project to look at.'
            : `Next look ${formatUntil(state.nextPollAt, nowMs)}`,
        icon: 'i-lucide-eye',
        tone: 'success',
        isBusy: false,
      }
    case 'syncing':
      return {
        title: 'Syncing',
        detail: countOf(state.projects, 'project'),
        icon: 'i-lucide-refresh-cw',
        tone: 'info',
        isBusy: true,
      }
    case 'paused':
      return {
        title: 'Paused',
        detail: state.until === null ? 'Until you resume' : `Until ${formatClock(state.until, nowMs)}`,
        icon: 'i-lucide-circle-pause',
        tone: 'warning',
        isBusy: false,
      }
    case 'quiet':
      return {
        title: 'Quiet hours',
        detail: `Until ${formatClock(state.until, nowMs)}`,
        icon: 'i-lucide-moon',
        tone: 'neutral',
        isBusy: false,
      }
    case 'battery':
      return {
        title: 'Paused on battery',
        detail: 'Goes on when the machine is plugged in',
        icon: 'i-lucide-battery-charging',
        tone: 'warning',
        isBusy: false,
      }
    case 'blocked':
      return {
        title: obstacleTitle(state),
        detail: `Since ${formatClock(state.since, nowMs)}`,
        icon: obstacleIcons[state.obstacle],
        tone: 'error',
        isBusy: false,
      }
  }
}

function isSoon(at: string | null, nowMs: number): boolean {
  return at === null || Date.parse(at) - nowMs < soonMs
}
