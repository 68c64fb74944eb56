import type { AssetKind } from '../../../shared/domain.ts'
import type { ErrorCode } from '../../../shared/errors.ts'
import type { ArchiveCounts, FailedFileView, ProjectQuery } from '../../../shared/views.ts'
import type { AssetRow } from './assets-store.ts'
import type { ChecklistRow } from './checklists-store.ts'
import type { Db } from './open-database.ts'

export interface CatalogProject {
  readonly id: string
  /** Null until a person or the service tells it. */
  readonly name: string | null
  readonly address: string | null
  readonly lastSyncedAt: string | null
  readonly errorCode: ErrorCode | null
  readonly errorMessage: string | null
  readonly waitingFiles: number
  readonly failedFiles: number
}

/** A checklist without the service's own JSON, which makes most of its row. */
export type CatalogChecklist = Pick<
  ChecklistRow,
  | 'key'
  | 'id'
  | 'title'
  | 'status'
  | 'updatedAt'
  | 'fingerprint'
  | 'readFingerprint'
  | 'archivedFingerprint'
  | 'folder'
  | 'upstreamGoneAt'
  | 'errorMessage'
> & { readonly errorCode: ErrorCode | null }

/** An asset without its media record. */
export type CatalogAsset = Pick<
  AssetRow,
  | 'id'
  | 'questionKey'
  | 'kind'
  | 'remoteKey'
  | 'path'
  | 'takenAt'
  | 'latitude'
  | 'longitude'
  | 'present'
  | 'sha256'
  | 'sizeBytes'
  | 'confirmedFingerprint'
>

/** What completeness rests on: `sha256` is empty where there is one. */
type LedgerAsset = Pick<CatalogAsset, 'id' | 'questionKey' | 'kind' | 'present' | 'sha256' | 'confirmedFingerprint'>

/** A failed file; `path` is relative to the archive root. */
export type CatalogFailure = Omit<FailedFileView, 'fileName' | 'projectName' | 'kind'> & {
  readonly projectName: string | null
  readonly kind: AssetKind
  readonly path: string
}

interface Cut {
  readonly offset: number
  readonly limit: number
}

const hasJobs = (states: string) => `EXISTS (SELECT 1 FROM jobs j WHERE j.project_id = p.id AND j.state IN (${states}))`

const filters: Readonly<Record<ProjectQuery['filter'], string>> = {
  all: 'TRUE',
  attention: `(p.error_code IS NOT NULL OR ${hasJobs("'failed'")})`,
  unsynced: 'p.last_synced_at IS NULL',
  working: hasJobs("'queued', 'running'"),
  quiet: `p.error_code IS NULL AND p.last_synced_at IS NOT NULL AND NOT ${hasJobs("'queued', 'running', 'failed'")}`,
}

/** Every order ends with the id, so that pages neither repeat nor leave out a row. */
const orders: Readonly<Record<ProjectQuery['sort'], readonly string[]>> = {
  name: ['p.name IS NULL', 'p.name COLLATE NOCASE', 'p.id'],
  added: ['p.added_at', 'p.id'],
  synced: ['p.last_synced_at', 'p.id'],
}

const projectColumns = `p.id, p.name, p.address, p.last_synced_at AS lastSyncedAt, p.error_code AS errorCode,
  p.error_message AS errorMessage,
  (SELECT COUNT(*) FROM jobs j WHERE j.project_id = p.id AND j.state IN ('queued', 'running')) AS waitingFiles,
  (SELECT COUNT(*) FROM jobs j WHERE j.project_id = p.id AND j.state = 'failed') AS failedFiles`

const checklistColumns = `key, id, title, status, updated_at AS updatedAt, fingerprint,
  read_fingerprint AS readFingerprint, archived_fingerprint AS archivedFingerprint, folder,
  upstream_gone_at AS upstreamGoneAt, error_code AS errorCode, error_message AS errorMessage`

