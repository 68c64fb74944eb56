import type { ErrorCode } from '../../../shared/error-policy.ts'
import type { Db } from './open-database.ts'

/**
 * `fetch` gets a file that is not archived; `recheck` asks whether an archived one has changed; `refetch` gets it again
 * because it may be another file now.
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
  readonly partBytes: number | null
  readonly partEtag: string | null
}

export interface JobFailure {
  readonly assetId: number
  readonly code: ErrorCode
  readonly message: string
  readonly nextTryAt: string | null
}

/** A file that failed. Times are ISO 8601 UTC; `path` is relative to the archive root. */
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
  /** Null for the report. */
  readonly questionKey: number | null
}

/** A failed file that is tried again, and how often in a row it has failed. */
export interface Requeued {
  readonly assetId: number
  readonly attempts: number
}

export interface UnfinishedPart {
  readonly bytes: number
  readonly etag: string
}

const columns = `jobs.asset_id AS assetId, jobs.project_id AS projectId, jobs.purpose, jobs.state, jobs.attempts,
  jobs.next_try_at AS nextTryAt, jobs.error_code AS errorCode, jobs.error_message AS errorMessage, jobs.part_bytes AS partBytes,
  jobs.part_etag AS partEtag`

/**
 * A checklist that is not listed any more may be listed again: a short list can be a mistake. Its files wait until then.
 */
const isListed = `NOT EXISTS (SELECT 1 FROM assets a JOIN checklists c ON c.key = a.checklist_key
  WHERE a.id = jobs.asset_id AND c.upstream_gone_at IS NOT NULL)`

