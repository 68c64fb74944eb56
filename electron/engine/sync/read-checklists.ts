import type { SyncFailure } from '../../../shared/domain.ts'
import { errorPolicy, isOutage } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import { answeredSections } from '../checklists/answers.ts'
import {
  clearQuestions,
  confirmQuestions,
  isConfirmationDue,
  isEmptyUnconfirmed,
  unconfirmedQuestions,
} from '../checklists/confirmation.ts'
import {
  type ChecklistPlan,
  isReadInPart,
  mayHaveMedia,
  readCategoryFacts,
  unsettledCategories,
} from '../checklists/plan-checklist.ts'
import { toEngineError, errorFacts } from '../lib/engine-error.ts'
import { HostDownError } from '../lib/outage.ts'
import { inTurns } from '../lib/in-turns.ts'
import type { Ports } from '../lib/ports.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { CallOptions, RemoteChecklistDetail } from '../service/service-types.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'
import type { LinkTable } from './links.ts'
import { ensureChecklistFolder } from './name-folders.ts'
import { type CategoryPass, partialList } from './read-category.ts'
import { awaitsNewReport, planRead, recordHead, recordReport, type ListedChecklist } from './record-checklists.ts'
import { saveDetail } from './save-detail.ts'
import type { ProjectCalls } from './time-left.ts'

export interface ChecklistReaderDeps {
  readonly store: Store
  readonly client: ServiceClient
  readonly links: LinkTable
  readonly sanitizer: Sanitizer
  readonly ports: Pick<Ports, 'clock' | 'logger'>
}

/** Reading of media beside the downloads. */
export interface MediaReading {
  readonly categories: CategoryPass
  /** Called before and after each category. */
  readonly before: () => Promise<void>
  readonly after: () => void
}

/** A checklist of this pass. */
interface Item extends ListedChecklist {
  plan: ChecklistPlan
  changed: boolean
  reportUrl: string | null
  isReportRecorded: boolean
  failed: boolean
  /** The status is of this pass, not of an earlier answer. */
  isStatusRead: boolean
}

/** Checklists processed in one turn of the event loop, some 10 ms. */
const checklistsPerTurn = 100

interface ReaderOptions extends CallOptions {
  readonly isUserInitiated: boolean
  readonly isFullPass: boolean
  /** Called after each call. */
  readonly onCall: ((calls: ProjectCalls) => void) | undefined
}

/**
 * Asks the service for what the plans of a pass need; the methods are to be called in this order. A failure of one
 * checklist is reported and does not affect the others; errors that concern all of them reject.
 */
export class ChecklistReader {
  readonly #deps: ChecklistReaderDeps
  readonly #projectId: string
  readonly #items: readonly Item[]
  readonly #call: CallOptions
  readonly #isUserInitiated: boolean
  readonly #isFullPass: boolean
  readonly #onCall: (calls: ProjectCalls) => void
  readonly #onFailure: (failure: SyncFailure) => void
  #calls: ProjectCalls

