import { posix } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { photoFileName, photosFolder, thumbnailsFolder } from '../archive/layout.ts'
import { caseKey, firstFreeNumber, numberedName } from '../archive/safe-name.ts'
import { isConfirmationDue, isEmptyUnconfirmed, isFirstEmptyAnswer } from '../checklists/confirmation.ts'
import { withoutLink } from '../lib/redact.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'
import type { RemoteMedia } from '../service/service-types.ts'
import type { AssetFacts, AssetRow } from '../store/assets-store.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'
import { strictUrlIdentityOf, urlIdentityOf } from '../lib/link-identity.ts'
import { assignMedia, matchAssets, recordsFor, remoteKey } from './match-media.ts'

/** One of the two files of a media record. */
export interface RemoteFile extends AssetFacts {
  readonly url: string | null
  /** The record has this file, though perhaps no readable link to it: then it is not uploaded yet. */
  readonly isExpected: boolean
}

/** A category that was read: `wantsChanges` if archived files are compared, too, `isUserInitiated` if a user waits. */
export interface CategoryAnswer {
  readonly projectId: string
  readonly categoryId: string
  readonly wantsChanges: boolean
  readonly isUserInitiated: boolean
}

export interface RecordedMedia {
  /** The listed file of each asset, or null if there is none. */
  readonly listed: ReadonlyMap<number, RemoteFile | null>
  /** Assets that may be another file than the one that was listed before. */
  readonly changed: ReadonlySet<number>
}

/**
 * Updates the rows of every question of a category from its records. `now` is the time of the answer, or null if the
 * records are not all there are. To be called in a transaction.
 */
export function recordMedia(
  store: Store,
  sanitizer: Sanitizer,
  { projectId, categoryId, wantsChanges, isUserInitiated }: CategoryAnswer,
  records: readonly RemoteMedia[],
  now: Date | null,
): RecordedMedia {
  const questions = store.questions.listForCategory(projectId, categoryId)
  const checklistKeys = new Set(questions.map(({ checklistKey }) => checklistKey))
  const checklists = new Map([...checklistKeys].map((key) => [key, store.checklists.get(key)]))
  const assets = new Map(questions.map((question) => [question.key, store.assets.listForQuestion(question)]))
  const facts = questions.map(({ key, checklistKey, clientRefIds }) => ({
    key,
    checklistKey,
    clientRefIds,
    knownKeys: new Set(assets.get(key)?.map((asset) => asset.remoteKey)),
  }))
  // Several checklists of a project can share a category. Each gets all records that may be its own.
  const assigned = new Map(
    [...Map.groupBy(facts, ({ checklistKey }) => checklistKey).values()].flatMap((own) => [
      ...assignMedia(recordsFor(own, facts, records), own),
    ]),
  )
  // Records that no question refers to are those of the first of a checklist's questions without references.
  const haveRecords = new Set(
    questions.flatMap(({ key, checklistKey, clientRefIds }) =>
      clientRefIds === null && (assigned.get(key)?.length ?? 0) > 0 ? [checklistKey] : [],
    ),
  )
  const listed = new Map<number, RemoteFile | null>()
  const changed = new Set<number>()
  for (const question of questions) {
    const checklist = checklists.get(question.checklistKey)
    if (checklist?.folder == null) continue
    // One that the service removed stays as archived as it was. It is read again if it is listed again.
    if (checklist.upstreamGoneAt !== null) {
      store.checklists.forgetRead(checklist.key)
      continue
    }
    const own = assets.get(question.key) ?? []
    const media = (assigned.get(question.key) ?? []).map((record, index) => toFiles(record, index, sanitizer))
    const state = { isComplete: now !== null, wantsChanges }
    const target = { store, checklist, question, listed, changed, photoPaths: new Map<string, string>(), ...state }
    const photos = distinct(media.map(({ photo }) => photo))
    const thumbnails = distinct(media.map(({ thumbnail }) => thumbnail)).filter((file) => file.isExpected)
    const areChanged = [applyKind(target, 'photo', own, photos), applyKind(target, 'thumbnail', own, thumbnails)]
    if (areChanged.includes(true)) store.checklists.unmarkArchived(checklist.key)
    if (now !== null && wantsChanges) {
      const isEmpty = !haveRecords.has(checklist.key) && own.length === 0
      const isFirst = isEmpty && isFirstEmptyAnswer(question, checklist)
      // Another checklist's photos of the category may be asked for too soon to confirm anything.
      const isTooSoon =
        isEmpty &&
        isEmptyUnconfirmed(question, checklist) &&
        !isConfirmationDue(question, now.getTime(), isUserInitiated)
      if (isFirst) store.questions.recordEmptyAnswer(question.key, now.toISOString())
      else if (!isTooSoon) store.questions.markMediaRead(question.key, now.toISOString())
    }
    store.checklists.markDocumentStale(checklist.key)
  }
  return { listed, changed }
}

