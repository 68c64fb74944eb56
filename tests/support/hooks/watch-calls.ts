import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { withoutDescriptor } from './fail-calls.ts'

/** Functions that follow a link in the place of the last component of their path, and those that do not. */
const following = ['access', 'appendFile', 'chmod', 'copyFile', 'cp', 'exists', 'open', 'opendir', 'readFile']
following.push('readdir', 'stat', 'truncate', 'utimes', 'writeFile')
const notFollowing = ['link', 'lstat', 'mkdir', 'readlink', 'rename', 'rm', 'rmdir', 'symlink', 'unlink']

type Method = (this: unknown, ...args: unknown[]) => unknown

/** The calls of this process on files, from `watchCalls` to `stop`. */
export interface WatchedCalls {
  /** Calls below one of `roots` so far, without those that only open a folder to start from. */
  readonly count: number
  /** Calls that reached a place below `outside`: name and path. */
  readonly trespasses: readonly string[]
  stop(): void
}

/**
 * Watches this process's calls on files: after every check that precedes a call, and right before the call itself,
 * `onCall` may change the disk.
 */
export function watchCalls(
  { roots, outside }: { readonly roots: readonly string[]; readonly outside: string },
  onCall: (count: number) => void = () => undefined,
): WatchedCalls {
  const { realpathSync } = fs
  const trespasses: string[] = []
  const undo: (() => void)[] = []
  let count = 0
  let isPaused = false

  /** Returns where a call on the path takes effect now. */
  function placeOf(path: string, follows: boolean): string {
    try {
      return follows ? realpathSync.native(path) : join(realpathSync.native(dirname(path)), basename(path))
    } catch {
      return follows ? placeOf(path, false) : path
    }
  }

  function meet(name: string, args: readonly unknown[]): void {
    const paths = pathsOf(name, args).filter((path) => typeof path === 'string')
    const isCounted = paths.some((path) => roots.some((root) => isBelow(withoutDescriptor(path), root)))
    if (isCounted && !isWayIn(name, args)) onCall(++count)
    for (const path of paths) {
      const place = placeOf(path, following.includes(name) && !refusesLinks(name, args[1]))
      if (isBelow(place, outside)) trespasses.push(`${name} ${place}`)
    }
  }

  for (const name of [...following, ...notFollowing]) {
    for (const [target, key] of [
      [promises, name],
      [fs, `${name}Sync`],
    ] as const) {
      const original = Reflect.get(target, key) as Method | undefined
      if (original === undefined) continue
      const watched: Method = function (...args) {
        if (!isPaused) {
          isPaused = true
          try {
            meet(name, args)
          } finally {
            isPaused = false
          }
        }
        return original.apply(this, args)
      }
      Reflect.set(target, key, Object.assign(watched, original))
      undo.push(() => Reflect.set(target, key, original))
    }
  }
  syncBuiltinESMExports()
  return {
    get count() {
      return count
    },
    trespasses,
    stop() {
      for (const act of undo) act()
      syncBuiltinESMExports()
    },
  }
}

/** Returns the arguments that are paths; a symbolic link's target is only text. */
function pathsOf(name: string, [first, second]: readonly unknown[]): unknown[] {
  if (name === 'symlink') return [second]
  return ['link', 'rename', 'copyFile', 'cp'].includes(name) ? [first, second] : [first]
}

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

const hasFlag = (flags: unknown, flag: number) => typeof flags === 'number' && (flags & flag) !== 0

const isWayIn = (name: string, [, flags]: readonly unknown[]) =>
  name === 'open' && hasFlag(flags, fs.constants.O_DIRECTORY)

const refusesLinks = (name: string, flags: unknown) =>
  name === 'open' && (flags === 'wx' || hasFlag(flags, fs.constants.O_NOFOLLOW))
