import type { AssetKind } from '../../../shared/domain.ts'
import type { AttentionCause } from '../../../shared/attention.ts'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import type { ChecklistQuery, FailedFileView, ProjectQuery } from '../../../shared/views.ts'
import type { AssetRow } from './assets-store.ts'
import type { ChecklistForCompleteness } from './checklists-store.ts'
import { causeOf, checklistConditions, isDamagedOnly, isDue, isFailed, isNotUploaded, isOpen } from './conditions.ts'
import type { Db } from './open-database.ts'
import { filterBit, toSearchText, type EvaluatedCounts } from './project-facts-store.ts'

export interface CatalogProject extends EvaluatedCounts {
  readonly id: string
  /** `null` until the user or the service provides one. */
  readonly name: string | null
  readonly address: string | null
  readonly lastSyncedAt: string | null
  readonly errorCode: ErrorCode | null
  readonly errorMessage: string | null
  readonly waitingFiles: number
  readonly failedFiles: number
  readonly failedPreviews: number
  readonly needsAttention: 0 | 1
}

/** A checklist without the service's JSON, which is most of its row. */
export type CatalogChecklist = Omit<ChecklistForCompleteness, 'projectId' | 'errorCode'> & {
  readonly errorMessage: string | null
  readonly errorCode: ErrorCode | null
  /** When its error starts to need attention; `null` if it needs it. */
  readonly attentionAt: string | null
}

/** A complete checklist: all of its files are archived. `previews` are the thumbnails among them. */
export interface ClosedChecklist {
  readonly key: number
  readonly files: number
  readonly previews: number
}

export type CatalogOpenChecklist = CatalogChecklist & {
  readonly projectId: string
  readonly projectName: string | null
}

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
  | 'archivedAt'
  | 'confirmedFingerprint'
  | 'damage'
>

/** A failed file; `path` is relative to the archive root. */
export type CatalogFailure = Omit<FailedFileView, 'fileName' | 'projectName' | 'kind' | 'mediaId'> & {
  readonly projectName: string | null
  readonly kind: AssetKind
  readonly path: string
  /** The media record as JSON. */
  readonly record: string | null
}

/** `null` matches all. A checklist's id is unique only within its project. */
interface FailureFilter {
  readonly projectId: string | null
  readonly checklistId: string | null
  readonly cause: AttentionCause | null
}

/** Time of a query, in ISO 8601 UTC: failures that are retried by themselves start to need attention later. */
interface Now {
  readonly now: string
}

/** Counts of one cause. `message` is that of all of them, or `null` if they differ. */
export interface CatalogCause {
  readonly cause: AttentionCause
  readonly projects: number
  readonly checklists: number
  readonly files: number
  readonly previews: number
  readonly message: string | null
  /** Earliest next try of a file. */
  readonly nextTryAt: string | null
}

interface Cut {
  readonly offset: number
  readonly limit: number
}

/**
 * Columns to sort by, with the index that has them. Each list ends with the id, so that pages neither repeat nor skip
 * rows.
 */
const orders: Readonly<Record<ProjectQuery['sort'], { readonly index: string; readonly columns: readonly string[] }>> =
  {
    name: { index: 'project_facts_by_name', columns: ['f.unnamed', 'f.name', 'f.project_id'] },
    added: { index: 'project_facts_by_added', columns: ['f.added_at', 'f.project_id'] },
    synced: { index: 'project_facts_by_synced', columns: ['f.last_synced_at', 'f.project_id'] },
  }

const projectColumns = `p.id, p.name, p.address, p.last_synced_at AS lastSyncedAt, p.error_code AS errorCode,
  p.error_message AS errorMessage, f.files_waiting AS waitingFiles, f.files_failed + f.files_retrying AS failedFiles,
  f.previews_failed + f.previews_retrying AS failedPreviews,
  f.filters & ${filterBit('attention')} <> 0 AS needsAttention, f.checklists,
  f.complete_checklists AS completeChecklists, f.waiting_checklists AS waitingChecklists,
  f.expected_files AS expectedFiles, f.archived_files AS archivedFiles, f.expected_previews AS expectedPreviews,
  f.archived_previews AS archivedPreviews`

