import type { Clock } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { HeldFile } from '../store/held-files-store.ts'

/**
 * Marks are committed together: a commit costs a sync of the database's disk, as much as reading several photos. What a
 * kill loses of them is read again: some seconds' work.
 */
const groupMs = 2_000
const fullGroup = 1_000

/** Writes down which files were read and were right, in groups. */
export function createVerifiedMarks(store: Store, clock: Clock) {
  let waiting: HeldFile[] = []
  let sinceMs = clock.monotonicMs()

  function flush(at: string): void {
    const files = waiting
    waiting = []
    sinceMs = clock.monotonicMs()
    if (files.length > 0) store.transaction(() => store.heldFiles.markVerified(files, at))
  }

  return {
    add(file: HeldFile, at: string): void {
      waiting.push(file)
      if (waiting.length >= fullGroup || clock.monotonicMs() - sinceMs >= groupMs) flush(at)
    },
    flush,
  }
}
