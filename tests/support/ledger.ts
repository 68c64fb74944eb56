import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { mediaPath, reportPath } from './served-files.ts'

/** A file that the database says is archived or is to be. */
export interface LedgerAsset {
  readonly id: number
  /** Relative to the archive root. */
  readonly path: string
  /** Where the file host has it. */
  readonly servedAt: string
  /** Null until it is archived. */
  readonly sha256: string | null
  /** Found after an unclean end and recorded unchanged; it has yet to be downloaded. */
  readonly isAdopted: boolean
}

interface LedgerFile {
  readonly path: string
  readonly sha256: string
}

/** What the database says, read by its own statements: the store's could share a mistake with what they are to prove. */
export interface Ledger {
  readonly assets: readonly LedgerAsset[]
  readonly versions: readonly LedgerFile[]
  readonly documents: readonly LedgerFile[]
  /** Replacements that were begun and not recorded. */
  readonly replacements: readonly { readonly assetId: number; readonly path: string; readonly sha256: string }[]
  readonly projectFolders: readonly string[]
  readonly jobs: number
  /** What marks its parts. */
  readonly installation: string
  /** What SQLite's own checks complain of. */
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

/** Reads the database of a data folder that nobody has open. Empty where there is none yet. */
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

/** What was fetched and committed by the database's word: the path on the file host to the SHA-256. */
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
