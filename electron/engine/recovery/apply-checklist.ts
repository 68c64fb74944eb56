import { createHash } from 'node:crypto'
import { caseKey } from '../archive/safe-name.ts'
import { storeAnswers } from '../checklists/answers.ts'
import { isJsonObject } from '../service/readers/json-object.ts'
import { documentedStatus, readStatusText, readUpdatedText } from '../service/readers/read-checklist-head.ts'
import type { AssetRow } from '../store/assets-store.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import { listFingerprint } from '../sync/record-checklists.ts'
import type { FoundDocument } from './find-documents.ts'
import type { FoundVersion, Inspection } from './inspect-files.ts'
import type { RecordedChecklist, RecordedFile } from './recorded-checklist.ts'

/** A checklist whose rows are to be restored. */
export interface InspectedChecklist {
  readonly projectId: string
  readonly document: FoundDocument
  /** By path relative to the checklist's folder; files that agree with their rows are left out. */
  readonly inspected: ReadonlyMap<string, Inspection>
  readonly versions: readonly FoundVersion[]
  /** Time of the inspection; ISO 8601 UTC. */
  readonly at: string
}

/**
 * Restores a checklist's rows, and updates those that are older than the disk. Nothing counts as read, and files that
 * their file host can confirm do not count as confirmed: the next pass does both. Returns false if the checklist has
 * another folder in the database. Must be called in a transaction.
 */
export function applyChecklist(
  store: Store,
  { projectId, document, inspected, versions, at }: InspectedChecklist,
): boolean {
  const { folder, recorded, text } = document
  const row = restoreChecklist(store, projectId, folder, recorded)
  if (row === undefined) return false
  const questionKeys = restoreQuestions(store, row, recorded)
  storeAnswers(store, { key: row.key, id: row.id, detail: store.checklists.get(row.key)?.detailRaw ?? null })
  const known = new KnownAssets(store.assets.listForChecklist(row.key))
  let differs = false
  for (const file of recorded.files) {
    const inspection = inspected.get(file.file)
    const questionKey = file.question === null ? null : (questionKeys[file.question] ?? null)
    if (inspection === undefined || (questionKey === null) !== (file.kind === 'report')) continue
    differs = restoreFile(store, row, recorded, { file, inspection, questionKey, known, at }) || differs
  }
  const documentSha256 = createHash('sha256').update(text).digest('hex')
  // The next pass asks the service about all of the checklist: its rows must fit the restored ones, and a document that
  // they do not know may say that a file was replaced since.
  if (differs || row.documentSha256 !== documentSha256) store.checklists.markUnread(row.key)
  const assets = store.assets.listForChecklist(row.key)
  for (const { replaced, ...version } of versions) {
    // If the file's name is no longer used, its version still belongs to the checklist.
    const asset = assets.find(({ path }) => path === replaced) ?? assets[0]
    if (asset !== undefined) store.versions.insert({ ...version, assetId: asset.id })
  }
  store.checklists.setDocument(row.key, documentSha256, Buffer.byteLength(text))
  // One that is not wrong is unchanged until the service was asked: another data folder may have the same archive.
  const isWrong = recorded.skipped > 0 || [...inspected.values()].some(({ kind }) => kind !== 'good')
  if (isWrong || row.documentStale === 1) store.checklists.markDocumentStale(row.key)
  store.projects.setChecksumsStale(projectId, true)
  return true
}

/** Returns the fingerprint of the service's list entry as of the document. */
function fingerprintOf({ checklist, entry, detail }: RecordedChecklist): string {
  const answers = [entry, detail].filter(isJsonObject)
  const sent = answers.map(readStatusText).find((text) => text !== null && documentedStatus(text) === checklist.status)
  const updatedText = answers.map(readUpdatedText).find((text) => text !== null) ?? null
  return listFingerprint({ ...checklist, statusText: sent ?? null, updatedText })
}

function restoreChecklist(
  store: Store,
  projectId: string,
  folder: string,
  recorded: RecordedChecklist,
): ChecklistRow | undefined {
  const find = () => store.checklists.find(projectId, recorded.checklist.id)
  const known = find()
  if (known?.folder === folder) return known
  if (known?.folder != null || store.checklists.isFolderTaken(caseKey(folder))) return undefined
  if (known === undefined) {
    const entryRaw = JSON.stringify(recorded.entry)
    store.checklists.put({ projectId, ...recorded.checklist, fingerprint: fingerprintOf(recorded), entryRaw })
  }
  const row = find()
  if (row === undefined) return undefined
  store.checklists.setFolder(row.key, folder, caseKey(folder))
  // It was reported as archived before.
  if (known === undefined && recorded.checklist.status === 'completed') {
    store.checklists.setReported(row.key, row.fingerprint)
  }
  if (recorded.detail !== null) store.checklists.restoreDetail(row.key, JSON.stringify(recorded.detail))
  return { ...row, folder }
}

