import type { AssetRow, FileTally } from '../store/assets-store.ts'
import type { JobRow } from '../store/jobs-store.ts'

/** What of a file and of its job counts for completeness. */
export type LedgerAsset = Pick<AssetRow, 'id' | 'questionKey' | 'kind' | 'present' | 'sha256' | 'confirmedFingerprint'>
export type LedgerJob = Pick<JobRow, 'assetId' | 'errorCode'>

/** Counts a checklist's files as `AssetsStore.tallies` does, for rows that are at hand or are not what is recorded. */
export function tallyFiles(
  assets: readonly LedgerAsset[],
  jobs: readonly LedgerJob[],
  fingerprint: string,
): FileTally[] {
  const errors = new Map(jobs.map(({ assetId, errorCode }) => [assetId, errorCode]))
  const groups = Map.groupBy(assets, ({ questionKey, kind }) => `${questionKey} ${kind}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const expected = group.filter(isExpected)
    const missing = expected.find(({ sha256 }) => sha256 === null)
    return [
      {
        questionKey: first.questionKey,
        kind: first.kind,
        expected: expected.length,
        archived: expected.filter(({ sha256 }) => sha256 !== null).length,
        unconfirmed: group.filter(
          ({ present, confirmedFingerprint }) => present === 1 && confirmedFingerprint !== fingerprint,
        ).length,
        missingId: missing?.id ?? null,
        missingError: missing === undefined ? null : (errors.get(missing.id) ?? null),
      },
    ]
  })
}

/** What is gone upstream and not in the archive is no gap; a report that was there once stays expected. */
function isExpected({ kind, present, sha256 }: LedgerAsset): boolean {
  return kind === 'report' || present === 1 || sha256 !== null
}