const checklistColumns = `key, id, title, status, updated_at AS updatedAt, fingerprint,
  read_fingerprint AS readFingerprint, archived_fingerprint AS archivedFingerprint, folder,
  upstream_gone_at AS upstreamGoneAt, error_code AS errorCode, error_message AS errorMessage,
  attention_at AS attentionAt`

/** Active projects, by an index that has everything to filter by. */
const listed = (index: string) => `project_facts f INDEXED BY ${index} WHERE f.removed = 0 AND f.filters & :bit <> 0
  AND (:search = '' OR instr(f.search, :search) > 0)`

/** Parameters of a list of projects. */
interface ListFilter {
  readonly bit: number
  readonly search: string
}

const toListFilter = ({ filter, search }: ProjectQuery): ListFilter => ({
  bit: filterBit(filter),
  search: toSearchText(search),
})

/**
 * Queries behind the app's pages. They stay fast with 10,000 projects and a million files, because lists of projects,
 * checklists, and failures read the facts of projects (`project-facts-store.ts`), which must be refreshed first.
 */
export function createCatalogStore(db: Db) {
  const sql = prepareStatements(db)
  const failures = prepareFailures(db)
  const prepared = new Map<string, ReturnType<typeof prepareProjects>>()

  function preparedProjects(query: ProjectQuery) {
    const key = `${query.sort} ${query.descending}`
    const statements = prepared.get(key) ?? prepareProjects(db, query)
    prepared.set(key, statements)
    return statements
  }

  return {
    projects: (query: ProjectQuery) => {
      const { count, page } = preparedProjects(query)
      const { offset, limit } = query
      const filter = toListFilter(query)
      return { total: count.get(filter)?.count ?? 0, rows: page.all({ ...filter, offset, limit }) }
    },
    /** Returns only ids and names, for the given page. A project without a name has its id instead. */
    projectNames: (query: ProjectQuery) => {
      const { offset, limit } = query
      return preparedProjects(query).names.all({ ...toListFilter(query), offset, limit })
    },
    project: (id: string) => sql.project.get(id),
    /** Failures that need attention, by cause; the most common first. */
    causes: () => sql.causes.all(),
    /** IDs of the active projects that have this cause themselves, or in a checklist. */
    projectsOfCause: (cause: AttentionCause) => sql.ofCause.all(cause).map(({ id }) => id),
    /** Active projects that need attention because their last try ended with an error of this cause. */
    failingProjects: (cause: AttentionCause, limit: number) => sql.failing.all({ cause, limit }),
    countChecklists: (projectId: string) => sql.countChecklists.get(projectId)?.count ?? 0,
    /** Oldest first. A negative limit means no limit. */
    checklists: (projectId: string, { offset, limit }: Cut) => sql.checklists.all({ projectId, offset, limit }),
    checklist: (projectId: string, id: string) => sql.checklist.get({ projectId, id }),
    /** Returns the complete checklists of a project without jobs, except those without files. */
    closedChecklists: (projectId: string) => sql.closed.all({ projectId }),
    /** Returns open checklists of active projects, newest first; with `before`, only those with a lower key. */
    openChecklists: ({ filter, cause, offset, limit }: ChecklistQuery, now: string, before = Number.MAX_SAFE_INTEGER) =>
      sql.openChecklists[filter].all({ cause: cause ?? null, now, before, offset, limit }),
    /** Number of checklists with a problem of this cause that needs attention. */
    countChecklistsOfCause: (cause: AttentionCause) => sql.checklistsOfCause.get(cause)?.count ?? 0,
    /**
     * Returns the time when the first failure of a checklist starts to need attention; empty if one already does, later
     * than any time if all are just tried again, `null` if there are no failures.
     */
    quietUntil: (key: number) => sql.quietUntil.get({ key })?.at ?? null,
    assets: (checklistKey: number) => sql.assets.all(checklistKey),
    /** Returns the failed files that need attention, of a checklist (with both ids), of a project, or of all. */
    failures: (query: Cut & FailureFilter, now: string) => failures(query, now),
  }
}

