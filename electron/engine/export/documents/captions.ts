import { once } from '../../../../shared/format.ts'
import type { CaptureFacts } from '../capture-facts.ts'

const utcTime = once(
  () => new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
)
const zonedTime = once(
  () =>
    new Intl.DateTimeFormat('en-US', {
      ...{ year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' },
      timeZoneName: 'short',
    }),
)

/** Digits of a SHA-256 that identify a file among those of a document. */
export const shownDigits = 12

/** Returns when a photo was taken: by the camera's clock, or else by the service's, in the time zone of this machine. */
export function timeCaption({ cameraTime, takenAt }: CaptureFacts): string {
  if (cameraTime !== null) return `${plainTime(utcTime(), `${cameraTime}Z`) ?? cameraTime} (camera)`
  if (takenAt === null) return 'Time not recorded'
  return plainTime(zonedTime(), takenAt) ?? takenAt
}

/** Returns an ISO 8601 time with the time zone of this machine. */
export const zonedCaption = (iso: string) => plainTime(zonedTime(), iso) ?? iso

export function positionCaption({ position }: CaptureFacts): string {
  if (position === null) return 'Position not recorded'
  return `${degrees(position.latitude)}, ${degrees(position.longitude)}`
}

/** Five digits are about a meter. */
const degrees = (value: number) => value.toFixed(5).replace('-', '−')

function plainTime(format: Intl.DateTimeFormat, iso: string): string | undefined {
  const ms = Date.parse(iso)
  // Narrow spaces, which Intl puts before AM and PM, look like a mistake beside figures of one width.
  return Number.isNaN(ms) ? undefined : format.format(ms).replaceAll('\u202f', ' ')
}
