import type { Session } from 'electron'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Engine, OpenAsset } from '../engine/engine.ts'
import { answerAsset } from '../app/static-files/asset-response.ts'
import { filePolicy } from '../app/static-files/page-policy.ts'
import { fileScheme, pageOrigin } from './origins.ts'
import { commonHeaders } from './page-protocol.ts'

/** Headers of every archived file. Only the app's pages may read it; the exposed headers let PDF.js read ranges. */
const fileHeaders = {
  ...commonHeaders,
  'Content-Security-Policy': filePolicy,
  'Access-Control-Allow-Origin': pageOrigin,
  'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Length, Content-Range, ETag',
}

/**
 * Serves `archive://files/<asset id>`, `archive://files/<asset id>/<hash of an earlier version>`, and
 * `archive://thumbnails/<asset id>`, with a single range if asked for.
 */
export function serveFiles(session: Session, openAsset: Engine['openAsset']): void {
  session.protocol.handle(fileScheme, async (request) => {
    const { host, pathname } = new URL(request.url)
    const isHead = request.method === 'HEAD'
    if ((host !== 'files' && host !== 'thumbnails') || (request.method !== 'GET' && !isHead)) {
      return new Response(null, { status: 404, headers: fileHeaders })
    }
    const { headers } = request
    const [id = '', version] = pathname.slice(1).split('/', 2)
    const answer = await answerAsset(openAsset, {
      folder: host,
      id,
      version,
      range: headers.get('range') ?? undefined,
      ifRange: headers.get('if-range') ?? undefined,
      ifNoneMatch: headers.get('if-none-match') ?? undefined,
    })
    const all = { ...fileHeaders, ...answer.headers }
    if (answer.kind === 'error') {
      return new Response(isHead ? null : answer.error.message, { status: answer.status, headers: all })
    }
    if (answer.kind === 'known') return new Response(null, { status: 304, headers: all })
    if (isHead) {
      await answer.asset.handle.close()
      return new Response(null, { status: answer.status, headers: all })
    }
    const body = streamOf(answer.asset, answer.start, answer.end, request.signal)
    return new Response(body, { status: answer.status, headers: all })
  })
}

/** Returns the bytes as a stream that closes the file at its end, and as soon as the request is aborted. */
function streamOf({ handle }: OpenAsset, start: number, end: number, signal: AbortSignal) {
  const stream = handle.createReadStream({ start, end, autoClose: true })
  const destroy = () => stream.destroy()
  signal.addEventListener('abort', destroy, { once: true })
  if (signal.aborted) destroy()
  // The response reports the failure; without a listener it would be an uncaught error of the process.
  stream.on('error', () => undefined)
  return Readable.toWeb(stream) as ReadableStream<Uint8Array<ArrayBuffer>>
}
