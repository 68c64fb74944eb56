import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { mediaPath, reportPath } from './served-files.ts'

/** A file that is archived or pending according to the database. */
export interface LedgerAsset {
  readonly id: number
  /** Relative to the archive root. */
  readonly path: string
  /** Its path on the file host. */
  readonly servedAt: string
  /** `null` until it is archived. */
  readonly sha256: string | null
  /** True for a file found after an unclean end and recorded unchanged, but not downloaded yet. */
  readonly isAdopted: boolean
}

interface LedgerFile {
  readonly path: string
  readonly sha256: string
}

/** Content of the database, read with separate SQL: the store's could share a mistake with the tested code. */
export interface Ledger {
  readonly assets: readonly LedgerAsset[]
  readonly versions: readonly LedgerFile[]
  readonly documents: readonly LedgerFile[]
  /** Replacements that were started and not recorded. */
  readonly replacements: readonly { readonly assetId: number; readonly path: string; readonly sha256: string }[]
  readonly projectFolders: readonly string[]
  readonly jobs: number
  /** Marker in the names of its part files. */
  readonly installation: string
  /** Problems found by SQLite's own checks. */
  readonly damages: readonly string[]
}

const empty: Ledger = {
  assets: [],
  versions: [],
  documents: [],
  replacements: [],
  projectFolders: [],
  jobs: 0,
  installation: '',
  damages: [],
}

interface AssetColumns {
  readonly id: number
  readonly path: string
  readonly sha256: string | null
  readonly kind: string
  readonly record: string | null
  readonly projectId: string
  readonly checklistId: string
  readonly isFetched: 0 | 1
}

/** Reads the database of a data folder that no process has open. Empty if there is none yet. */
export function readLedger(home: string): Ledger {
  const file = join(home, 'solarchive.sqlite3')
  if (!existsSync(file)) return empty
  const db = new Database(file, { readonly: true })
  try {
    const damages = [
      ...db.prepare<[], { integrity_check: string }>('PRAGMA integrity_check').all(),
      ...db.prepare<[], object>('PRAGMA foreign_key_check').all(),
    ].map((row) => JSON.stringify(row))
    // Killed before its first commit.
    if (db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'assets'`).get() === undefined) return empty
    const assets = db
      .prepare<[], AssetColumns>(
        `SELECT a.id, a.path, a.sha256, a.kind, a.record, c.project_id AS projectId, c.id AS checklistId,
           NOT EXISTS (SELECT 1 FROM jobs WHERE asset_id = a.id AND purpose = 'fetch') AS isFetched
         FROM assets a JOIN checklists c ON c.key = a.checklist_key`,
      )
      .all()
    return {
      assets: assets.map(({ id, path, sha256, ...other }) => ({
        id,
        path,
        sha256,
        servedAt: servedAt(other),
        isAdopted: sha256 !== null && other.isFetched === 0,
      })),
      versions: db.prepare<[], LedgerFile>('SELECT path, sha256 FROM versions').all(),
      documents: db
        .prepare<[], LedgerFile>(
          `SELECT folder || '/checklist.json' AS path, document_sha256 AS sha256 FROM checklists
           WHERE document_sha256 IS NOT NULL`,
        )
        .all(),
      replacements: db
        .prepare<[], { assetId: number; path: string; sha256: string }>(
          'SELECT asset_id AS assetId, version_path AS path, sha256 FROM replacements',
        )
        .all(),
      projectFolders: db
        .prepare<[], { folder: string }>('SELECT folder FROM projects WHERE folder IS NOT NULL')
        .all()
        .map(({ folder }) => folder),
      jobs: db.prepare<[], { count: number }>('SELECT COUNT(*) AS count FROM jobs').get()?.count ?? 0,
      installation:
        db.prepare<[], { value: string }>(`SELECT value FROM meta WHERE key = 'installation'`).get()?.value ?? '',
      damages: damages.filter((damage) => damage !== '{"integrity_check":"ok"}'),
    }
  } finally {
    db.close()
  }
}

/** Returns the hashes of all archived files and versions in the database, which a process may be writing. */
export function committedHashes(home: string): Set<string> {
  const file = join(home, 'solarchive.sqlite3')
  if (!existsSync(file)) return new Set()
  const db = new Database(file, { readonly: true })
  try {
    const rows = db
      .prepare<[], { sha256: string }>(
        'SELECT sha256 FROM assets WHERE sha256 IS NOT NULL UNION SELECT sha256 FROM versions',
      )
      .all()
    return new Set(rows.map(({ sha256 }) => sha256))
  } finally {
    db.close()
  }
}

/** Downloaded and committed files according to the database: path on the file host to SHA-256. */
export function archivedBy({ assets }: Ledger): Map<string, string> {
  const fetched = assets.filter(({ isAdopted }) => !isAdopted)
  return new Map(fetched.flatMap(({ servedAt, sha256 }) => (sha256 === null ? [] : [[servedAt, sha256] as const])))
}

function servedAt({
  kind,
  record,
  projectId,
  checklistId,
}: Pick<AssetColumns, 'kind' | 'record' | 'projectId' | 'checklistId'>): string {
  if (kind === 'report') return reportPath({ id: checklistId, projectId })
  const { id } = JSON.parse(record ?? '{}') as { id: string }
  return mediaPath(kind, { id, projectId, checklistId })
}
