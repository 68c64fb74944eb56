import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isFolderSyncRefused } from '../lib/fs/durable-files.ts'
import { errnoCode } from '../lib/fs/disk-error.ts'

/** What SQLite keeps beside a database: its log of changes and the log's index. They belong to that one database. */
const companions = ['-wal', '-shm'] as const

/** The database's in the data folder. */
export const databaseName = 'solarchive.sqlite3'

/** Names of our own files: the database with its marker, unfinished databases, and damaged ones that were kept. */
const databaseFile =
  /^solarchive\.sqlite3(?:\.closed|(?:\.new|\.damaged-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:-\d+)?)?(?:-wal|-shm)?)$/

/** Whether a name in the data folder is that of a database of ours, or of what belongs to one. */
export function isDatabaseFile(name: string): boolean {
  return databaseFile.test(name)
}

/** Where a database of before the present one lies: never deleted by Solarchive. */
function damagedName(databaseFile: string, atIso: string): string {
  return `${basename(databaseFile)}.damaged-${fileTime(atIso)}`
}

/** A time as it may stand in a file name on every system: to the second, without colons. */
export function fileTime(atIso: string): string {
  return atIso.replace(/\.\d+Z$/, 'Z').replaceAll(':', '-')
}

/**
 * Gives a closed database and what belongs to it another name in its folder, and answers that. Durable when it returns.
 * Answers undefined when there was nothing.
 */
export function setAsideDatabase(databaseFile: string, atIso: string): string | undefined {
  const there = ['', ...companions].filter((end) => existsSync(databaseFile + end))
  if (there.length === 0) return undefined
  const wanted = damagedName(databaseFile, atIso)
  const isFree = (name: string) => ['', ...companions].every((end) => !existsSync(inFolderOf(databaseFile, name + end)))
  let name = wanted
  for (let number = 2; !isFree(name); number += 1) name = `${wanted}-${number}`
  // The database first: when a crash comes in between, what is left is recognised by its being without one.
  for (const end of there) renameSync(databaseFile + end, inFolderOf(databaseFile, name + end))
  syncFolder(dirname(databaseFile))
  return name
}

/** Removes a database of our own making that never came into use. */
export function removeDatabase(databaseFile: string): void {
  for (const end of ['', ...companions]) rmSync(databaseFile + end, { force: true })
}

/** A finished backup's, with the time when it was made. */
export const backupName = /^solarchive-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)Z\.sqlite3$/

/** Whether a name is a backup's, or one's that is being made. */
export function isBackupFile(name: string): boolean {
  return backupName.test(name.replace(/\.part(?:-wal|-shm|-journal)?$/, ''))
}

/** Gives a closed, synced database its name. Durable when it returns. */
export function publishDatabase(from: string, to: string): void {
  syncFile(from)
  renameSync(from, to)
  syncFolder(dirname(to))
}

function syncFile(path: string): void {
  // Windows syncs only what is open for writing.
  const handle = openSync(path, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

function syncFolder(path: string): void {
  try {
    const handle = openSync(path, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if (!isFolderSyncRefused(errnoCode(error), process.platform)) throw error
  }
}

function inFolderOf(databaseFile: string, name: string): string {
  return `${dirname(databaseFile)}/${name}`
}
