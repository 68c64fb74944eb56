import { z } from 'zod'
import type { PauseLength, QuietHours } from '../../../shared/watch.ts'
import { hourMs } from '../lib/time.ts'

/** A user's pause, in wall-clock milliseconds. `untilMs` is `null` for a pause until resumed. */
export const pauseSchema = z.object({ sinceMs: z.number(), untilMs: z.number().nullable() })
export type Pause = z.infer<typeof pauseSchema>

/** Hour at which a pause until tomorrow ends: the start of the working day. */
const morningHour = 6

export function startPause(length: PauseLength, nowMs: number): Pause {
  if (length === 'resumed') return { sinceMs: nowMs, untilMs: null }
  if (length === 'hour') return { sinceMs: nowMs, untilMs: nowMs + hourMs }
  const morning = new Date(nowMs)
  morning.setDate(morning.getDate() + 1)
  morning.setHours(morningHour, 0, 0, 0)
  return { sinceMs: nowMs, untilMs: morning.getTime() }
}

/**
 * Returns the pause as of now, or `null` if it is over. A clock that was set back must not lengthen it: the pause then
 * starts again with its own length.
 */
export function pauseNow(pause: Pause, nowMs: number): Pause | null {
  if (pause.untilMs === null) return pause
  if (nowMs >= pause.untilMs) return null
  if (nowMs >= pause.sinceMs) return pause
  return { sinceMs: nowMs, untilMs: nowMs + Math.max(0, pause.untilMs - pause.sinceMs) }
}

/**
 * Returns when the current quiet hours end, in wall-clock milliseconds, or `null` outside of them. Days have their
 * local length.
 */
export function quietUntilMs({ start, end }: QuietHours, nowMs: number): number | null {
  for (const daysAgo of [0, 1]) {
    const fromMs = atTime(nowMs, start, -daysAgo)
    const untilMs = atTime(nowMs, end, end > start ? -daysAgo : 1 - daysAgo)
    if (nowMs >= fromMs && nowMs < untilMs) return untilMs
  }
  return null
}

function atTime(nowMs: number, time: string, days: number): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const date = new Date(nowMs)
  date.setDate(date.getDate() + days)
  date.setHours(hours, minutes, 0, 0)
  return date.getTime()
}
