import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exifSegment, insertSegments } from '../../../electron/sample-service/files/photos.ts'
import type { SampleService } from '../../../electron/sample-service/start-sample-service.ts'
import { hostileId, hostileReport, hostileText, trueId } from './hostile-texts.ts'

const links = /^(?:imgUrl|thumbnailUrl|pdfUrl)$/
const ownIds = /^(?:mediaCategoryId)$/
/** Documented keys and values, without which nothing would be shown. */
const kept = /^(?:id|type|clientRefIds|takenAt|createdAt|updatedAt|lat|lng)$/

export interface HostileFront {
  readonly url: string
  /** If true, every call is refused, with reasons as hostile as the rest. */
  refusesAll: boolean
  /** Id of the project whose calls are refused. */
  refusedProject: string | undefined
  readonly close: () => Promise<void>
}

/**
 * Starts a proxy of a sample service that replaces every displayed text in its responses by `hostileText`, and adds
 * such texts in unknown fields. Photos contain such texts in their EXIF data; reports are `hostileReport`.
 */
export async function startHostileFront(service: SampleService): Promise<HostileFront> {
  const front: { -readonly [Key in keyof HostileFront]: HostileFront[Key] } = {
    url: '',
    refusesAll: false,
    refusedProject: undefined,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '', 'http://front.invalid')
    const path = pathname.split('/').map(decodeURIComponent)
    const isCall = path[1] === 'api'
    if (isCall && (front.refusesAll || (front.refusedProject !== undefined && path.includes(front.refusedProject)))) {
      return send(response, 400, 'application/json', JSON.stringify(refusal()))
    }
    const there = path.map((part) => encodeURIComponent(trueId(part))).join('/')
    const { authorization = '' } = request.headers
    const original = await fetch(`${isCall ? service.url : service.filesUrl}${there}${search}`, {
      headers: isCall ? { authorization } : {},
    })
    const type = original.headers.get('content-type') ?? ''
    const body = Buffer.from(await original.arrayBuffer())
    if (isCall)
      return send(response, original.status, type, JSON.stringify(spoil(JSON.parse(body.toString()), '', path)))
    if (original.ok && path[1] === 'reports') return send(response, 200, type, hostileReport)
    return send(
      response,
      original.status,
      type,
      original.ok && path[1] === 'photos' ? insertSegments(body, hostileExif()) : body,
    )
  }

  function spoil(value: unknown, name: string, path: readonly string[]): unknown {
    if (Array.isArray(value)) return kept.test(name) ? value : value.map((item) => spoil(item, name, path))
    if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value).map(([key, field]) => [key, spoil(field, key, path)] as const)
      const more = ['caption', 'note', 'comment', 'message', 'error'].map((key) => [key, hostileText()] as const)
      return Object.fromEntries([...more, ...fields])
    }
    if (typeof value !== 'string') return value
    if (links.test(name)) return `${front.url}${value.slice(service.filesUrl.length)}`
    if (ownIds.test(name) || (name === 'id' && path[3] === 'checklist')) return hostileId(value)
    if (name === 'status' && value !== 'draft') return value
    return kept.test(name) ? value : hostileText()
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  front.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return front
}

function refusal(): object {
  return {
    message: hostileText(),
    errors: [{ field: hostileText(), message: hostileText() }, { message: hostileText() }],
  }
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body)
}

function hostileExif(): Buffer {
  return exifSegment({
    make: hostileText(),
    model: `<img src=x onerror=owned=1>${'M'.repeat(200)}`,
    description: hostileText(),
    takenAtMs: Date.UTC(2026, 0, 1),
    utcOffsetMinutes: 0,
    latitude: 1,
    longitude: 2,
    altitudeMeters: 3,
    direction: 4,
    width: 960,
    height: 720,
  })
}
