import { rm } from 'node:fs/promises'
import { posix } from 'node:path'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { hashFile } from '../lib/fs/hash-file.ts'
import { atPath, lstatInside } from '../archive/inside-archive.ts'
import { caseKey, uniqueName } from '../archive/safe-name.ts'
import { explainError } from '../lib/engine-error.ts'
import type { Clock } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { FinishedPart } from './part-file.ts'
import { replaceFile } from './replace-file.ts'

/** Outcome of publishing; `unchanged` if the archive already has these bytes. */
export type PublishOutcome = 'new' | 'replaced' | 'unchanged'

export interface Publisher {
  /** Resolves once the file has its name, its folder is synced, and its row is committed. */
  publish(part: FinishedPart): Promise<PublishOutcome>
}

interface Waiting {
  readonly part: FinishedPart
  readonly resolve: (outcome: PublishOutcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Time that a group gathers files, and the size from which it is published at once. Each group costs a sync of its
 * folders and of the database, whatever its size; 15 ms at the end of a pass go unnoticed.
 */
const gatherMs = 15
const fullGroup = 32

/**
 * Returns a publisher that renames finished downloads to their final names. Files that finish while a group is being
 * published form the next group, so that many small files share a folder sync and a commit; the order within a group is
 * always rename, folder sync, commit.
 */
export function createPublisher(folders: ArchiveFolders, store: Store, clock: Clock): Publisher {
  const { root } = folders
  let waiting: Waiting[] = []
  let running = false

  async function run(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      if (waiting.length < fullGroup) await clock.sleep(gatherMs)
      const group = waiting
      waiting = []
      await publishGroup(group)
    }
    running = false
  }

  async function publishGroup(group: readonly Waiting[]): Promise<void> {
    const nowIso = new Date(clock.nowMs()).toISOString()
    const published: (Waiting & { readonly outcome: PublishOutcome })[] = []
    await Promise.all(
      group.map(async (item) => {
        try {
          const { asset } = item.part
          if (asset.sha256 !== null && asset.sha256 !== item.part.sha256) {
            await replaceFile(folders, store, item.part, nowIso)
            item.resolve('replaced')
          } else if (asset.sha256 !== null) {
            await atPath(root, item.part.partPath, (path) => rm(path, { force: true }))
            published.push({ ...item, outcome: 'unchanged' })
          } else {
            await publishAsNew(item.part)
            published.push({ ...item, outcome: 'new' })
          }
        } catch (error) {
          item.reject(await explainError(folders, error, 'store a file in the archive'))
        }
      }),
    )
    try {
      await folders.sync()
      store.transaction(() => {
        for (const { part, outcome } of published) commit(part, outcome, nowIso)
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

  async function publishAsNew(part: FinishedPart): Promise<void> {
    const folder = posix.dirname(part.asset.path)
    const name = posix.basename(part.asset.path)
    const refused = new Set<string>()
    let { path } = part.asset
    // A foreign file with the name stays; the asset gets the next name that is free or whose file has the same bytes,
    // left by a process that ended before it recorded them.
    while (!(await folders.publishNew(part.partPath, path))) {
      if (!(await isForeign(path, part.sha256))) return folders.publish(part.partPath, path)
      refused.add(caseKey(path))
      const isTaken = (key: string) => refused.has(key) || store.assets.isPathTaken(key)
      path = `${folder}/${uniqueName(name, (candidate) => isTaken(caseKey(`${folder}/${candidate}`)))}`
      store.assets.setPath(part.asset.id, path, caseKey(path))
    }
  }

  async function isForeign(path: string, sha256: string): Promise<boolean> {
    const found = await lstatInside(root, path)
    if (found === undefined) return false
    return !found.isFile() || (await atPath(root, path, (absolute) => hashFile(absolute))).sha256 !== sha256
  }

  function commit(part: FinishedPart, outcome: PublishOutcome, nowIso: string): void {
    const { asset, sha256, sizeBytes, etag, lastModified, urlIdentity } = part
    const archivedAt = outcome === 'unchanged' ? (asset.archivedAt ?? nowIso) : nowIso
    store.assets.markArchived({ id: asset.id, sha256, sizeBytes, etag, lastModified, archivedAt, urlIdentity })
    store.jobs.finish(asset.id)
    const wasLost = asset.sha256 === null && asset.verifiedAt !== null
    if (!wasLost) return
    const of = { projectId: part.projectId, checklistKey: asset.checklistKey, assetId: asset.id }
    store.activity.count({ ...of, at: nowIso, kind: 'files-repaired', facts: { count: 1 } })
  }

  return {
    publish: (part) =>
      new Promise((resolve, reject) => {
        waiting.push({ part, resolve, reject })
        if (!running) void run()
      }),
  }
}
