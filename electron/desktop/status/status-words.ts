import { countOf, formatCount } from '../../../shared/format-count.ts'
import { obstacleTitle } from '../../../shared/sync-words.ts'
import type { WatchState } from '../../../shared/watch.ts'
import { isSyncing, type AppStatus } from './app-status.ts'

/** The signs that the tray has images for. */
export type TraySign = 'idle' | 'syncing' | 'paused' | 'attention' | 'offline'

export interface StatusLook {
  readonly sign: TraySign
  /** What Solarchive does, in a few words. */
  readonly title: string
  /** How much, or until when; undefined: there is nothing to say. */
  readonly detail: string | undefined
}

/** How Solarchive is, at a glance: what keeps it from working goes before what it does, and that before what is left to look at. */
export function lookOf(status: AppStatus, nowMs: number): StatusLook {
  const { setUp, watch, move, moveProgress } = status
  if (setUp?.ready === false) return look('attention', 'Not set up yet')
  if (move.kind === 'running') return look('syncing', 'Moving the archive', ofTotal(moveProgress, 'file'))
  if (move.kind === 'idle' && move.unfinished !== null) return look('attention', 'The move of the archive waits')
  if (isSyncing(status)) return look('syncing', 'Syncing', ofTotal(status.syncProgress, 'file'))
  if (watch.kind === 'blocked') {
    const isFar = watch.obstacle === 'offline' || watch.obstacle === 'service'
    return look(isFar ? 'offline' : 'attention', obstacleTitle(watch), 'Syncing waits')
  }
  const rest = restOf(watch, nowMs)
  if (rest !== undefined) return rest
  if (status.attention > 0) return look('attention', 'Needs attention', problemsToLookAt(status.attention))
  if (watch.kind === 'idle' && watch.onlyWhenAsked === true) return look('idle', 'Ready', 'Syncs only when you ask')
  return look('idle', 'Watching for changes')
}

/** What needs attention, in a few words. */
export function problemsToLookAt(count: number): string {
  return `${countOf(count, 'problem')} to look at`
}

function restOf(watch: WatchState, nowMs: number): StatusLook | undefined {
  switch (watch.kind) {
    case 'paused':
      return look('paused', 'Paused', watch.until === null ? 'Until you resume' : `Until ${clock(watch.until, nowMs)}`)
    case 'quiet':
      return look('paused', 'Quiet hours', `Until ${clock(watch.until, nowMs)}`)
    case 'battery':
      return look('paused', 'Paused on battery', 'Until the machine is plugged in')
    case 'stopped':
      return look('paused', 'Not syncing')
    default:
      return undefined
  }
}

interface Counted {
  readonly filesDone: number
  readonly filesTotal: number
}

function ofTotal(progress: Counted | undefined, what: string): string | undefined {
  if (progress === undefined || progress.filesTotal === 0) return undefined
  return `${formatCount(progress.filesDone)} of ${countOf(progress.filesTotal, what)}`
}

function look(sign: TraySign, title: string, detail?: string): StatusLook {
  return { sign, title, detail }
}

const timeOnly = new Intl.DateTimeFormat('en-US', { timeStyle: 'short' })
const dayAndTime = new Intl.DateTimeFormat('en-US', { weekday: 'long', hour: 'numeric', minute: '2-digit' })

/** The time of day, with the day where it is not today. */
function clock(iso: string, nowMs: number): string {
  const time = new Date(iso)
  const isToday = time.toDateString() === new Date(nowMs).toDateString()
  return (isToday ? timeOnly : dayAndTime).format(time)
}
