import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, extname, join, sep } from 'node:path'
import { commonHeaders, sendPage } from './send.ts'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}

/** Where `npm run build` puts the renderer, seen from the sources and from the built command line alike. */
export function rendererFolder(): string {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder)
  return join(folder, 'out', 'renderer')
}

/**
 * The built renderer. Only files that are listed in its folder are read: a path that leads elsewhere names none of them.
 * The app's own addresses, which name no file, get `index.html`.
 */
export function createStaticFiles(folder: string) {
  async function find(path: string): Promise<string | undefined> {
    const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
    const paths = files
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replaceAll(sep, '/'))
    if (paths.includes(path)) return path
    return extname(path) === '' && paths.includes('/index.html') ? '/index.html' : undefined
  }

  return async (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const found = await find(path)
    if (found === undefined) {
      return existsSync(join(folder, 'index.html'))
        ? sendPage(response, 404, ['There is nothing at this address.'])
        : sendPage(response, 503, [
            'The pages of the app are not built yet, so there is nothing to show here.',
            'Your archive is kept up to date all the same. Run "npm run build" where Solarchive lies, then load this page again.',
          ])
    }
    const body = await readFile(join(folder, found))
    response.writeHead(200, {
      ...commonHeaders,
      'Cache-Control': 'no-cache',
      'Content-Type': types[extname(found)] ?? 'application/octet-stream',
      'Content-Length': body.length,
    })
    response.end(request.method === 'HEAD' ? undefined : body)
  }
}
