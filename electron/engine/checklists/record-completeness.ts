import type { Store } from '../store/create-store.ts'
import { evaluateRecorded } from './evaluate-recorded.ts'

/**
 * Records, at the end of a pass over its project, that a checklist is archived: nothing missing, nothing waiting, the
 * archive holds it as the service has it now. A pass that was not `isWorkedOff` says nothing of what is missing.
 */
export function recordCompleteness(
  store: Store,
  key: number,
  { at, isWorkedOff }: { readonly at: string; readonly isWorkedOff: boolean },
): void {
  const row = store.checklists.get(key)
  if (row === undefined || row.archivedFingerprint === row.fingerprint) return
  const { complete, expectedFiles, archivedFiles } = evaluateRecorded(store, row).state
  const of = { at, projectId: row.projectId, checklistKey: key }
  if (complete) {
    store.transaction(() => {
      store.checklists.markArchived(key, row.fingerprint)
      // The weekly reading of everything finds most of it as it was: no news.
      if (row.toldFingerprint === row.fingerprint) return
      store.activity.note({ ...of, kind: 'checklist-archived', facts: { count: archivedFiles } })
      store.checklists.setTold(key, row.fingerprint)
    })
  } else if (isWorkedOff && row.toldFingerprint !== null) {
    store.transaction(() => {
      const missing = Math.max(0, expectedFiles - archivedFiles)
      store.activity.note({ ...of, kind: 'checklist-incomplete', facts: { missing } })
      store.checklists.setTold(key, null)
    })
  }
}
