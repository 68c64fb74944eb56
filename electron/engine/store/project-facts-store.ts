import { createHash } from 'node:crypto'
import { SqliteError } from 'better-sqlite3'
import type { AttentionCause } from '../../../shared/attention.ts'
import { once } from '../../../shared/format.ts'
import { projectFilters, type ProjectQuery } from '../../../shared/views.ts'
import {
  causeOf,
  causeOfChecklist,
  checklistConditions,
  isAskedFor,
  isDamagedOnly,
  isDue,
  isFailed,
  isOpen,
  isPreview,
  isReopened,
  isTroubled,
  isUnchecked,
  isUnread,
  lacksReport,
  openOfProject,
  projectConditions,
  unlinked,
  unlistedPhotosOf,
  wasAsked,
} from './conditions.ts'
import { type Db, withoutFlush } from './open-database.ts'

/** Counts of a project that come from evaluating its checklists; see `checklists/completeness.ts`. */
export interface EvaluatedCounts {
  readonly checklists: number
  readonly completeChecklists: number
  readonly waitingChecklists: number
  readonly expectedFiles: number
  readonly archivedFiles: number
  readonly expectedPreviews: number
  readonly archivedPreviews: number
}

/** Columns of `project_facts` whose sums are the archive's, by name. */
const countColumns = {
  projects: 'projects',
  knownChecklists: 'known_checklists',
  knownFiles: 'known_files',
  removedFiles: 'removed_files',
  unsyncedProjects: 'unsynced_projects',
  unreadProjects: 'unread_projects',
  projectsWithProblem: 'projects_with_problem',
  projectsRetrying: 'projects_retrying',
  troubledChecklists: 'troubled_checklists',
  checklistsRetrying: 'checklists_retrying',
  filesWaiting: 'files_waiting',
  filesFailed: 'files_failed',
  previewsFailed: 'previews_failed',
  filesRetrying: 'files_retrying',
  previewsRetrying: 'previews_retrying',
  checklists: 'checklists',
  completeChecklists: 'complete_checklists',
  waitingChecklists: 'waiting_checklists',
  expectedFiles: 'expected_files',
  archivedFiles: 'archived_files',
  expectedPreviews: 'expected_previews',
  archivedPreviews: 'archived_previews',
  photosNotUploaded: 'photos_not_uploaded',
  filesNotChecked: 'files_not_checked',
  checklistsNotChecked: 'checklists_not_checked',
  checklistsNeverRead: 'checklists_never_read',
  reportsPending: 'reports_pending',
  listedIncomplete: 'listed_incomplete',
  listedWaiting: 'listed_waiting',
} as const
type CountName = keyof typeof countColumns
const countNames = Object.keys(countColumns) as CountName[]

/** Sums over all projects, the removed ones included where a name says so. */
export type ArchiveTotals = Readonly<Record<CountName, number>>

const noTotals = Object.fromEntries(countNames.map((name) => [name, 0])) as ArchiveTotals

/** Counts that remain when a project is removed: its rows and files stay. */
const kept: readonly CountName[] = ['knownChecklists', 'knownFiles', 'removedFiles']

/** The bit in `project_facts.filters` of a filter of projects. */
export function filterBit(filter: ProjectQuery['filter']): number {
  return 2 ** projectFilters.indexOf(filter)
}

/** Separates name, address, and id in the text that searches look at. No search has one: see `toSearchText`. */
const separator = '\u001f'

