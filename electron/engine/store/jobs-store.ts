import type { ErrorCode } from '../../../shared/error-policy.ts'
import { isNotUploaded } from './conditions.ts'
import { type Db, withoutFlush } from './open-database.ts'

/**
 * `fetch` downloads a file that is not archived; `recheck` asks whether an archived one has changed; `refetch`
 * downloads it again because it may have been replaced.
 */
export type JobPurpose = 'fetch' | 'recheck' | 'refetch'

export interface JobRow {
  readonly assetId: number
  readonly projectId: string
  readonly purpose: JobPurpose
  readonly state: 'queued' | 'running' | 'failed'
  readonly attempts: number
  readonly nextTryAt: string | null
  readonly errorCode: ErrorCode | null
  readonly errorMessage: string | null
  /** When a failed job starts to need attention; `null` if it needs it. */
  readonly attentionAt: string | null
  readonly partBytes: number | null
  readonly partEtag: string | null
  readonly partSourceHash: string | null
}

/** A job that was taken from the queue. */
export type ClaimedJob = Pick<
  JobRow,
  | 'assetId'
  | 'projectId'
  | 'purpose'
  | 'attempts'
  | 'errorCode'
  | 'attentionAt'
  | 'partBytes'
  | 'partEtag'
  | 'partSourceHash'
>

export interface JobFailure {
  readonly assetId: number
  readonly code: ErrorCode
  readonly message: string
  readonly nextTryAt: string | null
  readonly attentionAt: string
}

/**
 * A file whose download failed, unless it is only not uploaded yet. Times are ISO 8601 UTC; `path` is relative to the
 * archive root.
 */
export interface FailedFile {
  readonly assetId: number
  readonly projectId: string
  readonly path: string
  readonly code: ErrorCode
  readonly message: string
  readonly attempts: number
  readonly nextTryAt: string | null
}

export interface OpenJob {
  readonly assetId: number
  /** `null` for the report. */
  readonly questionKey: number | null
}

/** A failed file that is tried again, with its number of consecutive failures. */
export interface Requeued {
  readonly assetId: number
  readonly attempts: number
}

export interface WantedProjects {
  readonly limit: number
  readonly isWanted: (projectId: string) => boolean
}

export interface UnfinishedPart {
  readonly bytes: number
  readonly etag: string
  /** The URL identity that it came from; see `Link`. */
  readonly sourceHash: string | null
}

const columns = `jobs.asset_id AS assetId, jobs.project_id AS projectId, jobs.purpose, jobs.state, jobs.attempts,
  jobs.next_try_at AS nextTryAt, jobs.error_code AS errorCode, jobs.error_message AS errorMessage,
  jobs.attention_at AS attentionAt, jobs.part_bytes AS partBytes, jobs.part_etag AS partEtag,
  jobs.part_source_hash AS partSourceHash`

/**
 * Condition on a job: its project is active, and its checklist is listed. A missing checklist may be listed again,
 * because a short list can be a mistake; its files wait until then. Triggers keep the mark.
 */
const isFree = 'held = 0'

/** Failed jobs that are looked at together when projects to work on are searched. */
const dueJobsPerPage = 500

