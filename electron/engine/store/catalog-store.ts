import type { AssetKind } from '../../../shared/domain.ts'
import { unreachableCodes, type AttentionCause } from '../../../shared/attention.ts'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import type { ArchiveCounts, ChecklistQuery, FailedFileView, ProjectQuery } from '../../../shared/views.ts'
import type { AssetRow } from './assets-store.ts'
import type { ChecklistRow } from './checklists-store.ts'
import type { Db } from './open-database.ts'

export interface CatalogProject {
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
> & {
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
 * Condition on a job `j`: it can be worked on. Jobs for archived files of a checklist that is no longer listed wait
 * until it is listed again, if ever.
 */
const isActionable = `NOT EXISTS (SELECT 1 FROM assets a JOIN checklists c ON c.key = a.checklist_key
  WHERE a.id = j.asset_id AND a.sha256 IS NOT NULL AND c.upstream_gone_at IS NOT NULL)`
const isFailed = `j.state = 'failed' AND ${isActionable}`
/** Condition on a job `j`: its file is a preview, which pages count apart from photos and reports. */
const isPreview = `(SELECT a.kind FROM assets a WHERE a.id = j.asset_id) = 'thumbnail'`
const hasFailed = `EXISTS (SELECT 1 FROM jobs j WHERE j.project_id = p.id AND ${isFailed})`

/** Condition on a failing project, checklist, or job: it needs attention by now; see `lib/attention.ts`. */
const isDue = (row: 'p' | 'c' | 'j') => `(${row}.attention_at IS NULL OR ${row}.attention_at <= :now)`
const hasDueFailure = `EXISTS (SELECT 1 FROM jobs j WHERE j.project_id = p.id AND ${isFailed} AND ${isDue('j')})`

/** Error codes of one cause are counted together. */
const causeOf = (row: 'p' | 'c' | 'j') => `CASE
  WHEN ${row}.error_code IN (${unreachableCodes.map((code) => `'${code}'`).join(', ')}) THEN 'unreachable'
  ELSE COALESCE(${row}.error_code, 'internal') END`

const hasJobs = (states: string) => `EXISTS (SELECT 1 FROM jobs j WHERE j.project_id = p.id AND j.state IN (${states}))`

/** Condition on a checklist `c`: not complete. Identical to the condition of the index `checklists_open`. */
export const isOpen = `(c.archived_fingerprint IS NOT c.fingerprint OR c.status <> 'completed'
    OR (c.error_code IS NOT NULL AND c.upstream_gone_at IS NULL))`

/**
 * Condition on a file `a` with a job, of a checklist `c`: it must be checked or downloaded. Archived files of a
 * checklist that is no longer listed are not checked.
 */
export const isOpenFile = '(c.upstream_gone_at IS NULL OR (a.sha256 IS NULL AND a.present = 1))'
const hasOpenFile = `EXISTS (SELECT 1 FROM jobs j JOIN assets a ON a.id = j.asset_id
  JOIN checklists c ON c.key = a.checklist_key WHERE j.project_id = p.id AND ${isOpenFile})`

/** Checklists `c` with files `a` that are damaged or lost. */
export const damagedFiles = `assets a INDEXED BY assets_damaged
  CROSS JOIN checklists c ON c.key = a.checklist_key AND a.damage IS NOT NULL`
const hasDamage = `p.id IN (SELECT c.project_id FROM ${damagedFiles})`

/** Condition on a question `q`: it tells how many photos it has. */
export const isAskedFor = `q.present = 1 AND json_valid(q.client_ref_ids)`
/** Number of photos of a question `q` of a checklist `c` that the service has not listed. */
export const unlistedPhotosOf = `MAX(0, json_array_length(q.client_ref_ids) - (
  SELECT COUNT(*) FROM assets a INDEXED BY assets_for_ledger
  WHERE a.checklist_key = c.key AND a.question_key = q.key AND a.kind = 'photo' AND a.present = 1))`
/** Condition on a checklist `c`: it should have a report, and the service has not listed one. */
export const lacksReport = `c.status IN ('completed', 'pdfProcessingFailed') AND NOT EXISTS (
  SELECT 1 FROM assets a INDEXED BY assets_for_ledger
  WHERE a.checklist_key = c.key AND a.question_key IS NULL AND a.kind = 'report')`
/**
 * Condition on a checklist `c`: it may have photos (the statuses without are those of `checklists/plan-checklist.ts`),
 * and its current state was not read completely.
 */
export const isUnchecked = `(c.upstream_gone_at IS NULL AND c.status NOT IN ('draft', 'formSubmitted')
  AND c.read_fingerprint IS NOT c.fingerprint)`
/**
 * Condition on a checklist `c`: it has photos that the service has not listed, and a question `q` of which that holds.
 */
const hasUnlisted = (condition: string) => `EXISTS (SELECT 1 FROM questions q
  WHERE q.checklist_key = c.key AND ${isAskedFor} AND ${condition} AND ${unlistedPhotosOf} > 0)`

/** Condition on a project `p`: not all of its checklists are complete. */
const isIncomplete = `(EXISTS (SELECT 1 FROM checklists c WHERE c.project_id = p.id AND ${isOpen}) OR ${hasOpenFile}
  OR ${hasDamage})`

/** Condition on a checklist `c`: it has a problem of its own, apart from its files' jobs, that needs attention. */
const isTroubled = `(c.upstream_gone_at IS NULL
  AND (c.status = 'pdfProcessingFailed' OR (c.error_code IS NOT NULL AND ${isDue('c')})))`

/** A report that the service could not create is the cause that a user can act on, also during an outage. */
const causeOfChecklist = `CASE WHEN c.status = 'pdfProcessingFailed' THEN 'report-failed' ELSE ${causeOf('c')} END`

const hasTroubled = `EXISTS (SELECT 1 FROM checklists c INDEXED BY checklists_open
  WHERE c.project_id = p.id AND ${isOpen} AND ${isTroubled})`

const openFilters: Readonly<Record<ChecklistQuery['filter'], string>> = {
  incomplete: 'TRUE',
  waiting: `c.status IN ('awaitingMedia', 'pdfProcessing', 'pdfProcessingFailed')`,
  attention: `${isTroubled} AND (:cause IS NULL OR ${causeOfChecklist} = :cause)`,
}

/** Condition on a project `p`: it has a checklist `c` that is not complete, and for which `condition` holds. */
const hasOpen = (condition: string) => `EXISTS (SELECT 1 FROM checklists c INDEXED BY checklists_open
  WHERE c.project_id = p.id AND ${isOpen} AND ${condition})`
const hasOpenOf = (status: string) => hasOpen(`c.upstream_gone_at IS NULL AND c.status = '${status}'`)
/** Condition on a project `p`: files of a checklist that was complete are damaged, or must be checked or downloaded. */
const isReopened = `(EXISTS (SELECT 1 FROM jobs j JOIN assets a ON a.id = j.asset_id JOIN checklists c
    ON c.key = a.checklist_key WHERE j.project_id = p.id AND NOT ${isOpen} AND ${isOpenFile})
  OR p.id IN (SELECT c.project_id FROM ${damagedFiles} WHERE NOT ${isOpen}))`
const hasComplete = `EXISTS (SELECT 1 FROM checklists c WHERE c.project_id = p.id AND NOT ${isOpen}
  AND NOT EXISTS (SELECT 1 FROM jobs j JOIN assets a ON a.id = j.asset_id
    WHERE j.project_id = p.id AND a.checklist_key = c.key AND ${isOpenFile})
  AND c.key NOT IN (SELECT a.checklist_key FROM assets a INDEXED BY assets_damaged WHERE a.damage IS NOT NULL))`
/** Condition on a project `p`: what it has was never read completely, not even before a rebuild of the database. */
const isUnread = '(p.polled_at IS NULL AND p.last_synced_at IS NULL)'
const needsAttention = `((p.error_code IS NOT NULL AND ${isDue('p')}) OR ${hasDueFailure} OR ${hasTroubled})`

const filters: Readonly<Record<ProjectQuery['filter'], string>> = {
  all: 'TRUE',
  attention: needsAttention,
  unsynced: 'p.last_synced_at IS NULL',
  unread: isUnread,
  working: hasJobs("'queued', 'running'"),
  complete: `(p.last_synced_at IS NOT NULL AND NOT ${isIncomplete})`,
  'some-complete': hasComplete,
  incomplete: isIncomplete,
  drafts: hasOpenOf('draft'),
  submitted: hasOpenOf('formSubmitted'),
  photos: hasOpenOf('awaitingMedia'),
  report: hasOpenOf('pdfProcessing'),
  'report-failed': hasOpenOf('pdfProcessingFailed'),
  'not-uploaded': hasOpen(hasUnlisted('q.media_read_at IS NOT NULL')),
  'not-checked': hasOpen(`(${hasUnlisted('q.media_read_at IS NULL')} OR ${isUnchecked}
    OR (c.read_fingerprint IS NOT c.fingerprint AND ${lacksReport}))`),
  'report-pending': hasOpen(`c.read_fingerprint IS c.fingerprint AND ${lacksReport}`),
  archiving: `(${hasOpenOf('completed')} OR ${isReopened})`,
  gone: hasOpen('c.upstream_gone_at IS NOT NULL'),
  quiet: `p.error_code IS NULL AND p.last_synced_at IS NOT NULL AND NOT ${hasJobs("'queued', 'running'")}
    AND NOT ${hasFailed}`,
}

/** Columns to sort by. Each list ends with the id, so that pages neither repeat nor skip rows. */
const orders: Readonly<Record<ProjectQuery['sort'], readonly string[]>> = {
  name: ['p.name IS NULL', 'p.name COLLATE NOCASE', 'p.id'],
  added: ['p.added_at', 'p.id'],
  synced: ['p.last_synced_at', 'p.id'],
}

const projectColumns = `p.id, p.name, p.address, p.last_synced_at AS lastSyncedAt, p.error_code AS errorCode,
  p.error_message AS errorMessage,
  (SELECT COUNT(*) FROM jobs j WHERE j.project_id = p.id AND j.state IN ('queued', 'running')) AS waitingFiles,
  (SELECT COUNT(*) FROM jobs j WHERE j.project_id = p.id AND ${isFailed} AND NOT ${isPreview}) AS failedFiles,
  (SELECT COUNT(*) FROM jobs j WHERE j.project_id = p.id AND ${isFailed} AND ${isPreview}) AS failedPreviews,
  ${needsAttention} AS needsAttention`

const checklistColumns = `key, id, title, status, updated_at AS updatedAt, fingerprint,
  read_fingerprint AS readFingerprint, archived_fingerprint AS archivedFingerprint, folder,
  upstream_gone_at AS upstreamGoneAt, error_code AS errorCode, error_message AS errorMessage,
  attention_at AS attentionAt`

/** Conditions on a project `p`. */
const matchesSearch = `(:search = '' OR p.name LIKE :search ESCAPE '\\' OR p.address LIKE :search ESCAPE '\\'
  OR p.id LIKE :search ESCAPE '\\')`
const where = (filter: ProjectQuery['filter']) => `p.removed_at IS NULL AND ${filters[filter]} AND ${matchesSearch}`

/** Queries behind the app's pages. They stay fast with a million assets. */
export function createCatalogStore(db: Db) {
  const prepared = new Map<string, ReturnType<typeof prepareProjects>>()
  const project = db.prepare<{ id: string } & Now, CatalogProject>(
    `SELECT ${projectColumns} FROM projects p WHERE p.id = :id AND p.removed_at IS NULL`,
  )
  const counts = db.prepare<Now, ArchiveCounts>(
    `WITH failing AS MATERIALIZED (SELECT ${isDue('j')} AS due, ${isPreview} AS preview FROM projects o
       CROSS JOIN jobs j ON j.project_id = o.id AND ${isFailed} WHERE o.removed_at IS NULL)
     SELECT COUNT(*) AS projects, COUNT(*) FILTER (WHERE last_synced_at IS NULL) AS unsyncedProjects,
       COUNT(*) FILTER (WHERE ${isUnread}) AS unreadProjects,
       COUNT(*) FILTER (WHERE error_code IS NOT NULL AND ${isDue('p')}) AS projectsWithProblem,
       COUNT(*) FILTER (WHERE error_code IS NOT NULL AND NOT ${isDue('p')}) AS projectsRetrying,
       (SELECT COUNT(*) FROM checklists) AS checklists,
       (SELECT COUNT(*) FROM checklists c INDEXED BY checklists_open JOIN projects o ON o.id = c.project_id
        WHERE ${isOpen} AND ${isTroubled} AND o.removed_at IS NULL) AS troubledChecklists,
       (SELECT COUNT(*) FROM checklists c INDEXED BY checklists_open JOIN projects o ON o.id = c.project_id
        WHERE ${isOpen} AND c.upstream_gone_at IS NULL AND c.error_code IS NOT NULL AND NOT ${isTroubled}
          AND o.removed_at IS NULL) AS checklistsRetrying,
       (SELECT COUNT(*) FROM assets) AS files,
       COALESCE(SUM((SELECT COUNT(*) FROM jobs j WHERE j.project_id = p.id AND j.state IN ('queued', 'running'))), 0)
         AS filesWaiting,
       (SELECT COUNT(*) FROM failing WHERE due AND NOT preview) AS filesFailed,
       (SELECT COUNT(*) FROM failing WHERE due AND preview) AS previewsFailed,
       (SELECT COUNT(*) FROM failing WHERE NOT due AND NOT preview) AS filesRetrying,
       (SELECT COUNT(*) FROM failing WHERE NOT due AND preview) AS previewsRetrying
     FROM projects p WHERE removed_at IS NULL`,
  )
  const removedFiles = db.prepare<[], { count: number }>(
    `SELECT COUNT(*) AS count FROM projects p CROSS JOIN checklists c ON c.project_id = p.id
       CROSS JOIN assets a INDEXED BY assets_for_ledger ON a.checklist_key = c.key
     WHERE p.removed_at IS NOT NULL AND a.sha256 IS NOT NULL`,
  )
  const nextAttention = db.prepare<Now, { at: string | null }>(
    `SELECT MIN(attention_at) AS at FROM (
       SELECT MIN(p.attention_at) AS attention_at FROM projects p WHERE p.attention_at > :now
       UNION ALL SELECT MIN(c.attention_at) FROM checklists c WHERE c.attention_at > :now
       UNION ALL SELECT MIN(j.attention_at) FROM jobs j WHERE j.state = 'failed' AND j.attention_at > :now)`,
  )
  const causes = prepareCauses(db)
  const failing = db.prepare<
    { cause: AttentionCause; limit: number } & Now,
    { id: string; name: string | null; code: ErrorCode; message: string }
  >(
    `SELECT id, name, error_code AS code, COALESCE(error_message, '') AS message FROM projects p
     WHERE removed_at IS NULL AND error_code IS NOT NULL AND ${isDue('p')} AND ${causeOf('p')} = :cause
     ORDER BY name IS NULL, name COLLATE NOCASE, id LIMIT :limit`,
  )
  const ofCause = db.prepare<{ cause: AttentionCause } & Now, { id: string }>(
    `SELECT p.id FROM projects p
     WHERE p.removed_at IS NULL AND p.error_code IS NOT NULL AND ${isDue('p')} AND ${causeOf('p')} = :cause
     UNION SELECT c.project_id FROM checklists c INDEXED BY checklists_open JOIN projects p ON p.id = c.project_id
     WHERE ${isOpen} AND ${isTroubled} AND p.removed_at IS NULL AND ${causeOfChecklist} = :cause`,
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
  const closed = db.prepare<{ projectId: string }, ClosedChecklist>(
    `SELECT c.key, COUNT(*) AS files, COUNT(*) FILTER (WHERE a.kind = 'thumbnail') AS previews
     FROM checklists c CROSS JOIN assets a INDEXED BY assets_for_ledger ON a.checklist_key = c.key
     WHERE c.project_id = :projectId AND NOT ${isOpen} AND c.upstream_gone_at IS NULL
       AND (a.kind = 'report' OR a.present = 1 OR a.sha256 IS NOT NULL)
     GROUP BY c.key HAVING COUNT(*) = COUNT(a.sha256)
       AND NOT EXISTS (SELECT 1 FROM assets d INDEXED BY assets_damaged WHERE d.checklist_key = c.key
         AND d.damage IS NOT NULL)`,
  )
  const open = {
    incomplete: prepareOpen(db, 'incomplete'),
    waiting: prepareOpen(db, 'waiting'),
    attention: prepareOpen(db, 'attention'),
  }
  const assets = db.prepare<[number], CatalogAsset>(
    `SELECT id, question_key AS questionKey, kind, remote_key AS remoteKey, path, taken_at AS takenAt, latitude,
       longitude, present, sha256, size_bytes AS sizeBytes, confirmed_fingerprint AS confirmedFingerprint, damage
     FROM assets WHERE checklist_key = ? ORDER BY id`,
  )
  const failures = {
    all: prepareFailures(db, 'TRUE'),
    project: prepareFailures(db, 'j.project_id = :projectId'),
    checklist: prepareFailures(
      db,
      `j.project_id = :projectId AND j.asset_id IN (SELECT a.id FROM assets a
      JOIN checklists c ON c.key = a.checklist_key WHERE c.project_id = :projectId AND c.id = :checklistId)`,
    ),
  }

  return {
    projects: (query: ProjectQuery, now: string) => {
      const { filter, sort, descending, offset, limit } = query
      const key = `${filter} ${sort} ${descending}`
      const statements = prepared.get(key) ?? prepareProjects(db, query)
      prepared.set(key, statements)
      const pattern = toPattern(query.search)
      const total = statements.count.get({ search: pattern, now })?.count ?? 0
      return { total, rows: statements.page.all({ search: pattern, offset, limit, now }) }
    },
    /** Returns only ids and names, for the given page. */
    projectNames: (query: ProjectQuery, now: string) => {
      const { search, offset, limit } = query
      return prepareNames(db, query).all({ search: toPattern(search), offset, limit, now })
    },
    project: (id: string, now: string) => project.get({ id, now }),
    /** Files of removed projects are counted, as they are in the archive; their waiting and failed jobs are not. */
    counts: (now: string) => counts.get({ now }),
    /** Returns when the next failure starts to need attention, or `null`. */
    nextAttentionAt: (now: string) => nextAttention.get({ now })?.at ?? null,
    /** Failures that need attention, by cause; the most common first. */
    causes: (now: string) => causes.all({ now }),
    /** Archived files of removed projects. */
    removedFiles: () => removedFiles.get()?.count ?? 0,
    /** IDs of the active projects that have this cause themselves, or in a checklist. */
    projectsOfCause: (cause: AttentionCause, now: string) => ofCause.all({ cause, now }).map(({ id }) => id),
    /** Active projects that need attention because their last try ended with an error of this cause. */
    failingProjects: (cause: AttentionCause, limit: number, now: string) => failing.all({ cause, limit, now }),
    countChecklists: (projectId: string) => countChecklists.get(projectId)?.count ?? 0,
    /** Oldest first. A negative limit means no limit. */
    checklists: (projectId: string, { offset, limit }: Cut) => checklists.all({ projectId, offset, limit }),
    checklist: (projectId: string, id: string) => checklist.get({ projectId, id }),
    /** Returns the complete checklists of a project without jobs, except those without files. */
    closedChecklists: (projectId: string) => closed.all({ projectId }),
    /** Returns open checklists of active projects, newest first. */
    openChecklists: ({ filter, cause, offset, limit }: ChecklistQuery, now: string) => ({
      total: open[filter].count.get({ cause: cause ?? null, now })?.count ?? 0,
      rows: open[filter].page.all({ cause: cause ?? null, now, offset, limit }),
    }),
    assets: (checklistKey: number) => assets.all(checklistKey),
    /** Returns the failed files that need attention, of a checklist (with both ids), of a project, or of all. */
    failures: ({ offset, limit, projectId, checklistId, cause }: Cut & FailureFilter, now: string) => {
      const filter = { projectId, checklistId, cause, now }
      const { count, page } = failures[projectId === null ? 'all' : checklistId === null ? 'project' : 'checklist']
      return { total: count.get(filter)?.count ?? 0, rows: page.all({ offset, limit, ...filter }) }
    },
  }
}

function prepareProjects(db: Db, { filter, sort, descending }: ProjectQuery) {
  return {
    count: db.prepare<{ search: string } & Now, { count: number }>(
      `SELECT COUNT(*) AS count FROM projects p WHERE ${where(filter)}`,
    ),
    page: db.prepare<{ search: string } & Cut & Now, CatalogProject>(
      `SELECT ${projectColumns} FROM projects p JOIN (
       SELECT p.id AS wanted FROM projects p WHERE ${where(filter)}
       ORDER BY ${ordered(orders[sort], descending)} LIMIT :limit OFFSET :offset) ON p.id = wanted
     ORDER BY ${ordered(orders[sort], descending)}`,
    ),
  }
}

function prepareNames(db: Db, { filter, sort, descending }: ProjectQuery) {
  return db.prepare<{ search: string } & Cut & Now, { id: string; name: string | null }>(
    `SELECT p.id, p.name FROM projects p WHERE ${where(filter)}
     ORDER BY ${ordered(orders[sort], descending)} LIMIT :limit OFFSET :offset`,
  )
}

/** Only the filter `attention` uses them. */
type OpenFilter = Now & { readonly cause: AttentionCause | null }

function prepareOpen(db: Db, filter: ChecklistQuery['filter']) {
  const damaged = `UNION ALL SELECT DISTINCT c.key FROM ${damagedFiles} JOIN projects p ON p.id = c.project_id
    WHERE NOT ${isOpen} AND p.removed_at IS NULL`
  const keys = `SELECT c.key FROM checklists c INDEXED BY checklists_open JOIN projects p ON p.id = c.project_id
    WHERE ${isOpen} AND p.removed_at IS NULL AND ${openFilters[filter]} ${filter === 'incomplete' ? damaged : ''}`
  return {
    count: db.prepare<OpenFilter, { count: number }>(`SELECT COUNT(*) AS count FROM (${keys})`),
    page: db.prepare<OpenFilter & Cut, CatalogOpenChecklist>(
      `SELECT ${checklistColumns}, project_id AS projectId,
         (SELECT p.name FROM projects p WHERE p.id = project_id) AS projectName
       FROM checklists WHERE key IN (${keys} ORDER BY c.key DESC LIMIT :limit OFFSET :offset)
       ORDER BY key DESC`,
    ),
  }
}

function prepareCauses(db: Db) {
  return db.prepare<Now, CatalogCause>(
    `SELECT cause, SUM(projects) AS projects, SUM(checklists) AS checklists, SUM(files) AS files,
       SUM(previews) AS previews,
       CASE WHEN MIN(least) = MAX(greatest) THEN MIN(least) END AS message, MIN(next) AS nextTryAt
     FROM (
       SELECT ${causeOf('p')} AS cause, COUNT(*) AS projects, 0 AS checklists, 0 AS files, 0 AS previews,
         MIN(p.error_message) AS least, MAX(p.error_message) AS greatest, NULL AS next
       FROM projects p WHERE p.removed_at IS NULL AND p.error_code IS NOT NULL AND ${isDue('p')} GROUP BY 1
       UNION ALL
       SELECT ${causeOfChecklist}, 0, COUNT(*), 0, 0,
         MIN(CASE WHEN c.status <> 'pdfProcessingFailed' THEN c.error_message END),
         MAX(CASE WHEN c.status <> 'pdfProcessingFailed' THEN c.error_message END), NULL
       FROM checklists c INDEXED BY checklists_open JOIN projects p ON p.id = c.project_id
       WHERE ${isOpen} AND ${isTroubled} AND p.removed_at IS NULL GROUP BY 1
       UNION ALL
       SELECT ${causeOf('j')}, 0, 0, COUNT(*) FILTER (WHERE NOT ${isPreview}), COUNT(*) FILTER (WHERE ${isPreview}),
         MIN(j.error_message), MAX(j.error_message), MIN(j.next_try_at)
       FROM projects p CROSS JOIN jobs j ON j.project_id = p.id AND ${isFailed} AND ${isDue('j')}
       WHERE p.removed_at IS NULL GROUP BY 1)
     GROUP BY cause ORDER BY SUM(projects) + SUM(checklists) + SUM(files) DESC, SUM(previews) DESC, cause`,
  )
}

/** Prepares the statements for failed files; `condition` is one on a job `j`. */
function prepareFailures(db: Db, condition: string) {
  const isOf = `${condition} AND ${isDue('j')} AND (:cause IS NULL OR ${causeOf('j')} = :cause)`
  return {
    // One index search per project, instead of looking up the project of every job.
    count: db.prepare<FailureFilter & Now, { count: number }>(
      `SELECT COALESCE(SUM((SELECT COUNT(*) FROM jobs j WHERE j.project_id = p.id AND ${isFailed} AND ${isOf})), 0)
       AS count
     FROM projects p
     WHERE p.removed_at IS NULL AND (:projectId IS NULL OR p.id = :projectId)`,
    ),
    page: db.prepare<FailureFilter & Cut & Now, CatalogFailure>(
      `SELECT j.asset_id AS assetId, j.project_id AS projectId, p.name AS projectName, c.id AS checklistId,
     c.title AS checklistTitle, a.kind, a.path, a.record, COALESCE(j.error_code, 'internal') AS code,
     COALESCE(j.error_message, '') AS message, j.attempts, j.next_try_at AS nextTryAt
   FROM (SELECT j.asset_id AS wanted FROM projects p CROSS JOIN jobs j ON j.project_id = p.id AND ${isFailed}
           CROSS JOIN assets a ON a.id = j.asset_id
         WHERE p.removed_at IS NULL AND ${isOf}
         ORDER BY p.id, a.checklist_key, j.asset_id LIMIT :limit OFFSET :offset)
     JOIN jobs j ON j.asset_id = wanted JOIN assets a ON a.id = wanted
     JOIN checklists c ON c.key = a.checklist_key JOIN projects p ON p.id = j.project_id
   ORDER BY j.project_id, a.checklist_key, j.asset_id`,
    ),
  }
}

function ordered(columns: readonly string[], descending: boolean): string {
  return columns.map((column) => `${column} ${descending ? 'DESC' : 'ASC'}`).join(', ')
}

/** Returns a LIKE pattern for the typed text, in which `%` and `_` are ordinary characters. */
function toPattern(search: string): string {
  const text = search.trim()
  return text === '' ? '' : `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
