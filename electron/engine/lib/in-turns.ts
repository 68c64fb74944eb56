import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Yields items in pieces of at most `size`, each in a turn of the event loop of its own: whatever else the process does
 * waits for one piece at most.
 */
export async function* inTurns<T>(items: readonly T[], size: number): AsyncGenerator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await nextTurn()
    yield items.slice(start, start + size)
  }
}
