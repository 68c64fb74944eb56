import { mkdirSync, type Stats, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoCode } from './disk-error.ts'
import { syncFolders } from './durable-files.ts'

/**
 * Folders are created one by one: Node's `recursive` option loops forever on a file system that answers ENOENT for a
 * new folder, as /proc and automounters do. Errors are those of Node's file functions.
 */

/** Creates a folder and its parents, durably. */
export async function makeFolders(folder: string): Promise<void> {
  if ((await found(folder))?.isDirectory() === true) return
  const parent = dirname(folder)
  if (parent !== folder && (await found(parent)) === undefined) await makeFolders(parent)
  try {
    await mkdir(folder)
  } catch (error) {
    // Another process was faster. A broken link is reported as its missing target.
    if (errnoCode(error) !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error
  }
  await syncFolders([parent])
}

/** Creates a folder and its parents, each with `mode`. */
export function makeFoldersSync(folder: string, mode: number): void {
  if (foundSync(folder)?.isDirectory() === true) return
  const parent = dirname(folder)
  if (parent !== folder && foundSync(parent) === undefined) makeFoldersSync(parent, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error
  }
}

/** Returns undefined if nothing exists or it is inaccessible: creating it reports which. */
async function found(path: string): Promise<Stats | undefined> {
  return stat(path).catch(() => undefined)
}

function foundSync(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}
