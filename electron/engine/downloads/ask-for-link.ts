import { errorPolicy } from '../../../shared/error-policy.ts'
import type { AppError } from '../../../shared/errors.ts'
import { toEngineError } from '../lib/engine-error.ts'
import type { HostGate } from '../lib/host-gate.ts'
import { HostDownError } from '../lib/outage.ts'

/** A link from one answer. Compare links by object identity: the service may send the same URL twice. */
export interface Link {
  readonly url: string
  /** Hash of the URL without its signing parameters; see `urlIdentityOf`. */
  readonly urlIdentity: string | null
  /** The same in all links of a file until the service lists what may be another one. */
  readonly edition: number
}

/** Source of the links, which expire after 24 hours and are never stored. */
export interface LinkSource {
  /** Returns the cached link, null if the service sent none, or undefined if it has to be asked. */
  cached(assetId: number): Link | null | undefined
  /** Returns whether the service has listed no other file since it sent the link. */
  isCurrent(assetId: number, link: Link): boolean
  /**
   * Asks the service for the link, through its gate if there is one; resolves with undefined if there is none. Rejects
   * with the call's error, unless its answer has the link all the same.
   */
  ask(assetId: number, signal: AbortSignal, gate: HostGate | undefined): Promise<Link | undefined>
  /** Drops a link that is not needed any more. */
  forget(assetId: number): void
  /**
   * Marks the cached link as suspect: it led to no file. It stays in use until there is a reason to ask for another.
   */
  suspect(assetId: number): void
}

export type LinkAnswer =
  | { readonly kind: 'available'; readonly link: Link }
  /** The service answered and has no link. */
  | { readonly kind: 'none' }
  /** The service could not be asked; nothing is wrong with the file. */
  | { readonly kind: 'deferred'; readonly error: AppError }

/**
 * Gets the links of one project's files. After the first failure that concerns every file, the service is not asked
 * again: each further file would cost a call or a timeout for the same result. Cached links are still returned.
 */
export class LinkAsker {
  readonly #links: LinkSource
  readonly #gate: HostGate | undefined
  readonly #onAnswered: (() => void) | undefined
  #deferredBy: AppError | undefined

  /** `gate`: see `HostGates.service`. `onAnswered`: see `QueueOptions`. */
  constructor(links: LinkSource, gate: HostGate | undefined, onAnswered?: () => void) {
    this.#links = links
    this.#gate = gate
    this.#onAnswered = onAnswered
  }

  /** The error that stopped calls to the service, or undefined. */
  get deferredBy(): AppError | undefined {
    return this.#deferredBy
  }

  /** `refused`: a link that the file host rejected. Rejects with an error of the service that is about this file. */
  async ask(assetId: number, refused: Link | undefined, signal: AbortSignal): Promise<LinkAnswer> {
    const cached = this.#links.cached(assetId)
    if (cached !== undefined && cached !== refused) return answer(cached)
    if (this.#deferredBy !== undefined) return { kind: 'deferred', error: this.#deferredBy }
    try {
      const link = await this.#links.ask(assetId, signal, this.#gate)
      if (link !== undefined) this.#onAnswered?.()
      return answer(link)
    } catch (thrown) {
      const error = toEngineError(thrown, 'ask for a link')
      if (!concernsEveryFile(error)) throw error
      this.#deferredBy ??= error
      return { kind: 'deferred', error }
    }
  }
}

const answer = (link: Link | null | undefined): LinkAnswer =>
  link == null ? { kind: 'none' } : { kind: 'available', link }

/** Returns whether an error is about the token, the rate limit, or the network, and not about one category. */
function concernsEveryFile(error: AppError): boolean {
  const { code } = error
  if (error instanceof HostDownError) return true
  return ['token', 'network'].includes(errorPolicy[code].scope) || code === 'rate-limited'
}
