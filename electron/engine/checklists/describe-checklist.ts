import type { ChecklistDocumentInput, DocumentFile, DocumentPhoto } from '../archive/checklist-document.ts'
import type { AssetRow } from '../store/assets-store.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { evaluateChecklist, type QuestionLedger } from './completeness.ts'
import { checklistRows } from '../sync/record-checklists.ts'
import { describeRebuild, photosWithRecords } from '../recovery/describe-rebuild.ts'

/** Gathers from the rows what a checklist's `checklist.json` tells. */
export function describeChecklist(store: Store, project: ProjectRow, checklist: ChecklistRow): ChecklistDocumentInput {
  const rows = checklistRows(store, checklist)
  const ledger = evaluateChecklist(rows)
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
    sections: groupBySection(ledger.questions).map(({ label, lines }) => ({
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

function groupBySection(lines: readonly QuestionLedger[]): { label: string; lines: QuestionLedger[] }[] {
  const sections = Map.groupBy(lines, (line) => line.question.sectionFolder)
  return [...sections.values()].map((group) => ({ label: group[0]?.question.sectionLabel ?? '', lines: group }))
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

/** Null for what is not in the archive. */
function describeFile({ path, sha256, sizeBytes, archivedAt, present }: AssetRow): DocumentFile | null {
  if (sha256 === null || sizeBytes === null || archivedAt === null) return null
  return { path, sha256, sizeBytes, archivedAt, upstream: present === 1 ? 'present' : 'gone' }
}
