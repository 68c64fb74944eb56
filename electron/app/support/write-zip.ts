import { createWriteStream } from 'node:fs'
import { link, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { AppError } from '../../../shared/errors.ts'
import type { BundleEntry } from './read-logs.ts'

/** Unix mode of the entries: regular files that only their owner may read and write. */
const entryMode = 0o100600

/** Returns the bytes of a zip as a stream. */
export function streamZip(entries: readonly BundleEntry[], atMs: number): NodeJS.ReadableStream {
  const zip = new ZipFile()
  for (const { name, text } of entries) {
    zip.addBuffer(Buffer.from(text), name, { mtime: new Date(atMs), mode: entryMode })
  }
  zip.end()
  return zip.outputStream
}

/**
 * Writes a zip under a temporary name beside `path`, readable by its owner alone, and renames it once it is complete.
 * Returns its size. Throws `wrong-usage` if `path` exists already or cannot be written.
 */
export async function writeZip(path: string, entries: readonly BundleEntry[], atMs: number): Promise<number> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.part`)
  let isMine = false
  try {
    if (await exists(path)) throw nameTaken(path)
    const file = createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true })
    file.once('open', () => {
      isMine = true
    })
    await pipeline(streamZip(entries, atMs), file)
    const { size } = await stat(temporary)
    await publish(temporary, path)
    isMine = false
    return size
  } catch (error) {
    if (error instanceof AppError) throw error
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new AppError(
      'wrong-usage',
      `The support bundle could not be written to ${path}${code}. Nothing was changed. Choose another folder.`,
      { cause: error },
    )
  } finally {
    if (isMine) await rm(temporary, { force: true })
  }
}

/**
 * Linking never overwrites a file, not even one created just now; file systems without hard links fall back to a
 * rename.
 */
async function publish(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw nameTaken(path)
    if (await exists(path)) throw nameTaken(path)
    await rename(temporary, path)
    return
  }
  await rm(temporary, { force: true })
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

function nameTaken(path: string): AppError {
  return new AppError('wrong-usage', `${path} exists already and is not overwritten. Choose another name.`)
}
