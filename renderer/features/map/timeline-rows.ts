import { countOf, formatDuration } from '../../../shared/format.ts'
import type { PlacedPhoto } from '../../../shared/views.ts'
import { captureTime, siteOffset, wallDay, wallTime } from './capture-times.ts'

/** A photo with its time on the clock of the site. */
export interface TimedPhoto {
  readonly photo: PlacedPhoto
  readonly wallMs: number | null
}

/** Filters of the timeline. `section` alone means all of its questions; `null` means all. */
export interface TimelineFilter {
  readonly section: string | null
  readonly question: string | null
  readonly position: 'all' | 'with' | 'without'
}

/** A row of the timeline. `first` is the index of the row's first photo among all that are shown. */
export type TimelineRow =
  | { readonly kind: 'day'; readonly key: string; readonly label: string; readonly count: string }
  | { readonly kind: 'period'; readonly key: string; readonly label: string; readonly count: string }
  | { readonly kind: 'gap'; readonly key: string; readonly label: string }
  | { readonly kind: 'tiles'; readonly key: string; readonly first: number; readonly photos: readonly TimedPhoto[] }

/** A pause that separates two periods: longer than it takes from the roof to the panel, shorter than another visit. */
const quietMs = 20 * 60_000

/** Returns the photos that match, by the time of their capture; those without one at the end, in their order. */
export function timedPhotos(photos: readonly PlacedPhoto[], filter: TimelineFilter): TimedPhoto[] {
  const site = siteOffset(photos)
  return photos
    .filter((photo) => matches(photo, filter))
    .map((photo) => ({ photo, wallMs: captureTime(photo, site).wallMs }))
    .sort((one, other) => (one.wallMs ?? Infinity) - (other.wallMs ?? Infinity) || 0)
}

function matches(photo: PlacedPhoto, { section, question, position }: TimelineFilter): boolean {
  return (
    (section === null || photo.section === section) &&
    (question === null || photo.question === question) &&
    (position === 'all' || (photo.position !== null) === (position === 'with'))
  )
}

/** Returns the rows of photos from `timedPhotos`: by day, then by periods between pauses, `columns` photos a row. */
export function timelineRows(photos: readonly TimedPhoto[], columns: number): TimelineRow[] {
  const rows: TimelineRow[] = []
  let index = 0
  let dayEndMs: number | null = null
  for (const day of runsOf(photos, isSameDay)) {
    const [first] = day
    if (first === undefined) continue
    const label = first.wallMs === null ? 'No capture time' : wallDay(first.wallMs)
    if (dayEndMs !== null && first.wallMs !== null) rows.push(gapRow(dayEndMs, first.wallMs))
    rows.push({ kind: 'day', key: `day ${label}`, label, count: countOf(day.length, 'photo') })
    let periodEndMs: number | null = null
    const periods = runsOf(day, isSamePeriod)
    for (const period of periods) {
      const [startMs, endMs] = [period[0]?.wallMs ?? null, period.at(-1)?.wallMs ?? null]
      if (periodEndMs !== null && startMs !== null) rows.push(gapRow(periodEndMs, startMs))
      if (startMs !== null && endMs !== null) {
        rows.push({
          kind: 'period',
          key: `period ${startMs}`,
          label: spanText(startMs, endMs),
          // The only period of a day has as many as the day.
          count: periods.length === 1 ? '' : countOf(period.length, 'photo'),
        })
      }
      for (let from = 0; from < period.length; from += columns) {
        const tiles = period.slice(from, from + columns)
        rows.push({ kind: 'tiles', key: `tiles ${tiles[0]?.photo.assetId}`, first: index, photos: tiles })
        index += tiles.length
      }
      periodEndMs = endMs
    }
    dayEndMs = periodEndMs
  }
  return rows
}

function gapRow(fromMs: number, toMs: number): TimelineRow {
  return { kind: 'gap', key: `gap ${fromMs}`, label: `${formatDuration(toMs - fromMs)} without photos` }
}

function spanText(startMs: number, endMs: number): string {
  const [start, end] = [wallTime(startMs), wallTime(endMs)]
  return start === end ? start : `${start} to ${end}`
}

const isSamePeriod = (one: TimedPhoto, next: TimedPhoto) => (next.wallMs ?? 0) - (one.wallMs ?? 0) <= quietMs

const dayMs = 24 * 3_600_000
const dayOf = ({ wallMs }: TimedPhoto) => (wallMs === null ? null : Math.floor(wallMs / dayMs))
const isSameDay = (one: TimedPhoto, next: TimedPhoto) => dayOf(one) === dayOf(next)

/** Splits a list wherever two neighbors do not belong together. */
function runsOf(photos: readonly TimedPhoto[], belong: (one: TimedPhoto, next: TimedPhoto) => boolean): TimedPhoto[][] {
  const runs: TimedPhoto[][] = []
  for (const photo of photos) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (run !== undefined && last !== undefined && belong(last, photo)) run.push(photo)
    else runs.push([photo])
  }
  return runs
}
