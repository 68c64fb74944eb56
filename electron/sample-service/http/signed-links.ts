import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** What a file request's link is worth. */
type LinkVerdict = 'good' | 'expired' | 'refused'

/** Signs links to files and checks them when they come back. */
export interface LinkSigner {
  sign(path: string): string
  check(url: URL): LinkVerdict
}

/** Links in the style of CloudFront: `?Expires=…&Signature=…&Key-Pair-Id=…`, the signature over path and expiry. */
export function createLinkSigner(options: {
  seed: string
  /** The file host, for example `http://127.0.0.1:5000`; asked for with each link, as its port is not known at first. */
  baseUrl: () => string
  lifetimeMs: number
  nowMs: () => number
}): LinkSigner {
  const secret = createHash('sha256').update(`link secret ${options.seed}`).digest()
  const keyPairId = `K${createHash('sha256').update(secret).digest('hex').slice(0, 13).toUpperCase()}`
  const signature = (path: string, expires: string): string =>
    createHmac('sha256', secret)
      .update(`${path}\n${expires}\n${keyPairId}`)
      .digest('base64')
      .replaceAll('+', '-')
      .replaceAll('=', '_')
      .replaceAll('/', '~')

  return {
    sign(path) {
      const expiresMs = options.nowMs() + options.lifetimeMs
      // Whole seconds as real links have them; lifetimes that tests use need more.
      const expires =
        options.lifetimeMs >= 60_000 ? String(Math.floor(expiresMs / 1000)) : (expiresMs / 1000).toFixed(3)
      return `${options.baseUrl()}${path}?Expires=${expires}&Signature=${signature(path, expires)}&Key-Pair-Id=${keyPairId}`
    },
    check(url) {
      const expires = url.searchParams.get('Expires') ?? ''
      const given = Buffer.from(url.searchParams.get('Signature') ?? '')
      const right = Buffer.from(signature(url.pathname, expires))
      if (url.searchParams.get('Key-Pair-Id') !== keyPairId) return 'refused'
      if (given.length !== right.length || !timingSafeEqual(given, right)) return 'refused'
      return Number(expires) * 1000 > options.nowMs() ? 'good' : 'expired'
    },
  }
}
