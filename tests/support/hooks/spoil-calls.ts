import { existsSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import Database from 'better-sqlite3'

/**
 * Loaded with `--import` where a disk cannot be made to fail: spoils this process's own calls that change files, and its
 * statements to the database. `SPOIL` says which, as JSON.
 */
export interface Spoil {
  /** Absolute: calls on files in it count. `database` counts the statements that write. */
  readonly below: readonly string[]
  readonly calls: readonly ('write' | 'sync' | 'rename' | 'mkdir' | 'rm' | 'run')[]
  /** The first call that is spoilt, from 1; those after it are too. */
  readonly from: number
  /** `SIGKILL` ends the process before the call; anything else is the code of the error that the call fails with. */
  readonly what: string
  /** The calls are as they should be while this file is not there. */
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

/** A promise's function rejects, it does not throw. */
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
// The calls that rename a new file.
wrapAsync(fs, 'link', (_self, [path]) => meet('rename', String(path)))
syncBuiltinESMExports()

const memory = new Database(':memory:')
const statement = Object.getPrototypeOf(memory.prepare('SELECT 1')) as object
memory.close()
wrap(statement, 'run', () => meet('run', 'database'))