/** Returns text as `project_facts.search` has it. ASCII letters match in either case, as with LIKE. */
export function toSearchText(search: string): string {
  return search
    .trim()
    .replaceAll(separator, ' ')
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

interface ProjectNow {
  readonly id: string
  /** ISO 8601 UTC. */
  readonly now: string
}

/** Everything of a row that does not come from the jobs or the evaluation. */
type OwnFacts = Record<
  Exclude<CountName, keyof EvaluatedCounts | 'filesFailed' | 'previewsFailed' | 'filesRetrying' | 'previewsRetrying'>,
  number
> & {
  readonly removed: 0 | 1
  readonly unnamed: 0 | 1
  readonly name: string | null
  readonly search: string
  readonly addedAt: string
  readonly lastSyncedAt: string | null
  readonly filters: number
  readonly attentionFrom: string | null
  readonly attentionUntil: string | null
}

interface CauseRow {
  readonly cause: AttentionCause
  readonly projects: number
  readonly checklists: number
  readonly files: number
  readonly previews: number
  readonly firstMessage: string | null
  readonly lastMessage: string | null
  readonly nextTryAt: string | null
}

interface FailedJobs extends Pick<CauseRow, 'cause' | 'firstMessage' | 'lastMessage' | 'nextTryAt'> {
  readonly due: 0 | 1
  readonly preview: 0 | 1
  readonly count: number
  /** Latest time at which a current failure began to need attention. */
  readonly attentionFrom: string | null
  /** Earliest time at which another failure will need it. */
  readonly attentionUntil: string | null
}

const ofProject = 'FROM checklists c WHERE c.project_id = p.id'
const waitingJobs = `SELECT COUNT(*) FROM jobs j
  WHERE j.project_id = p.id AND j.state IN ('queued', 'running') AND j.held = 0`
const files = `FROM checklists c CROSS JOIN assets a INDEXED BY assets_for_ledger ON a.checklist_key = c.key
  WHERE c.project_id = p.id`
const unlisted = (condition: string) => `SELECT COALESCE(SUM(${unlistedPhotosOf}), 0)
  FROM checklists c INDEXED BY checklists_open JOIN questions q ON q.checklist_key = c.key
  WHERE c.project_id = p.id AND ${isOpen} AND ${isAskedFor} AND ${condition}`

/** SQL of a project's own facts, for a project `p`. */
const ownFacts: Readonly<Record<keyof OwnFacts, string>> = {
  removed: 'p.removed_at IS NOT NULL',
  unnamed: 'p.name IS NULL',
  name: 'p.name',
  search: `lower(COALESCE(p.name, '') || '${separator}' || COALESCE(p.address, '') || '${separator}' || p.id)`,
  addedAt: 'p.added_at',
  lastSyncedAt: 'p.last_synced_at',
  filters: projectFilters.map((filter) => `IIF(${projectConditions[filter]}, ${filterBit(filter)}, 0)`).join(' | '),
  attentionFrom: attentionTime('MAX', '<='),
  attentionUntil: attentionTime('MIN', '>'),
  projects: '1',
  knownChecklists: `(SELECT COUNT(*) ${ofProject})`,
  knownFiles: `(SELECT COUNT(*) ${files})`,
  removedFiles: `IIF(p.removed_at IS NULL, 0, (SELECT COUNT(a.sha256) ${files}))`,
  unsyncedProjects: 'p.last_synced_at IS NULL',
  unreadProjects: isUnread,
  projectsWithProblem: `(p.error_code IS NOT NULL AND ${isDue('p')})`,
  projectsRetrying: `(p.error_code IS NOT NULL AND NOT ${isDue('p')})`,
  troubledChecklists: `(SELECT COUNT(*) ${openOfProject} AND ${isTroubled})`,
  checklistsRetrying: `(SELECT COUNT(*) ${openOfProject}
    AND c.upstream_gone_at IS NULL AND c.error_code IS NOT NULL AND NOT ${isTroubled})`,
  filesWaiting: `(${waitingJobs})`,
  photosNotUploaded: `((${unlisted(wasAsked)}) + (SELECT COUNT(*) ${unlinked('photo')}))`,
  filesNotChecked: `((${unlisted(`NOT ${wasAsked}`)})
    + (SELECT COUNT(*) ${openOfProject} AND c.read_fingerprint IS NOT c.fingerprint AND ${lacksReport}))`,
  checklistsNotChecked: `(SELECT COUNT(*) ${openOfProject} AND ${isUnchecked})`,
  checklistsNeverRead: `(SELECT COUNT(*) ${openOfProject} AND ${isUnchecked} AND c.detail_raw IS NULL)`,
  reportsPending: `((SELECT COUNT(*) ${openOfProject} AND c.read_fingerprint IS c.fingerprint AND ${lacksReport})
    + (SELECT COUNT(*) ${unlinked('report')}))`,
  listedIncomplete: `((SELECT COUNT(*) ${openOfProject}) + (SELECT COUNT(*) ${ofProject} AND ${isDamagedOnly}))`,
  listedWaiting: `(SELECT COUNT(*) ${openOfProject} AND ${checklistConditions.waiting})`,
}

/** SQL of the attention times of a project `p` and its checklists that are nearest to now, on one side. */
function attentionTime(which: 'MIN' | 'MAX', side: '<=' | '>'): string {
  return `(SELECT ${which}(at) FROM (
    SELECT p.attention_at AS at WHERE p.error_code IS NOT NULL
    UNION ALL SELECT c.attention_at ${openOfProject} AND c.error_code IS NOT NULL) WHERE at ${side} :now)`
}

const ownFactsSql = `SELECT ${Object.entries(ownFacts)
  .map(([name, sql]) => `${sql} AS ${name}`)
  .join(', ')} FROM projects p WHERE p.id = :id`

const failedJobsSql = `SELECT ${causeOf('j')} AS cause, ${isDue('j')} AS due, ${isPreview} AS preview,
    COUNT(*) AS count, MIN(j.error_message) AS firstMessage, MAX(j.error_message) AS lastMessage,
    MIN(j.next_try_at) AS nextTryAt,
    MAX(j.attention_at) FILTER (WHERE j.attention_at <= :now) AS attentionFrom,
    MIN(j.attention_at) FILTER (WHERE j.attention_at > :now) AS attentionUntil
  FROM jobs j WHERE j.project_id = :id AND ${isFailed} GROUP BY 1, 2, 3`

const troubledSql = `SELECT ${causeOfChecklist} AS cause, COUNT(*) AS checklists,
    MIN(IIF(c.status <> 'pdfProcessingFailed', c.error_message, NULL)) AS firstMessage,
    MAX(IIF(c.status <> 'pdfProcessingFailed', c.error_message, NULL)) AS lastMessage
  FROM checklists c INDEXED BY checklists_open
  WHERE c.project_id = :id AND ${isOpen} AND ${isTroubled} GROUP BY 1`

const failedProjectSql = `SELECT ${causeOf('p')} AS cause, error_message AS message FROM projects p
  WHERE p.id = :id AND p.error_code IS NOT NULL AND ${isDue('p')}`

const statusesSql = `SELECT p.id, c.status, c.upstream_gone_at IS NOT NULL AS gone, 1 AS one
    FROM projects p JOIN checklists c ON c.project_id = p.id WHERE p.id = :id AND ${isOpen}
  UNION ALL SELECT p.id, 'completed', 0, 1
    FROM projects p JOIN checklists c ON c.project_id = p.id WHERE p.id = :id AND ${isReopened}`

/**
 * Identifies the rules behind the facts, so that a Solarchive with other ones computes all facts again. The number
 * stands for the rules in `checklists/`: raise it whenever they evaluate rows in another way.
 */
const rules = once(() =>
  createHash('sha256')
    .update(JSON.stringify([4, projectFilters, ownFactsSql, failedJobsSql, troubledSql, failedProjectSql, statusesSql]))
    .digest('hex'),
)

const tables = [
  'project_facts',
  'project_causes',
  'project_statuses',
  'project_totals',
  'checklist_facts',
  'stale_projects',
  'stale_checklists',
]

/**
 * Facts of each project, and their sums; see `project-facts-schema.ts`. `refresh` computes those that are stale. An
 * owner writes them to the database. Where that is impossible (another process is the owner, or the disk is full), they
 * are kept in temporary tables of the same names, which SQL finds first, until the database changes: `version` returns
 * another value after each write to it.
 */
export function createProjectFactsStore(db: Db, version: () => string) {
  const queries = prepareFacts(db)
  const writer = new FactsWriter(db, queries)
  const shadow = new Shadow(db, version)

  return {
    /** Computes the facts that do not hold, so that the reads of facts that follow are exact. */
    refresh(options: RefreshOptions): void {
      shadow.dropOutdated()
      if (!writer.isStale(options.now)) return
      const put = () => writer.putStale(options)
      if (db.readonly || shadow.exists) return shadow.write(put)
      try {
        // If facts are lost, the projects are still marked as stale.
        withoutFlush(db, put)
      } catch (error) {
        if (!isDiskError(error)) throw error
        shadow.write(put)
      }
    },
    /** IDs of checklists of a project whose facts do not hold. */
    staleChecklists: (projectId: string, limit: number): string[] =>
      queries.staleChecklists.all({ id: projectId, limit }).map(({ id }) => id),
    /**
     * Keeps facts of checklists of a project, as JSON by key. Those of the project itself are computed with `refresh`.
     * Returns false if the disk cannot take them.
     */
    keepChecklists(projectId: string, facts: ReadonlyMap<number, string>): boolean {
      try {
        withoutFlush(db, () => {
          queries.markProject.run({ id: projectId })
          for (const [key, json] of facts) {
            queries.putChecklist.run({ key, facts: json })
            queries.unmarkChecklist.run({ key })
          }
        })
        return true
      } catch (error) {
        if (!isDiskError(error)) throw error
        return false
      }
    },
    /** Facts of a project's checklists that were evaluated before, and not changed since, as JSON by key. */
    checklists: (projectId: string): ReadonlyMap<number, string> =>
      new Map(queries.checklists.all(projectId).map(({ key, facts }) => [key, facts])),
    checklist: (key: number) => queries.checklist.get(key)?.facts,
    /** Keeps facts of a checklist while its project is evaluated. */
    putChecklist: (key: number, facts: string) => void queries.putChecklist.run({ key, facts }),
    totals: (): ArchiveTotals => writer.totals(),
    /** Incomplete checklists by status, the most common first. */
    statuses: () => queries.statuses.all(),
  }
}

type Evaluate = (projectId: string, hasJobs: boolean) => EvaluatedCounts

interface RefreshOptions {
  /** ISO 8601 UTC. */
  readonly now: string
  /** Returns the counts of an active project. */
  readonly evaluate: Evaluate
  /** ID of the only project whose facts are computed; all by default. */
  readonly only?: string | undefined
}

/** Incomplete checklists of one status. `gone`: the service does not list them any more. */
export interface StatusCount {
  readonly status: string
  readonly gone: 0 | 1
  readonly checklists: number
}

/** Computes the facts of projects, and writes them to the tables that SQL finds. */
class FactsWriter {
  readonly #db: Db
  readonly #queries: ReturnType<typeof prepareFacts>

  constructor(db: Db, queries: ReturnType<typeof prepareFacts>) {
    this.#db = db
    this.#queries = queries
  }

  /** Returns whether any facts do not hold. */
  isStale(now: string): boolean {
    return !this.#isCurrent() || this.#queries.stale.all({ now, limit: 1 }).length > 0
  }

  totals(): Record<CountName, number> {
    const stored = this.#queries.totals.get()
    return { ...noTotals, ...(stored === undefined ? {} : (JSON.parse(stored.totals) as Partial<ArchiveTotals>)) }
  }

  /** Computes the facts that do not hold. Must be called in a transaction. */
  putStale({ now, evaluate, only }: RefreshOptions): void {
    const queries = this.#queries
    if (!this.#isCurrent()) this.#forgetAll()
    const stale = only === undefined ? queries.stale.all({ now, limit: -1 }) : [{ id: only }]
    const sums = this.totals()
    for (const { id } of stale) {
      queries.removeStaleChecklists.run({ id })
      const before = queries.counts.get({ id })
      if (before !== undefined) {
        queries.clearCauses.run({ id })
        queries.clearStatuses.run({ id })
      }
      const after = this.#put(id, now, evaluate)
      for (const name of countNames) sums[name] += after[name] - (before?.[name] ?? 0)
      queries.unmarkChecklists.run({ id })
      queries.unmarkProject.run({ id })
    }
    queries.setTotals.run({ totals: JSON.stringify(sums) })
  }

  #isCurrent(): boolean {
    return this.#queries.totals.get()?.rules === rules()
  }

  /** Removes all facts, which other rules computed, and marks all projects as stale. */
  #forgetAll(): void {
    for (const name of tables) this.#db.exec(`DELETE FROM ${name}`)
    this.#db.exec('INSERT INTO stale_projects SELECT id FROM projects')
    this.#queries.putTotals.run({ rules: rules(), totals: '{}' })
  }

  /** Computes the facts of a project. Returns its counts. */
  #put(id: string, now: string, evaluate: Evaluate): ArchiveTotals {
    const queries = this.#queries
    const own = queries.own.get({ id, now })
    if (own === undefined) {
      queries.clear.run({ id })
      return noTotals
    }
    const isActive = own.removed === 0
    const failed = isActive ? queries.failedJobs.all({ id, now }) : []
    const add = (due: 0 | 1, preview: 0 | 1) =>
      failed.reduce((sum, row) => (row.due === due && row.preview === preview ? sum + row.count : sum), 0)
    const all: Record<CountName, number> = {
      ...noTotals,
      ...own,
      filesFailed: add(1, 0),
      previewsFailed: add(1, 1),
      filesRetrying: add(0, 0),
      previewsRetrying: add(0, 1),
      ...(isActive && evaluate(id, own.filesWaiting + failed.length > 0)),
    }
    const counts = isActive ? all : { ...noTotals, ...Object.fromEntries(kept.map((name) => [name, all[name]])) }
    const times = (name: 'attentionFrom' | 'attentionUntil') =>
      [own, ...failed].flatMap((row) => row[name] ?? []).sort()
    queries.put.run({
      ...own,
      ...Object.fromEntries(countNames.map((name) => [name, counts[name]])),
      id,
      validFrom: times('attentionFrom').at(-1) ?? null,
      validUntil: times('attentionUntil').at(0) ?? null,
      failures: counts.filesFailed + counts.previewsFailed,
    })
    if (isActive) {
      for (const row of this.#causesOf(own, { id, now }, failed)) queries.putCause.run({ id, ...row })
      if ((own.filters & filterBit('incomplete')) !== 0) queries.putStatuses.run({ id })
    }
    return counts
  }

  /** Returns what needs attention in a project, one row for each cause. */
  #causesOf(own: OwnFacts, of: ProjectNow, failed: readonly FailedJobs[]): CauseRow[] {
    const none = { projects: 0, checklists: 0, files: 0, previews: 0, nextTryAt: null }
    const project = own.projectsWithProblem === 0 ? undefined : this.#queries.failedProject.get(of)
    return sumByCause([
      ...(project === undefined
        ? []
        : [{ ...none, ...project, projects: 1, firstMessage: project.message, lastMessage: project.message }]),
      ...(own.troubledChecklists === 0 ? [] : this.#queries.troubled.all(of)).map((row) => ({ ...none, ...row })),
      ...failed
        .filter(({ due }) => due === 1)
        .map(({ count, preview, ...row }) => ({
          ...none,
          ...row,
          ...(preview === 1 ? { previews: count } : { files: count }),
        })),
    ])
  }
}

