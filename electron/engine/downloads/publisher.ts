import { rm } from 'node:fs/promises'
import { posix } from 'node:path'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { retryWhileLocked } from '../lib/fs/durable-files.ts'
import { hashFile } from '../lib/fs/hash-file.ts'
import { atPath, lstatInside } from '../archive/inside-archive.ts'
import { hasMediaExtension } from '../archive/layout.ts'
import { caseKey, safeName, splitExtension, uniqueName } from '../archive/safe-name.ts'
import { explainError } from '../lib/engine-error.ts'
import type { Clock } from '../lib/ports.ts'
import type { AssetToDownload } from '../store/assets-store.ts'
import type { Store } from '../store/create-store.ts'
import { GroupMemory, type GroupWriter } from './group-writer.ts'
import { type FinishedPart, PartFile, type ReceivedFile } from './part-file.ts'
import { recordDownload } from './record-download.ts'
import { replaceFile } from './replace-file.ts'
import type { FileToWrite } from './write-group.ts'

/** Outcome of publishing; `unchanged` if the archive already has these bytes. */
export type PublishOutcome = 'new' | 'replaced' | 'unchanged'

interface Waiting {
  readonly file: ReceivedFile
  /** Offset of the bytes of a small file in the memory of its group. */
  readonly start: number
  readonly resolve: (outcome: PublishOutcome) => void
  readonly reject: (error: unknown) => void
}

interface Group {
  readonly files: Waiting[]
  readonly memory: GroupMemory
}

/** A waiting file that is on the disk. `isPublished` if it has its name. */
interface OnDisk extends Waiting {
  readonly part: FinishedPart
  readonly isPublished: boolean
}

/**
 * Time that a group gathers files, and the size from which it is published at once. Each group costs a sync of its
 * folders and of the database, whatever its size; 15 ms at the end of a pass go unnoticed.
 */
const gatherMs = 15
const fullGroup = 64

/** Completes "Solarchive could not ...". */
const storing = 'store a file in the archive'

/** Groups in flight: one is written while the one before is recorded. */
const maxGroups = 2

/** Memory that is kept: for these groups, and for one that fills. */
const keptMemories = 3

/** Time without a file after which none is kept. */
const keptMs = 10_000

/**
 * Writes small files and renames finished downloads to their final names. Files that finish while groups are in flight
 * form the next group, so that many small files share their syncs and a commit; the order within a group is always
 * write, sync, rename, folder sync, commit.
 */
export class Publisher {
  readonly #folders: ArchiveFolders
  readonly #store: Store
  readonly #clock: Clock
  readonly #writer: GroupWriter
  /** Groups that wait, oldest first. Only the last one may grow. */
  readonly #waiting: Group[] = []
  /** Memory of earlier groups. */
  readonly #free: GroupMemory[] = []
  readonly #inFlight = new Set<Promise<void>>()
  #isGathering = false
  #idle: NodeJS.Timeout | undefined

  constructor(folders: ArchiveFolders, store: Store, clock: Clock, writer: GroupWriter) {
    this.#folders = folders
    this.#store = store
    this.#clock = clock
    this.#writer = writer
  }