/** Pending downloads. A row is deleted in the transaction that records its file. */
export function createJobsStore(db: Db) {
  const queries = prepareQueries(db)
  const changes = prepareChanges(db)

  return {
    /** Adds a job; an existing one keeps its state and its next try. */
    enqueue: (assetId: number, projectId: string, purpose: JobPurpose) => {
      changes.enqueue.run({ assetId, projectId, purpose })
    },
    /** Adds a job, or resets a failed one, because success is likely now. */
    enqueueAgain: (assetId: number, projectId: string, purpose: JobPurpose) => {
      changes.enqueue.run({ assetId, projectId, purpose })
      changes.requeue.all(assetId)
    },
    /** Queues all failed jobs of a project, because a user asked for a pass now. */
    requeueFailed: (projectId: string) => changes.requeueFailed.all(projectId),
    /**
     * Queues failed jobs whose next try is due. A next try later than `latest` was set before the clock was set back,
     * and counts as due.
     */
    requeueDue: (projectId: string, now: string, latest: string) => changes.requeueDue.all({ projectId, now, latest }),
    /**
     * Takes up to `limit` queued jobs and marks them as running, except those of a checklist that is no longer listed:
     * the service has no links for them, and may list it again. Does not wait for the disk: a start queues them again.
     */
    claim: (projectId: string, limit: number) => withoutFlush(db, () => changes.claim.all({ projectId, limit })),
    finish: (assetId: number) => void changes.finish.run(assetId),
    fail: (failure: JobFailure) => void changes.fail.run(failure),
    /** Returns a running job to the queue without counting an attempt. */
    release: (assetId: number) => void changes.release.run(assetId),
    setPart: (assetId: number, part: UnfinishedPart | null) => {
      const { bytes = null, etag = null, sourceHash = null } = part ?? {}
      changes.setPart.run({ assetId, bytes, etag, sourceHash })
    },
    /** At start: queues the jobs that a previous process was running. */
    resetRunning: () => void changes.resetRunning.run(),
    /** Queues the jobs that failed without a network, because it is back. */
    requeueUnreachable: () => void changes.requeueUnreachable.run(),
    /**
     * Returns up to `limit` of the wanted active projects with failed files whose next try is due (see `requeueDue`),
     * the earliest first, then of those with queued files. Looks only at as many jobs as that takes.
     */
    projectsToWork: (now: string, latest: string, wanted: WantedProjects) =>
      findProjectsToWork(queries, { now, latest, ...wanted }),
    /** Returns the failed files of all or the named projects in the list, earliest next try first. */
    listFailed: (limit: number, projectIds: readonly string[] = []) =>
      queries.listFailed.all({ limit, projectIds: idsOrNull(projectIds) }),
    /** Returns the number of files that `listFailed` lists without a limit. */
    countFailed: (projectIds: readonly string[] = []) =>
      queries.countFailed.get({ projectIds: idsOrNull(projectIds) })?.count ?? 0,
    /** Queues a failed job again. */
    requeue: (assetId: number) => changes.requeue.all(assetId),
    /** Queues the failed jobs of all active projects, or those with one of these error codes. */
    requeueEvery: (codes: readonly ErrorCode[] | null = null) =>
      changes.requeueEvery.all({ codes: codes === null ? null : JSON.stringify(codes) }),
    /** Earliest future next try of files that can be downloaded, or `null` if there is none. */
    nextTryAt: (now: string) => queries.nextTryAt.get({ now })?.at ?? null,
    /** Number of queued jobs. */
    countQueued: (projectId: string) => queries.countQueued.get(projectId)?.count ?? 0,
    /** Number of queued and running jobs. */
    countOpen: (projectId: string) => queries.countOpen.get(projectId)?.count ?? 0,
    /** Returns whether the asset still has a job. */
    isOpen: (assetId: number) => queries.isOpen.get(assetId) !== undefined,
    /** Returns those of the assets that have a job. */
    openAmong: (assetIds: readonly number[]) => {
      const rows = queries.openAmong.all(JSON.stringify(assetIds))
      return new Set(rows.map(({ assetId }) => assetId))
    },
    listRunning: () => queries.listRunning.all(),
    listForChecklist: (checklistKey: number) => queries.listForChecklist.all(checklistKey),
    /** Returns the jobs of these checklists, with the errors of the failed ones. */
    errorsForChecklists: (checklistKeys: readonly number[]) =>
      queries.errorsForChecklists.all(JSON.stringify(checklistKeys)),
    /** Queued and running jobs, unordered. */
    openForChecklist: (checklistKey: number) => queries.openForChecklist.all(checklistKey),
    hasForChecklist: (checklistKey: number) => queries.hasForChecklist.get(checklistKey)?.has === 1,
    /** Assets whose `.part` file may be resumed. */
    assetsWithParts: () => queries.unfinishedParts.all().map((row) => row.assetId),
  }
}

/** Returns project IDs as a parameter; `null` means all projects. */
function idsOrNull(projectIds: readonly string[]): string | null {
  return projectIds.length === 0 ? null : JSON.stringify(projectIds)
}

type Queries = ReturnType<typeof prepareQueries>

function findProjectsToWork(
  queries: Queries,
  { now, latest, limit, isWanted }: WantedProjects & { readonly now: string; readonly latest: string },
): string[] {
  const found = new Set<string>()
  const isFull = () => found.size >= limit
  const add = (projectId: string) => {
    if (!isFull() && isWanted(projectId)) found.add(projectId)
  }
  const addDue = (statement: Queries['dueBy'], time: string) => {
    for (let offset = 0; !isFull(); offset += dueJobsPerPage) {
      const jobs = statement.all({ time, limit: dueJobsPerPage, offset })
      for (const { projectId } of jobs) add(projectId)
      if (jobs.length < dueJobsPerPage) return
    }
  }
  const addEach = (statement: Queries['nextQueued']) => {
    for (let after = ''; !isFull();) {
      const id = statement.get({ after })?.projectId ?? null
      if (id === null) return
      add(id)
      after = id
    }
  }
  addDue(queries.dueBy, now)
  addDue(queries.dueAfter, latest)
  addEach(queries.nextUntimed)
  addEach(queries.nextQueued)
  return [...found]
}

