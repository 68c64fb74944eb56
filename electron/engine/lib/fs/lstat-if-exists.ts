import type { Stats } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { errnoCode, nothingThere } from './disk-error.ts'

/** Undefined when nothing is there. Rejects when that cannot be told: what may not be looked at is not missing. */
export async function lstatIfThere(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: unknown) => {
    if (nothingThere.has(errnoCode(error) ?? '')) return undefined
    throw error
  })
}

/** Whether something has this name, a link that leads nowhere included. Rejects where that cannot be told. */
export async function isThere(path: string): Promise<boolean> {
  return (await lstatIfThere(path)) !== undefined
}