  constructor(
    deps: ChecklistReaderDeps,
    projectId: string,
    planned: readonly ListedChecklist[],
    { isUserInitiated, isFullPass, onCall = () => undefined, ...call }: ReaderOptions,
    onFailure: (failure: SyncFailure) => void,
  ) {
    this.#deps = deps
    this.#projectId = projectId
    this.#items = planned.map((item) => ({
      ...item,
      reportUrl: item.entry.reportUrl,
      isReportRecorded: false,
      failed: false,
      isStatusRead: item.entry.statusText !== null,
    }))
    this.#call = call
    this.#isUserInitiated = isUserInitiated
    this.#isFullPass = isFullPass
    this.#onCall = onCall
    this.#onFailure = onFailure
    const callsLeft = planned.filter(({ plan }) => plan === 'read' || plan === 'head').length
    // One call: the list of checklists was read.
    this.#calls = { callsDone: 1, callsLeft, categories: null }
    onCall(this.#calls)
  }

  /** True if a checklist is new, or its status or update time has changed, as far as is known by now. */
  get hasChanges(): boolean {
    return this.#items.some(({ changed }) => changed)
  }

  /**
   * Reads sections and questions of the checklists that are planned to be read. Drops the links of changed checklists,
   * which may lead to earlier versions of their files.
   */
  async readChecklists(): Promise<void> {
    const { store, links } = this.#deps
    for await (const items of inTurns(this.#items, checklistsPerTurn)) {
      for (const { key } of items.filter(({ changed }) => changed)) {
        for (const id of store.assets.idsForChecklist(key)) links.forget(id)
      }
    }
    for await (const items of inTurns(this.#items, checklistsPerTurn)) {
      for (const item of items) {
        await this.#attempt([item], () => this.#readChecklist(item))
        if (item.changed || item.plan !== 'nothing') this.#recordQueuedReport(item)
      }
    }
  }

  /** Reads every media category that any of the checklists needs, once. */
  async readMedia(reading: MediaReading): Promise<void> {
    const wanted = await this.#wantedCategories()
    this.#setCalls({ categories: { read: 0, total: wanted.size }, callsLeft: wanted.size })
    await this.#readCategories(wanted, reading)
  }

  /**
   * Returns a function that asks again about the questions with an unconfirmed empty answer, and accepts the second
   * answer. Returns undefined if there are none.
   */
  async confirmEmptyAnswers(): Promise<((reading: MediaReading) => Promise<void>) | undefined> {
    const unconfirmed = await this.#unconfirmedCategories()
    if (unconfirmed.size === 0) return undefined
    const { read, total } = this.#categories()
    this.#setCalls({ categories: { read, total: total + unconfirmed.size }, callsLeft: unconfirmed.size })
    return (reading) => this.#readCategories(unconfirmed, reading)
  }

  /** Queues the reports and marks checklists that did not fail as read. */
  async finish(): Promise<void> {
    const { store } = this.#deps
    for await (const items of inTurns(this.#items, checklistsPerTurn)) {
      store.transactionWithoutFlush(() => {
        for (const item of items) this.#finish(item)
      })
    }
  }

  /** A report that an earlier pass has queued may be downloaded before `finish` queues the others. */
  #recordQueuedReport(item: Item): void {
    const { store, links } = this.#deps
    const row = requireRow(store, item.key)
    const report = store.assets.getReport(row.key)
    if (report === undefined || !store.jobs.isOpen(report.id)) return
    // The download asks for a link that is still missing.
    if (item.reportUrl === null && row.status === 'completed') return
    store.transactionWithoutFlush(() => recordReport(store, links, row, item.reportUrl, this.#isFullPass))
    item.isReportRecorded = true
  }

  #finish(item: Item): void {
    const { store, links } = this.#deps
    const row = requireRow(store, item.key)
    if (!item.isReportRecorded) recordReport(store, links, row, item.reportUrl, this.#isFullPass)
    if (item.failed) return
    if (item.plan === 'nothing') {
      // No read follows that would end the failure of an earlier one.
      if (item.isStatusRead && row.errorCode !== null && !mayHaveMedia(row.status)) store.checklists.clearError(row.key)
      return
    }
    const isPart = isReadInPart(row)
    if (isPart) this.#finishPart(item, row)
    else if (item.isStatusRead || mayHaveMedia(row.status)) store.checklists.clearError(row.key)
    const { detailFingerprint } = row
    if (detailFingerprint !== null && (isPart || detailFingerprint === row.fingerprint)) {
      store.checklists.markRead(row.key, detailFingerprint)
    }
  }

  /** What it has was read and is archived. Reading its media again is no further failure. */
  #finishPart(item: Item, { errorMessage }: ChecklistRow): void {
    const error = partialList('questions')
    if (item.plan === 'read' || errorMessage !== error.message) this.#recordFailure(item, error)
  }

  /** Runs work for some checklists. A failure counts for them alone, unless it concerns all checklists. */
  async #attempt(concerned: readonly Item[], work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (thrown) {
      const error = toEngineError(thrown, 'record a checklist')
      if (errorPolicy[error.code].stopsProject === true || error instanceof HostDownError) throw error
      for (const item of concerned) this.#recordFailure(item, error)
    }
  }

  #recordFailure(item: Item, error: AppError): void {
    const { store, ports } = this.#deps
    const { code, message } = error
    item.failed = true
    store.checklists.markChecked(item.key, this.#nowIso())
    const { id: checklistId, title: checklistTitle, errorCode: before } = requireRow(store, item.key)
    // An outage, which concerns all checklists, does not replace an error of this one.
    if (before === null || isOutage(before) || !isOutage(code)) {
      store.checklists.setError(item.key, { code, message }, this.#nowIso())
    }
    ports.logger.warn('A checklist could not be read', {
      project: this.#projectId,
      checklist: item.entry.id,
      ...errorFacts(error),
    })
    this.#onFailure({ projectId: this.#projectId, checklistId, checklistTitle, path: null, code, message })
  }

  /**
   * Reads a new or changed checklist, one whose list entry does not say whether it has changed, or a completed one
   * whose report link is missing.
   */
  async #readChecklist(item: Item): Promise<void> {
    const { store, client, sanitizer } = this.#deps
    const before = requireRow(store, item.key)
    const lacksReport = item.plan === 'media' && before.status === 'completed' && item.reportUrl === null
    if (!['read', 'head'].includes(item.plan) && !(lacksReport && !hasReport(store, before))) return
    const detail = await client.getChecklist(before.projectId, before.id, this.#call).finally(() => this.#recordCall())
    item.reportUrl ??= detail.reportUrl
    if (item.plan === 'media') return
    this.#recordHead(item, before, detail)
    if (item.plan !== 'read') return
    const row = requireRow(store, item.key)
    if (detail.sections.every(({ questions }) => questions.length === 0) && hasContent(store, row)) throw noQuestions()
    if (!detail.isPartial && !confirmQuestions(store, row.key, detail)) throw unconfirmedQuestions()
    store.transactionWithoutFlush(() => {
      if (!detail.isPartial) clearQuestions(store, row.key)
      ensureChecklistFolder(store, row)
      saveDetail(store, sanitizer, row, detail, this.#nowIso())
    })
  }

  /** Records what the list entry lacks, and plans the checklist by it if its status was not known before. */
  #recordHead(item: Item, row: ChecklistRow, detail: RemoteChecklistDetail): void {
    const { store, sanitizer, links, ports } = this.#deps
    const nowMs = ports.clock.nowMs()
    const at = new Date(nowMs).toISOString()
    store.transactionWithoutFlush(() => {
      if (recordHead(store, sanitizer, row, item.entry, detail, at)) {
        item.changed = true
        for (const id of store.assets.idsForChecklist(row.key)) links.forget(id)
      }
      item.isStatusRead = true
      const now = requireRow(store, row.key)
      // Nothing of a draft is read, even if it had another status when the read was planned.
      if (item.plan !== 'head' && mayHaveMedia(now.status)) return
      const options = { nowMs, isFullPass: this.#isFullPass, isUserInitiated: this.#isUserInitiated }
      item.plan = planRead(store, now, options)
      if (item.plan === 'read') return
      // Without an update time, or of a part, the whole of it is still due.
      if (now.updatedAt === null || isReadInPart(now)) store.checklists.markChecked(row.key, at)
      else store.checklists.markDetailUnchanged(row.key, at)
    })
  }

  /** Returns the checklists that need each category. */
  async #wantedCategories(): Promise<Map<string, Item[]>> {
    const { store } = this.#deps
    const wanted = new Map<string, Item[]>()
    const asked = this.#items.filter(({ plan, failed }) => plan !== 'nothing' && !failed)
    for await (const items of inTurns(asked, checklistsPerTurn)) {
      store.transactionWithoutFlush(() => {
        for (const item of items) {
          for (const category of this.#categoriesOf(item)) addTo(wanted, category, item)
          store.checklists.markChecked(item.key, this.#nowIso())
        }
      })
    }
    return wanted
  }

  #categoriesOf(item: Item): string[] {
    const { store, links, ports } = this.#deps
    const row = requireRow(store, item.key)
    const hasLink = (assetId: number) => links.get(assetId) !== undefined
    const isAsked = (question: QuestionRow) =>
      !isEmptyUnconfirmed(question, row) || isConfirmationDue(question, ports.clock.nowMs(), this.#isUserInitiated)
    return unsettledCategories(readCategoryFacts(store, row), hasLink, isAsked)
  }

  /** Returns the checklists that have an unconfirmed empty answer, by category. */
  async #unconfirmedCategories(): Promise<Map<string, Item[]>> {
    const { store } = this.#deps
    const unconfirmed = new Map<string, Item[]>()
    const asked = this.#items.filter(({ plan, failed }) => plan !== 'nothing' && !failed)
    for await (const items of inTurns(asked, checklistsPerTurn)) {
      for (const item of items) {
        const row = requireRow(store, item.key)
        const questions = store.questions
          .listForChecklist(row.key)
          .filter((question) => isEmptyUnconfirmed(question, row))
        for (const category of new Set(questions.map(({ mediaCategoryId }) => mediaCategoryId))) {
          if (category !== null) addTo(unconfirmed, category, item)
        }
      }
    }
    return unconfirmed
  }

  async #readCategories(wanted: ReadonlyMap<string, Item[]>, reading: MediaReading): Promise<void> {
    for (const [category, concerned] of wanted) {
      await reading.before()
      await this.#attempt(concerned, () => reading.categories.read(category, this.#call))
      const done = this.#categories()
      this.#recordCall({ categories: { ...done, read: done.read + 1 } })
      reading.after()
    }
  }

  #categories(): NonNullable<ProjectCalls['categories']> {
    return this.#calls.categories ?? { read: 0, total: 0 }
  }

  /** Counts one call. */
  #recordCall({ categories }: Pick<ProjectCalls, 'categories'> = this.#calls): void {
    const { callsDone, callsLeft } = this.#calls
    this.#setCalls({ categories, callsDone: callsDone + 1, callsLeft: Math.max(0, callsLeft - 1) })
  }

  #setCalls(change: Partial<ProjectCalls>): void {
    this.#calls = { ...this.#calls, ...change }
    this.#onCall(this.#calls)
  }

  #nowIso(): string {
    return new Date(this.#deps.ports.clock.nowMs()).toISOString()
  }
}

