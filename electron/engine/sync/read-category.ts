import { caseKey } from '../archive/safe-name.ts'
import type { Clock } from '../lib/ports.ts'
import type { CallOptions, RemoteMedia, ServiceClient } from '../service/service-types.ts'
import type { AssetFacts, AssetRow } from '../store/assets-store.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'
import { assignMedia, recordsFor, remoteKey } from './assign-media.ts'
import { mediaPath } from './asset-paths.ts'
import {
  clearCategory,
  confirmEmptyCategory,
  isFirstEmptyAnswer,
  unconfirmedCategory,
} from '../checklists/confirmation.ts'
import { linkHash, sourceHash } from './url-identity.ts'
import type { LinkTable } from './link-table.ts'
import { matchAssets } from './match-assets.ts'
import { partialList, readList } from './read-list.ts'
import { isSameJson } from '../lib/same-json.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'

export interface CategoryReaderDeps {
  readonly store: Store
  readonly client: ServiceClient
  readonly links: LinkTable
  readonly sanitizer: Sanitizer
  readonly clock: Clock
}

/** What a media record says of one of its two files. */
interface RemoteFile extends AssetFacts {
  readonly url: string | null
}

export interface CategoryReader {
  /** Two askings of the same category at the same time are one call. */
  read(projectId: string, categoryId: string, options: CallOptions): Promise<void>
  /** Collects the categories of a project that are read from now on, by whomever, until `end`. One at a time. */
  collect(projectId: string): { readonly categories: ReadonlySet<string>; readonly end: () => void }
}

/**
 * Asks for one media category of a project and brings the rows of every question that uses it up to date: what is new
 * is queued, what may have changed is queued to be checked, what vanished is marked, the links are held.
 */
export function createCategoryReader({ store, client, links, sanitizer, clock }: CategoryReaderDeps): CategoryReader {
  const underWay = new Map<string, Promise<void>>()
  const collections = new Map<string, Set<string>>()

  async function ask(projectId: string, categoryId: string, options: CallOptions): Promise<void> {
    const collected = collections.get(projectId)
    // A pass reads each category once for its news; whatever asks besides wants links.
    const wantsNews = collected !== undefined && !collected.has(categoryId)
    const { list: records, isPartial } = await readList(options, (call) => client.getMedia(projectId, categoryId, call))
    const isUnconfirmed =
      wantsNews && !isPartial && records.length === 0 && !confirmEmptyCategory(store, projectId, categoryId)
    const isWhole = !isPartial && !isUnconfirmed
    const held = store.transaction(() =>
      apply(store, sanitizer, { projectId, categoryId, wantsNews }, records, isWhole ? new Date(clock.nowMs()) : null),
    )
    for (const [assetId, url] of held) links.hold(assetId, url)
    // Links were asked for, and are there.
    if (!wantsNews) return
    collected.add(categoryId)
    if (isPartial) throw partialList('photos')
    if (isUnconfirmed) throw unconfirmedCategory()
    clearCategory(store, projectId, categoryId)
  }

  return {
    read(projectId, categoryId, options) {
      const key = JSON.stringify([projectId, categoryId])
      const running = underWay.get(key) ?? ask(projectId, categoryId, options).finally(() => underWay.delete(key))
      underWay.set(key, running)
      return running
    },
    collect(projectId) {
      const categories = new Set<string>()
      collections.set(projectId, categories)
      return { categories, end: () => collections.delete(projectId) }
    },
  }
}

function apply(
  store: Store,
  sanitizer: Sanitizer,
  { projectId, categoryId, wantsNews }: { projectId: string; categoryId: string; wantsNews: boolean },
  records: readonly RemoteMedia[],
  /** Null: the records are not all there are. */
  now: Date | null,
): Map<number, string | null> {
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
  // A category can serve several checklists of a project. Each gets all that may be its own.
  const assigned = new Map(
    [...Map.groupBy(facts, ({ checklistKey }) => checklistKey).values()].flatMap((own) => [
      ...assignMedia(recordsFor(own, facts, records), own),
    ]),
  )
  const held = new Map<number, string | null>()
  for (const question of questions) {
    const checklist = checklists.get(question.checklistKey)
    if (checklist?.folder == null) continue
    const own = assets.get(question.key) ?? []
    const media = (assigned.get(question.key) ?? []).map((record, index) => toFiles(record, index, sanitizer))
    const target = { store, checklist, question, held, isWhole: now !== null, wantsNews }
    applyKind(target, 'photo', own, distinct(media.map(({ photo }) => photo)))
    applyKind(
      target,
      'thumbnail',
      own,
      distinct(media.map(({ thumbnail }) => thumbnail)).filter((file) => file.url !== null),
    )
    if (now !== null && wantsNews) {
      const isUnconfirmed = records.length === 0 && isFirstEmptyAnswer(question, checklist, own.length)
      if (isUnconfirmed) store.questions.recordEmptyAnswer(question.key, now.toISOString())
      else store.questions.markMediaRead(question.key, now.toISOString())
    }
    store.checklists.markDocumentStale(checklist.key)
  }
  return held
}