/** Prepares the statements of the store, except those of lists that can be sorted and of failed files. */
function prepareStatements(db: Db) {
  return {
    project: db.prepare<[string], CatalogProject>(
      `SELECT ${projectColumns} FROM projects p JOIN project_facts f ON f.project_id = p.id
     WHERE p.id = ? AND p.removed_at IS NULL`,
    ),
    causes: db.prepare<[], CatalogCause>(
      `SELECT cause, SUM(projects) AS projects, SUM(checklists) AS checklists, SUM(files) AS files,
       SUM(previews) AS previews, IIF(MIN(first_message) = MAX(last_message), MIN(first_message), NULL) AS message,
       MIN(next_try_at) AS nextTryAt
     FROM project_causes GROUP BY cause
     ORDER BY SUM(projects) + SUM(checklists) + SUM(files) DESC, SUM(previews) DESC, cause`,
    ),
    failing: db.prepare<
      { cause: AttentionCause; limit: number },
      { id: string; name: string | null; code: ErrorCode; message: string }
    >(
      `SELECT p.id, p.name, p.error_code AS code, COALESCE(p.error_message, '') AS message
     FROM project_facts f INDEXED BY project_facts_by_name CROSS JOIN projects p ON p.id = f.project_id
     WHERE f.removed = 0 AND f.filters & ${filterBit('attention')} <> 0 AND EXISTS (
       SELECT 1 FROM project_causes o WHERE o.cause = :cause AND o.project_id = f.project_id AND o.projects > 0)
     ORDER BY ${orders.name.columns.join(', ')} LIMIT :limit`,
    ),
    ofCause: db.prepare<[AttentionCause], { id: string }>(
      'SELECT project_id AS id FROM project_causes WHERE cause = ? AND projects + checklists > 0 ORDER BY project_id',
    ),
    countChecklists: db.prepare<[string], { count: number }>(
      'SELECT COUNT(*) AS count FROM checklists WHERE project_id = ?',
    ),
    checklists: db.prepare<{ projectId: string } & Cut, CatalogChecklist>(
      `SELECT ${checklistColumns} FROM checklists WHERE project_id = :projectId ORDER BY key
     LIMIT :limit OFFSET :offset`,
    ),
    checklist: db.prepare<{ projectId: string; id: string }, CatalogChecklist>(
      `SELECT ${checklistColumns} FROM checklists WHERE project_id = :projectId AND id = :id`,
    ),
    closed: db.prepare<{ projectId: string }, ClosedChecklist>(
      `SELECT c.key, COUNT(*) AS files, COUNT(*) FILTER (WHERE a.kind = 'thumbnail') AS previews
     FROM checklists c CROSS JOIN assets a INDEXED BY assets_for_ledger ON a.checklist_key = c.key
     WHERE c.project_id = :projectId AND NOT ${isOpen} AND c.upstream_gone_at IS NULL
       AND (a.kind = 'report' OR a.present = 1 OR a.sha256 IS NOT NULL)
     GROUP BY c.key HAVING COUNT(*) = COUNT(a.sha256)
       AND NOT EXISTS (SELECT 1 FROM assets d INDEXED BY assets_damaged WHERE d.checklist_key = c.key
         AND d.damage IS NOT NULL)`,
    ),
    openChecklists: {
      incomplete: prepareOpen(db, 'incomplete'),
      waiting: prepareOpen(db, 'waiting'),
      attention: prepareOpen(db, 'attention'),
    },
    checklistsOfCause: db.prepare<[AttentionCause], { count: number | null }>(
      'SELECT SUM(checklists) AS count FROM project_causes WHERE cause = ?',
    ),
    quietUntil: db.prepare<{ key: number }, { at: string | null }>(
      `SELECT MIN(at) AS at FROM (
       SELECT COALESCE(attention_at, '') AS at FROM checklists WHERE key = :key AND error_code IS NOT NULL
       UNION ALL SELECT COALESCE(j.attention_at, '') FROM assets a INDEXED BY assets_for_ledger
         CROSS JOIN jobs j ON j.asset_id = a.id WHERE a.checklist_key = :key AND ${isFailed}
       UNION ALL SELECT '9' FROM checklists c CROSS JOIN assets a INDEXED BY assets_for_ledger ON a.checklist_key = c.key
         CROSS JOIN jobs j ON j.asset_id = a.id WHERE c.key = :key AND c.upstream_gone_at IS NULL
           AND j.state <> 'failed' AND j.error_code IS NOT NULL AND NOT ${isNotUploaded('j')})`,
    ),
    assets: db.prepare<[number], CatalogAsset>(
      `SELECT id, question_key AS questionKey, kind, remote_key AS remoteKey, path, taken_at AS takenAt, latitude,
       longitude, present, sha256, size_bytes AS sizeBytes, archived_at AS archivedAt,
       confirmed_fingerprint AS confirmedFingerprint, damage
     FROM assets WHERE checklist_key = ? ORDER BY id`,
    ),
  }
}