function addTo(itemsOf: Map<string, Item[]>, category: string, item: Item): void {
  const items = itemsOf.get(category)
  if (items === undefined) itemsOf.set(category, [item])
  else items.push(item)
}

function requireRow(store: Store, key: number): ChecklistRow {
  const row = store.checklists.get(key)
  if (row === undefined) throw new Error(`The checklist row ${key} is gone`)
  return row
}

/**
 * Returns whether a question has photos or an answer. One with neither is no loss, and may be an empty section, which
 * earlier versions took for a question.
 */
function hasContent(store: Store, { key, id, detailRaw }: ChecklistRow): boolean {
  const mayHavePhotos = ({ present, mediaCategoryId, clientRefIds }: QuestionRow) =>
    present === 1 && (mediaCategoryId !== null || clientRefIds !== null)
  return (
    store.questions.listForChecklist(key).some(mayHavePhotos) ||
    answeredSections(store, id, detailRaw).some(({ questions }) => questions.some(({ answer }) => answer !== null))
  )
}

/** Returns whether the report is archived, and is current or queued to be checked. */
function hasReport(store: Store, row: ChecklistRow): boolean {
  return store.assets.getReport(row.key)?.sha256 != null && !awaitsNewReport(store, row)
}

function noQuestions(): AppError {
  return new AppError(
    'unreadable-answer',
    'The service sent a checklist without the questions that it had before. Nothing archived was changed; it is read ' +
      'again with the next sync.',
  )
}
