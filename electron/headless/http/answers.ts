import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { formatSessionKeys, type SessionKeys, sessionName } from '../../../shared/browser-session.ts'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import type { Answer } from '../../../shared/envelope.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import { readCallBody } from '../../app/api/call-body.ts'
import type { Api } from '../../app/api/create-api.ts'
import type { DownloadContent } from '../../app/last-written.ts'
import { answerAsset, disposition, type AssetRequest } from '../../app/static-files/asset-response.ts'
import { readPageFile } from '../../app/static-files/page-files.ts'
import { pagePolicy } from '../../app/static-files/page-policy.ts'
import { chosenFilesSchema } from '../../../shared/views.ts'
import type { Copies, Engine, OpenAsset } from '../../engine/engine.ts'

/**
 * Answers `POST /api/call/<name>` with the input as JSON; no body is an empty input. The status is 200 for every answer
 * of a handler: errors are in the envelope. 415, 413, and 400 are for requests that never reach a handler.
 */
export async function answerCall(
  api: Api,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // A form of another site can send every other type without a preflight request.
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')) {
    return sendError(response, 415, 'wrong-usage', 'Calls are sent as application/json.')
  }
  const body = await readCallBody(request)
  if (body.kind === 'too-large') {
    // The rest of it is not read: the connection cannot be used again.
    response.setHeader('Connection', 'close')
    sendError(response, 413, 'wrong-usage', 'The call is too large. Send it in parts.')
    return
  }
  if (body.kind === 'not-json')
    return sendError(response, 400, 'wrong-usage', 'The call is not JSON. Nothing was changed.')
  sendAnswer(response, 200, await api.call(name, body.value))
}

/**
 * Answers `GET` or `HEAD` of `/files/<asset id>`, `/files/<asset id>/<hash of an earlier version>`, and
 * `/thumbnails/<asset id>`; see `answerAsset`.
 */
