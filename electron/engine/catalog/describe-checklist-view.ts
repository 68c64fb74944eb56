import { posix } from 'node:path'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import type { ChecklistDetail, ChecklistSummary, PhotoView } from '../../../shared/views.ts'
import type { CatalogAsset, CatalogChecklist } from '../store/catalog-store.ts'
import type { JobRow } from '../store/jobs-store.ts'
import type { RemoteSection } from '../service/service-types.ts'
import { answersOf } from '../checklists/answers.ts'
import type { ListedFacts } from '../checklists/refresh-facts.ts'
import type { QuestionRow } from '../store/questions-store.ts'
import {
  evaluateChecklist,
  groupBySection,
  isArchived,
  isExpected,
  missingSince,
  type QuestionCompleteness,
} from '../checklists/completeness.ts'

interface ViewRows {
  readonly checklist: CatalogChecklist
  readonly questions: readonly QuestionRow[]
  readonly assets: readonly CatalogAsset[]
  readonly jobs: readonly JobRow[]
}

/** Facts that only the page of one checklist shows. */
export interface DetailRows extends ViewRows {
  /** Sections of the service's answer from which the questions were read. */
  readonly answered: readonly RemoteSection[]
  /** Number of earlier versions by asset. */
  readonly versions: ReadonlyMap<number, number>
  readonly quietUntil: string | null
}

/** Returns a checklist with its questions and photos. */
export function detailChecklist(
  rows: DetailRows,
  now: string,
): Omit<ChecklistDetail, 'projectId' | 'projectName' | 'projectAddress'> {
  const completeness = evaluateChecklist(rows)
  const jobs = new Map(rows.jobs.map((job) => [job.assetId, job]))
  const report = rows.assets.find(({ kind }) => kind === 'report')
  const questions = Map.groupBy(rows.assets, ({ questionKey }) => questionKey)
  const files = { checklist: rows.checklist, jobs, versions: rows.versions }
  const answers = answersOf(rows.questions, rows.answered)
  return {
    checklist: summarizeChecklist(
      rows.checklist,
      { ...completeness.state, previews: { ...completeness.previews }, quietUntil: rows.quietUntil },
      now,
    ),
    report: report === undefined ? null : fileOf(report, files),
    sections: groupBySection(completeness.questions).map(({ label, lines }) => ({
      label,
      questions: lines.map((line) => {
        const photos = photosOf(questions.get(line.question.key) ?? [], files)
        return questionOf(line, photos, answers.get(line.question.key) ?? null)
      }),
    })),
  }
}

/** Returns a row's recorded error, or null. */
export function problemOf(row: { errorCode: ErrorCode | null; errorMessage: string | null }) {
  return row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' }
}

/** Returns a checklist's row in a list. */
export function summarizeChecklist(checklist: CatalogChecklist, facts: ListedFacts, now: string): ChecklistSummary {
  const { id, title, status, updatedAt } = checklist
  const { complete, expectedFiles, archivedFiles, gaps, previews, quietUntil } = facts
  return {
    id,
    title,
    status,
    updatedAt,
    complete,
    expectedFiles,
    archivedFiles,
    gaps: [...gaps],
    previews,
    isRead: checklist.readFingerprint === checklist.fingerprint,
    goneUpstream: checklist.upstreamGoneAt !== null,
    problem: problemOf(checklist),
    isRetrying: quietUntil !== null && quietUntil > now,
  }
}

function questionOf({ question, expected, gaps }: QuestionCompleteness, photos: PhotoView[], answer: string | null) {
  return {
    label: question.label,
    answer,
    expectedPhotos: expected,
    archivedPhotos: photos.filter(({ archived }) => archived).length,
    gaps: [...gaps],
    goneUpstream: question.present === 0,
    photos,
  }
}

/**
 * Returns the photos of a question. A photo and its thumbnail share one identity at the service. Photos that are gone
 * and never were archived are left out.
 */
function photosOf(assets: readonly CatalogAsset[], files: FileRows): PhotoView[] {
  const thumbnails = new Map(
    assets.filter((asset) => asset.kind === 'thumbnail' && isArchived(asset)).map((asset) => [asset.remoteKey, asset]),
  )
  return assets
    .filter((asset) => asset.kind === 'photo' && isExpected(asset))
    .map((asset) => {
      const thumbnail = thumbnails.get(asset.remoteKey)
      const file = fileOf(asset, files)
      const thumbnailJob = thumbnail !== undefined && file.archived ? files.jobs.get(thumbnail.id) : undefined
      return {
        ...file,
        // Photo and thumbnail are shown as one, so a problem of either is reported.
        problem: file.problem ?? (thumbnailJob === undefined ? null : problemOf(thumbnailJob)),
        thumbnailAssetId: thumbnail?.id ?? null,
        thumbnailVersion: versionOf(thumbnail?.sha256),
        takenAt: asset.takenAt,
        place:
          asset.latitude === null || asset.longitude === null
            ? null
            : { latitude: asset.latitude, longitude: asset.longitude },
      }
    })
}

/** Returns a prefix of the content's hash, long enough to distinguish versions. */
export function versionOf(sha256: string | null | undefined): string | null {
  return sha256?.slice(0, 12) ?? null
}

/** The checklist of files, and rows by asset: their jobs, and the numbers of their earlier versions. */
interface FileRows {
  readonly checklist: Pick<ViewRows['checklist'], 'upstreamGoneAt'>
  readonly jobs: ReadonlyMap<number, JobRow>
  readonly versions: ReadonlyMap<number, number>
}

function fileOf(asset: CatalogAsset, { checklist, jobs, versions }: FileRows) {
  const job = jobs.get(asset.id)
  return {
    assetId: asset.id,
    version: isArchived(asset) ? versionOf(asset.sha256) : null,
    fileName: posix.basename(asset.path),
    archived: isArchived(asset),
    absence: missingSince(asset, checklist, job?.errorCode ?? null),
    sizeBytes: asset.sizeBytes,
    problem: job === undefined ? null : problemOf(job),
    goneUpstream: asset.present === 0,
    earlierVersions: versions.get(asset.id) ?? 0,
  }
}
