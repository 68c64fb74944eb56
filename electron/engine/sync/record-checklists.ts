import { z } from 'zod'
import { knownChecklistStatuses, unknownStatus } from '../../../shared/domain.ts'
import { reportPath } from '../archive/layout.ts'
import { caseKey } from '../archive/safe-name.ts'
import { isJsonObject } from '../service/readers/json-object.ts'
import {
  documentedStatus,
  isSurelyChecklist,
  isUsualHead,
  readChecklistHead,
} from '../service/readers/read-checklist-head.ts'
import type { RemoteChecklist, RemoteChecklistDetail } from '../service/service-types.ts'
import type { ChecklistHead, ChecklistRow, KnownChecklist } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import { hasUnconfirmedQuestions, isConfirmationDue, isEmptyUnconfirmed } from '../checklists/confirmation.ts'
import type { LinkTable } from './links.ts'
import { hashText, urlIdentityOf } from '../lib/link-identity.ts'
import { ensureChecklistFolder } from './name-folders.ts'
import { mayHaveMedia, planChecklist, type ChecklistPlan, type PlanInput } from '../checklists/plan-checklist.ts'
import { evaluateRecorded } from '../checklists/completeness.ts'
import { inTurns } from '../lib/in-turns.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'

/** A listed checklist, its row, and the plan for it. */
export interface ListedChecklist {
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
  readonly isFullPass: boolean
  /** True if a user started the pass, not the schedule. */
  readonly isUserInitiated: boolean
}

/** Maximum difference that is assumed between the clocks of the service and of this computer. */
const maxClockErrorMs = 5 * 60_000

const documentedStatuses: ReadonlySet<string> = new Set(knownChecklistStatuses)

/** Checklists recorded in one transaction, some 30 ms. */
const checklistsPerTransaction = 1_000

/** Checklists planned in one turn of the event loop, some 10 ms. */
const checklistsPerTurn = 100

/**
 * Records the listed checklists and plans what to ask about each. Checklists that are no longer listed are marked; they
 * and their files are kept. A pass that ends in between records the others the next time.
 */
export async function recordEntries(
  store: Store,
  sanitizer: Sanitizer,
  projectId: string,
  entries: readonly RemoteChecklist[],
  options: RecordChecklistsOptions,
): Promise<ListedChecklist[]> {
  const at = new Date(options.nowMs).toISOString()
  const before = new Map(store.checklists.listKnown(projectId).map((known) => [known.id, known]))
  const listed = [...new Map(entries.map((entry) => [entry.id, entry])).values()]
  for await (const piece of inTurns(listed, checklistsPerTransaction)) {
    store.transactionWithoutFlush(() => putEntries(store, sanitizer, { projectId, at, before, listed: piece }))
  }
  const keys = new Map(store.checklists.listKnown(projectId).map(({ id, key }) => [id, key]))
  const planned: ListedChecklist[] = []
  for await (const piece of inTurns(listed, checklistsPerTurn)) {
    for (const entry of piece) {
      const key = keys.get(entry.id)
      const row = key === undefined ? undefined : store.checklists.get(key)
      keys.delete(entry.id)
      if (row === undefined) continue
      const changed = before.get(entry.id)?.fingerprint !== row.fingerprint
      planned.push({ entry, key: row.key, plan: planEntry(store, row, entry, options), changed })
    }
  }
  if (!options.isPartial) await markGone(store, { projectId, at, before, gone: [...keys] })
  return planned
}

interface Listing {
  readonly projectId: string
  readonly at: string
  /** Checklists that were known before this list, by id. */
  readonly before: ReadonlyMap<string, KnownChecklist>
}

