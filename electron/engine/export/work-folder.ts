import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pathExists } from '../lib/fs/disk-error.ts'
import { fsyncFolder, publishNewFile, retryWhileLocked } from '../lib/fs/durable-files.ts'
import { requireStillAt } from './export-target.ts'
import { cannotWrite, isTaken } from './target-path.ts'
import { inUse, keyOf, newWorkFolder, readWorkFolderName } from './work-folder-name.ts'

/** A folder beside the target in which an export is made. It gets its final name in one step, or is removed. */
export interface WorkFolder {
  /** Absolute path that the export will have. */
  readonly path: string
  /** Absolute path of the file or folder that becomes the export. */
  readonly content: string
  /** Absolute path for a file that is only needed for a moment. */
  readonly scratch: string
  /** An earlier export to this path did not end: its files are in the content. */
  readonly isResumed: boolean
  /** Space that these files take on the disk. */
  readonly resumedBytes: number
  /** Moves the content to its final name, durably. Throws `wrong-usage` if that name is taken by now. */
  publish(): Promise<void>
  /** Removes everything. */
  remove(): Promise<void>
  /** Ends the work. What was neither published nor removed may be resumed from now on. */
  close(): Promise<void>
}

export interface WorkOptions {
  /** The content is one file that does not exist yet, or a folder. */
  readonly kind: 'file' | 'folder'
  /** Continues with the folder of an export that was interrupted, if there is one. */
  readonly resumes: boolean
}

/**
 * Creates the folder for an export, or takes over that of an interrupted one. Other leftovers of interrupted exports to
 * this path are removed. Several exports to one path may run at once: each has its own folder. Throws `wrong-usage` if
 * it cannot be created there.
 */
export async function openWorkFolder(path: string, { kind, resumes }: WorkOptions): Promise<WorkFolder> {
  const folder = newWorkFolder(path)
  const key = keyOf(basename(folder))
  const content = join(folder, contentName)
  inUse.add(key)
  try {
    const resumedBytes = await takeOverLeftover(path, folder, resumes)
    const isResumed = resumedBytes !== undefined
    if (!isResumed) {
      await mkdir(folder, { mode: 0o700 })
      if (kind === 'folder') await mkdir(content)
    }
    // Held open so that its inode number is not reused.
    const opened = kind === 'folder' && constants.O_DIRECTORY ? await open(content, onlyFolder) : undefined
    return {
      path,
      content,
      isResumed,
      scratch: join(folder, 'scratch'),
      resumedBytes: resumedBytes ?? 0,
      async publish() {
        if (opened !== undefined) await requireStillAt(content, opened)
        // Some file servers rename no folder that is open.
        await opened?.close()
        if (kind === 'file') {
          if (!(await publishNewFile(content, path))) throw isTaken(path)
        } else await publishFolder(content, path)
        await fsyncFolder(dirname(path))
        // The export is complete: what is left of its folder must not make it fail.
        await rm(folder, { recursive: true, force: true }).catch(() => undefined)
      },
      remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
      async close() {
        await opened?.close()
        inUse.delete(key)
      },
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    inUse.delete(key)
    throw cannotWrite(error, path, 'wrong-usage')
  }
}

const contentName = 'content'

const onlyFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

async function publishFolder(content: string, path: string): Promise<void> {
  if (await pathExists(path)) throw isTaken(path)
  await fsyncFolder(content)
  try {
    await retryWhileLocked(() => rename(content, path))
  } catch (error) {
    throw (await pathExists(path)) ? isTaken(path) : error
  }
}

/**
 * Renames a leftover to the name of a new work folder: only one process can succeed. Returns the space that its files
 * take, or undefined if none was taken over.
 */
async function takeOverLeftover(path: string, folder: string, resumes: boolean): Promise<number | undefined> {
  let resumedBytes: number | undefined
  for (const leftover of await abandonedBeside(path)) {
    const bytes = await measure(leftover).catch(() => undefined)
    // Left alone: a link in it could lead to files of somebody else.
    if (bytes === undefined) continue
    const isUsable = resumes && resumedBytes === undefined && (await isFolder(join(leftover, contentName)))
    if (!isUsable) await rm(leftover, { recursive: true, force: true }).catch(() => undefined)
    else if (await retryWhileLocked(() => rename(leftover, folder)).then(...yesOrNo)) resumedBytes = bytes
  }
  return resumedBytes
}

const yesOrNo = [() => true, () => false] as const

const isFolder = async (path: string) => lstat(path).then((found) => found.isDirectory(), yesOrNo[1])

/** Returns the space that the files of a folder take, or undefined unless it has nothing but folders and own files. */
async function measure(path: string): Promise<number | undefined> {
  const found = await lstat(path)
  // A file with another name elsewhere is not the export's own.
  if (found.isFile()) return found.nlink > 1 ? undefined : Math.max(found.size, found.blocks * 512)
  if (!found.isDirectory()) return undefined
  let sum = 0
  for (const name of await readdir(path)) {
    const bytes = await measure(join(path, name))
    if (bytes === undefined) return undefined
    sum += bytes
  }
  return sum
}

/** Returns the work folders for this path whose process is certain to have ended. */
async function abandonedBeside(path: string): Promise<string[]> {
  const names = await readdir(dirname(path)).catch(() => [])
  const abandoned = names.filter((name) => {
    const found = readWorkFolderName(name)
    return found?.isAbandoned === true && found.exportKey === keyOf(basename(path))
  })
  return abandoned.map((name) => join(dirname(path), name))
}
