import { reportPath } from '../archive/layout.ts'
import { caseKey } from '../archive/safe-name.ts'
import type { RemoteChecklist } from '../service/service-types.ts'
import type { ChecklistRow, KnownChecklist } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import { hasUnconfirmedQuestions, isConfirmationDue, isEmptyUnconfirmed } from '../checklists/confirmation.ts'
import type { LinkTable } from './links.ts'
import { sourceHash } from './links.ts'
import { ensureChecklistFolder } from './name-folders.ts'
import { planChecklist, type ChecklistPlan, type PlanInput } from '../checklists/plan-checklist.ts'
import { evaluateRecorded } from '../checklists/completeness.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'

/** A listed checklist, its row, and the plan for it. */
export interface PlannedChecklist {
  readonly entry: RemoteChecklist
  readonly key: number
  readonly plan: ChecklistPlan
  /** True if it is new, or its status or update time has changed. */
  readonly changed: boolean
}

export interface RecordChecklistsOptions {
  readonly nowMs: number
  /** True if the list is incomplete. */
  readonly isPartial: boolean
  /** True if everything is read again, including checklists that look unchanged. */
  readonly isReconcile: boolean
  /** True if a user started the pass, not the schedule. */
  readonly isUserInitiated: boolean
}

/**
 * Records the listed checklists and plans what to ask about each. Checklists that are no longer listed are marked; they
 * and their files are kept. To be called in a transaction.
 */
export function recordEntries(
  store: Store,
  sanitizer: Sanitizer,
  projectId: string,
  entries: readonly RemoteChecklist[],
  options: RecordChecklistsOptions,
): PlannedChecklist[] {
  const before = new Map(store.checklists.listKnown(projectId).map((known) => [known.id, known]))
  const listed = [...new Map(entries.map((entry) => [entry.id, entry])).values()]
  for (const entry of listed) {
    const status = sanitizer.text(entry.status)
    store.checklists.put({
      projectId,
      id: entry.id,
      title: sanitizer.text(entry.title ?? 'Checklist'),
      status,
      updatedAt: entry.updatedAt,
      fingerprint: JSON.stringify([status, entry.updatedAt]),
      entryRaw: sanitizer.json(entry.raw),
    })
  }
  const keys = new Map(store.checklists.listKnown(projectId).map(({ id, key }) => [id, key]))
  const planned = listed.flatMap((entry) => {
    const key = keys.get(entry.id)
    const row = key === undefined ? undefined : store.checklists.get(key)
    keys.delete(entry.id)
    if (row === undefined) return []
    const changed = before.get(entry.id)?.fingerprint !== row.fingerprint
    const plan = planChecklist(planInput(store, row, options))
    return [{ entry, key: row.key, status: row.status, plan, changed }]
  })
  const { nowMs, isPartial } = options
  const at = new Date(nowMs).toISOString()
  if (!isPartial) for (const key of keys.values()) store.checklists.markGone(key, at)
  recordActivity(store, { projectId, at, before, listed: planned, gone: isPartial ? [] : [...keys.keys()] })
  return planned
}

interface Listing {
  readonly projectId: string
  readonly at: string
  readonly before: ReadonlyMap<string, KnownChecklist>
  readonly listed: readonly { readonly entry: RemoteChecklist; readonly key: number; readonly status: string }[]
  /** Ids that are not listed; some were already missing before. */
  readonly gone: readonly string[]
}

