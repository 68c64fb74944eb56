import { type FailedChecks, isStarting, watchText, type StatusText } from '../../shared/status-text.ts'
import type { WatchState } from '../../shared/watch.ts'
import type { Tone } from './status-labels.ts'

/** State of the continuous sync in the sidebar and the overview. */
export interface WatchPresentation extends StatusText {
  readonly icon: string
  readonly tone: Tone
  readonly isBusy: boolean
  /** Page that lists what the title counts. */
  readonly to?: string
}

const syncing = { icon: 'i-lucide-refresh-cw', tone: 'info', isBusy: true } as const

const blockerIcons = {
  offline: 'i-lucide-wifi-off',
  service: 'i-lucide-server-off',
  token: 'i-lucide-key-round',
  disk: 'i-lucide-hard-drive',
} as const

/** Returns how the watch is displayed. `waitingFiles` is the length of the download queue; `failed` see `watchText`. */
export function watchPresentation(
  state: WatchState,
  nowMs: number,
  waitingFiles = 0,
  failed: FailedChecks = { projects: 0, checklists: 0 },
): WatchPresentation {
  const isStartingFiles = isStarting(state, nowMs, waitingFiles)
  const hasFailed = state.kind === 'idle' && !isStartingFiles && failed.projects + failed.checklists > 0
  return {
    ...watchText(state, nowMs, waitingFiles, failed),
    ...iconOf(state, isStartingFiles),
    ...(hasFailed && { icon: 'i-lucide-cloud-alert', tone: 'warning', to: '/attention' }),
  }
}

function iconOf(state: WatchState, isStartingFiles: boolean): Pick<WatchPresentation, 'icon' | 'tone' | 'isBusy'> {
  const idle = (icon: string, tone: Tone) => ({ icon, tone, isBusy: false })
  switch (state.kind) {
    case 'stopped':
      return idle('i-lucide-circle-stop', 'neutral')
    case 'idle':
      if (isStartingFiles) return syncing
      return state.onlyWhenAsked === true ? idle('i-lucide-hand', 'neutral') : idle('i-lucide-eye', 'success')
    case 'syncing':
      return syncing
    case 'paused':
      return idle('i-lucide-circle-pause', 'warning')
    case 'quiet':
      return idle('i-lucide-moon', 'neutral')
    case 'battery':
      return idle('i-lucide-battery-charging', 'warning')
    case 'blocked':
      return idle(blockerIcons[state.obstacle], 'error')
  }
}
