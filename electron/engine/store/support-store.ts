import { z } from 'zod'
import type { Db } from './open-database.ts'
import type { PollFacts } from './projects-store.ts'

/** A project without names and addresses. */
export interface ProjectFacts extends Omit<PollFacts, 'triedAt'> {
  readonly removedAt: string | null
  readonly lastSyncedAt: string | null
  readonly errorCode: string | null
  readonly checksumsStale: 0 | 1
}

/** A group of similar jobs. */
export interface JobFacts {
  readonly projectId: string
  readonly purpose: string
  readonly state: string
  readonly errorCode: string | null
  readonly count: number
  readonly mostAttempts: number
  readonly nextTryAt: string | null
}

/** Shorter names would match parts of ordinary words. */
const minNameLength = 3

const integrityRows = z.array(z.object({ integrity_check: z.string() }))

/** Read-only queries about the whole database, for a support bundle. */
export function createSupportStore(db: Db) {
  const counts = db.prepare<[], { name: string; rows: number }>(
    `SELECT 'projects' AS name, COUNT(*) AS rows FROM projects
     UNION ALL SELECT 'checklists', COUNT(*) FROM checklists
     UNION ALL SELECT 'questions', COUNT(*) FROM questions
     UNION ALL SELECT 'assets', COUNT(*) FROM assets
     UNION ALL SELECT 'assets archived', COUNT(*) FROM assets WHERE sha256 IS NOT NULL
     UNION ALL SELECT 'jobs', COUNT(*) FROM jobs
     UNION ALL SELECT 'versions', COUNT(*) FROM versions
     UNION ALL SELECT 'replacements', COUNT(*) FROM replacements`,
  )
  const projects = db.prepare<[], ProjectFacts>(
    `SELECT id, added_at AS addedAt, removed_at AS removedAt, last_synced_at AS lastSyncedAt, polled_at AS polledAt,
       changed_at AS changedAt, reconciled_at AS reconciledAt, poll_failures AS pollFailures,
       error_code AS errorCode, checksums_stale AS checksumsStale FROM projects ORDER BY id`,
  )
  const jobs = db.prepare<[], JobFacts>(
    `SELECT project_id AS projectId, purpose, state, error_code AS errorCode, COUNT(*) AS count,
       MAX(attempts) AS mostAttempts, MIN(next_try_at) AS nextTryAt
     FROM jobs GROUP BY project_id, purpose, state, error_code ORDER BY project_id, purpose, state, error_code`,
  )
  const namesIn = db.prepare<{ text: string; shortest: number }, { name: string }>(
    `WITH names (name) AS (
       SELECT name FROM projects UNION ALL SELECT address FROM projects UNION ALL SELECT folder FROM projects
       UNION ALL SELECT title FROM checklists UNION ALL SELECT folder FROM checklists
       UNION ALL SELECT section_label FROM questions UNION ALL SELECT label FROM questions
       UNION ALL SELECT section_folder FROM questions UNION ALL SELECT folder FROM questions
       UNION ALL SELECT file_name FROM assets)
     SELECT DISTINCT name FROM names
     WHERE length(name) >= :shortest AND instr(lower(:text), lower(name)) > 0 ORDER BY length(name) DESC`,
  )

  return {
    /** Returns the schema's version. */
    format: () => Number(db.pragma('user_version', { simple: true })),
    /** Returns SQLite's first ten problems with the file. Reads every page. */
    integrityProblems: (): string[] =>
      integrityRows
        .parse(db.pragma('integrity_check(10)'))
        .map((row) => row.integrity_check)
        .filter((text) => text !== 'ok'),
    counts: () => counts.all(),
    /** Includes removed projects. */
    projects: () => projects.all(),
    jobs: () => jobs.all(),
    /** Returns the names, addresses, titles, labels, folders, and file names that occur in a text, longest first. */
    namesIn: (text: string) => namesIn.all({ text, shortest: minNameLength }).map((row) => row.name),
  }
}

export type SupportStore = ReturnType<typeof createSupportStore>
