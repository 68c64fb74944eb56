import { createHash, randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { createWriteStream } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../../shared/errors.ts'
import { caseKey, safeName, uniqueName } from '../archive/safe-name.ts'
import { toDiskError } from '../lib/fs/disk-error.ts'
import { publishFile, publishNewFile } from '../lib/fs/durable-files.ts'
import { isWithin, withoutLinks } from '../lib/fs/is-within.ts'
import { temporaryPath } from '../lib/fs/side-files.ts'
import type { Store } from '../store/create-store.ts'
import { openAsset, type OpenAsset } from './open-asset.ts'

/** A file to copy out of the archive. */
export interface Copy {
  readonly assetId: number
  /** Safe on every system, and unique among the copies. */
  readonly name: string
  readonly sizeBytes: number
}

/** Files to copy, and how many of the requested ones are missing or changed on the disk. */
export interface Copies {
  /** "Delgado residence - Main service panel": the project and checklist if all files have the same; else "Photos". */
  readonly title: string
  readonly files: readonly Copy[]
  readonly missing: number
}

/** Number of files that were copied, and of those that could not be, because the archived ones are not intact. */
export interface SavedCopies {
  readonly files: number
  readonly missing: number
}

/**
 * Returns the names under which archived files are copied out: a photo's has its section and question, so that it still
 * says what it shows. Throws `not-found` if none of them is in the archive and intact.
 */
export async function listCopies(store: Store, root: string, assetIds: readonly number[]): Promise<Copies> {
  const taken = new Set<string>()
  const files: Copy[] = []
  const titles = new Set<string>()
  for (const assetId of new Set(assetIds)) {
    const asset = await openOrNull(store, root, assetId)
    if (asset === null) continue
    await asset.handle.close()
    const { path = '' } = store.assets.get(assetId) ?? {}
    files.push({ assetId, name: addName(taken, copyName(path)), sizeBytes: asset.sizeBytes })
    titles.add(checklistTitle(path))
  }
  if (files.length === 0) throw new AppError('not-found', 'None of these files is in the archive. Nothing was copied.')
  const [title = '', ...others] = titles
  const missing = new Set(assetIds).size - files.length
  return { title: others.length > 0 ? 'Photos' : safeName(title, { fallback: 'Photos' }), files, missing }
}

/** Returns the names of a file's project and checklist without their IDs. */
function checklistTitle(path: string): string {
  return path.split('/').slice(0, 2).map(withoutId).join(' - ')
}

function withoutId(folder: string): string {
  return folder.replace(/ \[[^\]]*\]$/, '')
}

/**
 * Copies archived files into an existing folder, under names that are free there. Each copy is compared with the hash
 * from when the file was archived. Throws `wrong-usage` for a folder in the archive, `not-found` as `listCopies`, and
 * `disk-full` or `disk-error` if a copy cannot be written; copies that are complete stay.
 */
export async function saveCopies(
  store: Store,
  root: string,
  { assetIds, folder }: { readonly assetIds: readonly number[]; readonly folder: string },
): Promise<SavedCopies> {
  const { files, missing } = await listCopies(store, root, assetIds)
  await requireOutside(root, folder)
  const taken = new Set((await readdir(folder).catch((error: unknown) => cannotCopy(error, folder))).map(caseKey))
  let lost = missing
  for (const { assetId, name } of files) {
    if (!(await writeCopy(store, root, assetId, join(folder, addName(taken, name)), 'new'))) lost += 1
  }
  return { files: files.length + missing - lost, missing: lost }
}

/**
 * Copies an archived file to `path`, and replaces the file there. Throws as `saveCopies`, and `not-found` if the
 * archived file is not intact.
 */
export async function saveCopy(store: Store, root: string, assetId: number, path: string): Promise<void> {
  await (await openAsset(store, root, assetId)).handle.close()
  await requireOutside(root, dirname(path))
  if (await writeCopy(store, root, assetId, path, 'replace')) return
  throw new AppError('not-found', 'The archived file was changed on the disk. Nothing was saved.')
}

/**
 * Returns the section's folder, the question's folder, and the file name in one name; or the checklist and `report`.
 */