/** What the app shows, a page at a time. Only queries that stay fast with a million assets. */
export function createCatalogStore(db: Db) {
  const search = `(:search = '' OR p.name LIKE :search ESCAPE '\\' OR p.address LIKE :search ESCAPE '\\'
    OR p.id LIKE :search ESCAPE '\\')`
  const where = (filter: ProjectQuery['filter']) => `p.removed_at IS NULL AND ${filters[filter]} AND ${search}`
  const prepared = new Map<string, ReturnType<typeof prepareProjects>>()
  const prepareProjects = ({ filter, sort, descending }: ProjectQuery) => ({
    count: db.prepare<{ search: string }, { count: number }>(
      `SELECT COUNT(*) AS count FROM projects p WHERE ${where(filter)}`,
    ),
    page: db.prepare<{ search: string } & Cut, CatalogProject>(
      `SELECT ${projectColumns} FROM projects p JOIN (
         SELECT p.id AS wanted FROM projects p WHERE ${where(filter)}
         ORDER BY ${ordered(orders[sort], descending)} LIMIT :limit OFFSET :offset) ON p.id = wanted
       ORDER BY ${ordered(orders[sort], descending)}`,
    ),
  })
  const project = db.prepare<[string], CatalogProject>(
    `SELECT ${projectColumns} FROM projects p WHERE p.id = ? AND p.removed_at IS NULL`,
  )
  const counts = db.prepare<[], ArchiveCounts>(
    `SELECT COUNT(*) AS projects, COUNT(*) FILTER (WHERE last_synced_at IS NULL) AS unsyncedProjects,
       COUNT(error_code) AS projectsWithProblem,
       (SELECT COUNT(*) FROM checklists) AS checklists, (SELECT COUNT(*) FROM assets) AS files,
       (SELECT COUNT(*) FROM jobs WHERE state IN ('queued', 'running')) AS filesWaiting,
       (SELECT COUNT(*) FROM jobs WHERE state = 'failed') AS filesFailed
     FROM projects WHERE removed_at IS NULL`,
  )
  const failing = db.prepare<{ limit: number }, { id: string; name: string | null; code: ErrorCode; message: string }>(
    `SELECT id, name, error_code AS code, COALESCE(error_message, '') AS message FROM projects
     WHERE removed_at IS NULL AND error_code IS NOT NULL
     ORDER BY name IS NULL, name COLLATE NOCASE, id LIMIT :limit`,
  )
  const countChecklists = db.prepare<[string], { count: number }>(
    'SELECT COUNT(*) AS count FROM checklists WHERE project_id = ?',
  )
  const checklists = db.prepare<{ projectId: string } & Cut, CatalogChecklist>(
    `SELECT ${checklistColumns} FROM checklists WHERE project_id = :projectId ORDER BY key
     LIMIT :limit OFFSET :offset`,
  )
  const checklist = db.prepare<{ projectId: string; id: string }, CatalogChecklist>(
    `SELECT ${checklistColumns} FROM checklists WHERE project_id = :projectId AND id = :id`,
  )
  const assets = db.prepare<[number], CatalogAsset>(
    `SELECT id, question_key AS questionKey, kind, remote_key AS remoteKey, path, taken_at AS takenAt, latitude,
       longitude, present, sha256, size_bytes AS sizeBytes, confirmed_fingerprint AS confirmedFingerprint
     FROM assets WHERE checklist_key = ? ORDER BY id`,
  )
  const ledgerAssets = db.prepare<[number], LedgerAsset>(
    `SELECT id, question_key AS questionKey, kind, present, CASE WHEN sha256 IS NOT NULL THEN '' END AS sha256,
       confirmed_fingerprint AS confirmedFingerprint
     FROM assets WHERE checklist_key = ? ORDER BY id`,
  )
  const countFailed = db.prepare<[], { count: number }>("SELECT COUNT(*) AS count FROM jobs WHERE state = 'failed'")
  // What is skipped is counted in the index alone.
  const failures = db.prepare<Cut, CatalogFailure>(
    `SELECT j.asset_id AS assetId, j.project_id AS projectId, p.name AS projectName, c.id AS checklistId,
       c.title AS checklistTitle, a.kind, a.path, COALESCE(j.error_code, 'internal') AS code,
       COALESCE(j.error_message, '') AS message, j.attempts, j.next_try_at AS nextTryAt
     FROM (SELECT asset_id AS wanted FROM jobs WHERE state = 'failed' ORDER BY next_try_at, asset_id
           LIMIT :limit OFFSET :offset)
       JOIN jobs j ON j.asset_id = wanted JOIN assets a ON a.id = wanted
       JOIN checklists c ON c.key = a.checklist_key JOIN projects p ON p.id = j.project_id
     ORDER BY j.next_try_at, j.asset_id`,
  )

  return {
    projects: (query: ProjectQuery) => {
      const { filter, sort, descending, offset, limit } = query
      const key = `${filter} ${sort} ${descending}`
      const statements = prepared.get(key) ?? prepareProjects(query)
      prepared.set(key, statements)
      const pattern = toPattern(query.search)
      const total = statements.count.get({ search: pattern })?.count ?? 0
      return { total, rows: statements.page.all({ search: pattern, offset, limit }) }
    },
    project: (id: string) => project.get(id),
    /** Files of projects that are no longer synced count: they are in the archive. */
    counts: () => counts.get(),
    /** Active projects whose last try ended with an error. */
    failingProjects: (limit: number) => failing.all({ limit }),
    countChecklists: (projectId: string) => countChecklists.get(projectId)?.count ?? 0,
    /** In the order in which they became known. A negative limit is none. */
    checklists: (projectId: string, { offset, limit }: Cut) => checklists.all({ projectId, offset, limit }),
    checklist: (projectId: string, id: string) => checklist.get({ projectId, id }),
    assets: (checklistKey: number) => assets.all(checklistKey),
    ledgerAssets: (checklistKey: number) => ledgerAssets.all(checklistKey),
    /** The next to be tried first. */
    failures: ({ offset, limit }: Cut) => ({
      total: countFailed.get()?.count ?? 0,
      rows: failures.all({ offset, limit }),
    }),
  }
}

function ordered(columns: readonly string[], descending: boolean): string {
  return columns.map((column) => `${column} ${descending ? 'DESC' : 'ASC'}`).join(', ')
}

/** What is typed is looked for as it is: `%` and `_` are letters like all others. */
function toPattern(search: string): string {
  const text = search.trim()
  return text === '' ? '' : `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
