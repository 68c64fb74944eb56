import { hash, randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { errnoCode } from '../lib/fs/disk-error.ts'

/**
 * The name of a work folder says whose it is, so that it appears with its owner, and changes hands, in one step:
 * `.<name>.<machine>-<pid>-<run>-<random>.partial`, where `run` distinguishes processes that have the same pid one
 * after the other. At most 42 bytes longer than the name, which fits into all common file systems.
 */
export function newWorkFolder(path: string): string {
  const owner = [thisMachine(), process.pid, runOf(process.pid), randomBytes(3).toString('hex')]
  return join(dirname(path), `.${basename(path)}.${owner.join('-')}.partial`)
}

const namePattern = /^\.(.+)\.([0-9a-f]{8})-(\d{1,10})-([0-9a-f]{8})-[0-9a-f]{6}\.partial$/s

/** Keys of the names of work folders in which this process works now. */
export const inUse = new Set<string>()

/** Names come back in another Unicode form on some disks. */
export const keyOf = (name: string) => name.normalize()

/** What the name of a work folder says. */
export interface WorkFolderName {
  /** Key of the name that the export will have. */
  readonly exportKey: string
  /** The process is certain to have ended. It is not known what runs on another machine. */
  readonly isAbandoned: boolean
}

/** Returns undefined for a name that is not one of a work folder. */
export function readWorkFolderName(name: string): WorkFolderName | undefined {
  const key = keyOf(name)
  const [, exportKey, machine, pid, run = ''] = namePattern.exec(key) ?? []
  if (exportKey === undefined) return undefined
  return { exportKey, isAbandoned: machine === thisMachine() && !inUse.has(key) && hasEnded(Number(pid), run) }
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
