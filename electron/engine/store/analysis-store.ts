import { z } from 'zod'
import { type FoundWord, foundWordSchema } from '../../../shared/search.ts'
import type { AnalysisKind, PhotoMeasures, PhotoWord } from '../analysis/analysis-task.ts'
import type { Db } from './open-database.ts'

/** A file that is due. */
export interface AnalysisJob {
  readonly assetId: number
  readonly kind: AnalysisKind
  /** ISO 8601 UTC. */
  readonly archivedAt: string
  /** Earlier tries that failed, and the reason of the last one. */
  readonly tries: number
  readonly reason: string | null
  /** Relative to the archive root. */
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
  /** Of the photo's question; empty for a report. */
  readonly label: string
}

/** The end of a try. `reason` is `null` if it succeeded; `retryAt` is in milliseconds since 1970 UTC. */
export interface EndedJob {
  readonly assetId: number
  readonly kind: AnalysisKind
  readonly version: number
  readonly reason: string | null
  readonly tries: number
  readonly retryAt: number | null
}

const storedWordsSchema = z.array(foundWordSchema.omit({ source: true }))

/** Jobs of the analysis, and its results. */
export function createAnalysisStore(db: Db) {
  const jobs = prepareJobs(db)
  const results = prepareResults(db)
  return {
    /** Creates the jobs of files that were archived, at most `limit` files. Returns whether files are left. */
    createJobs: (limit: number): boolean => {
      const ids = jobs.queued.all(limit).map(({ assetId }) => assetId)
      if (ids.length === 0) return false
      const json = JSON.stringify(ids)
      db.transaction(() => {
        jobs.create.run(json)
        jobs.dequeue.run(json)
      }).immediate()
      return ids.length === limit
    },
    /** Makes jobs due again that another version of the analysis ended. */
    redo: (kind: AnalysisKind, version: number) => void jobs.redo.run({ kind, version }),
    /** Makes failed jobs due again whose time has come, or is after `latestMs`: a clock that was ahead set it. */
    retry: (nowMs: number, latestMs: number) => {
      // The update alone would lock the database.
      if (jobs.hasRetries.get({ nowMs, latestMs }) !== undefined) jobs.retry.run({ nowMs, latestMs })
    },
    /**
     * Returns whether reports, or photos with `readsPhotos`, wait to be read for their text. Jobs that failed do not
     * count. Looks at 200 rows at most.
     */
    hasUnread: (readsPhotos: boolean) => jobs.unread.get({ readsPhotos: readsPhotos ? 1 : 0 })?.isFound === 1,
    /** Returns the job of a kind whose file was archived last. */
    newest: (kind: AnalysisKind) => jobs.newest.get(kind),
    /** Returns whether the file still has this content. */
    isCurrent: (assetId: number, sha256: string) => jobs.content.get(assetId)?.sha256 === sha256,
    end: (job: EndedJob) => void jobs.end.run({ ...job, state: job.reason === null ? 'done' : 'failed' }),
    /** Counts the jobs of a kind that are due, and those that failed. */
    counts: (kind: AnalysisKind) => jobs.counts.get({ kind }) ?? { due: 0, failed: 0 },
    putPages: (assetId: number, pages: readonly { readonly page: number; readonly text: string }[]) => {
      results.deletePages.run(assetId)
      for (const { page, text } of pages) results.putPage.run({ assetId, page, text })
    },
    putText: (assetId: number, source: 'code' | 'print', words: readonly PhotoWord[]) => {
      results.deleteText.run({ assetId, source })
      if (words.length === 0) return
      const text = words.map((word) => word.text + (word.endsLine ? '\n' : ' ')).join('')
      results.putText.run({ assetId, source, text: text.trim(), words: JSON.stringify(words) })
    },
    /** Returns the words and codes on a photo. */
    wordsOn: (assetId: number): FoundWord[] =>
      results.words.all(assetId).flatMap(({ source, words }) => {
        const stored = storedWordsSchema.safeParse(JSON.parse(words)).data ?? []
        return stored.map((word) => ({ ...word, source }))
      }),
    putMeasures: (assetId: number, measures: PhotoMeasures) => {
      results.putMeasures.run({ ...measures, assetId })
      results.markStale.run(assetId)
    },
  }
}

