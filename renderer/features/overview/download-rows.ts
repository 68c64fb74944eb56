import type { Download } from '../../../shared/contract.ts'
import { formatBytes } from '../../labels/format-numbers.ts'

/** More than these are only counted. */
export const mostRows = 4

/** A row, empty where its file has ended and no other waits for a place. */
export type DownloadRow = Download | null

/**
 * Gives the files that are being downloaded their rows: each keeps its own until it ends, then one that has none takes it.
 * Rows stay, so that nothing below moves up and down.
 */
export function placeInRows(before: readonly DownloadRow[], files: readonly Download[]): DownloadRow[] {
  const now = new Map(files.map((file) => [file.assetId, file]))
  const rows = before.map((row) => (row === null ? null : (now.get(row.assetId) ?? null)))
  const shown = new Set(rows.map((row) => row?.assetId))
  for (const file of files.filter(({ assetId }) => !shown.has(assetId))) {
    const free = rows.indexOf(null)
    if (free >= 0) rows[free] = file
    else if (rows.length < mostRows) rows.push(file)
  }
  return rows
}

/** "1.2 MB of 3.4 MB", as far as it is known. */
export function sizeOf({ bytes, totalBytes }: Download): string {
  if (totalBytes !== null) return `${formatBytes(bytes)} of ${formatBytes(totalBytes)}`
  return bytes === 0 ? 'Starting' : formatBytes(bytes)
}

/** A preview is called like its photo. */
export function nameOf({ kind, name }: Download): string {
  return kind === 'thumbnail' ? `${name} (preview)` : name
}
