import type { RemoteChecklist } from '../service/service-types.ts'
import type { ChecklistRow, KnownChecklist } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import { hasUnconfirmedQuestions, isConfirmationDue, isEmptyUnconfirmed } from '../checklists/confirmation.ts'
import { planChecklist, type ChecklistPlan } from '../checklists/plan-checklist.ts'
import { evaluateRecorded } from '../checklists/evaluate-recorded.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'

/** A checklist that the service lists, its row, and what is to be asked about it. */
export interface PlannedChecklist {
  readonly entry: RemoteChecklist
  readonly key: number
  readonly plan: ChecklistPlan
  /** New, or with another status or update time than before. */
  readonly changed: boolean
}

export interface RecordOptions {
  readonly nowMs: number
  /** The list is not the whole one. */
  readonly isPartial: boolean
  /** Everything is to be read anew, also what looks unchanged. */
  readonly isReconcile: boolean
  /** A person asked for the pass, not the schedule. */
  readonly isUserInitiated: boolean
}

/**
 * Records what the service lists and decides what to ask. What is no longer listed is marked and kept, and so are its
 * files. To be called in a transaction.
 */
export function recordEntries(
  store: Store,
  sanitizer: Sanitizer,
  projectId: string,
  entries: readonly RemoteChecklist[],
  options: RecordOptions,
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
  noteActivity(store, { projectId, at, before, listed: planned, gone: isPartial ? [] : [...keys.keys()] })
  return planned
}

interface Listing {
  readonly projectId: string
  readonly at: string
  readonly before: ReadonlyMap<string, KnownChecklist>
  readonly listed: readonly { readonly entry: RemoteChecklist; readonly key: number; readonly status: string }[]
  /** Ids that are not listed; some were not before either. */
  readonly gone: readonly string[]
}

/** A project's first list may have hundreds of checklists: what may come in such numbers is told as one. */
function noteActivity(store: Store, { projectId, at, before, listed, gone }: Listing): void {
  const note = (
    kind: 'checklists-new' | 'checklists-gone' | 'checklists-back',
    keys: readonly (number | undefined)[],
  ) => {
    if (keys.length === 0) return
    const checklistKey = keys.length === 1 ? keys[0] : undefined
    store.activity.note({ at, kind, projectId, checklistKey, facts: { count: keys.length } })
  }
  const wasListed = (id: string) => before.get(id)?.upstreamGoneAt === null
  note(
    'checklists-new',
    listed.filter(({ entry }) => !before.has(entry.id)).map(({ key }) => key),
  )
  note(
    'checklists-back',
    listed.filter(({ entry }) => before.has(entry.id) && !wasListed(entry.id)).map(({ key }) => key),
  )
  note(
    'checklists-gone',
    gone.filter(wasListed).map((id) => before.get(id)?.key),
  )
  for (const { entry, key, status: to } of listed) {
    const from = before.get(entry.id)?.status
    if (from === undefined || from === to) continue
    store.activity.note({ at, kind: 'checklist-status', projectId, checklistKey: key, facts: { from, to } })
  }
}

function planInput(store: Store, row: ChecklistRow, { nowMs, isReconcile, isUserInitiated }: RecordOptions) {
  // What is archived without a gap need not be reckoned again at every asking.
  const isSettled = row.archivedFingerprint === row.fingerprint && !store.jobs.hasForChecklist(row.key)
  const ledger = isSettled ? undefined : evaluateRecorded(store, row)
  const gaps = ledger?.state.gaps ?? []
  const unconfirmed =
    ledger?.questions.map(({ question }) => question).filter((question) => isEmptyUnconfirmed(question, row)) ?? []
  return {
    isReconcile,
    isUserInitiated,
    status: row.status,
    fingerprint: row.fingerprint,
    hasUpdatedAt: row.updatedAt !== null,
    // An unconfirmed answer is asked for again, whatever state the checklist was read in before.
    detailFingerprint: hasUnconfirmedQuestions(store, row.key) ? null : row.detailFingerprint,
    readFingerprint: row.readFingerprint,
    sinceCheckedMs: row.lookedAt === null ? null : Math.abs(nowMs - Date.parse(row.lookedAt)),
    openJobs: store.jobs.openForChecklist(row.key).length,
    notUploaded: gaps.some((gap) => gap.reason === 'not uploaded yet'),
    isConfirmationDue: unconfirmed.some((question) => isConfirmationDue(question, nowMs, isUserInitiated)),
  }
}

/** All rows of a checklist, as the ledger wants them. */
export function checklistRows(store: Pick<Store, 'questions' | 'assets' | 'jobs'>, checklist: ChecklistRow) {
  return {
    checklist,
    questions: store.questions.listForChecklist(checklist.key),
    assets: store.assets.listForChecklist(checklist.key),
    jobs: store.jobs.listForChecklist(checklist.key),
  }
}
