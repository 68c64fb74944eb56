import type { AssetRow, FileCounts } from '../store/assets-store.ts'
import type { JobRow } from '../store/jobs-store.ts'

/** What of a file and of its job counts for completeness. */
export type LedgerAsset = Pick<
  AssetRow,
  'id' | 'questionKey' | 'kind' | 'present' | 'sha256' | 'confirmedFingerprint' | 'damage'
>
export type LedgerJob = Pick<JobRow, 'assetId' | 'errorCode'>

/** Counts a checklist's files as `AssetsStore.fileCounts` does, for rows that are at hand or are not what is recorded. */
export function countFiles(
  assets: readonly LedgerAsset[],
  jobs: readonly LedgerJob[],
  fingerprint: string,
): FileCounts[] {
  const errors = new Map(jobs.map(({ assetId, errorCode }) => [assetId, errorCode]))
  const groups = Map.groupBy(assets, ({ questionKey, kind }) => `${questionKey} ${kind}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const expected = group.filter(isExpected)
    const missing = expected.find((asset) => !isArchived(asset))
    return [
      {
        questionKey: first.questionKey,
        kind: first.kind,
        expected: expected.length,
        archived: expected.filter(isArchived).length,
        listed: group.filter(({ present }) => present === 1).length,
        unconfirmed: group.filter(
          ({ present, confirmedFingerprint }) => present === 1 && confirmedFingerprint !== fingerprint,
        ).length,
        missingId: missing?.id ?? null,
        missingError: missing === undefined ? null : (errors.get(missing.id) ?? null),
        missingSince: missing === undefined ? null : missingSince(missing),
      },
    ]
  })
}

/** What is gone upstream and never was in the archive is no gap; what was in it once, or is a report, stays expected. */
export function isExpected({ kind, present, sha256, damage }: Omit<LedgerAsset, 'id'>): boolean {
  return kind === 'report' || present === 1 || sha256 !== null || damage !== null
}

/** It was archived whole, and nothing is known to have happened to it since. */
export function isArchived({ sha256, damage }: Pick<LedgerAsset, 'sha256' | 'damage'>): boolean {
  return sha256 !== null && damage === null
}

function missingSince({ present, sha256, damage }: LedgerAsset): FileCounts['missingSince'] {
  if (damage === null) return null
  if (present === 0) return 'gone'
  return sha256 === null ? null : 'damaged'
}
