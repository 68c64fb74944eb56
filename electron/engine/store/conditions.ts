import { unreachableCodes } from '../../../shared/attention.ts'
import { statusesWithoutMedia, unknownStatus } from '../../../shared/domain.ts'
import { errorCodes, meansNotUploaded } from '../../../shared/error-policy.ts'
import type { ChecklistQuery, ProjectQuery } from '../../../shared/views.ts'

/**
 * SQL conditions that say what counts as failed, open, incomplete, or in need of attention. Aliases are the same in all
 * of them: project `p`, checklist `c`, question `q`, file `a`, job `j`. `:now` is ISO 8601 UTC: failures that are
 * retried by themselves start to need attention later.
 */

/**
 * Condition on a job `j`: it can be worked on. Jobs for archived files of a checklist that is no longer listed wait
 * until it is listed again, if ever.
 */
const isActionable = `NOT EXISTS (SELECT 1 FROM assets a JOIN checklists c ON c.key = a.checklist_key
  WHERE a.id = j.asset_id AND a.sha256 IS NOT NULL AND c.upstream_gone_at IS NOT NULL)`
const notUploadedCodes = errorCodes.filter(meansNotUploaded).map((code) => `'${code}'`)
/** Condition on a job: the service listed its file without a link. */
export const hadNoLink = (row: 'j' | 'jobs') => `${row}.error_code IN (${notUploadedCodes.join(', ')})`
/** Condition on a failed job: its file is only not uploaded yet, which is no failure. */
export const isNotUploaded = (row: 'j' | 'jobs') => `EXISTS (SELECT 1 FROM assets a
  WHERE a.id = ${row}.asset_id AND ${hadNoLink(row)}
    AND a.sha256 IS NULL AND a.damage IS NULL)`
export const isFailed = `j.state = 'failed' AND NOT ${isNotUploaded('j')} AND ${isActionable}`
/** The kind of the file of a job `j`. */
const kindOf = '(SELECT a.kind FROM assets a WHERE a.id = j.asset_id)'
/** Condition on a job `j`: its file is a preview, which pages count apart from photos and reports. */
export const isPreview = `${kindOf} = 'thumbnail'`
const hasFailed = `EXISTS (SELECT 1 FROM jobs j WHERE j.project_id = p.id AND ${isFailed})`

/** Photos or reports of a project `p` that the service lists without a link. */
export const unlinked = (kind: 'photo' | 'report') => `FROM jobs j WHERE j.project_id = p.id AND j.state = 'failed'
  AND ${isNotUploaded('j')} AND ${kindOf} = '${kind}'`

/** Condition on a failing project, checklist, or job: it needs attention by now; see `lib/attention.ts`. */
export const isDue = (row: 'p' | 'c' | 'j') => `(${row}.attention_at IS NULL OR ${row}.attention_at <= :now)`
const hasDueFailure = `EXISTS (SELECT 1 FROM jobs j WHERE j.project_id = p.id AND ${isFailed} AND ${isDue('j')})`

/** Error codes of one cause are counted together. */
export const causeOf = (row: 'p' | 'c' | 'j') => `CASE
  WHEN ${row}.error_code IN (${unreachableCodes.map((code) => `'${code}'`).join(', ')}) THEN 'unreachable'
  ELSE COALESCE(${row}.error_code, 'internal') END`

/** Held jobs wait for their checklist or project to return; no sync runs them. */
const hasWaitingJobs = `EXISTS (SELECT 1 FROM jobs j
  WHERE j.project_id = p.id AND j.state IN ('queued', 'running') AND j.held = 0)`

/** Condition on a checklist `c`: not complete. Identical to the condition of the index `checklists_open`. */
export const isOpen = `(c.archived_fingerprint IS NOT c.fingerprint OR c.status <> 'completed'
    OR (c.error_code IS NOT NULL AND c.upstream_gone_at IS NULL))`

/**
 * Condition on a file `a` with a job, of a checklist `c`: it must be checked or downloaded. Archived files of a
 * checklist that is no longer listed are not checked.
 */
const isOpenFile = '(c.upstream_gone_at IS NULL OR (a.sha256 IS NULL AND a.present = 1))'
/** Keys of the checklists of a project `p` with files that must be checked or downloaded. */
const withOpenFiles = `SELECT c.key FROM jobs j CROSS JOIN assets a ON a.id = j.asset_id
  CROSS JOIN checklists c ON c.key = a.checklist_key WHERE j.project_id = p.id AND ${isOpenFile}`

/** Condition on a checklist `c`: it has files that are damaged or lost. */
const hasDamaged = `EXISTS (SELECT 1 FROM assets a INDEXED BY assets_damaged
  WHERE a.checklist_key = c.key AND a.damage IS NOT NULL)`

/** Condition on a question `q`: it states how many photos it has. */
export const isAskedFor = `q.present = 1 AND json_valid(q.client_ref_ids)`
/**
 * Condition on a question `q`: the service was asked for its photos, or has no media category for it, so that no call
 * would list them.
 */
export const wasAsked = '(q.media_read_at IS NOT NULL OR q.media_category_id IS NULL)'
/** Number of photos of a question `q` of a checklist `c` that the service has not listed. */
export const unlistedPhotosOf = `MAX(0, json_array_length(q.client_ref_ids) - (
  SELECT COUNT(*) FROM assets a INDEXED BY assets_for_ledger
  WHERE a.checklist_key = c.key AND a.question_key = q.key AND a.kind = 'photo' AND a.present = 1))`
