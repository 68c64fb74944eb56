import { z } from 'zod'
import { type LastSync, lastSyncSchema } from '../../../shared/domain.ts'
import { stopsPass } from '../../../shared/error-policy.ts'
import { toAppError } from '../../../shared/errors.ts'
import type { SyncResult } from '../engine.ts'
import type { Clock } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'

const key = 'sync-last'

/** Returns the last pass that a user started, or `null` if there was none in this data folder yet. */
export function readLastSync(store: Store): LastSync | null {
  const stored: unknown = store.parseJson(store.meta.get(key) ?? 'null')
  return z.nullable(lastSyncSchema).catch(null).parse(stored)
}

/** Runs a pass and stores when it started, when it ended, and how. */
export async function recordSync(store: Store, clock: Clock, pass: () => Promise<SyncResult>): Promise<SyncResult> {
  const startedAt = new Date(clock.nowMs()).toISOString()
  const record = (end: Partial<LastSync>) => {
    const last: LastSync = { ...notEnded, startedAt, ...end }
    store.meta.set(key, JSON.stringify(last))
  }
  const ended = () => ({ endedAt: new Date(clock.nowMs()).toISOString() })
  record({})
  try {
    const result = await pass()
    const { projects, notSynced, filesDownloaded, filesFailed, failures, outages } = result
    const outcome = failures.length === 0 ? 'done' : 'failures'
    const error = outages[0] ?? failures.find(({ code }) => stopsPass(code)) ?? null
    record({ ...ended(), outcome, projects, notSynced, filesDownloaded, filesFailed, error: error && reasonOf(error) })
    return result
  } catch (thrown) {
    const error = toAppError(thrown)
    try {
      record({ ...ended(), outcome: error.code === 'cancelled' ? 'stopped' : 'failed', error: reasonOf(error) })
    } catch {
      // A database that accepts nothing: the error of the pass says so.
    }
    throw thrown
  }
}

const reasonOf = ({ code, message }: { readonly code: string; readonly message: string }) => ({ code, message })

const notEnded = {
  endedAt: null,
  outcome: null,
  projects: 0,
  notSynced: 0,
  filesDownloaded: 0,
  filesFailed: 0,
  error: null,
} as const
