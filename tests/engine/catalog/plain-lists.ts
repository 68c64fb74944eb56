import type Database from 'better-sqlite3'
import type { ArchiveCounts, ChecklistQuery, ProjectQuery } from '../../../shared/views.ts'
import type { AttentionCause } from '../../../shared/attention.ts'

/**
 * Lists and counts as they have to be: computed from the rows of projects, checklists, questions, files, and jobs
 * alone, with one query each that looks at everything.
 */

const isOpen = `(c.archived_fingerprint IS NOT c.fingerprint OR c.status <> 'completed'
  OR (c.error_code IS NOT NULL AND c.upstream_gone_at IS NULL))`
const isFailed = `j.state = 'failed' AND NOT (a.sha256 IS NOT NULL AND c.upstream_gone_at IS NOT NULL)`
const isOpenFile = '(c.upstream_gone_at IS NULL OR (a.sha256 IS NULL AND a.present = 1))'
const isDue = (row: string) => `(${row}.attention_at IS NULL OR ${row}.attention_at <= :now)`
const isTroubled = `(c.upstream_gone_at IS NULL
  AND (c.status = 'pdfProcessingFailed' OR (c.error_code IS NOT NULL AND ${isDue('c')})))`
const causeOf = (row: string) => `CASE WHEN ${row}.error_code LIKE 'unreachable-%' THEN 'unreachable'
  ELSE COALESCE(${row}.error_code, 'internal') END`
const causeOfChecklist = `CASE WHEN c.status = 'pdfProcessingFailed' THEN 'report-failed' ELSE ${causeOf('c')} END`
const jobs = `jobs j JOIN assets a ON a.id = j.asset_id JOIN checklists c ON c.key = a.checklist_key
  JOIN projects p ON p.id = j.project_id AND p.removed_at IS NULL`
const checklists = 'checklists c JOIN projects p ON p.id = c.project_id AND p.removed_at IS NULL'
const damaged = 'SELECT a.checklist_key FROM assets a WHERE a.damage IS NOT NULL'
const busy = `SELECT c.key FROM jobs j JOIN assets a ON a.id = j.asset_id JOIN checklists c ON c.key = a.checklist_key
  WHERE ${isOpenFile}`
const isComplete = `(NOT ${isOpen} AND c.key NOT IN (${damaged}) AND c.key NOT IN (${busy}))`
const unlisted = `MAX(0, json_array_length(q.client_ref_ids) - (SELECT COUNT(*) FROM assets a
  WHERE a.checklist_key = c.key AND a.question_key = q.key AND a.kind = 'photo' AND a.present = 1))`
/** Without a category, there is nothing to ask for. */
const wasAsked = '(q.media_category_id IS NULL OR q.media_read_at IS NOT NULL)'
const lacksReport = `(c.status IN ('completed', 'pdfProcessingFailed') AND NOT EXISTS (SELECT 1 FROM assets a
  WHERE a.checklist_key = c.key AND a.question_key IS NULL AND a.kind = 'report'))`
const isRead = 'c.read_fingerprint IS c.fingerprint'
const mayHaveMedia = `(c.upstream_gone_at IS NULL AND c.status NOT IN ('draft', 'formSubmitted'))`

const has = (condition: string) => `p.id IN (SELECT c.project_id FROM checklists c WHERE ${condition})`
const hasOpenOf = (status: string) => has(`${isOpen} AND c.upstream_gone_at IS NULL AND c.status = '${status}'`)
const hasUnlisted = (isQuestion: string) => `EXISTS (SELECT 1 FROM questions q WHERE q.checklist_key = c.key
  AND q.present = 1 AND json_valid(q.client_ref_ids) AND ${isQuestion} AND ${unlisted} > 0)`
const failed = (condition: string) => `p.id IN (SELECT j.project_id FROM ${jobs} WHERE ${isFailed} AND ${condition})`
const waiting = `p.id IN (SELECT project_id FROM jobs WHERE state <> 'failed' AND held = 0)`