function sumByCause(rows: readonly CauseRow[]): CauseRow[] {
  return [...Map.groupBy(rows, ({ cause }) => cause)].map(([cause, same]) => {
    const sum = (name: 'projects' | 'checklists' | 'files' | 'previews') =>
      same.reduce((total, row) => total + row[name], 0)
    const texts = (name: 'firstMessage' | 'lastMessage' | 'nextTryAt') => same.flatMap((row) => row[name] ?? []).sort()
    return {
      cause,
      projects: sum('projects'),
      checklists: sum('checklists'),
      files: sum('files'),
      previews: sum('previews'),
      firstMessage: texts('firstMessage').at(0) ?? null,
      lastMessage: texts('lastMessage').at(-1) ?? null,
      nextTryAt: texts('nextTryAt').at(0) ?? null,
    }
  })
}

/** Temporary copies of the tables, which hold until the database changes. */
class Shadow {
  readonly #db: Db
  readonly #version: () => string
  readonly #findTable
  /** Version of the database that the copies belong to. */
  #of: string | undefined

  constructor(db: Db, version: () => string) {
    this.#db = db
    this.#version = version
    this.#findTable = db.prepare<[], { one: 1 }>(`SELECT 1 AS one FROM sqlite_temp_schema WHERE name = 'project_facts'`)
  }