/** Returns the rows' keys in the order of the document's questions. */
function restoreQuestions(store: Store, row: ChecklistRow, { questions }: RecordedChecklist): number[] {
  const key = (sectionFolder: string, folder: string) => caseKey(`${sectionFolder}/${folder}`)
  const list = () => store.questions.listForChecklist(row.key)
  const known = new Set(list().map((question) => key(question.sectionFolder, question.folder)))
  const before = new Set(known)
  questions.forEach(({ section, label, mediaCategoryId, sectionFolder, folder }, index) => {
    if (known.has(key(sectionFolder, folder))) return
    known.add(key(sectionFolder, folder))
    store.questions.insert({
      checklistKey: row.key,
      position: index + 1,
      sectionLabel: section,
      label,
      sectionFolder,
      folder,
      mediaCategoryId,
      clientRefIds: null,
      answer: null,
    })
  })
  const keys = new Map(list().map((question) => [key(question.sectionFolder, question.folder), question.key]))
  for (const { sectionFolder, folder, present } of questions) {
    const made = keys.get(key(sectionFolder, folder))
    if (made !== undefined && !present && !before.has(key(sectionFolder, folder))) store.questions.markAbsent(made)
  }
  return questions.map(({ sectionFolder, folder }) => keys.get(key(sectionFolder, folder)) ?? 0)
}

interface FileToRestore {
  readonly file: RecordedFile
  readonly inspection: Inspection
  readonly questionKey: number | null
  readonly known: KnownAssets
  readonly at: string
}

/** Returns whether a row was created or changed. */
function restoreFile(
  store: Store,
  row: ChecklistRow,
  recorded: RecordedChecklist,
  { file, inspection, questionKey, known, at }: FileToRestore,
): boolean {
  const path = `${row.folder}/${file.file}`
  const asset = known.find(file, path, questionKey)
  if (inspection.kind !== 'good') {
    const isKnownLost = asset?.sha256 === null && asset.damage !== null
    if (asset !== undefined && (isKnownLost || asset.path !== path)) return false
    const lost = asset?.id ?? insert(store, row, file, path, questionKey)
    if (lost === undefined) return false
    // A file that is gone both at the service and here was archived once: it counts as missing.
    if (!file.present) store.assets.markGone(lost)
    // A newer file at the path is not the archived one: no hash of a lost file is kept.
    store.assets.markLost(lost, at, inspection.kind === 'newer' ? undefined : file)
    return true
  }
  const id = asset?.id ?? insert(store, row, file, path, questionKey)
  if (id === undefined) return false
  const hasMoved = asset !== undefined && asset.path !== path
  if (hasMoved) {
    if (store.assets.isPathTaken(caseKey(path))) return false
    store.assets.setPath(id, path, caseKey(path))
  }
  if (asset?.sha256 === inspection.hash.sha256) return hasMoved
  const { etag, lastModified, archivedAt } = file
  // With a validator the next pass asks the file host whether a file of a completed checklist is unchanged. Without one
  // that would be a download, so the confirmation in the document counts, for the fingerprint of that time.
  const isAsked = recorded.checklist.status === 'completed' && (etag !== null || lastModified !== null)
  store.assets.restore({
    id,
    ...inspection.hash,
    etag,
    lastModified,
    archivedAt,
    sourceHash: file.source,
    record: recordOf(file),
    confirmedFingerprint: file.confirmed && !isAsked ? fingerprintOf(recorded) : null,
  })
  if (!file.present) store.assets.markGone(id)
  store.jobs.finish(id)
  return true
}

function insert(
  store: Store,
  row: ChecklistRow,
  file: RecordedFile,
  path: string,
  questionKey: number | null,
): number | undefined {
  if (store.assets.isPathTaken(caseKey(path))) return undefined
  return store.assets.insert({
    checklistKey: row.key,
    questionKey,
    kind: file.kind,
    remoteKey: file.key,
    sourceHash: file.source,
    fileName: file.filename,
    path,
    pathKey: caseKey(path),
    record: recordOf(file),
    takenAt: file.takenAt,
    latitude: file.place?.latitude ?? null,
    longitude: file.place?.longitude ?? null,
  })
}

const recordOf = ({ record }: RecordedFile) => (record === undefined ? null : JSON.stringify(record))

/** Assets of a checklist that are already in the database. */
class KnownAssets {
  readonly #byKey: ReadonlyMap<string, AssetRow>
  readonly #byPath: ReadonlyMap<string, AssetRow>

  constructor(assets: readonly AssetRow[]) {
    this.#byKey = new Map(assets.map((asset) => [keyOf(asset.kind, asset.questionKey, asset.remoteKey), asset]))
    this.#byPath = new Map(assets.map((asset) => [asset.path, asset]))
  }

  find(file: RecordedFile, path: string, questionKey: number | null): AssetRow | undefined {
    return this.#byKey.get(keyOf(file.kind, questionKey, file.key)) ?? this.#byPath.get(path)
  }
}

const keyOf = (kind: string, questionKey: number | null, remoteKey: string) => `${kind} ${questionKey} ${remoteKey}`