function prepareJobs(db: Db) {
  return {
    queued: db.prepare<[number], { assetId: number }>('SELECT asset_id AS assetId FROM analysis_queue LIMIT ?'),
    create: db.prepare<[string]>(
      `INSERT OR REPLACE INTO analysis_jobs (asset_id, kind, state, archived_at)
       SELECT a.id, k.kind, 'due', COALESCE(a.archived_at, '')
       FROM json_each(?) q JOIN assets a ON a.id = q.value
       JOIN (
         SELECT 'report' AS of, 'pages' AS kind
         UNION ALL SELECT 'photo', 'text'
         UNION ALL SELECT 'photo', 'measures'
       ) k ON k.of = a.kind
       WHERE a.sha256 IS NOT NULL`,
    ),
    dequeue: db.prepare<[string]>('DELETE FROM analysis_queue WHERE asset_id IN (SELECT value FROM json_each(?))'),
    redo: db.prepare<{ kind: AnalysisKind; version: number }>(
      `UPDATE analysis_jobs SET state = 'due', tries = 0, reason = NULL, retry_at = NULL
       WHERE kind = :kind AND state <> 'due' AND version <> :version`,
    ),
    hasRetries: db.prepare<{ nowMs: number; latestMs: number }, { one: 1 }>(
      'SELECT 1 AS one FROM analysis_jobs WHERE retry_at <= :nowMs OR retry_at > :latestMs LIMIT 1',
    ),
    retry: db.prepare<{ nowMs: number; latestMs: number }>(
      `UPDATE analysis_jobs SET state = 'due', retry_at = NULL WHERE retry_at <= :nowMs OR retry_at > :latestMs`,
    ),
    newest: db.prepare<[AnalysisKind], AnalysisJob>(
      `SELECT j.asset_id AS assetId, j.kind, j.archived_at AS archivedAt, j.tries, j.reason, a.path,
         a.size_bytes AS sizeBytes, a.sha256, COALESCE(q.label, '') AS label
       FROM analysis_jobs j JOIN assets a ON a.id = j.asset_id LEFT JOIN questions q ON q.key = a.question_key
       WHERE j.state = 'due' AND j.kind = ? ORDER BY j.archived_at DESC, j.asset_id DESC LIMIT 1`,
    ),
    unread: db.prepare<{ readsPhotos: 0 | 1 }, { isFound: 0 | 1 }>(
      `SELECT EXISTS (SELECT 1 FROM analysis_jobs WHERE state = 'due' AND kind = 'pages')
         OR (:readsPhotos = 1 AND EXISTS (SELECT 1 FROM analysis_jobs WHERE state = 'due' AND kind = 'text'))
         OR EXISTS (SELECT 1 FROM (SELECT asset_id FROM analysis_queue LIMIT 200) q JOIN assets a ON a.id = q.asset_id
           WHERE a.sha256 IS NOT NULL AND (a.kind = 'report' OR :readsPhotos = 1))
         -- A long queue is that of a whole sync.
         OR EXISTS (SELECT 1 FROM analysis_queue LIMIT 1 OFFSET 200) AS isFound`,
    ),
    content: db.prepare<[number], { sha256: string | null }>('SELECT sha256 FROM assets WHERE id = ?'),
    end: db.prepare<EndedJob & { state: 'done' | 'failed' }>(
      `UPDATE analysis_jobs SET state = :state, version = :version, reason = :reason, tries = :tries,
         retry_at = :retryAt
       WHERE asset_id = :assetId AND kind = :kind`,
    ),
    counts: db.prepare<{ kind: AnalysisKind }, { due: number; failed: number }>(
      `SELECT (SELECT COUNT(*) FROM analysis_jobs WHERE state = 'due' AND kind = :kind) AS due,
         (SELECT COUNT(*) FROM analysis_jobs WHERE state = 'failed' AND kind = :kind) AS failed`,
    ),
  }
}

function prepareResults(db: Db) {
  return {
    deletePages: db.prepare<[number]>('DELETE FROM report_pages WHERE asset_id = ?'),
    putPage: db.prepare<{ assetId: number; page: number; text: string }>(
      'INSERT INTO report_pages (asset_id, page, text) VALUES (:assetId, :page, :text)',
    ),
    deleteText: db.prepare<{ assetId: number; source: string }>(
      'DELETE FROM photo_texts WHERE asset_id = :assetId AND source = :source',
    ),
    putText: db.prepare<{ assetId: number; source: string; text: string; words: string }>(
      'INSERT INTO photo_texts (asset_id, source, text, words) VALUES (:assetId, :source, :text, :words)',
    ),
    words: db.prepare<[number], { source: 'code' | 'print'; words: string }>(
      'SELECT source, words FROM photo_texts WHERE asset_id = ? ORDER BY source',
    ),
    putMeasures: db.prepare<PhotoMeasures & { assetId: number }>(
      `INSERT OR REPLACE INTO photo_measures (asset_id, brightness, contrast, sharpness, hash, latitude, longitude)
       VALUES (:assetId, :brightness, :contrast, :sharpness, :hash, :latitude, :longitude)`,
    ),
    markStale: db.prepare<[number]>('INSERT OR IGNORE INTO stale_hints SELECT checklist_key FROM assets WHERE id = ?'),
  }
}
