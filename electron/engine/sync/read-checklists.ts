import type { SyncFailure } from '../../../shared/domain.ts'
import { type ErrorCode, errorPolicy, isOutage } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import { toEngineError } from '../lib/engine-error.ts'
import { errorFacts } from '../lib/error-facts.ts'
import type { Ports } from '../lib/ports.ts'
import type { CallOptions, ServiceClient } from '../service/service-types.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'
import type { LinkTable } from './link-table.ts'
import {
  clearQuestions,
  confirmQuestions,
  isConfirmationDue,
  isEmptyUnconfirmed,
  unconfirmedQuestions,
} from '../checklists/confirmation.ts'
import { ensureChecklistFolder } from './name-folders.ts'
import type { PlannedChecklist } from './record-checklists.ts'
import { recordReport } from './record-report.ts'
import type { CategoryReader } from './read-category.ts'
import { saveDetail } from './save-detail.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'
import { readCategoryFacts, unsettledCategories } from './unsettled-categories.ts'

export interface ChecklistReaderDeps {
  readonly store: Store
  readonly client: ServiceClient
  readonly links: LinkTable
  readonly categories: CategoryReader
  readonly sanitizer: Sanitizer
  readonly ports: Pick<Ports, 'clock' | 'logger'>
}

interface MediaHooks {
  readonly before: () => Promise<void>
  readonly after: () => void
}

/** Asking for what the plan of a pass says, in this order. Rejects with what concerns all checklists. */
export interface ChecklistReading {
  /** Sections and questions of those planned to be read. */
  readChecklists(): Promise<void>
  /** Every media category that any of them needs, once. The hooks are called around each of these calls. */
  readMedia(hooks: MediaHooks): Promise<void>
  /**
   * Asks once more about the questions of which the service said for the first time that they have no photos; what it says
   * then is believed. Undefined where there are none.
   */
  secondAsking(): ((hooks: MediaHooks) => Promise<void>) | undefined
  /** Queues the reports and marks as read what did not fail. To be called in a transaction. */
  settle(): void
}

/** A checklist of this pass. */
interface Item extends PlannedChecklist {
  reportUrl: string | null
  failed: boolean
}

