import type { RemoteChecklist } from '../service/service-types.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import { reckonChecklist } from './ledger.ts'
import { planChecklist, type ChecklistPlan } from './plan-checklist.ts'
import type { Storable } from './storable.ts'

/** A checklist that the service lists, its row, and what is to be asked about it. */
export interface PlannedChecklist {
  readonly entry: RemoteChecklist
  readonly key: number
  readonly plan: ChecklistPlan
}

/**
 * Records what the service lists and decides what to ask. What is no longer listed is marked and kept, and so are its
 * files; `isPartial` says that the list is not the whole one. To be called in a transaction.
 */
export function noteEntries(
  store: Store,
  storable: Storable,
  projectId: string,
  entries: readonly RemoteChecklist[],
  nowMs: number,
  isPartial: boolean,
): PlannedChecklist[] {
  const listed = [...new Map(entries.map((entry) => [entry.id, entry])).values()]
  for (const entry of listed) {
    store.checklists.put({
      projectId,
      id: entry.id,
      title: storable.text(entry.title ?? 'Checklist'),
      status: storable.text(entry.status),
      updatedAt: entry.updatedAt,
      fingerprint: JSON.stringify([entry.status, entry.updatedAt]),
      entryRaw: storable.json(entry.raw),
    })
  }
  const rows = new Map(store.checklists.listForProject(projectId).map((row) => [row.id, row]))
  const planned = listed.flatMap((entry) => {
    const row = rows.get(entry.id)
    rows.delete(entry.id)
    return row === undefined ? [] : [{ entry, key: row.key, plan: planChecklist(standing(store, row, nowMs)) }]
  })
  if (!isPartial) for (const row of rows.values()) store.checklists.markGone(row.key, new Date(nowMs).toISOString())
  return planned
}

function standing(store: Store, row: ChecklistRow, nowMs: number) {
  const { state } = reckonChecklist(checklistRows(store, row))
  return {
    status: row.status,
    fingerprint: row.fingerprint,
    hasUpdatedAt: row.updatedAt !== null,
    detailFingerprint: row.detailFingerprint,
    readFingerprint: row.readFingerprint,
    sinceLookedMs: row.lookedAt === null ? null : Math.abs(nowMs - Date.parse(row.lookedAt)),
    openJobs: store.jobs.listForChecklist(row.key).length,
    notUploaded: state.gaps.some((gap) => gap.reason === 'not uploaded yet'),
  }
}

/** All rows of a checklist, as the ledger wants them. */
export function checklistRows(store: Store, checklist: ChecklistRow) {
  return {
    checklist,
    questions: store.questions.listForChecklist(checklist.key),
    assets: store.assets.listForChecklist(checklist.key),
    jobs: store.jobs.listForChecklist(checklist.key),
  }
}
