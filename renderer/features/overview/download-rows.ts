import type { Download } from '../../../shared/contract/events.ts'
import type { DownloadCounts } from '../../../shared/domain.ts'
import { countOf, formatBytes, formatCount } from '../../../shared/format.ts'

/** Further downloads are only counted. */
export const maxRows = 4

/** A row of the list; `null` if its download ended and no other one took the row. */
export type DownloadRow = Download | null

/**
 * Assigns downloads to rows: each keeps its row until it ends, then a new download takes it. Rows are never removed, so
 * that nothing below moves up and down.
 */
export function assignRows(before: readonly DownloadRow[], files: readonly Download[]): DownloadRow[] {
  const now = new Map(files.map((file) => [file.assetId, file]))
  const rows = before.map((row) => (row === null ? null : (now.get(row.assetId) ?? null)))
  const shown = new Set(rows.map((row) => row?.assetId))
  for (const file of files.filter(({ assetId }) => !shown.has(assetId))) {
    const free = rows.indexOf(null)
    if (free >= 0) rows[free] = file
    else if (rows.length < maxRows) rows.push(file)
  }
  return rows
}

/** Returns "1.2 MB of 3.4 MB", or the part that is known. */
export function sizeOf({ bytes, totalBytes }: Download): string {
  if (totalBytes !== null) return `${formatBytes(bytes)} of ${formatBytes(totalBytes)}`
  return bytes === 0 ? 'Starting' : formatBytes(bytes)
}

/** Returns the display name of a download; a thumbnail has the name of its photo. */
export function nameOf({ kind, name }: Download): string {
  return kind === 'thumbnail' ? `${name} (thumbnail)` : name
}

/** Returns "12 new photos and reports, 2 replaced"; thumbnails are mentioned only by themselves. */
export function downloadsText({ newFiles, replacedFiles, previews }: DownloadCounts): string {
  const files = (count: number, which: string) =>
    countOf(count, `${which} photo or report`, `${which} photos and reports`)
  if (newFiles > 0)
    return `${files(newFiles, 'new')}${replacedFiles > 0 ? `, ${formatCount(replacedFiles)} replaced` : ''}`
  if (replacedFiles > 0) return files(replacedFiles, 'replaced')
  return previews > 0 ? countOf(previews, 'thumbnail') : 'nothing new'
}
