import { connect } from 'node:net'
import { requireFreeSpace } from '../lib/fs/free-space.ts'
import { probeWriting } from '../lib/fs/probe-writing.ts'
import type { Clock, Secrets } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import { requireRightFolder } from '../recovery/open-archive.ts'
import type { Probes } from './watch-gate.ts'

export interface ProbeParts {
  readonly serviceUrl: URL
  readonly archiveFolder: string
  readonly homeFolder: string
  readonly store: Store
  readonly secrets: Secrets
  /** The token that was used last. */
  readonly lastToken: () => string | undefined
  readonly clock: Clock
}

/** A token that was refused may be accepted again, after an administrator's mistake say: asked ever less often. */
const sameTokenMs = { first: 30_000, longest: 15 * 60_000 }

/** Tokens that are refused later than this after the last one begin anew. */
const freshRefusalMs = 60 * 60_000

/** As long as a person would wait for a page to begin. */
const connectMs = 10_000

/** Looks at the network, the disk and the token. A service in trouble can only be asked: its probe says go ahead. */
export function createProbes(parts: ProbeParts): Probes {
  let refusal: { readonly sinceMs: number; readonly waitMs: number } | undefined
  let nextWaitMs = sameTokenMs.first
  let lastTryMs = -Infinity
  return {
    offline: (signal) => canConnect(parts.serviceUrl, signal),
    service: () => Promise.resolve(true),
    async token() {
      const nowMs = parts.clock.monotonicMs()
      if (refusal === undefined) {
        const tried = nowMs - lastTryMs < freshRefusalMs ? nextWaitMs : sameTokenMs.first
        nextWaitMs = Math.min(sameTokenMs.longest, tried * 2)
        refusal = { sinceMs: nowMs, waitMs: tried }
      }
      const token = await parts.secrets.accessToken().catch(() => undefined)
      if (token === undefined) return false
      const isNew = token !== parts.lastToken()
      if (!isNew && nowMs - refusal.sinceMs < refusal.waitMs) return false
      refusal = undefined
      lastTryMs = nowMs
      return true
    },
    async disk() {
      try {
        await requireRightFolder(parts.archiveFolder, parts.store)
        await probeWriting(parts.archiveFolder)
        await requireFreeSpace(parts.archiveFolder)
        await requireFreeSpace(parts.homeFolder)
        return true
      } catch {
        return false
      }
    },
  }
}

/** Whether the service's host takes connections: a look at the network that is no API call. */
function canConnect(serviceUrl: URL, signal: AbortSignal): Promise<boolean> {
  const port = serviceUrl.port === '' ? (serviceUrl.protocol === 'https:' ? 443 : 80) : Number(serviceUrl.port)
  // The host of an IPv6 address stands in brackets.
  const host = serviceUrl.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false)
      return
    }
    const socket = connect({ host, port, timeout: connectMs })
    const end = (reached: boolean) => {
      signal.removeEventListener('abort', giveUp)
      socket.destroy()
      resolve(reached)
    }
    const giveUp = () => end(false)
    signal.addEventListener('abort', giveUp, { once: true })
    socket.once('connect', () => end(true))
    socket.once('timeout', giveUp)
    socket.once('error', giveUp)
  })
}
