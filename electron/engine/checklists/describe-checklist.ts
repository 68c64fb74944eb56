import type {
  ChecklistDocumentInput,
  DocumentFile,
  DocumentPhoto,
  DocumentRebuild,
  RebuildFile,
} from '../archive/checklist-document.ts'
import type { AssetRow } from '../store/assets-store.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { checklistRows, evaluateChecklist, groupBySection, type ChecklistRows } from './completeness.ts'

/** Gathers the content of a checklist's `checklist.json` from the rows. */
export function describeChecklist(store: Store, project: ProjectRow, checklist: ChecklistRow): ChecklistDocumentInput {
  const rows = checklistRows(store, checklist)
  const completeness = evaluateChecklist(rows)
  const files = Map.groupBy(rows.assets, ({ questionKey }) => questionKey)
  const report = rows.assets.find((asset) => asset.kind === 'report')
  return {
    folder: checklist.folder ?? '',
    project: { id: project.id, name: project.name ?? project.id, address: project.address },
    checklist: {
      id: checklist.id,
      title: checklist.title,
      status: checklist.status,
      updatedAt: checklist.updatedAt,
    },
    report: report === undefined ? null : describeFile(report),
    sections: groupBySection(completeness.questions).map(({ label, lines }) => ({
      label,
      questions: lines.map((line) => ({
        label: line.question.label,
        mediaCategoryId: line.question.mediaCategoryId,
        expected: line.expected,
        photos: describePhotos(files.get(line.question.key) ?? []),
        gaps: line.gaps,
      })),
    })),
    rebuild: describeRebuild(store, rows),
    raw: {
      entry: store.parseJson(checklist.entryRaw),
      detail: checklist.detailRaw === null ? null : store.parseJson(checklist.detailRaw),
      media: photosWithRecords(rows.assets).map(({ record }) => store.parseJson(record)),
    },
  }
}

function describePhotos(assets: readonly AssetRow[]): DocumentPhoto[] {
  const thumbnails = new Map(
    assets.filter((asset) => asset.kind === 'thumbnail').map((asset) => [asset.remoteKey, asset]),
  )
  return assets.flatMap((asset) => {
    const file = asset.kind === 'photo' ? describeFile(asset) : null
    if (file === null) return []
    const thumbnail = thumbnails.get(asset.remoteKey)
    const { latitude, longitude } = asset
    return [
      {
        ...file,
        filename: asset.fileName,
        thumbnailPath: thumbnail?.sha256 == null ? null : thumbnail.path,
        takenAt: asset.takenAt,
        place: latitude === null || longitude === null ? null : { latitude, longitude },
      },
    ]
  })
}

/** Returns null for a file that is not in the archive. */
function describeFile({ path, sha256, sizeBytes, archivedAt, present }: AssetRow): DocumentFile | null {
  if (sha256 === null || sizeBytes === null || archivedAt === null) return null
  return { path, sha256, sizeBytes, archivedAt, upstream: present === 1 ? 'present' : 'gone' }
}

/** Gathers the part of the document from which a lost database is rebuilt. */
function describeRebuild(store: Store, { checklist, questions, assets }: ChecklistRows): DocumentRebuild {
  const positions = new Map(questions.map(({ key }, index) => [key, index]))
  const records = new Map(photosWithRecords(assets).map((asset, index) => [recordKey(asset), index]))
  return {
    questions: questions.map(({ sectionLabel, label, mediaCategoryId, sectionFolder, folder, present }) => ({
      section: sectionLabel,
      label,
      mediaCategoryId,
      folder: `${sectionFolder}/${folder}`,
      upstream: present === 1 ? 'present' : 'gone',
    })),
    files: assets.flatMap((asset): RebuildFile[] => {
      const { path, sizeBytes, latitude, longitude, questionKey } = asset
      const sha256 = asset.sha256 ?? asset.lostSha256
      const archivedAt = asset.archivedAt ?? asset.verifiedAt
      if (sha256 === null || archivedAt === null) return []
      return [
        {
          path,
          sha256,
          sizeBytes,
          archivedAt,
          upstream: asset.present === 1 ? 'present' : 'gone',
          question: questionKey === null ? null : (positions.get(questionKey) ?? null),
          key: asset.remoteKey,
          source: asset.sourceHash,
          filename: asset.fileName,
          etag: asset.etag,
          lastModified: asset.lastModified,
          confirmed: asset.confirmedFingerprint === checklist.fingerprint,
          record: records.get(recordKey(asset)) ?? null,
          takenAt: asset.takenAt,
          place: latitude === null || longitude === null ? null : { latitude, longitude },
        },
      ]
    }),
    versions: store.versions.listForChecklist(checklist.key),
  }
}

/** Returns the photos that have records, in the order of `raw.media`. */
function photosWithRecords(assets: readonly AssetRow[]): (AssetRow & { readonly record: string })[] {
  return assets.flatMap((asset) => {
    const { kind, record } = asset
    return kind === 'photo' && record !== null ? [{ ...asset, record }] : []
  })
}

/** Key of a record: a photo and its thumbnail share one. */
const recordKey = ({ questionKey, remoteKey }: AssetRow) => `${questionKey} ${remoteKey}`
