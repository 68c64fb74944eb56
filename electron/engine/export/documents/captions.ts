import { countOfTotal, once } from '../../../../shared/format.ts'
import { checklistStatus, gapShort } from '../../../../shared/status-text.ts'
import type { CaptureFacts } from '../capture-facts.ts'
import type { PlannedChecklist } from '../plan-export.ts'
import { ink } from './pdf-document.ts'

const utcTime = once(
  () => new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
)
const zonedTime = once(
  () =>
    new Intl.DateTimeFormat('en-US', {
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      timeZoneName: 'short',
    }),
)

/** Digits of a SHA-256 that identify a file among those of a document. */
export const shownDigits = 12

/**
 * Returns when a photo was taken: by the camera's clock, or else by the service's, in the time zone of this machine.
 */
export function timeCaption({ cameraTime, takenAt }: CaptureFacts): string {
  if (cameraTime !== null) return `${plainTime(utcTime(), `${cameraTime}Z`) ?? cameraTime} (camera)`
  if (takenAt === null) return 'Time not recorded'
  return plainTime(zonedTime(), takenAt) ?? takenAt
}

/** Returns an ISO 8601 time with the time zone of this machine. */
export const zonedCaption = (iso: string) => plainTime(zonedTime(), iso) ?? iso

export function positionCaption({ position }: CaptureFacts): string {
  if (position === null) return 'Location not recorded'
  return `${degrees(position.latitude)}, ${degrees(position.longitude)}`
}

/** Five digits are about a meter. */
const degrees = (value: number) => value.toFixed(5).replace('-', '−')

function plainTime(format: Intl.DateTimeFormat, iso: string): string | undefined {
  const ms = Date.parse(iso)
  // Narrow spaces, which Intl puts before AM and PM, look like a mistake beside figures of one width.
  return Number.isNaN(ms) ? undefined : format.format(ms).replaceAll('\u202f', ' ')
}

/** Returns whether the service has not completed a checklist, and everything that it has so far is archived. */
export function isWaiting({ complete, status, gaps }: PlannedChecklist): boolean {
  return !complete && status !== 'completed' && gaps.every(({ reason }) => reason === 'not uploaded yet')
}

/** Returns the state of a checklist in a line, as the app names it: complete, waiting, or not complete. */
export function checklistCaption(checklist: PlannedChecklist): { readonly text: string; readonly color: string } {
  const { complete, status, expectedFiles, archivedFiles, gaps } = checklist
  const files = `${countOfTotal(archivedFiles, expectedFiles, 'file')} archived`
  if (complete) return { text: `Complete: ${files}`, color: ink.muted }
  if (isWaiting(checklist)) {
    const soFar = expectedFiles === 0 ? 'no files so far' : `${files} so far`
    return { text: `Waiting: in progress at the service (${checklistStatus(status)}) · ${soFar}`, color: ink.muted }
  }
  const [gap] = gaps
  const reason = archivedFiles < expectedFiles || gap === undefined ? '' : ` · ${gapShort(gap.reason)}`
  return { text: `Not complete: ${files}${reason}`, color: ink.bad }
}