/** What fails for one checklist is told and keeps no other back. */
export function createChecklistReading(
  parts: ChecklistReaderDeps,
  projectId: string,
  planned: readonly PlannedChecklist[],
  { isUserInitiated, ...call }: CallOptions & { readonly isUserInitiated: boolean },
  onFailure: (failure: SyncFailure) => void,
): ChecklistReading {
  const { store, client, links, categories, sanitizer, ports } = parts
  const items = planned.map((item): Item => ({ ...item, reportUrl: item.entry.reportUrl, failed: false }))
  const nowIso = () => new Date(ports.clock.nowMs()).toISOString()

  /** Runs work for some checklists; its failure is theirs alone unless it concerns all. */
  async function attempt(concerned: readonly Item[], work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (thrown) {
      const error = toEngineError(thrown, 'record a checklist')
      if (errorPolicy[error.code].stopsProject === true) throw error
      for (const item of concerned) noteFailure(item, error)
    }
  }

  function noteFailure(item: Item, error: AppError): void {
    const { code, message } = error
    item.failed = true
    const before = requireRow(store, item.key).errorCode as ErrorCode | null
    // What is in the way of all others too does not take the place of what is wrong with this one.
    if (before === null || isOutage(before) || !isOutage(code)) store.checklists.setError(item.key, { code, message })
    ports.logger.warn('A checklist could not be read', {
      project: projectId,
      checklist: item.entry.id,
      ...errorFacts(error),
    })
    onFailure({ projectId, checklistId: item.entry.id, path: null, code, message })
  }

  /** Reads a new or changed checklist; of a finished one also for a report link that lacks. */
  async function readChecklist(item: Item): Promise<void> {
    const row = requireRow(store, item.key)
    const lacksReport = item.plan === 'media' && row.status === 'completed' && item.reportUrl === null
    if (item.plan !== 'read' && !(lacksReport && !hasReport(store, row))) return
    const detail = await client.getChecklist(row.projectId, row.id, call)
    item.reportUrl ??= detail.reportUrl
    if (item.plan !== 'read') return
    if (detail.sections.every(({ questions }) => questions.length === 0) && hasQuestions(store, row)) {
      throw noQuestions()
    }
    if (!confirmQuestions(store, row.key, detail)) throw unconfirmedQuestions()
    store.transaction(() => {
      clearQuestions(store, row.key)
      ensureChecklistFolder(store, row)
      saveDetail(store, sanitizer, row, detail, nowIso())
    })
  }

  /** Who needs which category. */
  function wantedCategories(): Map<string, Item[]> {
    const wanted = new Map<string, Item[]>()
    for (const item of items) {
      if (item.plan === 'nothing' || item.failed) continue
      const row = requireRow(store, item.key)
      const hasLink = (assetId: number) => links.get(assetId) !== undefined
      const isAsked = (question: QuestionRow) =>
        !isEmptyUnconfirmed(question, row) || isConfirmationDue(question, ports.clock.nowMs(), isUserInitiated)
      for (const category of unsettledCategories(readCategoryFacts(store, row), hasLink, isAsked)) {
        wanted.set(category, [...(wanted.get(category) ?? []), item])
      }
      store.checklists.markLooked(item.key, nowIso())
    }
    return wanted
  }

  /** Who has questions of which category that were said to have no photos, and were not asked about again. */
  function unconfirmedCategories(): Map<string, Item[]> {
    const unconfirmed = new Map<string, Item[]>()
    for (const item of items.filter(({ plan, failed }) => plan !== 'nothing' && !failed)) {
      const row = requireRow(store, item.key)
      const questions = store.questions
        .listForChecklist(row.key)
        .filter((question) => isEmptyUnconfirmed(question, row))
      for (const category of new Set(questions.map(({ mediaCategoryId }) => mediaCategoryId))) {
        if (category !== null) unconfirmed.set(category, [...(unconfirmed.get(category) ?? []), item])
      }
    }
    return unconfirmed
  }

  async function readCategories(wanted: ReadonlyMap<string, Item[]>, { before, after }: MediaHooks): Promise<void> {
    const read = categories.collect(projectId)
    try {
      for (const [category, concerned] of wanted) {
        await before()
        // A download may have needed its links meanwhile.
        if (read.categories.has(category)) continue
        await attempt(concerned, () => categories.read(projectId, category, call))
        after()
      }
    } finally {
      read.end()
    }
  }

  return {
    async readChecklists() {
      for (const item of items) await attempt([item], () => readChecklist(item))
    },
    async readMedia(hooks) {
      await readCategories(wantedCategories(), hooks)
    },
    secondAsking() {
      const unconfirmed = unconfirmedCategories()
      return unconfirmed.size === 0 ? undefined : (hooks) => readCategories(unconfirmed, hooks)
    },
    settle() {
      for (const item of items) {
        const row = requireRow(store, item.key)
        recordReport(store, links, row, item.reportUrl)
        if (item.plan === 'nothing' || item.failed) continue
        store.checklists.setError(row.key, null)
        if (row.detailFingerprint === row.fingerprint) store.checklists.markRead(row.key, row.fingerprint)
      }
    },
  }
}

function requireRow(store: Store, key: number): ChecklistRow {
  const row = store.checklists.get(key)
  if (row === undefined) throw new Error(`The checklist row ${key} is gone`)
  return row
}

function hasQuestions(store: Store, row: ChecklistRow): boolean {
  return store.questions.listForChecklist(row.key).some((question) => question.present === 1)
}

function hasReport(store: Store, row: ChecklistRow): boolean {
  return store.assets.getReport(row.key)?.sha256 != null
}

function noQuestions(): AppError {
  return new AppError(
    'unreadable-answer',
    'The service sent a checklist without the questions that it had before. Nothing archived was changed; it is read ' +
      'again with the next sync.',
  )
}
