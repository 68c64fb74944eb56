export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs
export const weekMs = 7 * dayMs

/** Returns a time in ISO 8601 UTC. */
export const toIso = (ms: number): string => new Date(ms).toISOString()

/** Returns `null` for an unknown or invalid time: an edited database must not stop a schedule. */
export function toMs(iso: string | null): number | null {
  const ms = iso === null ? Number.NaN : Date.parse(iso)
  return Number.isFinite(ms) ? ms : null
}

/** A time ahead of the clock by no more than this comes from a small adjustment of the clock. */
const clockStepMs = 2 * minuteMs

/** Returns the time of something that has happened, or `null` if it is unknown or cannot be right. */
export function pastTime(timeMs: number | null, nowMs: number): number | null {
  if (timeMs === null || !Number.isFinite(timeMs) || timeMs < 0 || timeMs > nowMs + clockStepMs) return null
  return Math.min(timeMs, nowMs)
}
