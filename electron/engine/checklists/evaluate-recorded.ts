import type { Store } from '../store/create-store.ts'
import { evaluateCounts, type Ledger, type LedgerChecklist } from './completeness.ts'

/** The completeness of a checklist by what is recorded, counted by the database: no file's row is read. */
export function evaluateRecorded(
  { questions, assets, jobs }: Pick<Store, 'questions' | 'assets' | 'jobs'>,
  checklist: LedgerChecklist & { readonly key: number },
): Ledger {
  return evaluateCounts({
    checklist,
    questions: questions.listForChecklist(checklist.key),
    files: assets.fileCounts(checklist.key, checklist.fingerprint),
    hasJobs: jobs.hasForChecklist(checklist.key),
  })
}
