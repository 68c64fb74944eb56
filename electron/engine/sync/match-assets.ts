/** An asset or a record, as far as matching one with the other needs it. */
export interface Matchable {
  readonly remoteKey: string
  readonly fileName: string | null
}

export interface AssetMatch<Local, Remote> {
  readonly pairs: readonly (readonly [Local, Remote])[]
  readonly created: readonly Remote[]
  readonly vanished: readonly Local[]
}

/**
 * Finds each record's asset. By key first; then, for those that have no id of their own, by file name in order: their
 * key holds the place on the file host, and a host may move its files. A record listed twice counts once.
 */
export function matchAssets<Local extends Matchable, Remote extends Matchable>(
  assets: readonly Local[],
  records: readonly Remote[],
): AssetMatch<Local, Remote> {
  const left = new Map(assets.map((asset) => [asset.remoteKey, asset]))
  const pairs: (readonly [Local, Remote])[] = []
  const unmatched: Remote[] = []
  for (const record of new Map(records.map((item) => [item.remoteKey, item])).values()) {
    const asset = left.get(record.remoteKey)
    if (asset === undefined) unmatched.push(record)
    else pairs.push([asset, record])
    left.delete(record.remoteKey)
  }
  const created = unmatched.filter((record) => {
    const asset = [...left.values()].find(
      (candidate) => candidate.fileName === record.fileName && !hasOwnId(candidate) && !hasOwnId(record),
    )
    if (asset === undefined) return true
    left.delete(asset.remoteKey)
    pairs.push([asset, record])
    return false
  })
  return { pairs, created, vanished: [...left.values()] }
}

const hasOwnId = ({ remoteKey }: Matchable) => remoteKey.startsWith('id:')