/** What is still to be downloaded: a row goes away in the transaction that records the file. */
export function createJobsStore(db: Db) {
  const enqueue = db.prepare<{ assetId: number; projectId: string; purpose: JobPurpose }>(
    `INSERT INTO jobs (asset_id, project_id, purpose, state) VALUES (:assetId, :projectId, :purpose, 'queued')
     ON CONFLICT (asset_id) DO UPDATE SET
       purpose = CASE WHEN purpose = 'recheck' THEN excluded.purpose ELSE purpose END`,
  )
  const requeue = db.prepare<[number], Requeued>(
    `UPDATE jobs SET state = 'queued', attempts = 0, next_try_at = NULL WHERE asset_id = ? AND state = 'failed'
     RETURNING asset_id AS assetId, attempts`,
  )
  const requeueDue = db.prepare<{ projectId: string; now: string; latest: string }, Requeued>(
    `UPDATE jobs SET state = 'queued', next_try_at = NULL
     WHERE project_id = :projectId AND state = 'failed'
       AND (next_try_at IS NULL OR next_try_at <= :now OR next_try_at > :latest)
     RETURNING asset_id AS assetId, attempts`,
  )
  const requeueFailed = db.prepare<[string], Requeued>(
    `UPDATE jobs SET state = 'queued', next_try_at = NULL WHERE project_id = ? AND state = 'failed'
     RETURNING asset_id AS assetId, attempts`,
  )
  const claim = db.prepare<{ projectId: string; limit: number }, JobRow>(
    `UPDATE jobs SET state = 'running' WHERE asset_id IN (
       SELECT asset_id FROM jobs WHERE project_id = :projectId AND state = 'queued' AND ${isListed}
       ORDER BY asset_id LIMIT :limit)
     RETURNING ${columns}`,
  )
  const finish = db.prepare<[number]>('DELETE FROM jobs WHERE asset_id = ?')
  const fail = db.prepare<JobFailure>(
    `UPDATE jobs SET state = 'failed', attempts = attempts + 1, error_code = :code, error_message = :message,
       next_try_at = :nextTryAt WHERE asset_id = :assetId`,
  )
  const release = db.prepare<[number]>(`UPDATE jobs SET state = 'queued' WHERE asset_id = ? AND state = 'running'`)
  const setPart = db.prepare<{ assetId: number; bytes: number | null; etag: string | null }>(
    'UPDATE jobs SET part_bytes = :bytes, part_etag = :etag WHERE asset_id = :assetId',
  )
  const resetRunning = db.prepare<[]>(`UPDATE jobs SET state = 'queued' WHERE state = 'running'`)
  const requeueUnreachable = db.prepare<[]>(
    `UPDATE jobs SET state = 'queued', next_try_at = NULL
     WHERE state = 'failed' AND error_code LIKE 'unreachable-%'`,
  )
  // Of each project only the first such job is looked for: this is asked at every change.
  const hasJob = (which: string) => `EXISTS (SELECT 1 FROM jobs WHERE project_id = p.id AND ${which} AND ${isListed})`
  const firstTry = (which: string) =>
    `(SELECT next_try_at FROM jobs WHERE project_id = p.id AND state = 'failed' AND ${which} AND ${isListed}
      ORDER BY next_try_at LIMIT 1)`
  const projectsToWork = db.prepare<{ now: string; latest: string }, { projectId: string }>(
    `SELECT projectId FROM (
       SELECT id AS projectId,
         COALESCE(${firstTry('next_try_at <= :now')}, ${firstTry('next_try_at > :latest')}) AS dueAt,
         ${hasJob("state = 'queued'")} OR ${hasJob("state = 'failed' AND next_try_at IS NULL")} AS isWaiting
       FROM projects p WHERE removed_at IS NULL)
     WHERE dueAt IS NOT NULL OR isWaiting ORDER BY dueAt IS NULL, dueAt`,
  )
  const listFailed = db.prepare<{ limit: number }, FailedFile>(
    `SELECT jobs.asset_id AS assetId, jobs.project_id AS projectId, a.path, jobs.error_code AS code,
       jobs.error_message AS message, jobs.attempts, jobs.next_try_at AS nextTryAt
     FROM jobs JOIN assets a ON a.id = jobs.asset_id WHERE jobs.state = 'failed'
     ORDER BY jobs.next_try_at, jobs.asset_id LIMIT :limit`,
  )
  const requeueEvery = db.prepare<[], Requeued>(
    `UPDATE jobs SET state = 'queued', next_try_at = NULL WHERE state = 'failed'
       AND project_id IN (SELECT id FROM projects WHERE removed_at IS NULL)
     RETURNING asset_id AS assetId, attempts`,
  )
  const nextTryAt = db.prepare<{ now: string }, { at: string | null }>(
    `SELECT MIN(next_try_at) AS at FROM jobs JOIN projects p ON p.id = project_id
     WHERE p.removed_at IS NULL AND state = 'failed' AND next_try_at > :now AND ${isListed}`,
  )
  const countQueued = db.prepare<[string], { count: number }>(
    `SELECT COUNT(*) AS count FROM jobs WHERE project_id = ? AND state = 'queued' AND ${isListed}`,
  )
  const countOpen = db.prepare<[string], { count: number }>(
    `SELECT COUNT(*) AS count FROM jobs WHERE project_id = ? AND state IN ('queued', 'running') AND ${isListed}`,
  )
  const isOpen = db.prepare<[number], { one: 1 }>('SELECT 1 AS one FROM jobs WHERE asset_id = ?')
  const listRunning = db.prepare<[], JobRow>(`SELECT ${columns} FROM jobs WHERE state = 'running' ORDER BY asset_id`)
  const listForProject = db.prepare<[string], JobRow>(
    `SELECT ${columns} FROM jobs WHERE jobs.project_id = ? ORDER BY jobs.asset_id`,
  )
  const listForChecklist = db.prepare<[number], JobRow>(
    `SELECT ${columns} FROM jobs JOIN assets a ON a.id = jobs.asset_id WHERE a.checklist_key = ? ORDER BY jobs.asset_id`,
  )
  const openForChecklist = db.prepare<[number], OpenJob>(
    `SELECT a.id AS assetId, a.question_key AS questionKey FROM assets a CROSS JOIN jobs ON jobs.asset_id = a.id
     WHERE a.checklist_key = ? AND jobs.state <> 'failed'`,
  )
  const hasForChecklist = db.prepare<[number], { has: 0 | 1 }>(
    `SELECT EXISTS (SELECT 1 FROM assets a CROSS JOIN jobs ON jobs.asset_id = a.id WHERE a.checklist_key = ?) AS has`,
  )
  const unfinishedParts = db.prepare<[], { assetId: number }>(
    'SELECT asset_id AS assetId FROM jobs WHERE part_bytes > 0',
  )

  return {
    /** Adds a job; one that is there already keeps its state and its next try. */
    enqueue: (assetId: number, projectId: string, purpose: JobPurpose) => {
      enqueue.run({ assetId, projectId, purpose })
    },
    /** Adds a job, or resets a failed one, because there is reason to expect success now. */
    enqueueAgain: (assetId: number, projectId: string, purpose: JobPurpose) => {
      enqueue.run({ assetId, projectId, purpose })
      requeue.all(assetId)
    },
    /** A user asked for a pass now: failed jobs do not wait for their next try. */
    requeueFailed: (projectId: string) => requeueFailed.all(projectId),
    /**
     * Queues failed jobs whose next try is due. A next try later than `latest` was set before the clock was set back, and
     * is due too.
     */
    requeueDue: (projectId: string, now: string, latest: string) => requeueDue.all({ projectId, now, latest }),
    /**
     * Takes up to `limit` queued jobs and marks them running. Those of a checklist that the service no longer lists wait:
     * it has no links for them, and may list it again.
     */
    claim: (projectId: string, limit: number) => claim.all({ projectId, limit }),
    finish: (assetId: number) => {
      finish.run(assetId)
    },
    fail: (failure: JobFailure) => {
      fail.run(failure)
    },
    /** Back into the queue without costing an attempt. */
    release: (assetId: number) => {
      release.run(assetId)
    },
    setPart: (assetId: number, part: UnfinishedPart | null) => {
      setPart.run({ assetId, bytes: part?.bytes ?? null, etag: part?.etag ?? null })
    },
    /** At start: queues the jobs that an ended process was running. */
    resetRunning: () => {
      resetRunning.run()
    },
    /** The network is back: jobs that failed without it are tried at once. */
    requeueUnreachable: () => {
      requeueUnreachable.run()
    },
    /** Active projects with files that wait, or whose next try has come (see `requeueDue`). */
    projectsToWork: (now: string, latest: string) =>
      projectsToWork.all({ now, latest }).map(({ projectId }) => projectId),
    /** The next ones first. */
    listFailed: (limit: number) => listFailed.all({ limit }),
    /** Queues a failed job again. */
    requeue: (assetId: number) => requeue.all(assetId),
    /** Those of active projects. */
    requeueEvery: () => requeueEvery.all(),
    /** The earliest next try of what failed in active projects, of those that have not come yet; null when none is to. */
    nextTryAt: (now: string) => nextTryAt.get({ now })?.at ?? null,
    /** How many wait to be claimed. */
    countQueued: (projectId: string) => countQueued.get(projectId)?.count ?? 0,
    /** How many wait or run. */
    countOpen: (projectId: string) => countOpen.get(projectId)?.count ?? 0,
    /** Whether the asset still has a job. */
    isOpen: (assetId: number) => isOpen.get(assetId) !== undefined,
    listRunning: () => listRunning.all(),
    listForProject: (projectId: string) => listForProject.all(projectId),
    listForChecklist: (checklistKey: number) => listForChecklist.all(checklistKey),
    /** Those that wait or run, in no order. */
    openForChecklist: (checklistKey: number) => openForChecklist.all(checklistKey),
    hasForChecklist: (checklistKey: number) => hasForChecklist.get(checklistKey)?.has === 1,
    /** Assets whose `.part` file may be continued. */
    assetsWithParts: () => unfinishedParts.all().map((row) => row.assetId),
  }
}
