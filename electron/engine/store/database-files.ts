import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { basename, dirname } from 'node:path'
import { isFolderSyncRefused, retryWhileLockedSync } from '../lib/fs/durable-files.ts'
import { errnoCode } from '../lib/fs/disk-error.ts'

/** Files that SQLite keeps beside a database: the write-ahead log and its index. They belong to that database only. */
const companions = ['-wal', '-shm'] as const

/** Name of the database file in the data folder. */
export const databaseName = 'solarchive.sqlite3'

/** Names of our own files: the database with its marker, unfinished databases, and damaged ones that were kept. */
const databaseFile =
  /^solarchive\.sqlite3(?:\.closed|(?:\.new|\.damaged-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:-\d+)?)?(?:-wal|-shm)?)$/

/** Returns whether a name in the data folder is one of our databases or a file that belongs to one. */
export function isDatabaseFile(name: string): boolean {
  return databaseFile.test(name)
}

/**
 * Identity of a file that has not changed since its birth, like a copy that was just made, and of each file where Node
 * cannot read birth times (a filter of system calls that refuses `statx`). As the last known identity it proves
 * nothing. In place of a birth time it counts as that of a copy: a comparison without need costs little, and without
 * one that is needed records of photos are lost.
 */
export const newFile = 'birth new'

/** Precision of birth times on FAT and exFAT, 10 ms. These may give their files new numbers with each mount. */
const coarseNs = 10_000_000n

/** Types that Linux has for shares over SMB: `CIFS_SUPER_MAGIC` and `SMB2_SUPER_MAGIC`. */
const smbTypes = new Set([0xff534d42, 0xfe534d42])

/**
 * Returns what a file keeps through kills and mounts, and no copy of it has; `undefined` if its disk has no such thing.
 * On Linux, that is the birth time, which no program can set: FUSE and some shares give their files new numbers with
 * each mount, and ext4 uses the number of a deleted file again. Elsewhere, that is the number, which is used once, while
 * backup programs set birth times. If a disk has none, Node returns 0 or the time of the last change. The first word
 * names the kind: two identities of different kinds say nothing about each other.
 */
export function identityOf(file: string): string | undefined {
  const { ino, birthtimeNs, ctimeNs } = statSync(file, { bigint: true })
  if (birthtimeNs % coarseNs === 0n) return undefined
  if (process.platform !== 'linux') return `number ${ino}`
  // Some servers compute birth times from times that change (Samba without DOS attributes).
  if (smbTypes.has(statfsSync(file).type >>> 0)) return undefined
  return birthtimeNs === ctimeNs ? newFile : `birth ${birthtimeNs}`
}

/** Returns the name of a quarantined database, which Solarchive never deletes, without its time. */
const damagedPrefix = (databaseFile: string) => `${basename(databaseFile)}.damaged-`

/** Returns whether a damaged database of this name was quarantined at any time. */
export function hasQuarantined(databaseFile: string): boolean {
  const folder = dirname(databaseFile)
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(damagedPrefix(databaseFile)))
}

/** Returns a time in a form that is valid in file names on every system: to the second, without colons. */
export function fileTime(atIso: string): string {
  return atIso.replace(/\.\d+Z$/, 'Z').replaceAll(':', '-')
}

/**
 * Renames a closed database and its companion files within their folder, durably. Returns the new name, or `undefined`
 * if there is no database.
 */
export function quarantineDatabase(databaseFile: string, atIso: string): string | undefined {
  const existing = ['', ...companions].filter((end) => existsSync(databaseFile + end))
  if (existing.length === 0) return undefined
  const wanted = damagedPrefix(databaseFile) + fileTime(atIso)
  const isFree = (name: string) => ['', ...companions].every((end) => !existsSync(inFolderOf(databaseFile, name + end)))
  let name = wanted
  for (let number = 2; !isFree(name); number += 1) name = `${wanted}-${number}`
  // The database first: after a crash in between, the remaining files are recognized by the missing database.
  for (const end of existing) {
    retryWhileLockedSync(() => renameSync(databaseFile + end, inFolderOf(databaseFile, name + end)))
  }
  syncFolder(dirname(databaseFile))
  return name
}

/** Removes an unfinished database that was never in use. */
export function removeDatabase(databaseFile: string): void {
  for (const end of ['', ...companions]) rmSync(databaseFile + end, { force: true })
}

/** Name of a finished backup, with the time when it was made. */
export const backupName = /^solarchive-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)Z\.sqlite3$/

/** Returns whether a name is that of a finished or an unfinished backup. */
export function isBackupFile(name: string): boolean {
  return backupName.test(name.replace(/\.part(?:-wal|-shm|-journal)?$/, ''))
}

/** Syncs a closed database and renames it, durably. */
export function publishDatabase(from: string, to: string): void {
  // Windows can sync only files that are open for writing.
  sync(from, 'r+')
  retryWhileLockedSync(() => renameSync(from, to))
  syncFolder(dirname(to))
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const handle = openSync(path, flags)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function syncFolder(path: string): void {
  try {
    sync(path, 'r')
  } catch (error) {
    if (!isFolderSyncRefused(errnoCode(error), process.platform)) throw error
  }
}

function inFolderOf(databaseFile: string, name: string): string {
  return `${dirname(databaseFile)}/${name}`
}
