import { createHash, hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import { inFolder } from '../archive/inside-archive.ts'
import { openArchived, type OpenAsset } from '../catalog/open-asset.ts'
import { exifHeadBytes } from '../catalog/photo-metadata.ts'
import { errnoCode, isTooManyOpen, notFoundCodes, raiseOpenFiles } from '../lib/fs/disk-error.ts'
import type { Store } from '../store/create-store.ts'
import type { PlannedFile } from './plan-export.ts'

/** Larger files are read twice, to be hashed and copied, instead of being held in memory. */
export const maxInMemory = 4 * 1024 * 1024

/** Bytes per read of a file that is not read as a whole. */
const chunkBytes = 256 * 1024

/** An open file whose content is as planned. */
export interface PlannedAsset extends OpenAsset {
  /** CRC-32 of the content: an entry of a zip begins with it. */
  readonly crc: number
}

/**
 * Opens exactly the content of the plan: the current file, or the earlier version with this hash if it was replaced
 * since. The content is read and hashed first. Throws `not-found` if no file has this content, `archive-unavailable`
 * without the archive, and `disk-error` if that is unknown: a file that cannot be read is not lost.
 */
export async function openPlanned(
  store: Store,
  root: string,
  file: PlannedFile,
  signal?: AbortSignal,
): Promise<PlannedAsset> {
  return firstMatch(store, root, file, async (asset) => {
    const content = createHash('sha256')
    let crc = 0
    for await (const chunk of chunksOf(asset, signal)) {
      content.update(chunk)
      crc = crc32(chunk, crc)
    }
    return content.digest('hex') === file.sha256 ? { ...asset, crc } : undefined
  })
}

/**
 * Reads exactly the content of the plan, for a file that is small enough to be in memory. Throws as `openPlanned`.
 */
export async function readPlanned(store: Store, root: string, file: PlannedFile): Promise<Buffer> {
  return firstMatch(store, root, file, async (asset) => {
    const bytes = Buffer.allocUnsafeSlow(asset.sizeBytes)
    let filled = 0
    for await (const chunk of chunksOf(asset)) filled += chunk.copy(bytes, filled)
    await asset.handle.close()
    return filled === asset.sizeBytes && hash('sha256', bytes) === file.sha256 ? bytes : undefined
  })
}

/** Returns the first bytes of a file, or null if it is not in the archive as planned. */
export async function readHead(store: Store, root: string, file: PlannedFile): Promise<Buffer | null> {
  try {
    if (file.sizeBytes <= maxInMemory) return (await readPlanned(store, root, file)).subarray(0, exifHeadBytes)
    const asset = await openPlanned(store, root, file)
    try {
      return await headOf(asset)
    } finally {
      await asset.handle.close()
    }
  } catch (error) {
    return nullIfLost(error)
  }
}

/** Returns the first bytes of an open file, those that have its EXIF. */
export async function headOf({ handle, fileName }: OpenAsset): Promise<Buffer> {
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(exifHeadBytes), 0, exifHeadBytes, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    throw cannotRead(error, fileName)
  }
}

/**
 * Returns the first bytes of a file, those that have its EXIF, without reading the rest: its size is as planned, its
 * hash is not compared. Null if there is no such file.
 */
export async function readStart(store: Store, root: string, file: PlannedFile): Promise<Buffer | null> {
  const read = firstMatch(store, root, file, async (asset) => {
    const head = await headOf(asset)
    await asset.handle.close()
    return head
  })
  return read.catch(nullIfLost)
}

/** A file that is lost is a gap; any other error ends the export. */
export function nullIfLost(error: unknown): null {
  if (error instanceof AppError && error.code === 'not-found') return null
  throw error
}

/** Yields the bytes of an open file from its start. A chunk is overwritten by the next one. */
export async function* chunksOf(
  { handle, sizeBytes, fileName }: OpenAsset,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(Math.min(chunkBytes, Math.max(1, sizeBytes)))
  for (let at = 0; ;) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, at).catch((error: unknown) => {
      throw cannotRead(error, fileName)
    })
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
  for (const candidates of candidatePaths(store, root, file)) {
    for (const path of await candidates()) {
      if (tried.has(path)) continue
      tried.add(path)
      const asset = await openArchived(root, { ...file, path }).catch((error: unknown) => undefinedIfLost(error, file))
      if (asset === undefined) continue
      let found: T | undefined
      try {
        found = await use(asset)
        if (found !== undefined) return found
      } catch (error) {
        throw cannotRead(error, file.fileName)
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
function candidatePaths(store: Store, root: string, { assetId, path, sha256 }: PlannedFile) {
  const recorded = () => {
    const versions = store.versions.listForAsset(assetId).filter((version) => version.sha256 === sha256)
    const pending = store.versions.pending().filter((replacement) => replacement.assetId === assetId)
    return [...versions.map((version) => version.path), ...pending.map(({ versionPath }) => versionPath)]
  }
  const onDisk = async () => {
    const [project = '', checklist = '', ...below] = path.split('/')
    const folder = `${project}/${checklist}/.versions`
    const times = await inFolder(root, folder, (absolute) => readdir(absolute)).catch((error: unknown) =>
      undefinedIfLost(error, { fileName: folder }),
    )
    return (times ?? [])
      .sort()
      .reverse()
      .map((time) => `${folder}/${time}/${below.join('/')}`)
  }
  return [() => Promise.resolve([path]), () => Promise.resolve(recorded()), onDisk]
}

/** Errors that may mean a lost file. A recorded path that leads outside of the archive is a `disk-error`. */
const possibleLosses: ReadonlySet<ErrorCode> = new Set(['not-found', 'disk-error'])

/** Throws unless it is certain that the file is not there: an unreadable disk and missing rights are not a loss. */
function undefinedIfLost(error: unknown, { fileName }: Pick<PlannedFile, 'fileName'>): undefined {
  const isConverted = error instanceof AppError
  if (isConverted && !possibleLosses.has(error.code)) throw error
  const cause = isConverted ? error.cause : error
  if (notFoundCodes.has(errnoCode(cause) ?? '') || (isConverted && errnoCode(cause) === undefined)) return
  throw cannotRead(cause, fileName)
}

/** Returns the error for a file of the archive that cannot be read, although it may be intact. */
export function cannotRead(error: unknown, name: string): unknown {
  const errno = errnoCode(error)
  if (errno === undefined) return error
  return new AppError(
    'disk-error',
    `Solarchive could not read ${name} in the archive folder (${errno}), so it is not known whether it is intact. ` +
      'Nothing was completed. ' +
      (isTooManyOpen(error)
        ? raiseOpenFiles
        : 'Check the disk and the permissions of the archive folder, and try again.'),
    { cause: error, details: { errno } },
  )
}