interface Target {
  readonly store: Store
  readonly checklist: ChecklistRow
  readonly question: QuestionRow
  /** Both are filled; see `RecordedMedia`. */
  readonly listed: Map<number, RemoteFile | null>
  readonly changed: Set<number>
  /** Filled with the path of each listed photo, by remote key, for the names of new thumbnails. */
  readonly photoPaths: Map<string, string>
  /** The records are all that the service has. */
  readonly isComplete: boolean
  /** Archived files are checked for changes, too; otherwise only links were asked for. */
  readonly wantsChanges: boolean
}

/** Updates the rows of one kind. Returns whether the question has other files than before. */
function applyKind(
  target: Target,
  kind: 'photo' | 'thumbnail',
  own: readonly AssetRow[],
  files: readonly RemoteFile[],
): boolean {
  const { store, checklist, question, listed, changed, photoPaths, isComplete, wantsChanges } = target
  const match = matchAssets(
    own.filter((asset) => asset.kind === kind),
    files,
  )
  let isChanged = false
  for (const [asset, file] of match.pairs) {
    if (asset.sha256 === null || wantsChanges) {
      const isMoved = file.sourceHash !== asset.sourceHash
      const isOther = isMoved || !isSameJson(file.record, asset.record)
      if (asset.sha256 === null) queueMissing(target, asset, isMoved)
      else queueChanged(store, asset, { isMoved, isOther }, checklist)
      // Some services have other URLs or records in every answer: one that was read for links alone does not end what
      // is in flight, and the next one that is read for changes still shows the difference.
      store.assets.update(asset.id, wantsChanges ? file : { ...file, record: asset.record }, isOther)
      const isElsewhere = file.latitude !== asset.latitude || file.longitude !== asset.longitude
      if (kind === 'photo' && asset.sha256 !== null && isElsewhere) store.hints.markStale(checklist.key)
      if (isOther && wantsChanges) changed.add(asset.id)
      isChanged ||= isOther
    }
    listed.set(asset.id, file)
    if (kind === 'photo') photoPaths.set(file.remoteKey, asset.path)
  }
  const folderOf = kind === 'photo' ? photosFolder : thumbnailsFolder
  const folder = folderOf(checklist.folder ?? '', question.sectionFolder, question.folder)
  const isTaken = (name: string) => store.assets.isPathTaken(caseKey(`${folder}/${name}`))
  // First number that may be free, by wanted name: thousands of photos may have the same one.
  const freeFrom = new Map<string, number>()
  for (const file of match.created) {
    const photoPath = photoPaths.get(file.remoteKey)
    const wanted = photoPath === undefined ? photoFileName(file.fileName) : posix.basename(photoPath)
    const number = firstFreeNumber(wanted, isTaken, freeFrom.get(wanted))
    freeFrom.set(wanted, number + 1)
    const path = `${folder}/${numberedName(wanted, number)}`
    if (kind === 'photo') photoPaths.set(file.remoteKey, path)
    const { url: _url, isExpected: _isExpected, ...facts } = file
    const pathKey = caseKey(path)
    const id = store.assets.insert({
      ...facts,
      checklistKey: checklist.key,
      questionKey: question.key,
      kind,
      path,
      pathKey,
    })
    store.jobs.enqueue(id, checklist.projectId, 'fetch')
    listed.set(id, file)
  }
  isChanged ||= match.created.length > 0
  // The first read after the checklist changed shows what was removed from it. A later one that lacks a file which is
  // still queued leaves a visible gap.
  for (const asset of match.gone) {
    listed.set(asset.id, null)
    if (!isComplete || !wantsChanges) continue
    const isNameless = asset.remoteKey.startsWith('nameless:')
    if (question.mediaReadAt !== null && asset.sha256 === null && !isNameless) continue
    store.assets.markGone(asset.id)
    isChanged ||= asset.present === 1
    // The service cannot be asked any more whether an archived file has changed.
    store.jobs.finish(asset.id)
  }
  return isChanged
}

