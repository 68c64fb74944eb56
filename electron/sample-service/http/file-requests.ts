import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { SampleSite } from '../site/sample-site.ts'
import type { SampleChecklist, SamplePhoto } from '../site/site-types.ts'
import { errorAnswer } from './answer.ts'
import type { Answer } from './answer.ts'
import type { RouteMatch } from './routes.ts'
import type { LinkSigner } from './signed-links.ts'

export interface FileRequest {
  readonly method: string
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly match: RouteMatch
}

export interface FileRules {
  readonly refusedLinkStatus: 401 | 403
  readonly validators: 'strong' | 'weak' | 'none'
  readonly acceptRanges: boolean
}

/** The bytes of every file as they are served now. */
export interface SampleFiles {
  photo(photo: SamplePhoto): Promise<Buffer>
  thumbnail(photo: SamplePhoto): Promise<Buffer>
  /** Rejects with a RangeError if the checklist never had a report. */
  report(checklist: SampleChecklist): Promise<Buffer>
}

/** A file as it is served now. */
interface FileNow {
  readonly bytes: Buffer
  readonly contentType: string
  readonly changedAt: string
}

/** Answers requests to the file host: signed links, conditional requests and ranges (RFC 9110). */
export function createFileRequests(
  site: SampleSite,
  files: SampleFiles,
  links: LinkSigner,
  rules: FileRules,
): (request: FileRequest) => Promise<Answer> {
  const find = async ({ route, ids }: RouteMatch): Promise<FileNow | null> => {
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
    if (request.match.route === 'unknown') return errorAnswer(404, 'File not found')
    if (request.method !== 'GET' && request.method !== 'HEAD') return errorAnswer(405, 'Use GET or HEAD for files')
    const verdict = links.check(request.url)
    if (verdict === 'expired') return errorAnswer(rules.refusedLinkStatus, 'Request has expired')
    if (verdict === 'refused') return errorAnswer(rules.refusedLinkStatus, 'Access denied: bad signature')
    const file = await find(request.match)
    return file ? fileAnswer(file, request, rules) : errorAnswer(404, 'File not found')
  }
}

const tags = new WeakMap<Buffer, string>()

/** A strong tag: the content's hash. */
function entityTag(bytes: Buffer): string {
  const known = tags.get(bytes) ?? `"${createHash('sha1').update(bytes).digest('hex')}"`
  tags.set(bytes, known)
  return known
}

function fileAnswer(file: FileNow, { method, headers: asked }: FileRequest, rules: FileRules): Answer {
  const { bytes } = file
  const etag = rules.validators === 'weak' ? `W/${entityTag(bytes)}` : entityTag(bytes)
  const lastModified = new Date(file.changedAt).toUTCString()
  const headers: Record<string, string> = { 'Content-Type': file.contentType, 'Cache-Control': 'private, max-age=0' }
  if (rules.acceptRanges) headers['Accept-Ranges'] = 'bytes'
  if (rules.validators !== 'none') {
    headers['ETag'] = etag
    headers['Last-Modified'] = lastModified
    if (isUnchanged(asked, etag, lastModified)) return { status: 304, headers, body: Buffer.alloc(0) }
  }
  const range = asked.range
  const usable =
    rules.acceptRanges && method === 'GET' && range !== undefined && holdsStill(asked, etag, lastModified, rules)
  const part = usable ? readRange(range, bytes.length) : 'whole'
  if (part === 'whole') return { status: 200, headers, body: bytes }
  if (part === 'outside') {
    const refused = errorAnswer(416, 'The range lies outside the file')
    return { ...refused, headers: { ...refused.headers, 'Content-Range': `bytes */${bytes.length}` } }
  }
  const contentRange = `bytes ${part.first}-${part.last}/${bytes.length}`
  const body = bytes.subarray(part.first, part.last + 1)
  return { status: 206, headers: { ...headers, 'Content-Range': contentRange }, body }
}

/** RFC 9110, 13.1.2 and 13.1.3: tags are compared weakly, and a tag makes the date irrelevant. */
function isUnchanged(asked: IncomingHttpHeaders, etag: string, lastModified: string): boolean {
  const noneMatch = asked['if-none-match']
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '')
  if (noneMatch !== undefined)
    return noneMatch.trim() === '*' || noneMatch.split(',').map(opaque).includes(opaque(etag))
  const since = Date.parse(asked['if-modified-since'] ?? '')
  return !Number.isNaN(since) && Date.parse(lastModified) <= since
}

/** RFC 9110, 13.1.5: `If-Range` needs the same strong tag or the exact date. */
function holdsStill(asked: IncomingHttpHeaders, etag: string, lastModified: string, rules: FileRules): boolean {
  const ifRange = asked['if-range']
  if (ifRange === undefined) return true
  if (rules.validators !== 'strong') return false
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