/** Records checklists and their activity. To be called in a transaction. */
function putEntries(
  store: Store,
  sanitizer: Sanitizer,
  { listed, ...listing }: Listing & { readonly listed: readonly RemoteChecklist[] },
): void {
  const { projectId, at, before } = listing
  const added: number[] = []
  const back: number[] = []
  const changed: { key: number; from: string; to: string }[] = []
  for (const entry of listed) {
    const known = before.get(entry.id)
    // What the list does not have is as last read with the checklist itself.
    const { status, updatedAt, fingerprint } = headOf(sanitizer, entry, known)
    const key = store.checklists.put({
      projectId,
      id: entry.id,
      title: sanitizer.text(entry.title ?? 'Checklist'),
      status,
      updatedAt,
      fingerprint,
      entryRaw: sanitizer.json(entry.raw),
    })
    if (known === undefined) added.push(key)
    else if (known.upstreamGoneAt !== null) back.push(key)
    // A checklist that is completed again may have the update time of before.
    if (known !== undefined && known.fingerprint !== fingerprint) store.checklists.forgetState(key, fingerprint)
    if (known === undefined || known.status === status) continue
    if (documentedStatus(known.status) !== status) changed.push({ key, from: known.status, to: status })
    // An earlier version read it without knowing the spelling of its status. What it confirmed stays confirmed.
    else if (known.fingerprint === fingerprint) store.checklists.markUnread(key)
  }
  recordActivity(store, listing, 'checklists-new', added)
  recordActivity(store, listing, 'checklists-back', back)
  for (const { key: checklistKey, ...facts } of changed) {
    store.activity.record({ at, kind: 'checklist-status', projectId, checklistKey, facts })
  }
}

/**
 * Returns a fingerprint of a list entry that changes with its status and update time, even one that is not readable.
 * The status is in it as sent: archived files are confirmed as of such fingerprints. What the entry lacks is that of
 * `before`, an earlier fingerprint.
 */
export function listFingerprint(
  { status, statusText, updatedAt, updatedText }: StateOfChecklist,
  before?: string,
): string {
  const [statusBefore, updatedBefore] = before === undefined ? [null, null] : partsOf(before)
  const updated = updatedAt ?? (updatedText === null ? updatedBefore : `text:${hashText(updatedText)}`)
  return JSON.stringify([statusText ?? statusBefore ?? status, updated])
}

type StateOfChecklist = Pick<RemoteChecklist, 'status' | 'statusText' | 'updatedAt' | 'updatedText'>

const fingerprintSchema = z.tuple([z.string(), z.string().nullable()])

/** Returns the status and the update time in a fingerprint; nothing for one that a damaged database has. */
function partsOf(fingerprint: string): z.infer<typeof fingerprintSchema> {
  try {
    return fingerprintSchema.parse(JSON.parse(fingerprint))
  } catch {
    return ['', null]
  }
}

/** Returns whether a fingerprint differs from an earlier one only by what was not known then. */
function onlyAdds(before: string, fingerprint: string): boolean {
  const [statusBefore, updatedBefore] = partsOf(before)
  const [status, updated] = partsOf(fingerprint)
  return [status, unknownStatus].includes(statusBefore) && (updatedBefore === null || updatedBefore === updated)
}

/** Returns what a list entry, or an answer about one checklist, says of its state; what it lacks is as before. */
function headOf(
  sanitizer: Sanitizer,
  { status, statusText, updatedAt, updatedText }: StateOfChecklist,
  before: Pick<KnownChecklist, 'status' | 'updatedAt' | 'fingerprint'> | undefined,
): Omit<ChecklistHead, 'key'> {
  const sent = statusText === null ? null : sanitizer.text(statusText)
  const fingerprint = listFingerprint({ status, statusText: sent, updatedAt, updatedText }, before?.fingerprint)
  return {
    status: sent === null ? (before?.status ?? unknownStatus) : sanitizer.text(status),
    updatedAt: updatedAt ?? (updatedText === null ? (before?.updatedAt ?? null) : null),
    fingerprint,
  }
}

const lacksTime = ({ updatedAt, updatedText }: RemoteChecklist) => updatedAt === null && updatedText === null

/**
 * Records the status and update time of an answer about one checklist if its list entry lacks them, or says that it is
 * completed and the answer that it was reopened since. Returns whether they have changed. To be called in a
 * transaction.
 */
