import { setTimeout as sleep } from 'node:timers/promises'
import { errnoCode } from './disk-error.ts'

/**
 * Windows refuses to rename or delete a file that a virus scanner, an indexer or a preview holds open, mostly for some
 * milliseconds. Together 1.3 s: what is held longer is held by a person's program, and a later attempt has to do.
 */
const delaysMs = [10, 40, 100, 250, 400, 500]

const lockedCodes = new Set(['EPERM', 'EACCES', 'EBUSY'])

/**
 * Runs an operation, on Windows again and again while another program holds the file. Elsewhere these codes are final.
 */
export async function retryWhileLocked<Value>(
  operation: () => Promise<Value>,
  platform: NodeJS.Platform = process.platform,
): Promise<Value> {
  for (const delayMs of platform === 'win32' ? delaysMs : []) {
    try {
      return await operation()
    } catch (error) {
      if (!lockedCodes.has(errnoCode(error) ?? '')) throw error
    }
    await sleep(delayMs)
  }
  return await operation()
}
