import type { Session } from 'electron'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Engine, OpenAsset } from '../../engine/engine.ts'
import { answerAsset } from '../../app/static-files/asset-response.ts'
import { filePolicy } from '../../app/static-files/page-policy.ts'
import { fileScheme, pageOrigin } from './addresses.ts'

/** Only the app's pages may read what is answered; the rest is for PDF.js, which reads reports in pieces. */
const commonHeaders = {
  'Content-Security-Policy': filePolicy,
  'Access-Control-Allow-Origin': pageOrigin,
  'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Length, Content-Range, ETag',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
}

/** Answers `archive://files/<asset id>` and `archive://thumbnails/<asset id>`; one range is honoured. */
export function serveFiles(session: Session, openAsset: Engine['openAsset']): void {
  session.protocol.handle(fileScheme, async (request) => {
    const { host, pathname } = new URL(request.url)
    const isHead = request.method === 'HEAD'
    if ((host !== 'files' && host !== 'thumbnails') || (request.method !== 'GET' && !isHead)) {
      return new Response(null, { status: 404, headers: commonHeaders })
    }
    const { headers } = request
    const answer = await answerAsset(openAsset, {
      ...{ folder: host, id: pathname.slice(1) },
      range: headers.get('range') ?? undefined,
      ifRange: headers.get('if-range') ?? undefined,
      ifNoneMatch: headers.get('if-none-match') ?? undefined,
    })
    const all = { ...commonHeaders, ...answer.headers }
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

/** Closes the file when all is read, and when whoever asked has gone. */
function streamOf({ handle }: OpenAsset, start: number, end: number, signal: AbortSignal) {
  const stream = handle.createReadStream({ start, end, autoClose: true })
  const leave = () => stream.destroy()
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  // The response tells of what went wrong; without a listener it would be an error of the process.
  stream.on('error', () => undefined)
  return Readable.toWeb(stream) as ReadableStream<Uint8Array<ArrayBuffer>>
}
