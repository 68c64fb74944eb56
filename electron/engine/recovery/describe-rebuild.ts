import type { DocumentRebuild, RebuildFile } from '../archive/checklist-document.ts'
import type { AssetRow } from '../store/assets-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ChecklistRows } from '../checklists/completeness.ts'

/** Gathers from the rows what of a checklist a lost database is made again from. */
export function describeRebuild(store: Store, { checklist, questions, assets }: ChecklistRows): DocumentRebuild {
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

/** The photos whose records are told, in the order in which they stand in `raw.media`. */
export function photosWithRecords(assets: readonly AssetRow[]): (AssetRow & { readonly record: string })[] {
  return assets.flatMap((asset) => {
    const { kind, record } = asset
    return kind === 'photo' && record !== null ? [{ ...asset, record }] : []
  })
}

/** A photo and its thumbnail have one record. */
const recordKey = ({ questionKey, remoteKey }: AssetRow) => `${questionKey} ${remoteKey}`
