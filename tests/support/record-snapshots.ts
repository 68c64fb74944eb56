import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { databaseName } from '../../electron/engine/store/database-files.ts'

/**
 * The content of folders at one moment of a run. SIGKILL keeps the page cache, so this is also the state that a process
 * killed at that moment leaves behind.
 */
export interface Snapshot {
  /** Name of the moment. */
  readonly name: string
  /** Restores the folders to that moment. */
  readonly restore: () => void
}

interface SavedFile {
  readonly kind: 'file'
  readonly bytes: Buffer
  readonly mode: number
  readonly atimeMs: number
  readonly mtimeMs: number
  /** Inode number: equal for hard links to one file. */
  readonly ino: number
}

type SavedEntry = SavedFile | { readonly kind: 'folder'; readonly mode: number }

/** Absolute paths, folders before their content. */
type Content = ReadonlyMap<string, SavedEntry>

/** Functions of `node:fs` that change folders or files, or flush them to disk. */
const changes = [
  'appendFile',
  'chmod',
  'copyFile',
  'cp',
  'link',
  'mkdir',
  'open',
  'rename',
  'rm',
  'rmdir',
  'symlink',
  'truncate',
  'unlink',
  'utimes',
  'writeFile',
]
const descriptorChanges = ['closeSync', 'fsyncSync', 'ftruncateSync', 'writeSync', 'writevSync']
const handleChanges = ['appendFile', 'close', 'datasync', 'sync', 'truncate', 'write', 'writeFile', 'writev']

/**
 * Runs `run` in this process and returns the folders' content before each call that changes a file, before each
 * statement that writes to a database, at the end, and with the last write to a write-ahead log torn. Equal moments in
 * a row count once.
 *
 * Calls in flight may be in any state of completion, as at a kill: the copy does not return to the event loop, so that
 * none of them can have a successor.
 */
export async function recordSnapshots(folders: readonly string[], run: () => Promise<unknown>): Promise<Snapshot[]> {
  const snapshots: Snapshot[] = []
  let last: Content | undefined
  let isCopying = false

  const keep = (name: string, content: Content) =>
    snapshots.push({ name: `${snapshots.length + 1}, ${name}`, restore: () => restore(folders, content) })

  function take(name: string): void {
    if (isCopying) return
    isCopying = true
    try {
      const content = readSettled(folders, last)
      if (last !== undefined && isSame(content, last)) return
      const torn = last && tornLogs(last, content)
      if (torn !== undefined) keep(`within the write before ${name}`, torn)
      keep(`before ${name}`, content)
      last = content
    } finally {
      isCopying = false
    }
  }

  const unhook = await hookChanges(take)
  try {
    await run()
  } finally {
    unhook()
  }
  take('the end')
  return snapshots
}

/** Returns the folders' content now. */
export function takeSnapshot(folders: readonly string[], name: string): Snapshot {
  const content = readSettled(folders, undefined)
  return { name, restore: () => restore(folders, content) }
}

type Method = (this: unknown, ...args: unknown[]) => unknown

/** Calls `before` with a name before every change. Returns a function that undoes the patching. */
async function hookChanges(before: (name: string) => void): Promise<() => void> {
  const undo: (() => void)[] = []
  const hook = (target: object, name: string, isChange: (self: unknown, args: unknown[]) => boolean = () => true) => {
    const original = Reflect.get(target, name) as Method | undefined
    if (original === undefined) return
    const hooked: Method = function (...args) {
      if (isChange(this, args)) before(`${name} ${typeof args[0] === 'string' ? args[0] : ''}`.trim())
      return original.apply(this, args)
    }
    Reflect.set(target, name, hooked)
    undo.push(() => Reflect.set(target, name, original))
  }
  const handle = await promises.open(process.execPath)
  const handlePrototype = Object.getPrototypeOf(handle) as object
  await handle.close()
  const memory = new Database(':memory:')
  const statementPrototype = Object.getPrototypeOf(memory.prepare('SELECT 1')) as object
  memory.close()

  for (const name of changes) hook(promises, name)
  // Every call on the archive enters its folder by such descriptors, which change nothing.
  const isFolder = (flags: unknown) => typeof flags === 'number' && (flags & fs.constants.O_DIRECTORY) !== 0
  for (const name of changes) hook(fs, `${name}Sync`, (_self, [, flags]) => name !== 'open' || !isFolder(flags))
  const isFile = (descriptor: unknown) => fs.fstatSync(descriptor as number).isFile()
  for (const name of descriptorChanges) hook(fs, name, (_self, [descriptor]) => isFile(descriptor))
  for (const name of handleChanges) hook(handlePrototype, name)
  // SQLite reports COMMIT as read-only.
  hook(statementPrototype, 'run')
  const writes = (statement: unknown) => !(statement as Database.Statement).readonly
  for (const name of ['get', 'all', 'iterate']) hook(statementPrototype, name, writes)
  for (const name of ['exec', 'pragma', 'close']) hook(Database.prototype, name)
  syncBuiltinESMExports()
  return () => {
    for (const act of undo) act()
    syncBuiltinESMExports()
  }
}

