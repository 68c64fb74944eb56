import { existsSync } from 'node:fs'
import { requireFreeSpace } from '../lib/fs/free-space.ts'
import { probeWriting } from '../lib/fs/write-probe.ts'
import type { Clock, Secrets } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import { isKnownArchive } from '../recovery/open-archive.ts'
import type { Outbound } from '../service/outbound.ts'
import { tryConnection } from '../service/try-connection.ts'
import type { Probes } from './watch-gate.ts'

export interface ProbeDeps {
  readonly serviceUrl: URL
  readonly outbound: Outbound
  readonly archiveFolder: string
  readonly homeFolder: string
  readonly store: Store
  readonly secrets: Secrets
  /** Returns the token that was used last. */
  readonly lastToken: () => string | undefined
  readonly clock: Clock
}

/** Pauses between tries of a refused token, which may be accepted later if it was refused by mistake. */
const sameTokenMs = { first: 30_000, max: 15 * 60_000 }

/** A token refused longer than this after the previous refusal starts with the first pause again. */
const freshRefusalMs = 60 * 60_000

/** Timeout of a connection, as long as a user would wait for a page. */
const connectMs = 10_000

/**
 * Creates the checks of the network, the disk, and the token. Only a call can check the service, so its probe always
 * succeeds.
 */
export function createProbes(deps: ProbeDeps): Probes {
  let refusal: { readonly sinceMs: number; readonly waitMs: number } | undefined
  let nextWaitMs = sameTokenMs.first
  let lastTryMs = -Infinity
  return {
    offline: async (signal) => {
      const { serviceUrl, outbound } = deps
      return (await tryConnection(serviceUrl, { outbound, timeoutMs: connectMs, signal })) === undefined
    },
    service: () => Promise.resolve(true),
    async token() {
      const nowMs = deps.clock.monotonicMs()
      if (refusal === undefined) {
        const tried = nowMs - lastTryMs < freshRefusalMs ? nextWaitMs : sameTokenMs.first
        nextWaitMs = Math.min(sameTokenMs.max, tried * 2)
        refusal = { sinceMs: nowMs, waitMs: tried }
      }
      const token = await deps.secrets.accessToken().catch(() => undefined)
      if (token === undefined) return false
      const isNew = token !== deps.lastToken()
      if (!isNew && nowMs - refusal.sinceMs < refusal.waitMs) return false
      refusal = undefined
      lastTryMs = nowMs
      return true
    },
    async disk(signal, error) {
      try {
        if (!(await isKnownArchive(deps.archiveFolder, deps.store, signal))) return false
        // A new archive is created when it is opened.
        const isNew = deps.store.assets.foldersInUse().length === 0
        if (!isNew || existsSync(deps.archiveFolder)) await probeWriting(deps.archiveFolder)
        // A disk that has become full as well is found to be so by the next download.
        if (error.code !== 'disk-full') return true
        await requireFreeSpace(deps.archiveFolder)
        await requireFreeSpace(deps.homeFolder)
        return true
      } catch {
        return false
      }
    },
  }
}
