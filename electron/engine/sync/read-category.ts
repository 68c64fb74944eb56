import { caseKey } from '../archive/unique-name.ts'
import type { Clock } from '../ports.ts'
import type { CallOptions, RemoteMedia, ServiceClient } from '../service/service-types.ts'
import type { AssetFacts, AssetRow } from '../store/assets-store.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { QuestionRow } from '../store/questions-store.ts'
import { assignMedia, remoteKey, sourceHash } from './assign-media.ts'
import { mediaPath } from './asset-paths.ts'
import type { LinkTable } from './link-table.ts'
import { matchAssets } from './match-assets.ts'
import type { Storable } from './storable.ts'

export interface CategoryReaderParts {
  readonly store: Store
  readonly client: ServiceClient
  readonly links: LinkTable
  readonly storable: Storable
  readonly clock: Clock
}

/** What a media record says of one of its two files. */
interface RemoteFile extends AssetFacts {
  readonly url: string | null
}

/**
 * Asks for one media category of a project and brings the rows of every question that uses it up to date: what is new
 * is queued, what may have changed is queued to be checked, what vanished is marked, the links are held. Two askings of
 * the same category at the same time are one call.
 */
export function createCategoryReader({ store, client, links, storable, clock }: CategoryReaderParts) {
  const underWay = new Map<string, Promise<void>>()

  async function ask(projectId: string, categoryId: string, options: CallOptions): Promise<void> {
    const records = await client.getMedia(projectId, categoryId, options)
    const held = store.transaction(() =>
      apply(store, storable, projectId, categoryId, records, new Date(clock.nowMs())),
    )
    for (const [assetId, url] of held) links.hold(assetId, url)
  }

  return (projectId: string, categoryId: string, options: CallOptions): Promise<void> => {
    const key = JSON.stringify([projectId, categoryId])
    const running = underWay.get(key) ?? ask(projectId, categoryId, options).finally(() => underWay.delete(key))
    underWay.set(key, running)
    return running
  }
}

export type CategoryReader = ReturnType<typeof createCategoryReader>

function apply(
  store: Store,
  storable: Storable,
  projectId: string,
  categoryId: string,
  records: readonly RemoteMedia[],
  now: Date,
): Map<number, string | null> {
  const questions = store.questions.listForProject(projectId).filter((q) => q.mediaCategoryId === categoryId)
  const checklists = new Map(store.checklists.listForProject(projectId).map((row) => [row.key, row]))
  const assets = new Map(
    questions.map((q) => [q.key, store.assets.listForChecklist(q.checklistKey).filter((a) => a.questionKey === q.key)]),
  )
  const assigned = assignMedia(
    records,
    questions.map(({ key, clientRefIds }) => ({
      key,
      clientRefIds,
      knownKeys: new Set(assets.get(key)?.map((asset) => asset.remoteKey)),
    })),
  )
  const held = new Map<number, string | null>()
  for (const question of questions) {
    const checklist = checklists.get(question.checklistKey)
    if (checklist?.folder == null) continue
    const own = assets.get(question.key) ?? []
    const media = (assigned.get(question.key) ?? []).map((record, index) => toFiles(record, index, storable))
    const target = { store, checklist, question, held }
    applyKind(
      target,
      'photo',
      own,
      media.map(({ photo }) => photo),
    )
    applyKind(
      target,
      'thumbnail',
      own,
      media.map(({ thumbnail }) => thumbnail).filter((file) => file.url !== null),
    )
    store.questions.markMediaRead(question.key, now.toISOString())
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
}

function applyKind(
  target: Target,
  kind: 'photo' | 'thumbnail',
  own: readonly AssetRow[],
  files: readonly RemoteFile[],
) {
  const { store, checklist, question, held } = target
  const match = matchAssets(
    own.filter((asset) => asset.kind === kind),
    files,
  )
  for (const [asset, file] of match.pairs) {
    if (asset.sha256 === null) store.jobs.enqueue(asset.id, checklist.projectId, 'fetch')
    else if (mayHaveChanged(asset, file, checklist)) store.jobs.enqueue(asset.id, checklist.projectId, 'recheck')
    store.assets.update(asset.id, file)
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
    if (question.mediaReadAt === null || asset.sha256 !== null) store.assets.markGone(asset.id)
    if (question.mediaReadAt === null && asset.sha256 === null) store.jobs.finish(asset.id)
  }
}

/** Evidence that an archived file is not what the service has now. A finished checklist that was edited is suspect whole. */
function mayHaveChanged(asset: AssetRow, file: RemoteFile, checklist: ChecklistRow): boolean {
  const edited = checklist.archivedFingerprint !== null && checklist.archivedFingerprint !== checklist.fingerprint
  const moved = file.sourceHash !== null && file.sourceHash !== asset.sourceHash
  return edited || moved || file.record !== asset.record
}

function toFiles(record: RemoteMedia, index: number, storable: Storable): { photo: RemoteFile; thumbnail: RemoteFile } {
  const isNameless =
    record.id === null && record.filename === null && record.imgUrl === null && record.thumbnailUrl === null
  const facts = {
    remoteKey: isNameless ? `nameless:${index}` : remoteKey(record),
    fileName: record.filename === null ? null : storable.text(record.filename),
    record: storable.json(record.raw),
    takenAt: record.takenAt,
    latitude: record.place?.latitude ?? null,
    longitude: record.place?.longitude ?? null,
  }
  return {
    photo: { ...facts, url: record.imgUrl, sourceHash: sourceHash(record.imgUrl) },
    thumbnail: { ...facts, url: record.thumbnailUrl, sourceHash: sourceHash(record.thumbnailUrl) },
  }
}
