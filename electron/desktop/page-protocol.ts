import { protocol, type Session } from 'electron'
import { readPageFile } from '../app/static-files/page-files.ts'
import { pagePolicy } from '../app/static-files/page-policy.ts'
import { fileScheme, pageHost, pageScheme } from './origins.ts'

/** Headers of every answer to a page. */
export const commonHeaders = {
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
}

/**
 * Headers of every page. As a header the policy also covers what the page's own `meta` cannot express, such as frames.
 */
const pageHeaders = {
  ...commonHeaders,
  'Content-Security-Policy': pagePolicy(`${fileScheme}:`),
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/** Makes both schemes origins of their own, secure contexts, and fetchable. Called before the app is ready. */
export function registerSchemes(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true }
  protocol.registerSchemesAsPrivileged([
    { scheme: pageScheme, privileges },
    // The pages fetch files of another origin in ranges; videos are streamed.
    { scheme: fileScheme, privileges: { ...privileges, corsEnabled: true, stream: true } },
  ])
}

/** Serves `app://solarchive/…` from the folder of the built pages, and nothing else. */
export function servePages(session: Session, folder: string): void {
  session.protocol.handle(pageScheme, async ({ url, method }) => {
    const { host, pathname } = new URL(url)
    if (host !== pageHost || method !== 'GET') return pageNotFound()
    const path = decodeOnce(pathname)
    const file = path && (await readPageFile(folder, path))
    if (!file) return pageNotFound()
    return new Response(file.body, { headers: { ...pageHeaders, 'Content-Type': file.mediaType } })
  })
}

/** Decoded once only: a `%` that is left names no file. */
function decodeOnce(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

function pageNotFound(): Response {
  return new Response('There is nothing at this address.', { status: 404, headers: pageHeaders })
}
