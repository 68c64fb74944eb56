import { errorPolicy } from '../../../shared/error-policy.ts'
import type { AppError } from '../../../shared/errors.ts'
import { toEngineError } from '../lib/engine-error.ts'

/** One giving of a link. The service may give the same URL twice: two links are the same only if they are one object. */
export interface Link {
  readonly url: string
  /** Hash of the URL without its signing parameters; see `sourceHash`. */
  readonly urlIdentity: string | null
}

/** Where the links come from; they live 24 hours and are never stored. */
export interface LinkSource {
  /** The link at hand, young enough to be used; null: the service gave none; undefined: it has to be asked. */
  held(assetId: number): Link | null | undefined
  /** A link that is given now; undefined when there is none. Rejects with what the call to the service met. */
  ask(assetId: number, signal: AbortSignal): Promise<Link | undefined>
  /** The link is not needed any more. */
  forget(assetId: number): void
  /** The link at hand led to no file. It is used again only until somebody has reason to ask for another. */
  suspect(assetId: number): void
}

export type LinkAnswer =
  | { readonly kind: 'given'; readonly link: Link }
  /** The service answered and gives no link. */
  | { readonly kind: 'none' }
  /** The service could not be asked, which is no fault of the file's. */
  | { readonly kind: 'deferred'; readonly error: AppError }

/**
 * Gets the links of one project's files. Once the service could not be asked it is not asked again: the next file would
 * meet the same, at the price of more calls or of a timeout each. Links at hand are given all the same.
 */
export class LinkAsker {
  readonly #links: LinkSource
  #deferredBy: AppError | undefined

  constructor(links: LinkSource) {
    this.#links = links
  }

  /** Why the service could not be asked; undefined while it can. */
  get deferredBy(): AppError | undefined {
    return this.#deferredBy
  }

  /** `refused`: a link that the file host does not take. Rejects with an error of the service that is about this file. */
  async ask(assetId: number, refused: Link | undefined, signal: AbortSignal): Promise<LinkAnswer> {
    const held = this.#links.held(assetId)
    if (held !== undefined && held !== refused) return answer(held)
    if (this.#deferredBy !== undefined) return { kind: 'deferred', error: this.#deferredBy }
    try {
      return answer(await this.#links.ask(assetId, signal))
    } catch (thrown) {
      const error = toEngineError(thrown, 'ask for a link')
      if (!concernsEveryFile(error)) throw error
      this.#deferredBy ??= error
      return { kind: 'deferred', error }
    }
  }
}

const answer = (link: Link | null | undefined): LinkAnswer =>
  link == null ? { kind: 'none' } : { kind: 'given', link }

/** The token, the rate limit or the way to the service. What it answers about one category may be that one's alone. */
function concernsEveryFile({ code }: AppError): boolean {
  return ['token', 'network'].includes(errorPolicy[code].scope) || code === 'rate-limited'
}
