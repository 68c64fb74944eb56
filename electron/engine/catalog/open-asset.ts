import { lstat, open, type FileHandle } from 'node:fs/promises'
import { posix } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { AssetKind } from '../../../shared/domain.ts'
import { assertRootExists, atPath } from '../archive/inside-archive.ts'
import { checkFileKind, type FileFormat } from '../archive/file-kind.ts'
import { readNoFollow } from '../lib/fs/hash-file.ts'
import type { Store } from '../store/create-store.ts'
import type { OldVersion } from '../store/versions-store.ts'

/** An archived file, open for reading. The caller closes `handle`. */
export interface OpenAsset {
  readonly handle: FileHandle
  readonly kind: AssetKind
  readonly sizeBytes: number
  /** File name on disk. */
  readonly fileName: string
  /** Determined by its magic bytes, never by its name. */
  readonly mediaType: string
  /** Checksum in hexadecimal from when it was archived. */
  readonly sha256: string
}

/** Media types registered with IANA. */
const mediaTypes: Readonly<Record<FileFormat, string>> = {
  pdf: 'application/pdf',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  avif: 'image/avif',
  tiff: 'image/tiff',
  bmp: 'image/bmp',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
}

/** Bytes that `checkFileKind` needs. */
const headBytes = 4096

/**
 * Opens an archived file by its asset's id, or the earlier version of it with the hash `version`. Throws `not-found` if
 * there is no such file in the archive, if it is missing or changed (also if verify found that), if it is behind a
 * link, or if its content is not of its kind, `disk-error` for a path that leads out of the archive, and
 * `archive-unavailable` if the root does not exist.
 */
export async function openAsset(store: Store, root: string, assetId: number, version?: string): Promise<OpenAsset> {
  const asset = store.assets.get(assetId)
  if (asset === undefined) throw notThere()
  const current = asset.damage === null ? asset : null
  const file = version === undefined ? current : store.versions.listForAsset(assetId).find(isVersion(version))
  if (file?.sha256 == null || file.sizeBytes === null) throw notThere()
  return openArchived(root, { kind: asset.kind, path: file.path, sizeBytes: file.sizeBytes, sha256: file.sha256 })
}

/** Opens a file of the archive that is recorded with these facts. Throws as `openAsset`. */
export async function openArchived(
  root: string,
  { kind, path, sizeBytes, sha256 }: Pick<OpenAsset, 'kind' | 'sizeBytes' | 'sha256'> & { readonly path: string },
): Promise<OpenAsset> {
  const handle = await openFile(root, path)
  try {
    const { size } = await handle.stat()
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(headBytes, size)), 0, undefined, 0)
    const check = checkFileKind(kind, buffer.subarray(0, bytesRead))
    if (size !== sizeBytes || !check.ok) throw notThere()
    const fileName = posix.basename(path)
    return { handle, kind, sizeBytes, fileName, mediaType: mediaTypes[check.format], sha256 }
  } catch (error) {
    await handle.close()
    throw error
  }
}

const isVersion =
  (version: string) =>
  ({ sha256 }: OldVersion): boolean =>
    sha256 === version

async function openFile(root: string, path: string): Promise<FileHandle> {
  try {
    return await atPath(root, path, async (absolute) => {
      const found = await lstat(absolute)
      if (!found.isFile()) throw notThere()
      return open(absolute, readNoFollow)
    })
  } catch (error) {
    if (error instanceof AppError) throw error
    await assertRootExists(root)
    throw notThere(error)
  }
}

function notThere(cause?: unknown): AppError {
  return new AppError(
    'not-found',
    'This file is not in the archive, or was changed since it was archived. "Verify and repair" restores it.',
    { cause },
  )
}
