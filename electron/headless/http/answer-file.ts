import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Engine } from '../../engine/engine.ts'
import { answerAsset, type AssetRequest } from '../../app/static-files/asset-response.ts'
import { commonHeaders, sendError } from './send.ts'

/** `GET` or `HEAD` of `/files/<asset id>` and `/thumbnails/<asset id>`; see `answerAsset`. */
export async function answerFile(
  openAsset: Engine['openAsset'],
  { folder, id }: Pick<AssetRequest, 'folder' | 'id'>,
  { headers, method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await answerAsset(openAsset, {
    ...{ folder, id, range: headers.range, ifRange: headers['if-range'] },
    ifNoneMatch: headers['if-none-match'],
  })
  if (answer.kind === 'error') {
    for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value)
    return sendError(response, answer.status, answer.error.code, answer.error.message)
  }
  if (answer.kind === 'known') {
    response.writeHead(304, { ...commonHeaders, ...answer.headers }).end()
    return
  }
  const { asset, start, end } = answer
  try {
    response.writeHead(answer.status, { ...commonHeaders, ...answer.headers })
    if (method === 'HEAD') response.end()
    else await pipeline(asset.handle.createReadStream({ start, end, autoClose: false }), response)
  } finally {
    await asset.handle.close()
  }
}