interface Target {
  readonly store: Store
  readonly checklist: ChecklistRow
  readonly question: QuestionRow
  /** Filled with the links, or that there is none. */
  readonly held: Map<number, string | null>
  /** Whether what is not among the records is not at the service either. */
  readonly isWhole: boolean
  /** Whether archived files are looked at for changes, or links alone were asked for. */
  readonly wantsNews: boolean
}

function applyKind(
  target: Target,
  kind: 'photo' | 'thumbnail',
  own: readonly AssetRow[],
  files: readonly RemoteFile[],
) {
  const { store, checklist, question, held, isWhole, wantsNews } = target
  const match = matchAssets(
    own.filter((asset) => asset.kind === kind),
    files,
  )
  for (const [asset, file] of match.pairs) {
    if (asset.sha256 === null) noteMissing(target, asset, file)
    else if (wantsNews) noteChange(store, asset, file, checklist)
    if (asset.sha256 === null || wantsNews) store.assets.update(asset.id, file)
    held.set(asset.id, file.url)
  }
  for (const file of match.created) {
    const path = mediaPath(checklist.folder ?? '', kind, question, file.fileName, (candidate) =>
      store.assets.isPathTaken(caseKey(candidate)),
    )
    const { url, ...facts } = file
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
    held.set(id, url)
  }
  // The first reading after the checklist changed tells what was taken out of it. A later one, asked for to get fresh
  // links, that lacks a file which is still waited for leaves a gap to be seen.
  for (const asset of match.vanished) {
    held.set(asset.id, null)
    if (!isWhole || !wantsNews) continue
    const isNameless = asset.remoteKey.startsWith('nameless:')
    if (question.mediaReadAt !== null && asset.sha256 === null && !isNameless) continue
    store.assets.markGone(asset.id)
    // Nobody can be asked any more whether an archived file has changed.
    store.jobs.finish(asset.id)
  }
}

/** Queues a file that is not archived. One that failed gets another chance when there is news of it. */
function noteMissing({ store, checklist, question, wantsNews }: Target, asset: AssetRow, file: RemoteFile): void {
  const isNews = wantsNews && (question.mediaReadAt === null || file.sourceHash !== asset.sourceHash)
  if (isNews) store.jobs.enqueueAgain(asset.id, checklist.projectId, 'fetch')
  else store.jobs.enqueue(asset.id, checklist.projectId, 'fetch')
}

/**
 * Queues an archived file that may not be what the service has now. A file at another place may be another one whatever
 * its validators say. Of a completed checklist every file is asked about once for each state of it.
 */
function noteChange(store: Store, asset: AssetRow, file: RemoteFile, checklist: ChecklistRow): void {
  const unconfirmed = checklist.status === 'completed' && asset.confirmedFingerprint !== checklist.fingerprint
  if (file.sourceHash !== asset.sourceHash) store.jobs.enqueue(asset.id, checklist.projectId, 'refetch')
  else if (unconfirmed || !isSameJson(file.record, asset.record))
    store.jobs.enqueue(asset.id, checklist.projectId, 'recheck')
}

/**
 * A record that is listed twice counts once; another file under the same identity is another file. The same link is the
 * same file. Links that differ in their signatures alone are, where the record has an id or says the same in all else.
 */
function distinct(files: readonly RemoteFile[]): RemoteFile[] {
  const known = new Set<string>()
  const counts = new Map<string, number>()
  return files.flatMap((file) => {
    const { remoteKey: key, url, record } = file
    const isOwnId = key.startsWith('id:')
    const marks = [
      JSON.stringify(['link', key, url]),
      JSON.stringify(['record', key, linkHash(url), isOwnId ? null : record]),
    ]
    const isRepeated = marks.some((mark) => known.has(mark))
    for (const mark of marks) known.add(mark)
    if (isRepeated) return []
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return [count === 1 ? file : { ...file, remoteKey: `${key}#${count}` }]
  })
}

function toFiles(
  record: RemoteMedia,
  index: number,
  sanitizer: Sanitizer,
): { photo: RemoteFile; thumbnail: RemoteFile } {
  const isNameless =
    record.id === null && record.filename === null && record.imgUrl === null && record.thumbnailUrl === null
  const facts = {
    remoteKey: isNameless ? `nameless:${index}` : remoteKey(record),
    fileName: record.filename === null ? null : sanitizer.text(record.filename),
    record: sanitizer.json(record.raw),
    takenAt: record.takenAt,
    latitude: record.place?.latitude ?? null,
    longitude: record.place?.longitude ?? null,
  }
  return {
    photo: { ...facts, url: record.imgUrl, sourceHash: sourceHash(record.imgUrl) },
    thumbnail: { ...facts, url: record.thumbnailUrl, sourceHash: sourceHash(record.thumbnailUrl) },
  }
}