const filters: Readonly<Record<ProjectQuery['filter'], string>> = {
  all: 'TRUE',
  attention: `((p.error_code IS NOT NULL AND ${isDue('p')}) OR ${failed(isDue('j'))}
    OR ${has(`${isOpen} AND ${isTroubled}`)} OR ${has(`c.key IN (${damaged})`)})`,
  unsynced: 'p.last_synced_at IS NULL',
  unread: 'p.polled_at IS NULL AND p.last_synced_at IS NULL',
  working: waiting,
  quiet: `p.error_code IS NULL AND p.last_synced_at IS NOT NULL AND NOT ${waiting} AND NOT ${failed('TRUE')}
    AND NOT ${has(`${isOpen} AND ${isTroubled}`)} AND NOT ${has(`c.key IN (${damaged})`)}`,
  complete: `p.last_synced_at IS NOT NULL AND NOT ${has(`NOT ${isComplete}`)}`,
  'some-complete': has(isComplete),
  incomplete: has(`NOT ${isComplete}`),
  drafts: hasOpenOf('draft'),
  submitted: hasOpenOf('formSubmitted'),
  photos: hasOpenOf('awaitingMedia'),
  report: hasOpenOf('pdfProcessing'),
  'report-failed': hasOpenOf('pdfProcessingFailed'),
  archiving: `(${hasOpenOf('completed')} OR ${has(`NOT ${isOpen} AND NOT ${isComplete}`)})`,
  gone: has(`${isOpen} AND c.upstream_gone_at IS NOT NULL`),
  'not-uploaded': has(`${isOpen} AND ${hasUnlisted(wasAsked)}`),
  'not-checked': has(`${isOpen} AND (${hasUnlisted(`NOT ${wasAsked}`)} OR (${mayHaveMedia} AND NOT ${isRead})
    OR (NOT ${isRead} AND ${lacksReport}))`),
  'report-pending': has(`${isOpen} AND ${isRead} AND ${lacksReport}`),
}

const orders: Readonly<Record<ProjectQuery['sort'], readonly string[]>> = {
  name: ['p.name IS NULL', 'p.name COLLATE NOCASE', 'p.id'],
  added: ['p.added_at', 'p.id'],
  synced: ['p.last_synced_at', 'p.id'],
}