function prepareProjects(db: Db, { sort, descending }: ProjectQuery) {
  const { index, columns } = orders[sort]
  const order = ordered(columns, descending)
  return {
    count: db.prepare<ListFilter, { count: number }>(`SELECT COUNT(*) AS count FROM ${listed(index)}`),
    page: db.prepare<ListFilter & Cut, CatalogProject>(
      `SELECT ${projectColumns} FROM (
         SELECT f.project_id AS wanted FROM ${listed(index)} ORDER BY ${order} LIMIT :limit OFFSET :offset)
       CROSS JOIN project_facts f ON f.project_id = wanted CROSS JOIN projects p ON p.id = wanted ORDER BY ${order}`,
    ),
    names: db.prepare<ListFilter & Cut, { id: string; name: string }>(
      `SELECT f.project_id AS id, COALESCE(f.name, f.project_id) AS name FROM ${listed(index)}
       ORDER BY ${order} LIMIT :limit OFFSET :offset`,
    ),
  }
}

const isActive = 'c.project_id NOT IN (SELECT id FROM projects WHERE removed_at IS NOT NULL)'

function prepareOpen(db: Db, filter: ChecklistQuery['filter']) {
  const damaged = `UNION ALL SELECT c.key FROM (
      SELECT DISTINCT a.checklist_key AS key FROM assets a INDEXED BY assets_damaged WHERE a.damage IS NOT NULL) d
    CROSS JOIN checklists c ON c.key = d.key WHERE c.key < :before AND ${isDamagedOnly} AND ${isActive}`
  const keys = `SELECT c.key FROM checklists c INDEXED BY checklists_open_newest
    WHERE c.key < :before AND ${isOpen} AND ${isActive} AND ${checklistConditions[filter]}
    ${filter === 'incomplete' ? damaged : ''}`
  return db.prepare<OpenFilter & Cut, CatalogOpenChecklist>(
    `SELECT ${checklistColumns}, project_id AS projectId,
       (SELECT p.name FROM projects p WHERE p.id = project_id) AS projectName
     FROM checklists WHERE key IN (${keys} ORDER BY c.key DESC LIMIT :limit OFFSET :offset)
     ORDER BY key DESC`,
  )
}

/** Only the filter `attention` uses the time and the cause. */
type OpenFilter = Now & { readonly cause: AttentionCause | null; readonly before: number }

/**
 * Prepares the list of failed files, which is ordered by project. Facts say in which projects a page lies; only failed
 * files of these are looked at.
 */
