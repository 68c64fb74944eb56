import { existsSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { readPageFile } from '../../app/static-files/page-files.ts'
import { commonHeaders, sendPage } from './send.ts'

/** The built renderer; see `readPageFile`. */
export function createStaticFiles(folder: string) {
  return async (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const file = await readPageFile(folder, path)
    if (file === undefined) {
      return existsSync(join(folder, 'index.html'))
        ? sendPage(response, 404, ['There is nothing at this address.'])
        : sendPage(response, 503, [
            'The pages of the app are not built yet, so there is nothing to show here.',
            'Your archive is kept up to date all the same. Run "npm run build" where Solarchive lies, then load this page again.',
          ])
    }
    response.writeHead(200, {
      ...commonHeaders,
      'Cache-Control': 'no-cache',
      'Content-Type': file.mediaType,
      'Content-Length': file.body.length,
    })
    response.end(request.method === 'HEAD' ? undefined : file.body)
  }
}