export function plainLists(db: Database.Database, now: string) {
  const all = <Row>(sql: string, values: object = {}) => db.prepare<[object], Row>(sql).all({ ...values, now })
  const count = (sql: string) => (db.prepare<[object]>(`SELECT COUNT(*) ${sql}`).pluck().get({ now }) as number) ?? 0

  return {
    /** Returns the IDs of all projects of a list. */
    projects({ filter, search, sort, descending }: ProjectQuery): string[] {
      const text = search.trim()
      const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
      const order = orders[sort].map((column) => `${column} ${descending ? 'DESC' : 'ASC'}`).join(', ')
      return all<{ id: string }>(
        `SELECT p.id FROM projects p WHERE p.removed_at IS NULL AND ${filters[filter]}
           AND (p.name LIKE :pattern ESCAPE '\\' OR p.address LIKE :pattern ESCAPE '\\'
             OR p.id LIKE :pattern ESCAPE '\\')
         ORDER BY ${order}`,
        { pattern },
      ).map(({ id }) => id)
    },
    counts(): ArchiveCounts {
      const projects = 'FROM projects p WHERE p.removed_at IS NULL AND'
      const failing = (isPreview: boolean, due: string) =>
        count(`FROM ${jobs} WHERE ${isFailed} AND ${due} AND (a.kind = 'thumbnail') = ${isPreview ? 1 : 0}`)
      return {
        projects: count(`${projects} TRUE`),
        unsyncedProjects: count(`${projects} ${filters.unsynced}`),
        unreadProjects: count(`${projects} ${filters.unread}`),
        projectsWithProblem: count(`${projects} p.error_code IS NOT NULL AND ${isDue('p')}`),
        projectsRetrying: count(`${projects} p.error_code IS NOT NULL AND NOT ${isDue('p')}`),
        checklists: count('FROM checklists'),
        troubledChecklists: count(`FROM ${checklists} WHERE ${isOpen} AND ${isTroubled}`),
        checklistsRetrying: count(`FROM ${checklists} WHERE ${isOpen} AND c.upstream_gone_at IS NULL
          AND c.error_code IS NOT NULL AND NOT ${isTroubled}`),
        files: count('FROM assets'),
        filesWaiting: count(`FROM ${jobs} WHERE j.state <> 'failed' AND j.held = 0`),
        filesFailed: failing(false, isDue('j')),
        previewsFailed: failing(true, isDue('j')),
        filesRetrying: failing(false, `NOT ${isDue('j')}`),
        previewsRetrying: failing(true, `NOT ${isDue('j')}`),
      }
    },
    /** Returns counts of the progress that are not the sum of the projects' own. */
    progress() {
      const photos = (isQuestion: string) =>
        (db
          .prepare<[object]>(
            `SELECT COALESCE(SUM(${unlisted}), 0) FROM ${checklists} JOIN questions q ON q.checklist_key = c.key
             WHERE ${isOpen} AND q.present = 1 AND json_valid(q.client_ref_ids) AND ${isQuestion}`,
          )
          .pluck()
          .get({}) as number) ?? 0
      const reports = (read: string) => count(`FROM ${checklists} WHERE ${isOpen} AND ${read} AND ${lacksReport}`)
      const unchecked = `FROM ${checklists} WHERE ${isOpen} AND ${mayHaveMedia} AND NOT ${isRead}`
      return {
        checklists: count(`FROM ${checklists}`),
        completeChecklists: count(`FROM ${checklists} WHERE ${isComplete}`),
        photosNotUploaded: photos(wasAsked),
        filesNotChecked: photos(`NOT ${wasAsked}`) + reports(`NOT ${isRead}`),
        checklistsNotChecked: count(unchecked),
        checklistsNeverRead: count(`${unchecked} AND c.detail_raw IS NULL`),
        reportsPending: reports(isRead),
        removedFiles: count(`FROM projects p JOIN checklists c ON c.project_id = p.id JOIN assets a
          ON a.checklist_key = c.key WHERE p.removed_at IS NOT NULL AND a.sha256 IS NOT NULL`),
      }
    },
    /** Returns incomplete checklists of active projects, newest first. */
    checklists: ({ filter, cause }: Pick<ChecklistQuery, 'filter' | 'cause'>): string[] =>
      all<{ id: string }>(
        `SELECT c.id FROM ${checklists} WHERE ${
          {
            incomplete: `(${isOpen} OR c.key IN (${damaged}))`,
            waiting: `${isOpen} AND c.status IN ('awaitingMedia', 'pdfProcessing', 'pdfProcessingFailed')`,
            attention: `${isOpen} AND ${isTroubled} AND (:cause IS NULL OR ${causeOfChecklist} = :cause)`,
          }[filter]
        } ORDER BY c.key DESC`,
        { cause: cause ?? null },
      ).map(({ id }) => id),
    /** Returns the failed files that need attention. */
    failures: (cause: AttentionCause | null): number[] =>
      all<{ id: number }>(
        `SELECT a.id FROM ${jobs} WHERE ${isFailed} AND ${isDue('j')} AND (:cause IS NULL OR ${causeOf('j')} = :cause)
         ORDER BY p.id, c.key, a.id`,
        { cause },
      ).map(({ id }) => id),
    /** Returns what needs attention, by cause. */
    causes: () =>
      all<{ cause: AttentionCause; projects: number; checklists: number; files: number; previews: number }>(
        `SELECT cause, SUM(p) AS projects, SUM(c) AS checklists, SUM(f) AS files, SUM(v) AS previews,
           IIF(MIN(message) = MAX(message), MIN(message), NULL) AS message, MIN(next) AS nextTryAt FROM (
           SELECT ${causeOf('p')} AS cause, 1 AS p, 0 AS c, 0 AS f, 0 AS v, p.error_message AS message, NULL AS next
             FROM projects p WHERE p.removed_at IS NULL AND p.error_code IS NOT NULL AND ${isDue('p')}
           UNION ALL SELECT ${causeOfChecklist}, 0, 1, 0, 0,
             IIF(c.status = 'pdfProcessingFailed', NULL, c.error_message), NULL
             FROM ${checklists} WHERE ${isOpen} AND ${isTroubled}
           UNION ALL SELECT ${causeOf('j')}, 0, 0, a.kind <> 'thumbnail', a.kind = 'thumbnail', j.error_message,
             j.next_try_at FROM ${jobs} WHERE ${isFailed} AND ${isDue('j')})
         GROUP BY cause ORDER BY SUM(p) + SUM(c) + SUM(f) DESC, SUM(v) DESC, cause`,
      ),
  }
}