/** A project's first list may have hundreds of checklists: such entries are recorded as one. */
function recordActivity(store: Store, { projectId, at, before, listed, gone }: Listing): void {
  const record = (
    kind: 'checklists-new' | 'checklists-gone' | 'checklists-back',
    keys: readonly (number | undefined)[],
  ) => {
    if (keys.length === 0) return
    const checklistKey = keys.length === 1 ? keys[0] : undefined
    store.activity.record({ at, kind, projectId, checklistKey, facts: { count: keys.length } })
  }
  const wasListed = (id: string) => before.get(id)?.upstreamGoneAt === null
  record(
    'checklists-new',
    listed.filter(({ entry }) => !before.has(entry.id)).map(({ key }) => key),
  )
  record(
    'checklists-back',
    listed.filter(({ entry }) => before.has(entry.id) && !wasListed(entry.id)).map(({ key }) => key),
  )
  record(
    'checklists-gone',
    gone.filter(wasListed).map((id) => before.get(id)?.key),
  )
  for (const { entry, key, status: to } of listed) {
    const from = before.get(entry.id)?.status
    if (from === undefined || from === to) continue
    store.activity.record({ at, kind: 'checklist-status', projectId, checklistKey: key, facts: { from, to } })
  }
}

function planInput(
  store: Store,
  row: ChecklistRow,
  { nowMs, isReconcile, isUserInitiated }: RecordChecklistsOptions,
): PlanInput {
  // A checklist archived without a gap need not be evaluated again in every pass.
  const isSettled = row.archivedFingerprint === row.fingerprint && !store.jobs.hasForChecklist(row.key)
  const completeness = isSettled ? undefined : evaluateRecorded(store, row)
  const gaps = completeness?.state.gaps ?? []
  const unconfirmed =
    completeness?.questions.map(({ question }) => question).filter((question) => isEmptyUnconfirmed(question, row)) ??
    []
  return {
    isReconcile,
    isUserInitiated,
    status: row.status,
    fingerprint: row.fingerprint,
    hasUpdatedAt: row.updatedAt !== null,
    // An unconfirmed answer is asked for again, whatever state the checklist was read in before.
    detailFingerprint: hasUnconfirmedQuestions(store, row.key) ? null : row.detailFingerprint,
    readFingerprint: row.readFingerprint,
    sinceCheckedMs: row.checkedAt === null ? null : Math.abs(nowMs - Date.parse(row.checkedAt)),
    openJobs: store.jobs.openForChecklist(row.key).length,
    notUploaded: gaps.some((gap) => gap.reason === 'not uploaded yet'),
    isConfirmationDue: unconfirmed.some((question) => isConfirmationDue(question, nowMs, isUserInitiated)),
  }
}

/**
 * Queues a checklist's report if it is not archived, or if the checklist has changed since the archived report was last
 * confirmed. `url` is null if the service sent no link. To be called in a transaction.
 */
export function recordReport(store: Store, links: LinkTable, checklist: ChecklistRow, url: string | null): void {
  const known = store.assets.getReport(checklist.key)
  if (known !== undefined) {
    if (url === null && checklist.status !== 'completed') {
      // Reopened: there is no report until the checklist is completed again, which queues it again.
      store.jobs.finish(known.id)
      return
    }
    const urlIdentity = sourceHash(url)
    const isChanged =
      url !== null && (urlIdentity !== known.sourceHash || checklist.readFingerprint !== checklist.fingerprint)
    if (known.sha256 === null && isChanged) store.jobs.enqueueAgain(known.id, checklist.projectId, 'fetch')
    else if (known.sha256 === null) store.jobs.enqueue(known.id, checklist.projectId, 'fetch')
    else if (url === null || known.confirmedFingerprint === checklist.fingerprint) return
    else store.jobs.enqueue(known.id, checklist.projectId, urlIdentity === known.sourceHash ? 'recheck' : 'refetch')
    store.assets.update(known.id, { ...known, sourceHash: urlIdentity ?? known.sourceHash })
    links.set(known.id, url)
    return
  }
  if (url === null) return
  const path = reportPath(ensureChecklistFolder(store, checklist))
  const id = store.assets.insert({
    checklistKey: checklist.key,
    questionKey: null,
    kind: 'report',
    remoteKey: 'report',
    sourceHash: sourceHash(url),
    fileName: null,
    path,
    pathKey: caseKey(path),
    record: null,
    takenAt: null,
    latitude: null,
    longitude: null,
  })
  store.jobs.enqueue(id, checklist.projectId, 'fetch')
  links.set(id, url)
}