export function recordHead(
  store: Store,
  sanitizer: Sanitizer,
  row: ChecklistRow,
  entry: RemoteChecklist,
  detail: RemoteChecklistDetail,
  at: string,
): boolean {
  // What neither has is not kept: the service has stopped sending it.
  const head = headOf(sanitizer, stateFor(entry, detail), undefined)
  if (head.fingerprint === row.fingerprint && head.status === row.status) return false
  store.checklists.setHead({ key: row.key, ...head })
  const stored = row.detailRaw === null ? undefined : store.parseJson(row.detailRaw)
  const storedHead = isJsonObject(stored) ? readChecklistHead(stored, row.id) : null
  const isSame =
    onlyAdds(row.fingerprint, head.fingerprint) &&
    storedHead !== null &&
    headOf(sanitizer, stateFor(entry, storedHead), undefined).fingerprint === head.fingerprint
  if (isSame) {
    // Earlier versions did not record it. What was read is of this state, and so is what was archived after it began.
    const sinceAt =
      head.updatedAt === null ? null : new Date(Date.parse(head.updatedAt) + maxClockErrorMs).toISOString()
    store.checklists.renameState(row.key, row.fingerprint, head.fingerprint, sinceAt)
    // Its first answers without photos were believed.
    if (head.status !== row.status) store.checklists.markUnread(row.key)
  } else store.checklists.forgetState(row.key, head.fingerprint)
  if (documentedStatus(row.status) !== head.status && row.status !== unknownStatus) {
    const facts = { from: row.status, to: head.status }
    store.activity.record({ at, kind: 'checklist-status', projectId: row.projectId, checklistKey: row.key, facts })
  }
  return true
}

/** Returns whether a checklist that was completed when it was listed has been reopened by the time of an answer. */
function isReopened(entry: RemoteChecklist, answer: RemoteChecklist): boolean {
  if (entry.status !== 'completed' || answer.status === 'completed' || !documentedStatuses.has(answer.status))
    return false
  return Date.parse(answer.updatedAt ?? '') > Date.parse(entry.updatedAt ?? '')
}

/** Returns what of an answer's state the list entry does not have. The status of an envelope is none. */
function stateFor(entry: RemoteChecklist, answer: RemoteChecklist): StateOfChecklist {
  if (isReopened(entry, answer)) return answer
  const isOwn =
    isJsonObject(answer.raw) &&
    (isSurelyChecklist(answer.raw) || isUsualHead(answer.raw) || answer.title !== null || !lacksTime(answer))
  return {
    ...(entry.statusText === null && isOwn ? answer : entry),
    ...(lacksTime(entry)
      ? { updatedAt: answer.updatedAt, updatedText: answer.updatedText }
      : { updatedAt: entry.updatedAt, updatedText: entry.updatedText }),
  }
}

/** Marks checklists that are no longer listed: pairs of id and key, some of which were already missing before. */
async function markGone(
  store: Store,
  { gone, ...listing }: Listing & { readonly gone: readonly (readonly [id: string, key: number])[] },
): Promise<void> {
  for await (const piece of inTurns(gone, checklistsPerTransaction)) {
    store.transaction(() => {
      for (const [, key] of piece) store.checklists.markGone(key, listing.at)
      const isNew = piece.filter(([id]) => listing.before.get(id)?.upstreamGoneAt === null)
      recordActivity(
        store,
        listing,
        'checklists-gone',
        isNew.map(([, key]) => key),
      )
    })
  }
}

/** A project's first list may have hundreds of checklists: such entries are recorded as one. */
function recordActivity(
  store: Store,
  { projectId, at }: Listing,
  kind: 'checklists-new' | 'checklists-gone' | 'checklists-back',
  keys: readonly number[],
): void {
  if (keys.length === 0) return
  const checklistKey = keys.length === 1 ? keys[0] : undefined
  store.activity.record({ at, kind, projectId, checklistKey, facts: { count: keys.length } })
}

/** Options of a pass that plans depend on. */
type PlanOptions = Pick<RecordChecklistsOptions, 'nowMs' | 'isFullPass' | 'isUserInitiated'>

/** Plans what to ask about a listed checklist. */
function planEntry(store: Store, row: ChecklistRow, entry: RemoteChecklist, options: PlanOptions): ChecklistPlan {
  // A time that is neither in the list nor was in the checklist itself is not looked for again.
  const isTimeOld = lacksTime(entry) && mayHaveMedia(row.status) && partsOf(row.fingerprint)[1] !== null
  return planChecklist({ ...planInput(store, row, options), isHeadOld: entry.statusText === null || isTimeOld })
}

/** Plans what to ask about a checklist whose status and update time were just read. */
export function planRead(store: Store, row: ChecklistRow, options: PlanOptions): ChecklistPlan {
  return planChecklist({ ...planInput(store, row, options), isHeadOld: false })
}

