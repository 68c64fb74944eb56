import { hash } from 'node:crypto'
import pMap from 'p-map'
import { type ArchiveFolders, quarantine } from '../archive/archive-folders.ts'
import { assertRootExists } from '../archive/inside-archive.ts'
import type { Ports } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import { applyChecklist } from './apply-checklist.ts'
import type { FoundDocument } from './find-documents.ts'
import { type FoundVersion, inspectFile, type Inspection, readVersions } from './inspect-files.ts'

export interface RebuildDeps {
  readonly folders: ArchiveFolders
  readonly store: Store
  readonly ports: Pick<Ports, 'clock' | 'logger'>
}

/** One file is read while the other is hashed, as in `verifyArchive`. */
const filesAtATime = 2

/** File counts of a rebuild, incremented per checklist. */
export interface RebuildStats {
  files: number
  /** Files quarantined because their bytes are not the archived ones. */
  edited: number
  lost: number
  /** Entries of documents that could not be used. */
  skipped: number
  /** Checklists of which the database did not have everything. */
  restored: number
}

/** Inspects a checklist's files and restores its rows. Returns false if the checklist has another folder. */
export async function rebuildChecklist(
  { folders, store, ports }: RebuildDeps,
  checklist: {
    readonly projectId: string
    readonly document: FoundDocument
    readonly checksums: ReadonlyMap<string, string>
  },
  stats: RebuildStats,
  { signal, onFile }: { readonly signal: AbortSignal; readonly onFile: () => void },
): Promise<boolean> {
  const { root } = folders
  const { projectId, document, checksums } = checklist
  const { folder, recorded } = document
  const known = store.checklists.find(projectId, recorded.checklist.id)
  const assets = known === undefined ? [] : store.assets.listForChecklist(known.key)
  const rows = new Map(assets.map((asset) => [asset.path, asset]))
  const versions = await readVersions(root, folder, recorded.versions, checksums, signal)
  const inspected = new Map<string, Inspection>()
  await pMap(
    recorded.files,
    async ({ file, sha256 }) => {
      const path = `${folder}/${file}`
      stats.files += 1
      onFile()
      const row = rows.get(path)
      const hashes = [sha256, checksums.get(path), row?.sha256].filter((hash) => hash != null)
      // If database and document agree, the file is not read here: `sync` checks sizes, `verify` content.
      if (row?.sha256 != null && row.sha256 === sha256) return
      const inspection = await inspectFile(root, path, new Set(hashes), signal)
      const isKnownLost = row?.sha256 === null && row.damage !== null
      if (inspection.kind !== 'missing' || !isKnownLost) inspected.set(file, inspection)
    },
    { concurrency: filesAtATime },
  )
  const bad = [...inspected].filter(([, { kind }]) => kind !== 'good')
  // With the drive disconnected everything is missing, and nothing is lost.
  if (bad.length > 0) await assertRootExists(root)
  const at = new Date(ports.clock.nowMs()).toISOString()
  for (const [file, inspection] of bad) {
    const path = `${folder}/${file}`
    if (inspection.kind === 'missing') stats.lost += 1
    if (inspection.kind !== 'changed') continue
    if (isNewerFile(path, versions, checksums, recorded.files)) {
      inspected.set(file, { kind: 'newer' })
      continue
    }
    await quarantine(folders, path, at)
    stats.edited += 1
  }
  // The database has it all, as after a copy of the data folder that lacks nothing.
  if (known?.folder === folder && inspected.size === 0 && known.documentSha256 === hash('sha256', document.text)) {
    const knownVersions = new Set(store.versions.listForChecklist(known.key).map(({ path }) => path))
    if (versions.every(({ path }) => knownVersions.has(path))) return true
  }
  stats.skipped += recorded.skipped
  const isApplied = store.transaction(() => applyChecklist(store, { projectId, document, inspected, versions, at }))
  if (isApplied) stats.restored += 1
  return isApplied
}

/**
 * Returns whether the recorded file is in `.versions/`: then the file at its path is newer, from a pass that ended
 * before recording it, and not a user's edit.
 */
function isNewerFile(
  path: string,
  versions: readonly FoundVersion[],
  checksums: ReadonlyMap<string, string>,
  files: FoundDocument['recorded']['files'],
): boolean {
  const recorded = files.find(({ file }) => path.endsWith(`/${file}`))?.sha256
  return versions.some(
    ({ replaced, sha256 }) => replaced === path && (sha256 === recorded || sha256 === checksums.get(path)),
  )
}
