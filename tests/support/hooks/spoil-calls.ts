import { existsSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import Database from 'better-sqlite3'

/**
 * Loaded with `--import` where no real disk can be made to fail: makes this process's own calls that change files fail,
 * and its database statements. `SPOIL` selects them, as JSON.
 */
export interface Spoil {
  /** Absolute folders in which calls on files count; `database` counts the statements that write. */
  readonly below: readonly string[]
  readonly calls: readonly ('write' | 'sync' | 'rename' | 'mkdir' | 'rm' | 'run')[]
  /** Number of the first call that fails, from 1; later ones fail too. */
  readonly from: number
  /** `SIGKILL` ends the process before the call; any other value is the error code of the call. */
  readonly what: string
  /** Calls succeed while this file does not exist. */
  readonly while?: string
}

const spoil = JSON.parse(process.env['SPOIL'] ?? '') as Spoil
let count = 0

function meet(call: Spoil['calls'][number], path: string): void {
  const counts = spoil.below.some((folder) => path === folder || path.startsWith(`${folder}/`))
  if (!counts || !spoil.calls.includes(call)) return
  if (spoil.while !== undefined && !existsSync(spoil.while)) return
  if (++count < spoil.from) return
  if (spoil.what === 'SIGKILL') process.kill(process.pid, 'SIGKILL')
  if (call === 'run') throw new Database.SqliteError('spoilt', spoil.what)
  throw Object.assign(new Error(`${spoil.what}: spoilt, ${call} '${path}'`), { code: spoil.what, path })
}

type Method = (this: unknown, ...args: unknown[]) => unknown

function wrap(target: object, name: string, before: (self: unknown, args: readonly unknown[]) => void): void {
  const original = Reflect.get(target, name) as Method
  const wrapped: Method = function (...args) {
    before(this, args)
    return original.apply(this, args)
  }
  Reflect.set(target, name, wrapped)
}

/** A function that returns a promise rejects instead of throwing. */
function wrapAsync(target: object, name: string, before: (self: unknown, args: readonly unknown[]) => void): void {
  const original = Reflect.get(target, name) as Method
  const wrapped: Method = async function (...args) {
    before(this, args)
    return await original.apply(this, args)
  }
  Reflect.set(target, name, wrapped)
}

const paths = new WeakMap<object, string>()
const pathOf = (handle: unknown) => paths.get(handle as object) ?? ''
const { open } = fs
const probe = await open(process.execPath)
const fileHandle = Object.getPrototypeOf(probe) as object
await probe.close()
fs.open = async (path, ...rest) => {
  const handle = await open(path, ...rest)
  paths.set(handle, String(path))
  return handle
}
for (const name of ['write', 'writeFile', 'truncate'])
  wrapAsync(fileHandle, name, (self) => meet('write', pathOf(self)))
wrapAsync(fileHandle, 'sync', (self) => meet('sync', pathOf(self)))
for (const name of ['rename', 'mkdir', 'rm'] as const) wrapAsync(fs, name, (_self, [path]) => meet(name, String(path)))
// Calls that rename a new file.
wrapAsync(fs, 'link', (_self, [path]) => meet('rename', String(path)))
syncBuiltinESMExports()

const memory = new Database(':memory:')
const statement = Object.getPrototypeOf(memory.prepare('SELECT 1')) as object
memory.close()
wrap(statement, 'run', () => meet('run', 'database'))