/** Prepares the statements that read jobs. */
function prepareQueries(db: Db) {
  const nextProject = (which: string) =>
    db.prepare<{ after: string }, { projectId: string | null }>(
      `SELECT MIN(project_id) AS projectId FROM jobs WHERE ${which} AND ${isFree} AND project_id > :after`,
    )
  const due = (which: string) =>
    db.prepare<{ time: string; limit: number; offset: number }, { projectId: string }>(
      `SELECT project_id AS projectId FROM jobs INDEXED BY jobs_failed
       WHERE state = 'failed' AND ${isFree} AND ${which} ORDER BY next_try_at LIMIT :limit OFFSET :offset`,
    )
  const isAsked = `project_id NOT IN (SELECT id FROM projects WHERE removed_at IS NOT NULL)
       AND (:projectIds IS NULL OR project_id IN (SELECT value FROM json_each(:projectIds)))`
  const isFailure = `state = 'failed' AND NOT ${isNotUploaded('jobs')} AND ${isAsked}`
  const failed = (held: 0 | 1) =>
    `SELECT * FROM (SELECT asset_id, next_try_at FROM jobs INDEXED BY jobs_failed
       WHERE held = ${held} AND ${isFailure} ORDER BY next_try_at LIMIT :limit)`
  return {
    dueBy: due('next_try_at <= :time'),
    dueAfter: due('next_try_at > :time'),
    nextUntimed: nextProject(`state = 'failed' AND next_try_at IS NULL`),
    nextQueued: nextProject(`state = 'queued'`),
    listFailed: db.prepare<{ limit: number; projectIds: string | null }, FailedFile>(
      `SELECT jobs.asset_id AS assetId, jobs.project_id AS projectId, a.path, jobs.error_code AS code,
       jobs.error_message AS message, jobs.attempts, IIF(jobs.held, NULL, jobs.next_try_at) AS nextTryAt
     FROM jobs JOIN assets a ON a.id = jobs.asset_id
     WHERE jobs.asset_id IN (SELECT asset_id FROM (${failed(0)} UNION ALL ${failed(1)}))
     ORDER BY jobs.next_try_at, jobs.asset_id LIMIT :limit`,
    ),
    countFailed: db.prepare<{ projectIds: string | null }, { count: number }>(
      `SELECT COUNT(*) AS count FROM jobs INDEXED BY jobs_failed WHERE ${isFailure}`,
    ),
    nextTryAt: db.prepare<{ now: string }, { at: string | null }>(
      `SELECT MIN(next_try_at) AS at FROM jobs WHERE state = 'failed' AND ${isFree} AND next_try_at > :now`,
    ),
    countQueued: db.prepare<[string], { count: number }>(
      `SELECT COUNT(*) AS count FROM jobs WHERE project_id = ? AND state = 'queued' AND ${isFree}`,
    ),
    countOpen: db.prepare<[string], { count: number }>(
      `SELECT COUNT(*) AS count FROM jobs WHERE project_id = ? AND state IN ('queued', 'running') AND ${isFree}`,
    ),
    isOpen: db.prepare<[number], { one: 1 }>('SELECT 1 AS one FROM jobs WHERE asset_id = ?'),
    openAmong: db.prepare<[string], { assetId: number }>(
      'SELECT asset_id AS assetId FROM jobs WHERE asset_id IN (SELECT value FROM json_each(?))',
    ),
    listRunning: db.prepare<[], JobRow>(`SELECT ${columns} FROM jobs WHERE state = 'running' ORDER BY asset_id`),
    listForChecklist: db.prepare<[number], JobRow>(
      `SELECT ${columns} FROM jobs JOIN assets a ON a.id = jobs.asset_id
     WHERE a.checklist_key = ? ORDER BY jobs.asset_id`,
    ),
    errorsForChecklists: db.prepare<
      [string],
      Pick<JobRow, 'assetId' | 'errorCode'> & { readonly checklistKey: number }
    >(
      `SELECT a.id AS assetId, a.checklist_key AS checklistKey, jobs.error_code AS errorCode
     FROM assets a CROSS JOIN jobs ON jobs.asset_id = a.id
     WHERE a.checklist_key IN (SELECT value FROM json_each(?)) ORDER BY a.id`,
    ),
    openForChecklist: db.prepare<[number], OpenJob>(
      `SELECT a.id AS assetId, a.question_key AS questionKey FROM assets a CROSS JOIN jobs ON jobs.asset_id = a.id
     WHERE a.checklist_key = ? AND jobs.state <> 'failed'`,
    ),
    hasForChecklist: db.prepare<[number], { has: 0 | 1 }>(
      `SELECT EXISTS (SELECT 1 FROM assets a CROSS JOIN jobs ON jobs.asset_id = a.id WHERE a.checklist_key = ?) AS has`,
    ),
    unfinishedParts: db.prepare<[], { assetId: number }>('SELECT asset_id AS assetId FROM jobs WHERE part_bytes > 0'),
  }
}

