import type { Session } from 'electron'
import { readPageFile } from '../../app/static-files/page-files.ts'
import { pagePolicy } from '../../app/static-files/page-policy.ts'
import { fileScheme, pageHost, pageScheme } from './addresses.ts'

/** On every page; the policy as a header holds for what the page's own copy of it cannot say, such as frames. */
const pageHeaders = {
  'Content-Security-Policy': pagePolicy(`${fileScheme}:`),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
}

/** Answers `app://solarchive/…` from the folder of the built pages, and nothing else. */
export function servePages(session: Session, folder: string): void {
  session.protocol.handle(pageScheme, async ({ url, method }) => {
    const { host, pathname } = new URL(url)
    if (host !== pageHost || method !== 'GET') return nothing()
    const path = decoded(pathname)
    const file = path && (await readPageFile(folder, path))
    if (!file) return nothing()
    return new Response(file.body, { headers: { ...pageHeaders, 'Content-Type': file.mediaType } })
  })
}

/** Decoded once; what is left of `%` names nothing. */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

function nothing(): Response {
  return new Response('There is nothing at this address.', { status: 404, headers: pageHeaders })
}
