import type { ErrorCode } from '../../../shared/errors.ts'
import type { ChecklistDetail, ChecklistSummary, PhotoView } from '../../../shared/views.ts'
import type { CatalogAsset, CatalogChecklist } from '../store/catalog-store.ts'
import type { JobRow } from '../store/jobs-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'
import { reckonChecklist, type Ledger, type QuestionLedger } from '../sync/ledger.ts'

interface ViewRows {
  readonly checklist: CatalogChecklist
  readonly questions: readonly QuestionRow[]
  readonly assets: readonly CatalogAsset[]
  readonly jobs: readonly JobRow[]
}

/** A checklist as a list shows it. */
export function summarizeChecklist(rows: ViewRows): ChecklistSummary {
  return summaryOf(rows.checklist, reckonChecklist(rows))
}

/** A checklist with its questions and photos. */
export function detailChecklist(rows: ViewRows): Omit<ChecklistDetail, 'projectId' | 'projectName'> {
  const ledger = reckonChecklist(rows)
  const jobs = new Map(rows.jobs.map((job) => [job.assetId, job]))
  const report = rows.assets.find(({ kind }) => kind === 'report')
  const questions = Map.groupBy(rows.assets, ({ questionKey }) => questionKey)
  const sections: ChecklistDetail['sections'] = []
  for (const line of ledger.questions) {
    const photos = photosOf(questions.get(line.question.key) ?? [], jobs)
    // A question that is gone and left nothing behind is no part of the archive.
    if (line.question.present === 0 && photos.length === 0) continue
    const last = sections.at(-1)
    const view = questionOf(line, photos)
    if (last?.label === line.question.sectionLabel) last.questions.push(view)
    else sections.push({ label: line.question.sectionLabel, questions: [view] })
  }
  return {
    checklist: summaryOf(rows.checklist, ledger),
    report: report === undefined ? null : fileOf(report, jobs),
    sections,
  }
}

/** The last component of an archive-relative path. */
export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Why something could not be done, or null. */
export function problemOf(row: { errorCode: ErrorCode | null; errorMessage: string | null }) {
  return row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' }
}

function summaryOf(checklist: CatalogChecklist, { state }: Ledger): ChecklistSummary {
  const { id, title, status, updatedAt, complete, expectedFiles, archivedFiles, gaps } = state
  return {
    ...{ id, title, status, updatedAt, complete, expectedFiles, archivedFiles, gaps },
    goneUpstream: checklist.upstreamGoneAt !== null,
    problem: problemOf(checklist),
  }
}

function questionOf({ question, expected, gaps }: QuestionLedger, photos: PhotoView[]) {
  return {
    label: question.label,
    expectedPhotos: expected,
    archivedPhotos: photos.filter(({ archived }) => archived).length,
    gaps: [...gaps],
    goneUpstream: question.present === 0,
    photos,
  }
}

/** A photo and its thumbnail have one identity at the service. What is neither there nor here is left out. */
function photosOf(assets: readonly CatalogAsset[], jobs: ReadonlyMap<number, JobRow>): PhotoView[] {
  const thumbnails = new Map(
    assets
      .filter(({ kind, sha256 }) => kind === 'thumbnail' && sha256 !== null)
      .map(({ remoteKey, id }) => [remoteKey, id]),
  )
  return assets
    .filter(({ kind, present, sha256 }) => kind === 'photo' && (present === 1 || sha256 !== null))
    .map((asset) => ({
      ...fileOf(asset, jobs),
      thumbnailAssetId: thumbnails.get(asset.remoteKey) ?? null,
      takenAt: asset.takenAt,
      place:
        asset.latitude === null || asset.longitude === null
          ? null
          : { latitude: asset.latitude, longitude: asset.longitude },
    }))
}

function fileOf(asset: CatalogAsset, jobs: ReadonlyMap<number, JobRow>) {
  const job = jobs.get(asset.id)
  return {
    assetId: asset.id,
    fileName: fileNameOf(asset.path),
    archived: asset.sha256 !== null,
    sizeBytes: asset.sizeBytes,
    problem: job === undefined ? null : problemOf(job),
    goneUpstream: asset.present === 0,
  }
}
