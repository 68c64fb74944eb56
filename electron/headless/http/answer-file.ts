import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { Engine, OpenAsset } from '../../engine/engine.ts'
import { readRange } from './byte-range.ts'
import { commonHeaders, sendAnswer, sendError } from './send.ts'

/** What is archived came from elsewhere: opened by itself it runs nothing, embeds nothing and has no origin. */
const filePolicy = "sandbox; default-src 'none'; frame-ancestors 'none'"

/**
 * `GET` or `HEAD` of `/files/<asset id>`, of `/thumbnails/<asset id>` only thumbnails. One range is honoured, under
 * `If-Range` too; the ETag is the file's SHA-256.
 */
export async function answerFile(
  openAsset: Engine['openAsset'],
  { folder, id }: { readonly folder: string; readonly id: string },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let asset: OpenAsset
  try {
    // 15 digits: a whole number that is exact.
    if (!/^[1-9]\d{0,14}$/.test(id)) throw new AppError('not-found', 'There is no such file in the archive.')
    asset = await openAsset(Number(id))
  } catch (thrown) {
    const { code, message } = toAppError(thrown)
    return sendError(response, code === 'internal' ? 500 : 404, code, message)
  }
  try {
    if (folder === 'thumbnails' && asset.kind !== 'thumbnail') {
      return sendError(response, 404, 'not-found', 'There is no such thumbnail in the archive.')
    }
    await sendFile(asset, request, response)
  } finally {
    await asset.handle.close()
  }
}

async function sendFile(asset: OpenAsset, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { headers } = request
  const { sizeBytes } = asset
  const tag = `"${asset.sha256}"`
  const shared: OutgoingHttpHeaders = {
    ...commonHeaders,
    'Content-Security-Policy': filePolicy,
    // Kept by the browser, asked about each time: cheap, and gone from the screen with the session.
    'Cache-Control': 'private, no-cache',
    'Accept-Ranges': 'bytes',
    ETag: tag,
  }
  if (isKnown(headers['if-none-match'], tag)) {
    response.writeHead(304, shared).end()
    return
  }
  const ifRange = headers['if-range']
  const range = ifRange === undefined || ifRange === tag ? readRange(headers.range, sizeBytes) : 'whole'
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${sizeBytes}`)
    const message = 'The file is shorter than that.'
    return sendAnswer(response, 416, { ok: false, error: { code: 'wrong-usage', message } })
  }
  const { start, end } = range === 'whole' ? { start: 0, end: sizeBytes - 1 } : range
  response.writeHead(range === 'whole' ? 200 : 206, {
    ...shared,
    'Content-Type': asset.mediaType,
    'Content-Disposition': disposition(asset.fileName),
    'Content-Length': end - start + 1,
    ...(range !== 'whole' && { 'Content-Range': `bytes ${start}-${end}/${sizeBytes}` }),
  })
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  await pipeline(asset.handle.createReadStream({ start, end, autoClose: false }), response)
}

function isKnown(header: string | undefined, tag: string): boolean {
  const tags = header?.split(',').map((given) => given.trim().replace(/^W\//, '')) ?? []
  return tags.includes(tag) || tags.includes('*')
}

/** RFC 6266: a name of plain letters for all, and the true one in UTF-8. */
function disposition(fileName: string): string {
  const plain = fileName.replace(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `inline; filename="${plain}"; filename*=UTF-8''${encoded}`
}