/** Returns whether two JSON texts have equal values. The service may change the order of keys. */
function isSameJson(one: string | null, other: string | null): boolean {
  if (one === other) return true
  if (one === null || other === null) return false
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other))
  } catch {
    return false
  }
}

/** Queues a file that is not archived. A failed one is retried at once if its record or link has changed. */
function queueMissing({ store, checklist, question, wantsChanges }: Target, asset: AssetRow, isMoved: boolean): void {
  const isChanged = wantsChanges && (question.mediaReadAt === null || isMoved)
  if (isChanged) store.jobs.enqueueAgain(asset.id, checklist.projectId, 'fetch')
  else store.jobs.enqueue(asset.id, checklist.projectId, 'fetch')
}

/**
 * Queues an archived file that may differ from what the service has now. A file with another URL identity may be
 * another file whatever its validators say. Every file of a completed checklist is checked once for each state of it.
 */
function queueChanged(
  store: Store,
  asset: AssetRow,
  { isMoved, isOther }: { readonly isMoved: boolean; readonly isOther: boolean },
  checklist: ChecklistRow,
): void {
  const unconfirmed = checklist.status === 'completed' && asset.confirmedFingerprint !== checklist.fingerprint
  if (isMoved) store.jobs.enqueue(asset.id, checklist.projectId, 'refetch')
  else if (unconfirmed || isOther) store.jobs.enqueue(asset.id, checklist.projectId, 'recheck')
}

/**
 * Removes records that are listed twice, and numbers different files that share an identity. The same link is the same
 * file; so are links that differ only in their signatures, if the record has an id or is otherwise equal.
 */
function distinct(files: readonly RemoteFile[]): RemoteFile[] {
  const groups = Map.groupBy(files, ({ remoteKey: key }) => key)
  const known = new Set<string>()
  const counts = new Map<string, number>()
  return files.flatMap((file) => {
    const { remoteKey: key } = file
    // Nearly every file: there is nothing to compare it with.
    if (groups.get(key)?.length === 1) return [file]
    const marks = marksOf(file)
    const isRepeated = marks.some((mark) => known.has(mark))
    for (const mark of marks) known.add(mark)
    if (isRepeated) return []
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return [count === 1 ? file : { ...file, remoteKey: `${key}#${count}` }]
  })
}

/** Returns marks of a file. Two files that share one are the same file, listed twice. */
function marksOf({ remoteKey: key, url, record }: RemoteFile): string[] {
  const isOwnId = key.startsWith('id:')
  return [
    JSON.stringify(['link', key, url]),
    JSON.stringify(['record', key, strictUrlIdentityOf(url), isOwnId ? null : record]),
  ]
}

function toFiles(
  record: RemoteMedia,
  index: number,
  sanitizer: Sanitizer,
): { photo: RemoteFile; thumbnail: RemoteFile } {
  const isNameless =
    record.id === null && record.filename === null && record.imgUrl === null && record.thumbnailUrl === null
  const fileName = record.filename === null ? null : withoutLink(record.filename)
  const facts = {
    remoteKey: isNameless ? `nameless:${index}` : remoteKey(record),
    fileName: fileName === null ? null : sanitizer.text(fileName),
    earlierName: record.filename === null ? null : sanitizer.text(record.filename),
    record: sanitizer.json(record.raw),
    takenAt: record.takenAt,
    latitude: record.place?.latitude ?? null,
    longitude: record.place?.longitude ?? null,
  }
  return {
    photo: { ...facts, url: record.imgUrl, sourceHash: urlIdentityOf(record.imgUrl), isExpected: true },
    thumbnail: {
      ...facts,
      url: record.thumbnailUrl,
      sourceHash: urlIdentityOf(record.thumbnailUrl),
      isExpected: record.hasThumbnail,
    },
  }
}
