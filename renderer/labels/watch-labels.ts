import { isStarting, watchText, type StatusText } from '../../shared/status-text.ts'
import type { WatchState } from '../../shared/watch.ts'
import type { Tone } from './status-labels.ts'

/** State of the continuous sync in the sidebar and the overview. */
export interface WatchPresentation extends StatusText {
  readonly icon: string
  readonly tone: Tone
  readonly isBusy: boolean
}

const syncing = { icon: 'i-lucide-refresh-cw', tone: 'info', isBusy: true } as const

const blockerIcons = {
  offline: 'i-lucide-wifi-off',
  service: 'i-lucide-server-off',
  token: 'i-lucide-key-round',
  disk: 'i-lucide-hard-drive',
} as const

/** Returns how the watch is displayed. `waitingFiles` is the length of the download queue. */
export function watchPresentation(state: WatchState, nowMs: number, waitingFiles = 0): WatchPresentation {
  return { ...watchText(state, nowMs, waitingFiles), ...iconOf(state, isStarting(state, nowMs, waitingFiles)) }
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
