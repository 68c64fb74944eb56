import type { Download } from '../../../shared/contract/events.ts'
import { formatBytes } from '../../../shared/format.ts'

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