/** SQLite recreates its shared memory after the end of the last process that used it. */
const isLostWithProcess = (path: string) => path.endsWith('-shm')

/** Reads until two results are equal: a file renamed by a call in flight could be missed under both names. */
function readSettled(folders: readonly string[], before: Content | undefined): Content {
  let content = readContent(folders, before)
  for (;;) {
    const again = readContent(folders, content)
    if (isSame(content, again)) return again
    content = again
  }
}

function readContent(folders: readonly string[], before: Content | undefined): Content {
  const content = new Map<string, SavedEntry>()
  const read = (path: string): void => {
    const found = fs.lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined || isLostWithProcess(path)) return
    if (found.isDirectory()) {
      content.set(path, { kind: 'folder', mode: found.mode })
      for (const name of fs.readdirSync(path).sort()) read(join(path, name))
      return
    }
    // The owner's socket, which the next owner replaces.
    if (found.isSocket()) return
    // Removed by a call in flight since the folder was listed.
    const bytes = readIfThere(path)
    if (bytes === undefined) return
    const known = before?.get(path)
    // Most files are unchanged, and hundreds of copies of them would fill the memory.
    const shared = known?.kind === 'file' && known.bytes.equals(bytes) ? known.bytes : bytes
    const { mode, atimeMs, mtimeMs, ino } = found
    content.set(path, { kind: 'file', bytes: shared, mode, atimeMs, mtimeMs, ino })
  }
  for (const folder of folders) read(folder)
  return content
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return fs.readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function isSame(one: Content, other: Content): boolean {
  if (one.size !== other.size) return false
  for (const [path, entry] of one) {
    const known = other.get(path)
    if (known?.kind !== entry.kind) return false
    if (entry.kind === 'file' && (known as SavedFile).bytes !== entry.bytes) return false
  }
  return true
}

/** The later content with half of the bytes appended to write-ahead logs; undefined if none were. */
function tornLogs(before: Content, after: Content): Content | undefined {
  const torn = new Map(after)
  for (const [path, entry] of after) {
    const known = before.get(path)
    if (!path.endsWith('-wal') || entry.kind !== 'file' || known?.kind !== 'file') continue
    const grownBy = entry.bytes.length - known.bytes.length
    if (grownBy <= 0 || !entry.bytes.subarray(0, known.bytes.length).equals(known.bytes)) continue
    const half = known.bytes.length + Math.floor(grownBy / 2)
    torn.set(path, { ...entry, bytes: entry.bytes.subarray(0, half) })
  }
  return [...torn].some(([path, entry]) => after.get(path) !== entry) ? torn : undefined
}

/**
 * Name under which `restore` keeps a database meanwhile, or while the moments lack it: a kill leaves the same file, and
 * Solarchive recognizes another one with its content as a copy.
 */
const keptDatabase = (home: string, ino: number) => join(dirname(home), `kept-database-${ino}`)

function restore(folders: readonly string[], content: Content): void {
  for (const folder of folders) {
    const database = join(folder, databaseName)
    const found = fs.statSync(database, { throwIfNoEntry: false })
    if (found !== undefined) fs.renameSync(database, keptDatabase(folder, found.ino))
    fs.rmSync(folder, { recursive: true, force: true })
  }
  const written = new Map<number, string>()
  for (const [path, entry] of content) {
    if (entry.kind === 'folder') {
      fs.mkdirSync(path, { recursive: true, mode: entry.mode })
      continue
    }
    const first = written.get(entry.ino)
    if (first !== undefined) {
      fs.linkSync(first, path)
      continue
    }
    written.set(entry.ino, path)
    fs.mkdirSync(dirname(path), { recursive: true })
    const kept = keptDatabase(dirname(path), entry.ino)
    if (basename(path) === databaseName && fs.existsSync(kept)) fs.renameSync(kept, path)
    fs.writeFileSync(path, entry.bytes, { mode: entry.mode })
    fs.utimesSync(path, entry.atimeMs / 1000, entry.mtimeMs / 1000)
  }
}
