import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { readdir } from 'node:fs/promises'
import { AppError } from '../../../shared/errors.ts'
import { inFolder } from '../archive/inside-archive.ts'
import { openArchived, type OpenAsset } from '../catalog/open-asset.ts'
import type { Store } from '../store/create-store.ts'
import type { PlannedFile } from './plan-export.ts'

/** Bytes per read of a file that is not read as a whole. */
const chunkBytes = 256 * 1024

/**
 * Opens exactly the content of the plan: the current file, or the earlier version with this hash if it was replaced
 * since. The content is read and hashed first. Throws as `openAsset`, and `not-found` if no file has this content.
 */
export async function openPlanned(
  store: Store,
  root: string,
  file: PlannedFile,
  signal?: AbortSignal,
): Promise<OpenAsset> {
  return firstMatch(store, root, file, async (asset) => {
    const hash = createHash('sha256')
    for await (const chunk of chunksOf(asset.handle, asset.sizeBytes, signal)) hash.update(chunk)
    return hash.digest('hex') === file.sha256 ? asset : undefined
  })
}

/**
 * Reads exactly the content of the plan, for a file that is small enough to be in memory. Throws as `openPlanned`.
 */
export async function readPlanned(store: Store, root: string, file: PlannedFile): Promise<Buffer> {
  return firstMatch(store, root, file, async ({ handle }) => {
    const bytes = Buffer.allocUnsafeSlow(file.sizeBytes)
    let filled = 0
    while (filled < bytes.length) {
      const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    await handle.close()
    const isWhole = filled === bytes.length
    return isWhole && createHash('sha256').update(bytes).digest('hex') === file.sha256 ? bytes : undefined
  })
}

/** Yields the bytes of an open file from its start. A chunk is overwritten by the next one. */
export async function* chunksOf(handle: FileHandle, sizeBytes: number, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, Math.max(1, sizeBytes)))
  for (let at = 0; ;) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield chunk.subarray(0, bytesRead)
  }
}

/** Offers each file that may have the content to `use`, until one does. Closes those that do not. */
async function firstMatch<T>(
  store: Store,
  root: string,
  file: PlannedFile,
  use: (asset: OpenAsset) => Promise<T | undefined>,
): Promise<T> {
  const tried = new Set<string>()
  for (const places of placesOf(store, root, file)) {
    for (const path of await places()) {
      if (tried.has(path)) continue
      tried.add(path)
      const asset = await openArchived(root, { ...file, path }).catch(undefinedIfNotThere)
      if (asset === undefined) continue
      let found: T | undefined
      try {
        found = await use(asset)
        if (found !== undefined) return found
      } finally {
        if (found === undefined) await asset.handle.close()
      }
    }
  }
  throw new AppError(
    'not-found',
    `${file.fileName} is missing or was changed in the archive folder. "Verify and repair" restores it.`,
    { details: { path: file.path } },
  )
}

/**
 * Returns where the content can be, in the order in which it is looked for: at its path; where the database says that
 * it was moved, or is being moved; and in any folder of earlier versions, for a reader whose copy of the database does
 * not know of the replacement.
 */
function placesOf(store: Store, root: string, { assetId, path, sha256 }: PlannedFile) {
  const recorded = () => {
    const versions = store.versions.listForAsset(assetId).filter((version) => version.sha256 === sha256)
    const pending = store.versions.pending().filter((replacement) => replacement.assetId === assetId)
    return [...versions.map((version) => version.path), ...pending.map(({ versionPath }) => versionPath)]
  }
  const onDisk = async () => {
    const [project = '', checklist = '', ...below] = path.split('/')
    const folder = `${project}/${checklist}/.versions`
    const times = await inFolder(root, folder, (absolute) => readdir(absolute)).catch(() => [])
    return times
      .sort()
      .reverse()
      .map((time) => `${folder}/${time}/${below.join('/')}`)
  }
  return [() => Promise.resolve([path]), () => Promise.resolve(recorded()), onDisk]
}

function undefinedIfNotThere(error: unknown): undefined {
  if (!(error instanceof AppError && ['not-found', 'disk-error'].includes(error.code))) throw error
}
