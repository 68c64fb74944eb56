import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { AppError } from '../../../shared/errors.ts'
import { errnoCode } from '../../engine/lib/fs/disk-error.ts'
import { publishFile, publishNewFile } from '../../engine/lib/fs/durable-files.ts'
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
 * Returns its size. Throws `wrong-usage` if `path` cannot be written, or exists already and is not to be replaced.
 */
export async function writeZip(
  path: string,
  entries: readonly BundleEntry[],
  atMs: number,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<number> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.part`)
  try {
    const file = createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(streamZip(entries, atMs), file)
    const { size } = await stat(temporary)
    if (replace) await publishFile(temporary, path)
    if (replace || (await publishNewFile(temporary, path))) return size
  } catch (error) {
    const errno = errnoCode(error)
    const code = errno === undefined ? '' : ` (${errno})`
    throw new AppError(
      'wrong-usage',
      `The support bundle could not be written to ${path}${code}. Nothing was changed. Choose another folder.`,
      { cause: error },
    )
  } finally {
    await rm(temporary, { force: true }).catch(() => undefined)
  }
  throw new AppError('wrong-usage', `${path} exists already and is not overwritten. Choose another name.`)
}