function planInput(
  store: Store,
  row: ChecklistRow,
  { nowMs, isFullPass, isUserInitiated }: PlanOptions,
): Omit<PlanInput, 'isHeadOld'> {
  // A checklist archived without a gap, or that can have no media yet, need not be evaluated in every pass.
  const isSettled =
    !mayHaveMedia(row.status) || (row.archivedFingerprint === row.fingerprint && !store.jobs.hasForChecklist(row.key))
  const completeness = isSettled ? undefined : evaluateRecorded(store, row)
  const gaps = completeness?.state.gaps ?? []
  const sinceMs = (at: string | null) => (at === null ? null : Math.abs(nowMs - Date.parse(at)))
  const unconfirmed =
    completeness?.questions.map(({ question }) => question).filter((question) => isEmptyUnconfirmed(question, row)) ??
    []
  return {
    isFullPass,
    isUserInitiated,
    status: row.status,
    fingerprint: row.fingerprint,
    hasUpdatedAt: row.updatedAt !== null,
    // An unconfirmed answer is asked for again, whatever state the checklist was read in before.
    detailFingerprint: hasUnconfirmedQuestions(store, row.key) ? null : row.detailFingerprint,
    readFingerprint: row.readFingerprint,
    sinceCheckedMs: sinceMs(row.checkedAt),
    sinceReadMs: sinceMs(row.detailReadAt),
    openJobs: store.jobs.openForChecklist(row.key).length,
    notUploaded:
      gaps.some((gap) => gap.reason === 'not uploaded yet') ||
      completeness?.questions.some(({ isAwaited }) => isAwaited) === true ||
      (!isSettled && awaitsNewReport(store, row)),
    isConfirmationDue: unconfirmed.some((question) => isConfirmationDue(question, nowMs, isUserInitiated)),
    hasNoQuestions:
      row.status === 'completed' && completeness?.questions.every(({ question }) => question.present === 0) === true,
    hasError: row.errorCode !== null,
  }
}

/**
 * Returns whether the report of a completed checklist is of an earlier state of it, and not queued: the service has
 * sent no link for it since. Its link may be only in the answer about the checklist itself.
 */
export function awaitsNewReport(store: Store, { key, status, fingerprint }: ChecklistRow): boolean {
  const report = status === 'completed' ? store.assets.getReport(key) : undefined
  return report !== undefined && report.confirmedFingerprint !== fingerprint && !store.jobs.isOpen(report.id)
}

/**
 * Queues a checklist's report if it is not archived, if the checklist has changed since the archived report was last
 * confirmed, or, in a full pass, if the report has another URL: some hosts have new ones in every answer. `url` is null
 * if the service sent no link. To be called in a transaction.
 */
export function recordReport(
  store: Store,
  links: LinkTable,
  checklist: ChecklistRow,
  url: string | null,
  isFullPass: boolean,
): void {
  const known = store.assets.getReport(checklist.key)
  if (known !== undefined) {
    if (url === null && checklist.status !== 'completed') {
      // Reopened: there is no report until the checklist is completed again, which queues it again. Another status
      // says nothing about a report that was listed and is missing.
      if (known.sha256 !== null || documentedStatuses.has(checklist.status)) store.jobs.finish(known.id)
      return
    }
    const sourceHash = urlIdentityOf(url) ?? known.sourceHash
    const isMoved = sourceHash !== known.sourceHash
    const isConfirmed = known.confirmedFingerprint === checklist.fingerprint && !(isMoved && isFullPass)
    const isChanged = isMoved || (url !== null && checklist.readFingerprint !== checklist.fingerprint)
    if (known.sha256 === null && isChanged) store.jobs.enqueueAgain(known.id, checklist.projectId, 'fetch')
    else if (known.sha256 === null) store.jobs.enqueue(known.id, checklist.projectId, 'fetch')
    else if (url === null || isConfirmed) return
    else store.jobs.enqueue(known.id, checklist.projectId, isMoved ? 'refetch' : 'recheck')
    store.assets.update(known.id, { ...known, sourceHash }, isMoved)
    if (isMoved && known.confirmedFingerprint !== null) {
      store.checklists.unmarkArchived(checklist.key)
      store.checklists.markDocumentStale(checklist.key)
    }
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
    sourceHash: urlIdentityOf(url),
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