  /** Temporary tables go with a transaction that is rolled back. */
  get exists(): boolean {
    return this.#of !== undefined && this.#findTable.get() !== undefined
  }

  /** Runs `put` in a transaction that writes to the copies, which are created if needed. */
  write(put: () => void): void {
    this.#db
      .transaction(() => {
        if (!this.exists) this.#create()
        put()
      })
      .deferred()
    this.#of = this.#version()
  }

  /** Drops the copies if the database has changed since. */
  dropOutdated(): void {
    if (this.#of === undefined || this.#of === this.#version()) return
    for (const name of tables) this.#db.exec(`DROP TABLE IF EXISTS temp.${name}`)
    this.#of = undefined
  }

  /** Copies the tables, with their indexes. */
  #create(): void {
    const db = this.#db
    const definitions = db
      .prepare<{ tables: string }, { type: string; name: string; sql: string }>(
        `SELECT type, name, sql FROM main.sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL
           AND tbl_name IN (SELECT value FROM json_each(:tables)) ORDER BY type DESC`,
      )
      .all({ tables: JSON.stringify(tables) })
    for (const { type, name, sql } of definitions) {
      if (type === 'table') {
        db.exec(sql.replace('CREATE TABLE ', 'CREATE TEMP TABLE '))
        db.exec(`INSERT INTO temp.${name} SELECT * FROM main.${name}`)
      } else db.exec(sql.replace('CREATE INDEX ', 'CREATE INDEX temp.'))
    }
  }
}