  /** Resolves once the file has its name, its folder is synced, and its row is committed. */
  publish(received: ReceivedFile): Promise<PublishOutcome> {
    return new Promise((resolve, reject) => {
      const file = { ...received, asset: this.#withExtension(received) }
      const chunks = file.content.in === 'memory' ? file.content.chunks.splice(0) : []
      let group = this.#waiting.at(-1)
      let start = group?.memory.add(chunks)
      if (group === undefined || start === undefined) {
        group = { files: [], memory: this.#free.pop() ?? new GroupMemory() }
        start = group.memory.add(chunks) ?? 0
        this.#waiting.push(group)
      }
      group.files.push({ file, start, resolve, reject })
      if (!this.#isGathering) void this.#gather()
    })
  }

  /**
   * Chooses the extension of a photo that is archived for the first time, and whose name at the service has none: only
   * its content says which one. The rest of the name stays, which a thumbnail shares with its photo. The path is
   * recorded before the file has it, as for any other new file.
   */
  #withExtension({ asset, extension }: ReceivedFile): AssetToDownload {
    const { assets } = this.#store
    const isNew = asset.sha256 === null && asset.damage === null
    if (!isNew || asset.kind === 'report' || asset.path.toLowerCase().endsWith(extension)) return asset
    if (hasMediaExtension(assets.get(asset.id)?.fileName ?? null)) return asset
    const folder = posix.dirname(asset.path)
    const [stem] = splitExtension(posix.basename(asset.path))
    const name = safeName(stem + extension, { fallback: 'photo', keepExtension: true })
    const isTaken = (candidate: string) => assets.isPathTaken(caseKey(`${folder}/${candidate}`))
    const path = `${folder}/${uniqueName(name, isTaken)}`
    // The commit of the group makes it durable. Without it, the file is downloaded again.
    this.#store.transactionWithoutFlush(() => assets.setPath(asset.id, path, caseKey(path)))
    return { ...asset, path }
  }

  async #gather(): Promise<void> {
    this.#isGathering = true
    for (let group = this.#waiting[0]; group !== undefined; group = this.#waiting[0]) {
      if (this.#waiting.length === 1 && group.files.length < fullGroup) await this.#clock.sleep(gatherMs)
      while (this.#inFlight.size >= maxGroups) await Promise.race(this.#inFlight)
      this.#waiting.shift()
      const { files, memory } = group
      const published = this.#publishGroup(group)
        .catch((error: unknown) => this.#rejectAll(files, error))
        .finally(() => {
          this.#inFlight.delete(published)
          this.#keep(memory)
        })
      this.#inFlight.add(published)
    }
    this.#isGathering = false
  }

  async #rejectAll(files: readonly Waiting[], error: unknown): Promise<void> {
    const reason = await explainError(this.#folders, error, storing)
    for (const { reject } of files) reject(reason)
  }

  /** Keeps the memory of a group for the groups to come. */
  #keep(memory: GroupMemory): void {
    memory.clear()
    if (this.#free.length < keptMemories) this.#free.push(memory)
    this.#idle ??= setTimeout(() => this.#free.splice(0), keptMs).unref()
    this.#idle.refresh()
  }

  async #publishGroup({ files, memory }: Group): Promise<void> {
    const folders = this.#folders
    const store = this.#store
    const nowIso = new Date(this.#clock.nowMs()).toISOString()
    const published: (OnDisk & { readonly outcome: PublishOutcome })[] = []
    await Promise.all(
      (await this.#writeSmall(files, memory)).map(async (item) => {
        try {
          const onDisk = 'part' in item ? item : await this.#writeAlone(item, memory)
          const { part, isPublished } = onDisk
          const { asset } = part
          if (asset.sha256 !== null && asset.sha256 !== part.sha256) {
            await replaceFile(folders, store, part, nowIso)
            item.resolve('replaced')
          } else if (asset.sha256 !== null) {
            await atPath(folders.root, part.partPath, (path) => retryWhileLocked(() => rm(path, { force: true })))
            published.push({ ...onDisk, outcome: 'unchanged' })
          } else {
            if (!isPublished) await this.#publishAsNew(part)
            published.push({ ...onDisk, outcome: 'new' })
          }
        } catch (error) {
          item.reject(await explainError(folders, error, storing))
        }
      }),
    )
    try {
      await folders.sync()
      store.transaction(() => {
        // Another group may have been recorded since this one was begun: times have to follow the order of commits.
        const atIso = new Date(this.#clock.nowMs()).toISOString()
        for (const { part, outcome } of published) this.#commit(part, outcome, atIso)
        const fresh = published.filter(({ outcome }) => outcome !== 'unchanged').map(({ part }) => part)
        for (const id of new Set(fresh.map(({ projectId }) => projectId))) store.projects.setChecksumsStale(id, true)
        for (const key of new Set(fresh.map(({ asset }) => asset.checklistKey))) store.checklists.markDocumentStale(key)
      })
    } catch (error) {
      for (const { reject } of published) reject(error)
      return
    }
    for (const { resolve, outcome } of published) resolve(outcome)
  }

  /** Writes the small files of a group together. Returns what is on the disk, and what could not be written. */
  async #writeSmall(group: readonly Waiting[], memory: GroupMemory): Promise<(OnDisk | Waiting)[]> {
    const folders = this.#folders
    const small = group.filter(({ file }) => file.content.in === 'memory')
    const areFoldersThere = await folders.ensureFoldersOf(small.map(({ file }) => file.asset.path))
    const { files, unsynced } = await this.#writer.write(
      folders.root,
      small.map((item) => toFileToWrite(item, areFoldersThere)),
      memory,
    )
    folders.touch(unsynced)
    const results = new Map(small.map((item, index) => [item, files[index]]))
    return group.map((item) => {
      const { content, ...file } = item.file
      if (content.in === 'part') return { ...item, part: { ...file, sha256: content.sha256 }, isPublished: false }
      const { sha256 = null, isPublished = false } = results.get(item) ?? {}
      return sha256 === null ? item : { ...item, part: { ...file, sha256 }, isPublished }
    })
  }

  /** Writes a small file that could not be written with the others, or rejects with the reason. */
  async #writeAlone(item: Waiting, { bytes }: GroupMemory): Promise<OnDisk> {
    const { content: _, ...file } = item.file
    const part = new PartFile({ root: this.#folders.root, path: file.partPath })
    try {
      await part.write(Buffer.from(bytes.buffer, item.start, file.sizeBytes))
      return { ...item, part: { ...file, sha256: await part.finishOnDisk() }, isPublished: false }
    } catch (error) {
      await part.drop().catch(() => undefined)
      throw error
    }
  }

  async #publishAsNew(part: FinishedPart): Promise<void> {
    const folder = posix.dirname(part.asset.path)
    const name = posix.basename(part.asset.path)
    const refused = new Set<string>()
    let { path } = part.asset
    // A foreign file with the name stays; the asset gets the next name that is free or whose file has the same bytes,
    // left by a process that ended before it recorded them.
    while (!(await this.#folders.publishNew(part.partPath, path))) {
      if (!(await this.#isForeign(path, part.sha256))) return this.#folders.publish(part.partPath, path)
      refused.add(caseKey(path))
      const isTaken = (key: string) => refused.has(key) || this.#store.assets.isPathTaken(key)
      path = `${folder}/${uniqueName(name, (candidate) => isTaken(caseKey(`${folder}/${candidate}`)))}`
      this.#store.assets.setPath(part.asset.id, path, caseKey(path))
    }
  }

  async #isForeign(path: string, sha256: string): Promise<boolean> {
    const { root } = this.#folders
    const found = await lstatInside(root, path)
    if (found === undefined) return false
    return !found.isFile() || (await atPath(root, path, (absolute) => hashFile(absolute))).sha256 !== sha256
  }

  #commit(part: FinishedPart, outcome: PublishOutcome, nowIso: string): void {
    const store = this.#store
    const { asset } = part
    recordDownload(store, part, outcome === 'unchanged' ? (asset.archivedAt ?? nowIso) : nowIso)
    const wasLost = asset.sha256 === null && asset.verifiedAt !== null
    if (!wasLost) return
    const of = { projectId: part.projectId, checklistKey: asset.checklistKey, assetId: asset.id }
    store.activity.count({ ...of, at: nowIso, kind: 'files-repaired', facts: { count: 1 } })
  }
}

/** A new file gets its name at once; any other one is compared with the archived file first. */
function toFileToWrite({ file, start }: Waiting, isFolderThere: boolean): FileToWrite {
  const { asset, partPath, sizeBytes } = file
  return { partPath, path: asset.sha256 === null && isFolderThere ? asset.path : null, start, sizeBytes }
}
