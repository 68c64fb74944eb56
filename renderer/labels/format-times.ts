const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const dateTime = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' })
const dateOnly = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })
const timeOnly = new Intl.DateTimeFormat('en-US', { timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })

/** An ISO 8601 time as local date and time, "Nov 21, 2026, 3:05 PM"; what is no time, as it is. */
export function formatDateTime(iso: string): string {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? iso : dateTime.format(time)
}

/** The time of day alone. */
export function formatTime(iso: string): string {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? iso : timeOnly.format(time)
}

const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'long', month: 'long', day: 'numeric' })

/** "Today", "Yesterday", "Monday, November 16"; with the year where it is another one. */
export function formatDay(iso: string, nowMs: number): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso
  const now = new Date(nowMs)
  if (time.toDateString() === now.toDateString()) return 'Today'
  const yesterday = new Date(now)
  yesterday.setDate(now.getDate() - 1)
  if (time.toDateString() === yesterday.toDateString()) return 'Yesterday'
  return time.getFullYear() === now.getFullYear() ? weekday.format(time) : dateOnly.format(time)
}

/** The time of day, with the date where it is not today's. */
export function formatClock(iso: string, nowMs: number): string {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return iso
  const isToday = time.toDateString() === new Date(nowMs).toDateString()
  return isToday ? timeOnly.format(time) : dateTime.format(time)
}

/** `formatRelative` of what is over: a clock on screen that is some seconds late does not make it the future. */
export function formatAgo(iso: string, nowMs: number): string {
  return formatRelative(iso, Math.max(nowMs, new Date(iso).getTime() || nowMs))
}

/** `formatRelative` of what is to come. */
export function formatUntil(iso: string, nowMs: number): string {
  return formatRelative(iso, Math.min(nowMs, (new Date(iso).getTime() || nowMs) - 1))
}

/** "just now", "5 minutes ago", "in 2 hours", "yesterday"; a date when it is more than a week away. */
function formatRelative(iso: string, nowMs: number): string {
  const time = new Date(iso).getTime()
  if (Number.isNaN(time)) return iso
  const delta = time - nowMs
  const size = Math.abs(delta)
  if (size < 45_000) return delta <= 0 ? 'just now' : 'in a moment'
  if (size < 50 * minuteMs) return relative.format(Math.round(delta / minuteMs), 'minute')
  if (size < 22 * hourMs) return relative.format(Math.round(delta / hourMs), 'hour')
  if (size < 7 * dayMs) return relative.format(Math.round(delta / dayMs), 'day')
  return dateOnly.format(new Date(time))
}

/** How long something takes: "8 s", "3 min 20 s", "2 h 5 min". */
export function formatDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.round(durationMs / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}

/** A time left, coarse enough not to flicker: "less than 10 s", "40 s", "2 min", "1 h 20 min". */
export function formatTimeLeft(leftMs: number): string {
  if (leftMs < 10_000) return 'less than 10 s'
  if (leftMs <= 50_000) return `${Math.ceil(leftMs / 10_000) * 10} s`
  return formatDuration(Math.ceil(leftMs / minuteMs) * minuteMs)
}
