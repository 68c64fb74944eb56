import fsSync, { existsSync, readlinkSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import Database from 'better-sqlite3'

/** File calls and database statements that fail, and how, for failures that no real disk can be forced to produce. */
export interface FailingCalls {
  /**
   * Absolute folders in which calls on files count; `database` counts the statements that write. `descriptor` is every
   * call that takes a descriptor, also for a moment.
   */
  readonly below: readonly string[]
  readonly calls: readonly ('open' | 'descriptor' | 'read' | 'write' | 'sync' | 'rename' | 'mkdir' | 'rm' | 'run')[]
  /** Number of the first call that fails, from 1. */
  readonly from: number
  /** Number of calls that fail; by default, all later ones too. */
  readonly times?: number
  /** `SIGKILL` ends the process before the call; any other value is the error code of the call. */
  readonly what: string
  /** Calls succeed while this file does not exist. */
  readonly while?: string
}

type Method = (this: unknown, ...args: unknown[]) => unknown
type Before = (self: unknown, args: readonly unknown[]) => void

/**
 * Makes this process's own calls fail as `failing` specifies. Returns a function that ends it, and returns how many
 * calls failed.
 */
export async function failCalls(failing: FailingCalls): Promise<() => number> {
  let count = 0
  function meet(call: FailingCalls['calls'][number], called: string): void {
    const path = withoutDescriptor(called)
    const counts = failing.below.some((folder) => path === folder || path.startsWith(`${folder}/`))
    if (!counts || !failing.calls.includes(call)) return
    if (failing.while !== undefined && !existsSync(failing.while)) return
    if (++count < failing.from || count >= failing.from + (failing.times ?? Infinity)) return
    if (failing.what === 'SIGKILL') process.kill(process.pid, 'SIGKILL')
    if (call === 'run') throw new Database.SqliteError('failed by a test', failing.what)
    throw Object.assign(new Error(`${failing.what}: failed by a test, ${call} '${path}'`), { code: failing.what, path })
  }

  const undo: (() => void)[] = []
  function replace(target: object, name: string, wrapped: (original: Method) => Method): void {
    const original = Reflect.get(target, name) as Method
    Reflect.set(target, name, wrapped(original))
    undo.push(() => Reflect.set(target, name, original))
  }
  /** A function that returns a promise rejects instead of throwing. */
  const wrapAsync = (target: object, name: string, before: Before) =>
    replace(
      target,
      name,
      (original) =>
        async function (...args) {
          before(this, args)
          return await original.apply(this, args)
        },
    )

  const paths = new WeakMap<object, string>()
  const pathOf = (handle: unknown) => paths.get(handle as object) ?? ''
  const probe = await fs.open(process.execPath)
  const fileHandle = Object.getPrototypeOf(probe) as object
  await probe.close()
  replace(
    fs,
    'open',
    (open) =>
      async function (...args) {
        meet('open', String(args[0]))
        meet('descriptor', String(args[0]))
        const handle = (await open.apply(this, args)) as object
        paths.set(handle, withoutDescriptor(String(args[0])))
        return handle
      },
  )
  for (const name of ['write', 'writev', 'writeFile', 'truncate'])
    wrapAsync(fileHandle, name, (self) => meet('write', pathOf(self)))
  wrapAsync(fileHandle, 'read', (self) => meet('read', pathOf(self)))
  wrapAsync(fileHandle, 'sync', (self) => meet('sync', pathOf(self)))
  for (const name of ['rename', 'mkdir', 'rm'] as const)
    wrapAsync(fs, name, (_self, [path]) => meet(name, String(path)))
  for (const name of ['opendir', 'readdir', 'readFile'])
    wrapAsync(fs, name, (_self, [path]) => meet('descriptor', String(path)))
  // Calls that rename a new file.
  wrapAsync(fs, 'link', (_self, [path]) => meet('rename', String(path)))

  const wrapSync = (name: string, before: (first: unknown) => void) =>
    replace(
      fsSync,
      name,
      (original) =>
        function (...args) {
          before(args[0])
          return original.apply(this, args)
        },
    )
  const descriptorPath = (descriptor: unknown) => readlinkSync(`/proc/self/fd/${String(descriptor)}`)
  wrapSync('writeSync', (descriptor) => meet('write', descriptorPath(descriptor)))
  wrapSync('fsyncSync', (descriptor) => meet('sync', descriptorPath(descriptor)))
  replace(
    fsSync,
    'fsync',
    (original) =>
      function (...args) {
        const [descriptor, callback] = args as [number, (error: unknown) => void]
        try {
          meet('sync', descriptorPath(descriptor))
        } catch (error) {
          return callback(error)
        }
        return original.apply(this, args)
      },
  )
  for (const name of ['openSync', 'opendirSync', 'readdirSync'])
    wrapSync(name, (path) => meet('descriptor', String(path)))
  wrapSync('linkSync', (path) => meet('rename', String(path)))
  wrapSync('unlinkSync', (path) => meet('rm', String(path)))

  const memory = new Database(':memory:')
  const statement = Object.getPrototypeOf(memory.prepare('SELECT 1')) as object
  memory.close()
  replace(
    statement,
    'run',
    (run) =>
      function (...args) {
        // A rollback does not fail, and better-sqlite3 relies on that: the transaction would stay open, and a backup would
        // wait for its end forever.
        if (!(this as Database.Statement).source.startsWith('ROLLBACK')) meet('run', 'database')
        return run.apply(this, args)
      },
  )
  syncBuiltinESMExports()
  return () => {
    for (const act of undo) act()
    syncBuiltinESMExports()
    return Math.min(Math.max(0, count - failing.from + 1), failing.times ?? Infinity)
  }
}

/** Returns the path that one below a descriptor stands for: Solarchive calls with those (see `atPath`). */
export function withoutDescriptor(path: string): string {
  const [descriptor] = /^\/proc\/self\/fd\/\d+/.exec(path) ?? []
  return descriptor === undefined ? path : readlinkSync(descriptor) + path.slice(descriptor.length)
}

// In a process that loads this with `--import`: `FAILING_CALLS` is a `FailingCalls` as JSON.
const inherited = process.env['FAILING_CALLS']
if (inherited !== undefined) await failCalls(JSON.parse(inherited) as FailingCalls)