/** Condition on a checklist `c`: it should have a report, and the service has not listed one. */
export const lacksReport = `c.status IN ('completed', 'pdfProcessingFailed') AND NOT EXISTS (
  SELECT 1 FROM assets a INDEXED BY assets_for_ledger
  WHERE a.checklist_key = c.key AND a.question_key IS NULL AND a.kind = 'report')`
/** Condition on a checklist `c`: it may have photos, and its current state was not read completely. */
export const isUnchecked = `(c.upstream_gone_at IS NULL
  AND (c.read_fingerprint IS NOT c.fingerprint OR c.status = '${unknownStatus}')
  AND c.status NOT IN (${statusesWithoutMedia.map((status) => `'${status}'`).join(', ')}))`
/**
 * Condition on a checklist `c`: it has photos that the service has not listed, and a question `q` of which that holds.
 */
const hasUnlisted = (condition: string) => `EXISTS (SELECT 1 FROM questions q
  WHERE q.checklist_key = c.key AND ${isAskedFor} AND ${condition} AND ${unlistedPhotosOf} > 0)`

/** Condition on a checklist `c`: it has a problem of its own, apart from its files' jobs, that needs attention. */
export const isTroubled = `(c.upstream_gone_at IS NULL
  AND (c.status = 'pdfProcessingFailed' OR (c.error_code IS NOT NULL AND ${isDue('c')})))`

/** A report that the service could not create is the cause that a user can act on, also during an outage. */
export const causeOfChecklist = `CASE WHEN c.status = 'pdfProcessingFailed' THEN 'report-failed'
  ELSE ${causeOf('c')} END`

/** Conditions on an incomplete checklist `c`. */
export const checklistConditions: Readonly<Record<ChecklistQuery['filter'], string>> = {
  incomplete: 'TRUE',
  waiting: `c.status IN ('awaitingMedia', 'pdfProcessing', 'pdfProcessingFailed')`,
  attention: `${isTroubled} AND (:cause IS NULL OR ${causeOfChecklist} = :cause)`,
}

/** Incomplete checklists `c` of a project `p`, to be continued with further conditions. */
export const openOfProject = `FROM checklists c INDEXED BY checklists_open WHERE c.project_id = p.id AND ${isOpen}`
/** Condition on a checklist `c` of a project `p`: it was complete, and has files to repair, check, or download. */
export const isReopened = `(NOT ${isOpen} AND (${hasDamaged} OR c.key IN (${withOpenFiles})))`
/** Condition on a checklist `c`: listed as incomplete only because of its damaged files. */
export const isDamagedOnly = `(NOT ${isOpen} AND ${hasDamaged})`

/** Condition on a project `p`: it has a checklist `c` that is not complete, and for which `condition` holds. */
const hasOpen = (condition: string) => `EXISTS (SELECT 1 ${openOfProject} AND ${condition})`
const hasOpenOf = (status: string) => hasOpen(`c.upstream_gone_at IS NULL AND c.status = '${status}'`)
/** Condition on a project `p`: it has a checklist `c` for which `condition` holds. */
const hasChecklist = (condition: string) =>
  `EXISTS (SELECT 1 FROM checklists c WHERE c.project_id = p.id AND ${condition})`
/** Condition on a project `p`: not all of its checklists are complete. */
const isIncomplete = `(${hasOpen('TRUE')} OR EXISTS (${withOpenFiles}) OR ${hasChecklist(hasDamaged)})`
/** Condition on a project `p`: what it has was never read completely, not even before a rebuild of the database. */
export const isUnread = '(p.polled_at IS NULL AND p.last_synced_at IS NULL)'

/** Conditions on a project `p`. */
export const projectConditions: Readonly<Record<ProjectQuery['filter'], string>> = {
  all: 'TRUE',
  attention: `((p.error_code IS NOT NULL AND ${isDue('p')}) OR ${hasDueFailure} OR ${hasOpen(isTroubled)}
    OR ${hasChecklist(hasDamaged)})`,
  unsynced: 'p.last_synced_at IS NULL',
  unread: isUnread,
  working: hasWaitingJobs,
  complete: `(p.last_synced_at IS NOT NULL AND NOT ${isIncomplete})`,
  'some-complete': hasChecklist(`NOT ${isOpen} AND NOT ${isReopened}`),
  incomplete: isIncomplete,
  drafts: hasOpenOf('draft'),
  submitted: hasOpenOf('formSubmitted'),
  photos: hasOpenOf('awaitingMedia'),
  report: hasOpenOf('pdfProcessing'),
  'report-failed': hasOpenOf('pdfProcessingFailed'),
  'not-uploaded': `(${hasOpen(hasUnlisted(wasAsked))} OR EXISTS (SELECT 1 ${unlinked('photo')}))`,
  'not-checked': hasOpen(`(${hasUnlisted(`NOT ${wasAsked}`)} OR ${isUnchecked}
    OR (c.read_fingerprint IS NOT c.fingerprint AND ${lacksReport}))`),
  'report-pending': `(${hasOpen(`c.read_fingerprint IS c.fingerprint AND ${lacksReport}`)}
    OR EXISTS (SELECT 1 ${unlinked('report')}))`,
  archiving: `(${hasOpenOf('completed')} OR ${hasChecklist(isReopened)})`,
  gone: hasOpen('c.upstream_gone_at IS NOT NULL'),
  quiet: `p.error_code IS NULL AND p.last_synced_at IS NOT NULL AND NOT ${hasWaitingJobs}
    AND NOT ${hasFailed} AND NOT ${hasOpen(isTroubled)} AND NOT ${hasChecklist(hasDamaged)}`,
}
