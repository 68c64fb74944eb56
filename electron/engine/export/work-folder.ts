import { hash, randomBytes } from 'node:crypto'
import { constants, readFileSync, readlinkSync } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { errnoCode, pathExists } from '../lib/fs/disk-error.ts'
import { fsyncFolder, publishNewFile, retryWhileLocked } from '../lib/fs/durable-files.ts'
import { requireStillAt } from './export-target.ts'
import { cannotWrite, isTaken, type ResolvedTarget } from './target-path.ts'

/** A folder beside the target in which an export is made. It gets its final name in one step, or is removed. */
export type WorkFolder = Readonly<Awaited<ReturnType<typeof openWorkFolder>>>

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
export async function openWorkFolder({ path, choosePath }: ResolvedTarget, { kind, resumes }: WorkOptions) {
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
      /** Absolute path of the file or folder that becomes the export. */
      content,
      /** Absolute path for a file that is only needed for a moment. */
      scratch: join(folder, 'scratch'),
      /** An earlier export to this path did not end: its files are in the content. */
      isResumed,
      /** Space that these files take on the disk. */
      resumedBytes: resumedBytes ?? 0,
      /**
       * Moves the content to its final name, durably, and returns its path. If that name is taken by now, moves it to
       * another one that the target chooses, or throws `wrong-usage`.
       */
      async publish(): Promise<string> {
        if (opened !== undefined) await requireStillAt(content, opened)
        // Some file servers rename no folder that is open.
        await opened?.close()
        const publishTo = kind === 'file' ? publishNewFile : publishNewFolder
        let at = path
        while (!(await publishTo(content, at))) {
          const next = await choosePath?.()
          if (next === undefined || next === at) throw isTaken(at)
          at = next
        }
        await fsyncFolder(dirname(at))
        // The export is complete: what is left of its folder must not make it fail.
        await rm(folder, { recursive: true, force: true }).catch(() => undefined)
        return at
      },
      /** Removes everything. */
      remove: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
      /** Ends the work. What was neither published nor removed may be resumed from now on. */
      async close(): Promise<void> {
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

/** Returns whether the name was free, as `publishNewFile`. */
async function publishNewFolder(content: string, path: string): Promise<boolean> {
  if (await pathExists(path)) return false
  await fsyncFolder(content)
  try {
    await retryWhileLocked(() => rename(content, path))
    return true
  } catch (error) {
    if (await pathExists(path)) return false
    throw error
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

/**
 * The name of a work folder says whose it is, so that it appears with its owner, and changes hands, in one step:
 * `.<name>.<machine>-<pid>-<run>-<random>.partial`, where `run` distinguishes processes that have the same pid one
 * after the other. At most 42 bytes longer than the name, which fits into all common file systems.
 */
function newWorkFolder(path: string): string {
  const owner = [thisMachine(), process.pid, runOf(process.pid), randomBytes(3).toString('hex')]
  return join(dirname(path), `.${basename(path)}.${owner.join('-')}${suffix}`)
}

const suffix = '.partial'
const ownerPattern = /^([0-9a-f]{8})-(\d{1,10})-([0-9a-f]{8})-[0-9a-f]{6}$/

/** Keys of the names of work folders in which this process works now. */
const inUse = new Set<string>()

/** Names come back in another Unicode form on some disks. */
const keyOf = (name: string) => name.normalize()

/** Returns the work folders for this path whose process is certain to have ended. */
async function abandonedBeside(path: string): Promise<string[]> {
  const prefix = keyOf(`.${basename(path)}.`)
  const names = await readdir(dirname(path)).catch(() => [])
  const abandoned = names.filter((name) => {
    const key = keyOf(name)
    if (!key.startsWith(prefix) || !key.endsWith(suffix)) return false
    const [, machine, pid, run = ''] = ownerPattern.exec(key.slice(prefix.length, -suffix.length)) ?? []
    // It is not known what runs on another machine.
    return machine === thisMachine() && !inUse.has(key) && hasEnded(Number(pid), run)
  })
  return abandoned.map((name) => join(dirname(path), name))
}

function hasEnded(pid: number, run: string): boolean {
  const current = runOf(pid)
  if (pid === process.pid && run === current) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (errnoCode(error) === 'ESRCH') return true
  }
  return run !== unknownRun && current !== unknownRun && run !== current
}

const unknownRun = '00000000'

/** Returns what a process has in common with no other one that has its pid; only Linux says when one started. */
function runOf(pid: number): string {
  const boot = readIfThere('/proc/sys/kernel/random/boot_id')
  const stat = readIfThere(`/proc/${pid}/stat`)
  // proc_pid_stat(5): the start is field 22; field 2 is a name in parentheses, which may contain anything.
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  return boot === '' || started === undefined ? unknownRun : shortHash([boot, started])
}

/** Containers with process numbers of their own count as machines. */
function thisMachine(): string {
  return shortHash([hostname(), readIfThere('/etc/machine-id'), readIfThere('/proc/self/ns/pid', readlinkSync)])
}

function readIfThere(path: string, read = (file: string) => readFileSync(file, 'utf8')): string {
  try {
    return read(path)
  } catch {
    return ''
  }
}

const shortHash = (parts: readonly string[]) => hash('sha256', JSON.stringify(parts)).slice(0, 8)