export function copyName(path: string): string {
  const [, checklist = '', ...inside] = path.split('/')
  const parts = inside.length > 1 ? inside.slice(1) : [withoutId(checklist), ...inside]
  const name = parts.at(-1) ?? ''
  const context = parts.slice(0, -1).join(' - ')
  return safeName(`${context} - ${name}`, { fallback: 'file', keepExtension: true })
}

function addName(taken: Set<string>, name: string): string {
  const free = uniqueName(name, (candidate) => taken.has(caseKey(candidate)))
  taken.add(caseKey(free))
  return free
}

async function openOrNull(store: Store, root: string, assetId: number): Promise<OpenAsset | null> {
  try {
    return await openAsset(store, root, assetId)
  } catch (error) {
    if (error instanceof AppError && error.code === 'not-found') return null
    throw error
  }
}

/** Returns false, and leaves nothing behind, if the archived file is not intact. */
async function writeCopy(
  store: Store,
  root: string,
  assetId: number,
  path: string,
  purpose: 'new' | 'replace',
): Promise<boolean> {
  const asset = await openOrNull(store, root, assetId)
  if (asset === null) return false
  // Without the name of the copy, which may be as long as the disk allows.
  const written = temporaryPath(join(dirname(path), randomBytes(6).toString('hex')))
  const hash = createHash('sha256')
  let isMine = false
  try {
    const target = createWriteStream(written, { flags: 'wx', flush: true })
    target.once('open', () => (isMine = true))
    const hashed = async function* (bytes: AsyncIterable<Buffer>) {
      for await (const chunk of bytes) {
        hash.update(chunk)
        yield chunk
      }
    }
    await pipeline(asset.handle.createReadStream({ start: 0, autoClose: false }), hashed, target)
    if (hash.digest('hex') !== asset.sha256) return false
    if (purpose === 'replace') await publishFile(written, path)
    else if (!(await publishNewFile(written, path))) throw Object.assign(new Error(path), { code: 'EEXIST' })
    isMine = false
    return true
  } catch (error) {
    return cannotCopy(error, dirname(path))
  } finally {
    await asset.handle.close()
    if (isMine) await rm(written, { force: true })
  }
}

/** Throws `wrong-usage` if the folder is the archive or inside it: a verify would report copies as unexpected files. */
async function requireOutside(root: string, folder: string): Promise<void> {
  const archive = await withoutLinks(root).catch((error: unknown) => {
    throw toDiskError(error, 'find the archive folder')
  })
  const target = await withoutLinks(folder).catch((error: unknown) => cannotCopy(error, folder))
  if (!(await isWithin(target, archive))) return
  throw new AppError(
    'wrong-usage',
    `${basename(folder)} is in the archive folder, which holds only what Solarchive archives. Nothing was copied. ` +
      'Choose a folder outside the archive.',
    { details: { destination: basename(folder) } },
  )
}

/** Throws an error about the folder that copies are written to: the archive has nothing to do with it. */
function cannotCopy(error: unknown, folder: string): never {
  const errno = error instanceof Error && 'code' in error ? String(error.code) : undefined
  const isOfArchive = error instanceof Error && 'syscall' in error && error.syscall === 'read'
  if (errno === undefined || error instanceof AppError || isOfArchive)
    throw toDiskError(error, 'read the archived file')
  const name = basename(folder)
  const problems: Readonly<Record<string, string>> = {
    ENOENT: `The folder ${name} no longer exists.`,
    ENOTDIR: `${name} is not a folder.`,
    EACCES: `You have no permission to save files in ${name}.`,
    EPERM: `You have no permission to save files in ${name}.`,
    EROFS: `The disk of ${name} is read-only.`,
    ENOSPC: `The disk of ${name} is full.`,
    EDQUOT: `Your quota on the disk of ${name} is used up.`,
  }
  const problem = problems[errno] ?? `Files cannot be saved in ${name} (${errno}).`
  throw new AppError(
    errno === 'ENOSPC' || errno === 'EDQUOT' ? 'disk-full' : 'disk-error',
    `${problem} Copies that are complete stay there, and the archive is unchanged. Choose another folder.`,
    { cause: error, details: { destination: name } },
  )
}
