import pMap from 'p-map'
import { type ArchiveFolders, quarantine } from '../archive/archive-folders.ts'
import { assertRootExists } from '../archive/inside-archive.ts'
import type { Ports } from '../lib/ports.ts'
import type { AssetRow } from '../store/assets-store.ts'
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
  const rows = rowsByPath(
    store.checklists.listForProject(projectId).filter(({ id }) => id === recorded.checklist.id),
    (key) => store.assets.listForChecklist(key),
  )
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
      inspected.set(file, await inspectFile(root, path, new Set(hashes), signal))
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
  stats.skipped += recorded.skipped
  return store.transaction(() => applyChecklist(store, { projectId, document, inspected, versions, at }))
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

function rowsByPath(
  checklists: readonly { readonly key: number }[],
  list: (key: number) => AssetRow[],
): Map<string, AssetRow> {
  return new Map(checklists.flatMap(({ key }) => list(key)).map((asset) => [asset.path, asset]))
}