function prepareFailures(db: Db) {
  interface Segment {
    readonly id: string
    /** Number of failed files in the projects before this one. */
    readonly before: number
  }
  const segmentsOf = (rows: string) =>
    db.prepare<Cut & { cause: AttentionCause | null }, Segment>(
      `SELECT id, before FROM (
         SELECT project_id AS id, count, SUM(count) OVER (ORDER BY project_id) - count AS before FROM (${rows}))
       WHERE before < :offset + :limit AND before + count > :offset ORDER BY id`,
    )
  const segments = {
    all: segmentsOf('SELECT project_id, failures AS count FROM project_facts WHERE failures > 0'),
    ofCause: segmentsOf('SELECT project_id, files + previews AS count FROM project_causes WHERE cause = :cause'),
  }
  const total = db.prepare<FailureFilter, { count: number }>(
    `SELECT CASE
       WHEN :cause IS NOT NULL THEN (SELECT SUM(files + previews) FROM project_causes
         WHERE cause = :cause AND (:projectId IS NULL OR project_id = :projectId))
       WHEN :projectId IS NOT NULL THEN (SELECT failures FROM project_facts WHERE project_id = :projectId)
       ELSE (SELECT SUM(failures) FROM project_facts INDEXED BY project_facts_failing WHERE failures > 0) END AS count`,
  )
  const isListed = `${isFailed} AND ${isDue('j')} AND (:cause IS NULL OR ${causeOf('j')} = :cause)`
  const ofChecklist = `SELECT a.id FROM checklists c CROSS JOIN assets a INDEXED BY assets_for_ledger
      ON a.checklist_key = c.key WHERE c.project_id = :projectId AND c.id = :checklistId`
  const countOfChecklist = db.prepare<FailureFilter & Now, { count: number }>(
    `SELECT COUNT(*) AS count FROM (${ofChecklist}) CROSS JOIN jobs j ON j.asset_id = id
     WHERE j.project_id IN (SELECT id FROM projects WHERE removed_at IS NULL) AND ${isListed}`,
  )
  const pageOf = (condition: string) =>
    db.prepare<Omit<FailureFilter, 'projectId'> & Cut & Now & { ids: string }, CatalogFailure>(
      `SELECT j.asset_id AS assetId, j.project_id AS projectId, p.name AS projectName, c.id AS checklistId,
         c.title AS checklistTitle, a.kind, a.path, a.record, COALESCE(j.error_code, 'internal') AS code,
         COALESCE(j.error_message, '') AS message, j.attempts, j.next_try_at AS nextTryAt
       FROM (SELECT j.asset_id AS wanted FROM json_each(:ids) CROSS JOIN projects p ON p.id = value
               CROSS JOIN jobs j ON j.project_id = p.id AND j.state = 'failed' CROSS JOIN assets a ON a.id = j.asset_id
             WHERE p.removed_at IS NULL AND ${isListed} AND ${condition}
             ORDER BY p.id, a.checklist_key, j.asset_id LIMIT :limit OFFSET :offset)
         JOIN jobs j ON j.asset_id = wanted JOIN assets a ON a.id = wanted
         JOIN checklists c ON c.key = a.checklist_key JOIN projects p ON p.id = j.project_id
       ORDER BY j.project_id, a.checklist_key, j.asset_id`,
    )
  const pages = {
    all: pageOf('TRUE'),
    checklist: pageOf(`a.checklist_key IN (SELECT c.key FROM checklists c WHERE c.project_id = p.id
      AND c.id = :checklistId)`),
  }
  return ({ projectId, checklistId, cause, offset, limit }: Cut & FailureFilter, now: string) => {
    const filter = { checklistId, cause, now, limit }
    if (projectId !== null) {
      const isOfChecklist = checklistId !== null
      const count = isOfChecklist
        ? countOfChecklist.get({ projectId, checklistId, cause, now })
        : total.get({ projectId, checklistId, cause })
      const page = isOfChecklist ? pages.checklist : pages.all
      return { total: count?.count ?? 0, rows: page.all({ ...filter, ids: JSON.stringify([projectId]), offset }) }
    }
    const within = (cause === null ? segments.all : segments.ofCause).all({ offset, limit, cause })
    const [first] = within
    const ids = JSON.stringify(within.map(({ id }) => id))
    return {
      total: total.get({ projectId, checklistId, cause })?.count ?? 0,
      rows: first === undefined ? [] : pages.all.all({ ...filter, ids, offset: offset - first.before }),
    }
  }
}

function ordered(columns: readonly string[], descending: boolean): string {
  return columns.map((column) => `${column} ${descending ? 'DESC' : 'ASC'}`).join(', ')
}
