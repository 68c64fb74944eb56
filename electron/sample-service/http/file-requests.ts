import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { SampleSite } from '../site/sample-site.ts'
import type { SampleChecklist, SamplePhoto } from '../site/site-types.ts'
import { errorResponse, type SampleResponse } from './responses.ts'
import type { RouteMatch } from './routes.ts'
import type { ServedRequest } from './sample-server.ts'

/** See `SampleServiceOptions`. */
type Validators = 'strong' | 'weak' | 'none'

type FileRequest = Pick<ServedRequest, 'method' | 'url' | 'headers' | 'match'>

/** The bytes of every file as they are served now. */
export interface SampleFiles {
  readonly photo: (photo: SamplePhoto) => Promise<Buffer>
  readonly thumbnail: (photo: SamplePhoto) => Promise<Buffer>
  /** Rejects with a RangeError if the checklist never had a report. */
  readonly report: (checklist: SampleChecklist) => Promise<Buffer>
}

interface ServedFile {
  readonly bytes: Buffer
  readonly contentType: string
  /** ISO 8601, UTC. */
  readonly changedAt: string
}

/** Returns the handler of the file host: signed links, conditional requests and ranges (RFC 9110). */
export function createFileRequests(
  site: SampleSite,
  files: SampleFiles,
  links: LinkSigner,
  validators: Validators,
): (request: FileRequest) => Promise<SampleResponse> {
  const find = async ({ route, ids }: RouteMatch): Promise<ServedFile | null> => {
    const [projectId = '', checklistId = '', photoId = ''] = ids
    if (route === 'report') {
      const checklist = site.checklist(projectId, checklistId)
      if (!checklist?.report) return null
      return {
        bytes: await files.report(checklist),
        contentType: 'application/pdf',
        changedAt: checklist.report.madeAt,
      }
    }
    const photo = site.photo(projectId, checklistId, photoId)
    if (photo?.state !== 'uploaded') return null
    const bytes = route === 'photo' ? await files.photo(photo) : await files.thumbnail(photo)
    return { bytes, contentType: 'image/jpeg', changedAt: photo.fileChangedAt }
  }

  return async (request) => {
    if (request.match.route === 'unknown') return errorResponse(404, 'File not found')
    if (request.method !== 'GET' && request.method !== 'HEAD') return errorResponse(405, 'Use GET or HEAD for files')
    const verdict = links.check(request.url)
    if (verdict === 'expired') return errorResponse(403, 'Request has expired')
    if (verdict === 'forged') return errorResponse(403, 'Access denied: bad signature')
    const file = await find(request.match)
    return file ? fileResponse(file, request, validators) : errorResponse(404, 'File not found')
  }
}

/** Returns a strong entity tag: the content's hash. */
function entityTag(bytes: Buffer): string {
  return `"${createHash('sha1').update(bytes).digest('hex')}"`
}

function fileResponse(
  file: ServedFile,
  { method, headers: conditions }: FileRequest,
  validators: Validators,
): SampleResponse {
  const { bytes } = file
  const etag = `${validators === 'weak' ? 'W/' : ''}${entityTag(bytes)}`
  const lastModified = new Date(file.changedAt).toUTCString()
  const headers: Record<string, string> = {
    'Content-Type': file.contentType,
    'Cache-Control': 'private, max-age=0',
    'Accept-Ranges': 'bytes',
  }
  if (validators !== 'none') {
    headers['ETag'] = etag
    headers['Last-Modified'] = lastModified
    if (isUnchanged(conditions, etag, lastModified)) return { status: 304, headers, body: Buffer.alloc(0) }
  }
  const range = conditions.range
  const usable = method === 'GET' && range !== undefined && ifRangeHolds(conditions, etag, lastModified, validators)
  const part = usable ? readRange(range, bytes.length) : 'whole'
  if (part === 'whole') return { status: 200, headers, body: bytes }
  if (part === 'outside') {
    const refused = errorResponse(416, 'The range lies outside the file')
    return { ...refused, headers: { ...refused.headers, 'Content-Range': `bytes */${bytes.length}` } }
  }
  const contentRange = `bytes ${part.first}-${part.last}/${bytes.length}`
  const body = bytes.subarray(part.first, part.last + 1)
  return { status: 206, headers: { ...headers, 'Content-Range': contentRange }, body }
}

/** RFC 9110, 13.1.2 and 13.1.3: tags are compared weakly, and a tag makes the date irrelevant. */
function isUnchanged(conditions: IncomingHttpHeaders, etag: string, lastModified: string): boolean {
  const noneMatch = conditions['if-none-match']
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '')
  if (noneMatch !== undefined)
    return noneMatch.trim() === '*' || noneMatch.split(',').map(opaque).includes(opaque(etag))
  const since = Date.parse(conditions['if-modified-since'] ?? '')
  return !Number.isNaN(since) && Date.parse(lastModified) <= since
}

/** RFC 9110, 13.1.5: `If-Range` needs the same strong tag or the exact date. */
function ifRangeHolds(
  conditions: IncomingHttpHeaders,
  etag: string,
  lastModified: string,
  validators: Validators,
): boolean {
  const ifRange = conditions['if-range']
  if (ifRange === undefined) return true
  if (validators !== 'strong') return false
  return ifRange === etag || ifRange === lastModified
}

/** One range of bytes; several, or what cannot be read, are ignored as RFC 9110, 14.2 allows. */
function readRange(range: string, size: number): { first: number; last: number } | 'whole' | 'outside' {
  const match = /^bytes=(\d*)-(\d*)$/.exec(range.trim())
  const [, from = '', to = ''] = match ?? []
  if (!match || (from === '' && to === '')) return 'whole'
  if (from === '') {
    const first = Math.max(0, size - Number(to))
    return Number(to) === 0 ? 'outside' : { first, last: size - 1 }
  }
  const first = Number(from)
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (first >= size) return 'outside'
  return last < first ? 'whole' : { first, last }
}

export type LinkSigner = ReturnType<typeof createLinkSigner>

/**
 * Returns what signs links to files and checks those of requests, in the style of CloudFront:
 * `?Expires=…&Signature=…&Key-Pair-Id=…`, signed over path and expiry.
 */
export function createLinkSigner(options: {
  seed: string
  /** Returns the file host, `http://127.0.0.1:<port>`; its port is known once it listens. */
  baseUrl: () => string
  lifetimeMs: number
  nowMs: () => number
}) {
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
    sign(path: string): string {
      const expiresMs = options.nowMs() + options.lifetimeMs
      // Whole seconds as real links have them; lifetimes that tests use need more.
      const expires =
        options.lifetimeMs >= 60_000 ? String(Math.floor(expiresMs / 1000)) : (expiresMs / 1000).toFixed(3)
      const query = `Expires=${expires}&Signature=${signature(path, expires)}&Key-Pair-Id=${keyPairId}`
      return `${options.baseUrl()}${path}?${query}`
    },
    check(url: URL): 'valid' | 'expired' | 'forged' {
      const expires = url.searchParams.get('Expires') ?? ''
      if (url.searchParams.get('Key-Pair-Id') !== keyPairId) return 'forged'
      if (url.searchParams.get('Signature') !== signature(url.pathname, expires)) return 'forged'
      return Number(expires) * 1000 > options.nowMs() ? 'valid' : 'expired'
    },
  }
}
