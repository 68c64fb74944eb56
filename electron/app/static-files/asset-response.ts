import type { ErrorCode } from '../../../shared/error-policy.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { Engine, OpenAsset } from '../../engine/engine.ts'
import { filePolicy } from './page-policy.ts'

/** A request for an archived file; `thumbnails` serves thumbnails alone. Headers are unparsed. */
export interface AssetRequest {
  readonly folder: 'files' | 'thumbnails'
  readonly id: string
  /** Hash of an earlier version, in hexadecimal. */
  readonly version?: string | undefined
  readonly range?: string | undefined
  readonly ifRange?: string | string[] | undefined
  readonly ifNoneMatch?: string | undefined
}

export type AssetAnswer =
  /** 404: the file does not exist, or may not be served. 503: unknown, since the archive cannot be read now. */
  | {
      readonly kind: 'error'
      readonly status: 404 | 416 | 500 | 503
      readonly error: AppError
      readonly headers: Headers
    }
  /** The client has this version already. */
  | { readonly kind: 'known'; readonly headers: Headers }
  /** Bytes `start` to `end`, inclusive. The receiver must close `asset.handle`. */
  | {
      readonly kind: 'bytes'
      readonly status: 200 | 206
      readonly asset: OpenAsset
      readonly start: number
      readonly end: number
      readonly headers: Headers
    }

type Headers = Readonly<Record<string, string>>

/** Statuses of the errors that are about the file; `disk-error` is a path that leads out of the archive. */
const statuses: Partial<Record<ErrorCode, 404 | 500>> = { 'not-found': 404, 'disk-error': 404, internal: 500 }

/**
 * Opens an archived file by its id and decides which bytes to send. A single range is honored (RFC 9110, section 14),
 * also under `If-Range`; the ETag is the file's SHA-256. Never rejects, and leaves a file open only for `bytes`.
 */
export async function answerAsset(openAsset: Engine['openAsset'], request: AssetRequest): Promise<AssetAnswer> {
  let asset: OpenAsset
  try {
    // Integers of 15 digits are exact.
    if (!/^[1-9]\d{0,14}$/.test(request.id)) throw new AppError('not-found', 'There is no such file in the archive.')
    const { version } = request
    if (version !== undefined && !/^[0-9a-f]{64}$/.test(version)) throw noVersion()
    asset = await openAsset(Number(request.id), version)
  } catch (thrown) {
    const error = toAppError(thrown)
    return { kind: 'error', status: statuses[error.code] ?? 503, error, headers: {} }
  }
  const answer = decide(asset, request)
  if (answer.kind !== 'bytes') await asset.handle.close()
  return answer
}

const noVersion = () => new AppError('not-found', 'There is no such version in the archive.')

function decide(asset: OpenAsset, { folder, range: wanted, ifRange, ifNoneMatch }: AssetRequest): AssetAnswer {
  if (folder === 'thumbnails' && asset.kind !== 'thumbnail') {
    const error = new AppError('not-found', 'There is no such thumbnail in the archive.')
    return { kind: 'error', status: 404, error, headers: {} }
  }
  const { sizeBytes } = asset
  const tag = `"${asset.sha256}"`
  const shared: Headers = {
    'Content-Security-Policy': filePolicy,
    // The browser revalidates each time, which is cheap, so that nothing is shown once the session has ended.
    'Cache-Control': 'private, no-cache',
    'Accept-Ranges': 'bytes',
    ETag: tag,
  }
  if (isKnown(ifNoneMatch, tag)) return { kind: 'known', headers: shared }
  const range = ifRange === undefined || ifRange === tag ? readRange(wanted, sizeBytes) : 'whole'
  if (range === 'unsatisfiable') {
    const error = new AppError('wrong-usage', 'The file is shorter than that.')
    return { kind: 'error', status: 416, error, headers: { 'Content-Range': `bytes */${sizeBytes}` } }
  }
  const { start, end } = range === 'whole' ? { start: 0, end: sizeBytes - 1 } : range
  return {
    kind: 'bytes',
    status: range === 'whole' ? 200 : 206,
    asset,
    start,
    end,
    headers: {
      ...shared,
      'Content-Type': asset.mediaType,
      'Content-Disposition': disposition('inline', asset.fileName),
      'Content-Length': String(end - start + 1),
      ...(range !== 'whole' && { 'Content-Range': `bytes ${start}-${end}/${sizeBytes}` }),
    },
  }
}

function isKnown(header: string | undefined, tag: string): boolean {
  const tags = header?.split(',').map((item) => item.trim().replace(/^W\//, '')) ?? []
  return tags.includes(tag) || tags.includes('*')
}

/** Returns a header with an ASCII file name for old clients, and the real one in UTF-8 (RFC 6266). */
export function disposition(type: 'inline' | 'attachment', fileName: string): string {
  const plain = fileName.replace(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${type}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** Requested bytes of a file, `end` inclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Parses a `Range` header (RFC 9110, section 14.2). Returns `whole` if there is none, or one with another syntax or
 * several ranges, which may be ignored; `unsatisfiable` if it starts beyond the end of the file.
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.replace(/[ \t]/g, '') ?? '') ?? []
  if (first === '' && last === '') return 'whole'
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  const start = Number(first)
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)
  // A range that ends before it starts is invalid, and therefore ignored.
  if (last !== '' && Number(last) < start) return 'whole'
  return start >= sizeBytes ? 'unsatisfiable' : { start, end }
}
