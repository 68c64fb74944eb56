import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { commonHeaders } from './send.ts'

/** Where the browser fetches the support bundle. */
export const bundlePath = '/support-bundle.zip'

/** A support bundle on its way. */
export interface SentBundle {
  readonly fileName: string
  readonly zip: NodeJS.ReadableStream
}

/** `GET /support-bundle.zip`: made anew each time, and kept by nobody. */
export async function answerBundle(
  makeBundle: () => Promise<SentBundle>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const bundle = request.method === 'HEAD' ? undefined : await makeBundle()
  response.writeHead(200, {
    ...commonHeaders,
    'Content-Type': 'application/zip',
    'Content-Disposition': `attachment; filename="${bundle?.fileName ?? 'solarchive-support.zip'}"`,
  })
  if (bundle === undefined) response.end()
  else await pipeline(bundle.zip, response)
}