function isDiskError(error: unknown): boolean {
  return error instanceof SqliteError && /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(error.code)
}

/** Prepares the statements of the store. */
function prepareFacts(db: Db) {
  type Id = { readonly id: string }
  const columns = Object.entries(countColumns)
  const keysOf = 'SELECT key FROM checklists WHERE project_id = :id'
  return {
    totals: db.prepare<[], { rules: string; totals: string }>('SELECT rules, totals FROM project_totals'),
    setTotals: db.prepare<{ totals: string }>('UPDATE project_totals SET totals = :totals'),
    putTotals: db.prepare<{ rules: string; totals: string }>('INSERT INTO project_totals VALUES (:rules, :totals)'),
    stale: db.prepare<{ now: string; limit: number }, Id>(
      `SELECT project_id AS id FROM stale_projects
       UNION SELECT c.project_id FROM stale_checklists s CROSS JOIN checklists c ON c.key = s.key
       UNION SELECT project_id FROM project_facts WHERE valid_from IS NOT NULL AND valid_from > :now
       UNION SELECT project_id FROM project_facts WHERE valid_until IS NOT NULL AND valid_until <= :now LIMIT :limit`,
    ),
    unmarkProject: db.prepare<Id>('DELETE FROM stale_projects WHERE project_id = :id'),
    unmarkChecklists: db.prepare<Id>(`DELETE FROM stale_checklists WHERE key IN (${keysOf})`),
    staleChecklists: db.prepare<Id & { limit: number }, Id>(
      `SELECT c.id FROM checklists c CROSS JOIN stale_checklists s ON s.key = c.key
       WHERE c.project_id = :id LIMIT :limit`,
    ),
    markProject: db.prepare<Id>('INSERT OR IGNORE INTO stale_projects VALUES (:id)'),
    unmarkChecklist: db.prepare<{ key: number }>('DELETE FROM stale_checklists WHERE key = :key'),
    removeStaleChecklists: db.prepare<Id>(
      `DELETE FROM checklist_facts WHERE key IN (
         SELECT s.key FROM stale_checklists s WHERE s.key IN (${keysOf}))`,
    ),
    checklists: db.prepare<[string], { key: number; facts: string }>(
      `SELECT f.key, f.facts FROM checklists c CROSS JOIN checklist_facts f ON f.key = c.key
       WHERE c.project_id = ?`,
    ),
    checklist: db.prepare<[number], { facts: string }>('SELECT facts FROM checklist_facts WHERE key = ?'),
    putChecklist: db.prepare<{ key: number; facts: string }>(
      'INSERT OR REPLACE INTO checklist_facts VALUES (:key, :facts)',
    ),
    own: db.prepare<ProjectNow, OwnFacts>(ownFactsSql),
    failedJobs: db.prepare<ProjectNow, FailedJobs>(failedJobsSql),
    troubled: db.prepare<ProjectNow, Omit<CauseRow, 'projects' | 'files' | 'previews' | 'nextTryAt'>>(troubledSql),
    failedProject: db.prepare<ProjectNow, { cause: AttentionCause; message: string | null }>(failedProjectSql),
    counts: db.prepare<Id, ArchiveTotals>(
      `SELECT ${columns.map(([name, column]) => `${column} AS ${name}`).join(', ')} FROM project_facts
       WHERE project_id = :id`,
    ),
    put: db.prepare<Record<string, unknown>>(
      `INSERT OR REPLACE INTO project_facts (project_id, removed, unnamed, name, search, added_at, last_synced_at,
         filters, valid_from, valid_until, failures, ${columns.map(([, column]) => column).join(', ')})
       VALUES (:id, :removed, :unnamed, :name, :search, :addedAt, :lastSyncedAt, :filters, :validFrom, :validUntil,
         :failures, ${columns.map(([name]) => `:${name}`).join(', ')})`,
    ),
    clear: db.prepare<Id>('DELETE FROM project_facts WHERE project_id = :id'),
    putCause: db.prepare<CauseRow & Id>(
      `INSERT INTO project_causes VALUES (:cause, :id, :projects, :checklists, :files, :previews, :firstMessage,
         :lastMessage, :nextTryAt)`,
    ),
    clearCauses: db.prepare<Id>('DELETE FROM project_causes WHERE project_id = :id'),
    putStatuses: db.prepare<Id>(
      `INSERT INTO project_statuses SELECT id, status, gone, COUNT(*) FROM (${statusesSql}) GROUP BY 1, 2, 3`,
    ),
    clearStatuses: db.prepare<Id>('DELETE FROM project_statuses WHERE project_id = :id'),
    statuses: db.prepare<[], StatusCount>(
      `SELECT status, gone, SUM(checklists) AS checklists FROM project_statuses GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2`,
    ),
  }
}