export async function answerFile(
  openAsset: Engine['openAsset'],
  { folder, id, version }: Pick<AssetRequest, 'folder' | 'id' | 'version'>,
  { headers, method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await answerAsset(openAsset, {
    folder,
    id,
    version,
    range: headers.range,
    ifRange: headers['if-range'],
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
    else await sendBytes(asset.handle, { start, end }, response)
  } finally {
    await asset.handle.close()
  }
}

/**
 * Sends the announced bytes of a file, `end` inclusive, and no more if it grows. If it shrinks meanwhile, the
 * connection is closed, so that the client does not wait for the rest.
 */
async function sendBytes(
  handle: FileHandle,
  { start, end }: { readonly start: number; readonly end: number },
  response: ServerResponse,
): Promise<void> {
  const stream = handle.createReadStream({ start, end, autoClose: false })
  await pipeline(stream, response, { end: false })
  if (stream.bytesRead === end - start + 1) response.end()
  else response.destroy()
}

/** Unix mode of the entries: regular files that everyone may read. */
const entryMode = 0o100644

/**
 * Answers `GET /copies/<asset ids, separated by dots>.zip` with copies of these files, which are stored nowhere. All
 * are compared with their checksums first.
 */
export async function answerCopies(
  { copies, openAsset }: Pick<Engine, 'copies' | 'openAsset'>,
  ids: string,
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chosen = chosenFilesSchema.safeParse({ assetIds: ids.split('.').map(Number) })
  if (!chosen.success) return sendError(response, 404, 'not-found', 'There are no such files in the archive.')
  const listed = await copies(chosen.data.assetIds)
    .then((found) => intactAmong(found, openAsset, response))
    .catch((thrown: unknown) => toAppError(thrown))
  if (listed instanceof AppError) {
    return sendError(response, listed.code === 'internal' ? 500 : 404, listed.code, listed.message)
  }
  const { title, files, missing } = listed
  const zip = new StreamedZip()
  for (const { assetId, name } of files) zip.add(name, async () => (await openAsset(assetId)).handle)
  if (missing > 0) {
    const text = `${missing} of the chosen files could not be copied: missing or changed in the archive.\n`
    zip.addText('Missing files.txt', text)
  }
  response.writeHead(200, {
    ...commonHeaders,
    'Content-Type': 'application/zip',
    'Content-Disposition': disposition('attachment', `${title}.zip`),
  })
  if (method === 'HEAD') response.end()
  else await zip.sendTo(response)
}

/**
 * Returns the copies without the files that no longer have their checksum. Throws `not-found` if none is left. Nothing
 * more is read once the browser has closed the connection.
 */
async function intactAmong(
  { title, files: listed, missing }: Copies,
  openAsset: Engine['openAsset'],
  response: ServerResponse,
): Promise<Copies> {
  const files: Copies['files'][number][] = []
  for (const file of listed) {
    if (!response.destroyed && (await isIntact(openAsset, file.assetId))) files.push(file)
  }
  if (files.length === 0) {
    throw new AppError('not-found', 'The archived files were changed on the disk. Nothing was copied.')
  }
  return { title, files, missing: missing + listed.length - files.length }
}

async function isIntact(openAsset: Engine['openAsset'], assetId: number): Promise<boolean> {
  let asset: OpenAsset
  try {
    asset = await openAsset(assetId)
  } catch (thrown) {
    if (toAppError(thrown).code === 'not-found') return false
    throw thrown
  }
  try {
    const hash = createHash('sha256')
    for await (const chunk of asset.handle.createReadStream({ start: 0, autoClose: false }))
      hash.update(chunk as Buffer)
    return hash.digest('hex') === asset.sha256
  } finally {
    await asset.handle.close()
  }
}

/**
 * Answers `GET` or `HEAD` of `/last-export.zip` and `/last-packet.zip`: a zip file as it was written, and a folder as a
 * zip that is stored nowhere.
 */
export async function answerWritten(
  openWritten: () => Promise<DownloadContent>,
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const opened = await openWritten().catch((thrown: unknown) => toAppError(thrown))
  if (opened instanceof AppError) {
    return sendError(response, opened.code === 'internal' ? 500 : 404, opened.code, opened.message)
  }
  const headers = { ...commonHeaders, 'Content-Type': 'application/zip' }
  if (opened.kind === 'folder') {
    response.writeHead(200, {
      ...headers,
      'Content-Disposition': disposition('attachment', `${opened.folderName}.zip`),
    })
    if (method === 'HEAD') return void response.end()
    const zip = new StreamedZip()
    for (const { path, open } of opened.files) zip.add(`${opened.folderName}/${path}`, open)
    return zip.sendTo(response)
  }
  const { handle, fileName, sizeBytes } = opened
  try {
    response.writeHead(200, {
      ...headers,
      'Content-Disposition': disposition('attachment', fileName),
      'Content-Length': sizeBytes,
    })
    if (method === 'HEAD' || sizeBytes === 0) response.end()
    else await sendBytes(handle, { start: 0, end: sizeBytes - 1 }, response)
  } finally {
    await handle.close()
  }
}

/** A zip that is sent while it is made. */
class StreamedZip {
  readonly #zip = new ZipFile()
  /** The file whose turn it is. */
  #current: Readable | undefined
  #isEnded = false

  /** Adds a file that is opened when its turn comes. Photos and reports are compressed already. */
  add(name: string, open: () => Promise<FileHandle>): void {
    this.#zip.addReadStreamLazy(name, { mode: entryMode, compress: false }, (send) => {
      open().then(
        (handle) => {
          this.#current = handle.createReadStream({ start: 0 })
          if (this.#isEnded) this.#current.destroy()
          else send(null, this.#current)
        },
        (error: unknown) => this.#zip.emit('error', error),
      )
    })
  }

  addText(name: string, text: string): void {
    this.#zip.addBuffer(Buffer.from(text), name, { mode: entryMode })
  }

  /** A file that is lost in the meantime ends the download as failed. A download that is cancelled closes its file. */
  async sendTo(response: ServerResponse): Promise<void> {
    this.#zip.once('error', () => response.destroy())
    this.#zip.end()
    try {
      await pipeline(this.#zip.outputStream, response)
    } finally {
      this.#isEnded = true
      this.#current?.destroy()
    }
  }
}

/**
 * Returns the handler of the built renderer's files; see `readPageFile`. A file in `assets` has a hash of its content
 * in its name, so that a browser may keep it.
 */
export function createStaticFiles(folder: string) {
  return async (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const file = await readPageFile(folder, path)
    if (file === undefined) {
      return existsSync(join(folder, 'index.html'))
        ? sendPage(response, 404, ['There is nothing at this address.'])
        : sendPage(response, 503, [
            'The pages of the app are not built yet, so there is nothing to show here.',
            'Archiving continues. Run "npm run build" in the folder of Solarchive, then reload this page.',
          ])
    }
    response.writeHead(200, {
      ...commonHeaders,
      'Cache-Control': /^\/assets\/[^/]+\.\w+$/.test(path) ? 'private, max-age=31536000, immutable' : 'no-cache',
      'Content-Type': file.mediaType,
      'Content-Length': file.body.length,
    })
    response.end(request.method === 'HEAD' ? undefined : file.body)
  }
}

/** Path of the script of the opening page: the policy of pages allows no script in a page. */
export const sessionScriptPath = '/session.js'

/** Item of the local storage: time of the session that was opened last. It is no secret. */
const openedAtName = 'solarchive-opened-at'

/**
 * Stores the session's keys for this origin, passes them to the app in other tabs, and opens the app. See
 * `renderer/transport/browser-session.ts`. The time of a session is made later than that of the one before, which the
 * local storage keeps: tabs compare them, and the clock may have been set back.
 */
const sessionScript = `const [time, ...secrets] = document.querySelector('meta[name="${sessionName}"]').content.split('.')
const lastMs = Number(localStorage.getItem('${openedAtName}'))
const openedAtMs = Math.max(Number(time), lastMs < 1e14 ? Math.floor(lastMs) + 1 : 0)
localStorage.setItem('${openedAtName}', openedAtMs)
const keys = [openedAtMs, ...secrets].join('.')
sessionStorage.setItem('${sessionName}', keys)
new BroadcastChannel('${sessionName}').postMessage(keys)
location.replace('/')
`

/** Sends the page that a one-time address shows for a moment: it hands the session's keys to the app. */
export function sendOpeningPage(response: ServerResponse, keys: SessionKeys): void {
  const head =
    `<meta name="${sessionName}" content="${escapeHtml(formatSessionKeys(keys))}">` +
    `<script src="${sessionScriptPath}" defer></script>`
  sendPage(response, 200, ['Opening Solarchive.'], head)
}

export function sendSessionScript(response: ServerResponse): void {
  send(response, 200, 'text/javascript; charset=utf-8', sessionScript)
}

export const bundlePath = '/support-bundle.zip'

/** Support bundle while it is sent. */
export interface SentBundle {
  readonly fileName: string
  readonly zip: NodeJS.ReadableStream
}

/** Answers `GET /support-bundle.zip` with a new bundle, which is stored nowhere. */
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

/** Headers of every answer; a file overwrites the policy with a stricter one. */
export const commonHeaders: Readonly<OutgoingHttpHeaders> = {
  'Content-Security-Policy': pagePolicy(),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
}

export function sendAnswer(response: ServerResponse, status: number, answer: Answer<unknown>): void {
  send(response, status, 'application/json; charset=utf-8', JSON.stringify(answer))
}

export function sendError(response: ServerResponse, status: number, code: ErrorCode, message: string): void {
  sendAnswer(response, status, { ok: false, error: { code, message } })
}

/** Styles of a page of a few sentences, in the colors of the app. */
const pageStyle = `
:root { color-scheme: light dark; background: light-dark(#fff, #0f172b); color: light-dark(#0f172b, #f1f5f9) }
body { max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem; font: 1rem/1.6 system-ui, sans-serif }
h1 { padding-left: .75rem; border-left: .25rem solid #ffb900; font-size: 1.5rem; line-height: 1.3 }
p + p { color: light-dark(#45556c, #cad5e2) }
`

/** The policy of a page of sentences allows this style alone, by its hash. */
const sentencesPolicy = pagePolicy().replace(
  "style-src 'self'",
  `style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`,
)

/** Sends a page of a few sentences. `head` is HTML for its head element. */
export function sendPage(response: ServerResponse, status: number, sentences: readonly string[], head = ''): void {
  const body = sentences.map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('\n')
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Solarchive</title><style>${pageStyle}</style>${head}</head><body><h1>Solarchive</h1>\n${body}\n</body></html>\n`
  send(response, status, 'text/html; charset=utf-8', html, { 'Content-Security-Policy': sentencesPolicy })
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: OutgoingHttpHeaders = {},
): void {
  const length = Buffer.byteLength(body)
  response.writeHead(status, { ...commonHeaders, 'Content-Type': type, 'Content-Length': length, ...headers })
  response.end(body)
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
