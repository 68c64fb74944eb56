/**
 * Numbers, sizes, durations, and times as people read them: in the command line, the tray, and the pages.
 * US English throughout; times are in the machine's own time zone.
 */

/** Returns a function that creates a value at its first call: formatters take milliseconds each of every start. */
export function once<T extends object | string>(create: () => T): () => T {
  let created: T | undefined
  return () => (created ??= create())
}

const whole = once(() => new Intl.NumberFormat('en-US'))
const oneDecimal = once(() => new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 }))
const dateTime = once(() => new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' }))
const dateOnly = once(() => new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' }))
const timeOnly = once(() => new Intl.DateTimeFormat('en-US', { timeStyle: 'short' }))
const weekdayOnly = once(() => new Intl.DateTimeFormat('en-US', { weekday: 'long' }))
const weekdayAndDate = once(() => new Intl.DateTimeFormat('en-US', { weekday: 'long', month: 'long', day: 'numeric' }))
const relative = once(() => new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' }))

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Returns a text with its first letter in upper case; the others stay as they are. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns a count with separated thousands: 12345 → "12,345". */
export function formatCount(count: number): string {
  // The first formatter of a process takes milliseconds.
  return Number.isSafeInteger(count) ? String(count).replace(/\B(?=(?:\d{3})+$)/g, ',') : whole().format(count)
}

export const metersPerFoot = 0.3048
export const metersPerMile = 1_609.344

/** Distance in meters from which lengths are rounded to tens: positions of photos are not known more precisely. */
const roundedFrom = 100

/** Returns a distance in both systems: "26 ft (8 m)", "1,350 ft (410 m)", "1.2 mi (2.0 km)", "1,240 mi (1,996 km)". */
export function formatDistance(meters: number): string {
  const miles = meters / metersPerMile
  const rounded = (value: number) => (value < 10 ? value.toFixed(1) : formatCount(Math.round(value)))
  if (miles >= 0.5) return `${rounded(miles)} mi (${rounded(meters / 1000)} km)`
  const step = meters < roundedFrom ? 1 : 10
  const whole = (value: number) => formatCount(Math.round(value / step) * step)
  return `${whole(meters / metersPerFoot)} ft (${whole(meters)} m)`
}

/** Returns a count with its noun: "1 photo", "12,345 photos". `many` is the plural of nouns that do not take an -s. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** Returns a count of what people count: "1 photo or report", "37 photos and reports". */
export function photosAndReports(count: number): string {
  return countOf(count, 'photo or report', 'photos and reports')
}

/** Returns how much of a total is done: "30 of 1,200 files". */
export function countOfTotal(done: number, total: number, one: string, many?: string): string {
  return `${formatCount(done)} of ${countOf(total, one, many)}`
}

/** Returns a whole percentage that is 100 only if nothing is missing, and 0 only if nothing is there. */
export function percentOf(part: number, total: number): number {
  if (total === 0 || part >= total) return 100
  if (part <= 0) return 0
  return Math.min(99, Math.max(1, Math.round((part / total) * 100)))
}

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** Returns a size in decimal units, as the file managers of macOS and Linux show it: 1234567 → "1.2 MB". */
export function formatBytes(bytes: number): string {
  let value = Math.max(0, bytes)
  let unit = 0
  // 999.5 would be rounded to 1000 of the smaller unit.
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1000
    unit += 1
  }
  const number = unit === 0 || value >= 99.95 ? whole().format(Math.round(value)) : oneDecimal().format(value)
  return `${number} ${byteUnits[unit]}`
}

/** Returns a duration in its two largest units: "0.4 s", "8 s", "3 min 20 s", "2 h 5 min", "3 d 4 h". */
export function formatDuration(durationMs: number): string {
  const ms = Math.max(0, durationMs)
  if (ms < secondMs) return `${Number((ms / secondMs).toFixed(1))} s`
  const seconds = Math.round(ms / secondMs)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return twoUnits(seconds, 60, 'min', 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 1_440) return twoUnits(minutes, 60, 'h', 'min')
  return twoUnits(Math.round(minutes / 60), 24, 'd', 'h')
}

function twoUnits(count: number, perLarge: number, large: string, small: string): string {
  const rest = count % perLarge
  return `${formatCount(Math.floor(count / perLarge))} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}

/** Returns a time left, coarse enough not to flicker: "less than 10 s", "40 s", "2 min", "1 h 20 min". */
export function formatTimeLeft(leftMs: number): string {
  if (leftMs < 10 * secondMs) return 'less than 10 s'
  if (leftMs <= 50 * secondMs) return `${Math.ceil(leftMs / (10 * secondMs)) * 10} s`
  return formatDuration(Math.ceil(leftMs / minuteMs) * minuteMs)
}

/** Steps to which an estimate is rounded, from a length on: at most a tenth of it, and coarse enough not to flicker. */
const estimateSteps = [
  [10 * hourMs, hourMs],
  [hourMs, 10 * minuteMs],
  [10 * minuteMs, minuteMs],
  [2 * minuteMs, 30 * secondMs],
] as const

/** Returns an estimated time: "less than 10 s", "about 40 s", "about 1 min 10 s", "about 9 h". */
export function formatEstimate(ms: number): string {
  if (ms < 10 * secondMs) return 'less than 10 s'
  const step = estimateSteps.find(([from]) => ms >= from)?.[1] ?? 10 * secondMs
  return `about ${formatDuration(Math.round(ms / step) * step)}`
}

/** Returns an ISO 8601 time as local date and time, "Nov 21, 2026, 3:05 PM"; text that is not a time, unchanged. */
export function formatDateTime(iso: string): string {
  const time = parseTime(iso)
  return time === undefined ? iso : write(dateTime(), time)
}

/** Returns the local time of day, "3:05 PM"; text that is not a time, unchanged. */
export function formatTime(iso: string): string {
  const time = parseTime(iso)
  return time === undefined ? iso : write(timeOnly(), time)
}

/** Returns "Today", "Yesterday", or "Monday, November 16"; in another year "Nov 16, 2025". */
export function formatDay(iso: string, nowMs: number): string {
  const time = parseTime(iso)
  if (time === undefined) return iso
  const now = new Date(nowMs)
  if (isSameDay(time, now)) return 'Today'
  const yesterday = new Date(now)
  yesterday.setDate(now.getDate() - 1)
  if (isSameDay(time, yesterday)) return 'Yesterday'
  return write(time.getFullYear() === now.getFullYear() ? weekdayAndDate() : dateOnly(), time)
}

/** Returns the time of day, with the weekday or the date if it is not today's: "3:05 PM", "Thursday 3:05 PM". */
export function formatClock(iso: string, nowMs: number): string {
  const time = parseTime(iso)
  if (time === undefined) return iso
  if (isSameDay(time, new Date(nowMs))) return write(timeOnly(), time)
  // Six days: a weekday further away could be taken for the nearer one of that name.
  const isNear = Math.abs(time.getTime() - nowMs) < 6 * dayMs
  return isNear ? `${weekdayOnly().format(time)} ${write(timeOnly(), time)}` : write(dateTime(), time)
}

/** Returns how long ago a time was: "just now", "5 minutes ago", "yesterday"; its date after a week. */
export function formatAgo(iso: string, nowMs: number): string {
  // A clock on the page that is a few seconds behind does not move a past event into the future.
  return formatRelative(iso, Math.max(nowMs, parseTime(iso)?.getTime() ?? nowMs))
}

/** Returns how far ahead a time is: "in a moment", "in 5 minutes", "tomorrow"; its date if over a week ahead. */
export function formatUntil(iso: string, nowMs: number): string {
  return formatRelative(iso, Math.min(nowMs, (parseTime(iso)?.getTime() ?? nowMs) - 1))
}

function formatRelative(iso: string, nowMs: number): string {
  const time = parseTime(iso)
  if (time === undefined) return iso
  const delta = time.getTime() - nowMs
  const size = Math.abs(delta)
  if (size < 45 * secondMs) return delta <= 0 ? 'just now' : 'in a moment'
  if (size < 50 * minuteMs) return relative().format(Math.round(delta / minuteMs), 'minute')
  // The words for days, such as "yesterday", mean days of the calendar; rounded, as some days have 23 or 25 hours.
  const days = Math.round((startOfDay(time) - startOfDay(new Date(nowMs))) / dayMs)
  if (size < 22 * hourMs || days === 0) return relative().format(Math.round(delta / hourMs), 'hour')
  if (size < 7 * dayMs) return relative().format(days, 'day')
  return write(dateOnly(), time)
}

function parseTime(iso: string): Date | undefined {
  const time = new Date(iso)
  return Number.isNaN(time.getTime()) ? undefined : time
}

const startOfDay = (time: Date) => new Date(time).setHours(0, 0, 0, 0)

function isSameDay(one: Date, other: Date): boolean {
  return one.toDateString() === other.toDateString()
}

/** Intl separates the time from AM or PM by a narrow no-break space, which not every terminal has. */
function write(format: Intl.DateTimeFormat, time: Date): string {
  return format.format(time).replaceAll('\u202F', ' ')
}
