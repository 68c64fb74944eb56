import type { Place } from '../../../shared/domain.ts'
import { toPlace, usablePlace } from '../../../shared/photo-places.ts'
import { readExif } from '../catalog/photo-metadata.ts'
import type { PlannedFile } from './plan-export.ts'

/** Position and time of a photo. The service's position and time come first, as on the map of the app. */
export interface CaptureFacts {
  readonly position: Place | null
  /** ISO 8601: UTC from the service; the camera's local time, with its offset if it has one, from the file. */
  readonly takenAt: string | null
  /** Local time of the camera, `YYYY-MM-DDTHH:MM:SS`; null if the file has none. */
  readonly cameraTime: string | null
  /** UTC offset of the camera's time, `-04:00`; null if the file does not say it. */
  readonly utcOffset: string | null
}

/** Returns whether the service sent no usable position or no time, so that the file's EXIF is worth reading. */
export function lacksFacts({ position, takenAt }: PlannedFile): boolean {
  return usablePlace(position) === null || takenAt === null
}

/** Returns the facts about a photo. `head`: its first bytes, or null if the file is not looked at. */
export function captureFacts({ position, takenAt }: PlannedFile, head: Buffer | null): CaptureFacts {
  const exif = head === null ? undefined : readExif(head)
  const { latitude = null, longitude = null, takenAt: cameraTime = null, utcOffset = null } = exif ?? {}
  return {
    position: usablePlace(position) ?? usablePlace(toPlace(latitude, longitude)),
    takenAt: takenAt ?? (cameraTime === null ? null : `${cameraTime}${utcOffset ?? ''}`),
    cameraTime,
    utcOffset,
  }
}
