import type { PlacedPhoto } from '../../../shared/views.ts'

/**
 * When photos were taken, on one clock. Cameras record the local time of the site, mostly with its offset from UTC; the
 * time of the service is UTC.
 */

type Times = Pick<PlacedPhoto, 'cameraTime' | 'utcOffset' | 'takenAt'>

/** Source of a time: the camera with its time zone, the camera without one, or the service. */
export type TimeSource = 'camera' | 'camera without zone' | 'service'

export interface CaptureTime {
  /** Time on the clock at the site, as if that were UTC; null if unknown. */
  readonly wallMs: number | null
  readonly source: TimeSource | null
}

const minuteMs = 60_000

/** Reads `+HH:MM`. */
function offsetMs(utcOffset: string): number {
  const [hours = 0, minutes = 0] = utcOffset.slice(1).split(':').map(Number)
  return (utcOffset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * minuteMs
}

/** Returns the offset that most photos have, `+HH:MM`; null if none has one. */
export function siteOffset(photos: readonly Times[]): string | null {
  const counts = new Map<string, number>()
  for (const { cameraTime, utcOffset } of photos) {
    if (cameraTime !== null && utcOffset !== null) counts.set(utcOffset, (counts.get(utcOffset) ?? 0) + 1)
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? null
}

/**
 * Returns when a photo was taken, on the clock with this offset. A camera without a time zone is taken at its word: its
 * clock is that of the site. Without an offset, the service's time is that of this computer.
 */
export function captureTime({ cameraTime, utcOffset, takenAt }: Times, site: string | null): CaptureTime {
  if (cameraTime !== null) {
    const localMs = Date.parse(`${cameraTime}Z`)
    if (utcOffset === null || site === null) return { wallMs: localMs, source: 'camera without zone' }
    return { wallMs: localMs - offsetMs(utcOffset) + offsetMs(site), source: 'camera' }
  }
  const instantMs = takenAt === null ? NaN : Date.parse(takenAt)
  if (Number.isNaN(instantMs)) return { wallMs: null, source: null }
  const zoneMs = site === null ? -new Date(instantMs).getTimezoneOffset() * minuteMs : offsetMs(site)
  return { wallMs: instantMs + zoneMs, source: 'service' }
}

const day = new Intl.DateTimeFormat('en-US', {
  weekday: 'long',
  month: 'long',
  day: 'numeric',
  year: 'numeric',
  timeZone: 'UTC',
})
const shortDay = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' })
const time = new Intl.DateTimeFormat('en-US', { timeStyle: 'short', timeZone: 'UTC' })

/** Returns "Tuesday, June 2, 2026". */
export const wallDay = (wallMs: number): string => day.format(wallMs)

/** Returns "9:14 AM". Intl separates the time from AM or PM by a narrow no-break space. */
export const wallTime = (wallMs: number): string => time.format(wallMs).replaceAll('\u202F', ' ')

/** Returns "Jun 2, 2026, 9:14 AM". */
export const wallDateTime = (wallMs: number): string => `${shortDay.format(wallMs)}, ${wallTime(wallMs)}`

/** Returns which clock the times of these photos are on. */
export function clockSentence(site: string | null, sources: ReadonlySet<TimeSource | null>): string {
  const clock =
    site === null
      ? sources.has('camera without zone')
        ? 'Times are those of the camera, which recorded no time zone.'
        : 'Times are those of the service, in your time zone.'
      : `Times are local (UTC${site.replace('-', '−')}).`
  const others = [
    ...(site !== null && sources.has('camera without zone') ? ['Some cameras recorded no time zone.'] : []),
    ...(sources.has('service') && (site !== null || sources.has('camera without zone'))
      ? ['Where the camera recorded no time, it is that of the service.']
      : []),
  ]
  return [clock, ...others].join(' ')
}
