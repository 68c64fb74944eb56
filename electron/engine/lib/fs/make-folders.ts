import { mkdirSync, type Stats, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoCode } from './disk-error.ts'
import { syncFolders } from './durable-files.ts'

/**
 * Folders are made one by one: Node's own way (`recursive`) never ends where a file system says of a folder to be made
 * that it is not there, as /proc and the folders of an automounter do. Errors are those of Node's file functions.
 */

/** Makes a folder and those above it, durably. */
export async function makeFolders(folder: string): Promise<void> {
  if ((await found(folder))?.isDirectory() === true) return
  const above = dirname(folder)
  if (above !== folder && (await found(above)) === undefined) await makeFolders(above)
  try {
    await mkdir(folder)
  } catch (error) {
    // Another process was faster. A link that leads nowhere is told as what it leads to.
    if (errnoCode(error) !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error
  }
  await syncFolders([above])
}

/** Makes a folder and those above it, each with the rights of `mode`. */
export function makeFoldersSync(folder: string, mode: number): void {
  if (foundSync(folder)?.isDirectory() === true) return
  const above = dirname(folder)
  if (above !== folder && foundSync(above) === undefined) makeFoldersSync(above, mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    if (errnoCode(error) !== 'EEXIST' || !statSync(folder).isDirectory()) throw error
  }
}

/** Undefined where nothing is, or nothing that can be looked at: making it tells which. */
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