/** Prepares the statements that change jobs. */
function prepareChanges(db: Db) {
  return {
    // Two lookups, not a join: SQLite compiles a join with partial indexes again for each new value, which takes seven
    // times as long as the rest.
    enqueue: db.prepare<{ assetId: number; projectId: string; purpose: JobPurpose }>(
      `INSERT INTO jobs (asset_id, project_id, purpose, state, held)
     VALUES (:assetId, :projectId, :purpose, 'queued',
       (SELECT upstream_gone_at IS NOT NULL FROM checklists
        WHERE key = (SELECT checklist_key FROM assets WHERE id = :assetId))
       OR (SELECT removed_at IS NOT NULL FROM projects WHERE id = :projectId))
     ON CONFLICT (asset_id) DO UPDATE SET
       purpose = CASE WHEN purpose = 'recheck' THEN excluded.purpose ELSE purpose END`,
    ),
    requeue: db.prepare<[number], Requeued>(
      `UPDATE jobs SET state = 'queued', attempts = 0, next_try_at = NULL, attention_at = NULL
     WHERE asset_id = ? AND state = 'failed' RETURNING asset_id AS assetId, attempts`,
    ),
    requeueDue: db.prepare<{ projectId: string; now: string; latest: string }, Requeued>(
      `UPDATE jobs SET state = 'queued', next_try_at = NULL
     WHERE project_id = :projectId AND state = 'failed'
       AND (next_try_at IS NULL OR next_try_at <= :now OR next_try_at > :latest)
     RETURNING asset_id AS assetId, attempts`,
    ),
    requeueFailed: db.prepare<[string], Requeued>(
      `UPDATE jobs SET state = 'queued', next_try_at = NULL WHERE project_id = ? AND state = 'failed'
     RETURNING asset_id AS assetId, attempts`,
    ),
    claim: db.prepare<{ projectId: string; limit: number }, ClaimedJob>(
      `UPDATE jobs SET state = 'running' WHERE asset_id IN (
       SELECT asset_id FROM jobs WHERE project_id = :projectId AND state = 'queued' AND ${isFree}
       ORDER BY asset_id LIMIT :limit)
     RETURNING asset_id AS assetId, project_id AS projectId, purpose, attempts, error_code AS errorCode,
       attention_at AS attentionAt, part_bytes AS partBytes, part_etag AS partEtag, part_source_hash AS partSourceHash`,
    ),
    finish: db.prepare<[number]>('DELETE FROM jobs WHERE asset_id = ?'),
    fail: db.prepare<JobFailure>(
      `UPDATE jobs SET state = 'failed', attempts = attempts + 1, error_code = :code, error_message = :message,
       next_try_at = :nextTryAt, attention_at = :attentionAt WHERE asset_id = :assetId`,
    ),
    release: db.prepare<[number]>(`UPDATE jobs SET state = 'queued' WHERE asset_id = ? AND state = 'running'`),
    setPart: db.prepare<{ assetId: number; bytes: number | null; etag: string | null; sourceHash: string | null }>(
      `UPDATE jobs SET part_bytes = :bytes, part_etag = :etag, part_source_hash = :sourceHash
     WHERE asset_id = :assetId`,
    ),
    resetRunning: db.prepare<[]>(`UPDATE jobs SET state = 'queued' WHERE state = 'running'`),
    requeueUnreachable: db.prepare<[]>(
      `UPDATE jobs SET state = 'queued', next_try_at = NULL
     WHERE state = 'failed' AND error_code LIKE 'unreachable-%'`,
    ),
    requeueEvery: db.prepare<{ codes: string | null }, Requeued>(
      `UPDATE jobs SET state = 'queued', next_try_at = NULL WHERE state = 'failed'
       AND (:codes IS NULL OR error_code IN (SELECT value FROM json_each(:codes)))
       AND project_id IN (SELECT id FROM projects WHERE removed_at IS NULL)
     RETURNING asset_id AS assetId, attempts`,
    ),
  }
}
