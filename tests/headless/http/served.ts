import { request, type IncomingHttpHeaders } from 'node:http'
import type { CallInput, CallName, CallOutput } from '../../../shared/contract/calls.ts'
import type { Answer } from '../../../shared/envelope.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import { createApp } from '../../../electron/app/create-app.ts'
import { startHttpHost } from '../../../electron/headless/http/start-http-host.ts'
import type { SampleServiceOptions } from '../../../electron/sample-service/start-sample-service.ts'
import { hostPorts, settingsSource, tokenStore } from '../../support/host-ports.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import type { Clock } from '../../../electron/engine/lib/ports.ts'
import { openSession, type OpenedSession } from '../../support/browser-session.ts'
import { sampleArchive, type SampleArchive } from '../../support/sample-archive.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Sends neither the session's cookie nor a key. */
  readonly isStranger?: boolean
  /** Sends the session's cookie, and no key. */
  readonly hasOnlyCookie?: boolean
}

/** A real engine on a sample service behind a real HTTP host, and a browser's session on it. */
export interface Served {
  readonly archive: SampleArchive
  readonly engine: Engine
  readonly origin: string
  readonly rendererFolder: string
  readonly session: OpenedSession
  /** All printed addresses. */
  readonly addresses: readonly string[]
  /** All paths opened in the file manager. */
  readonly shown: readonly string[]
  /** Sends `path` unchanged, including `..`. */
  readonly send: (path: string, sent?: Sent) => Promise<Reply>
  readonly call: <Name extends CallName>(name: Name, input: CallInput<Name>) => Promise<Answer<CallOutput<Name>>>
}

export async function withServed(
  use: (served: Served) => Promise<void>,
  options: SampleServiceOptions = {},
  host: { readonly clock?: Clock; readonly headersTimeoutMs?: number } = {},
): Promise<void> {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 2, ...options })
  const rendererFolder = temporaryFolder()
  const shown: string[] = []
  const show = (path: string) => Promise.resolve(void shown.push(path))
  const app = await createApp({
    source: settingsSource(archive.home, archive.root, archive.service.url),
    ports: hostPorts(tokenStore(archive.service.token), {
      desktop: { showInFolder: show, openFolder: show, openFile: show },
    }),
  })
  try {
    let engine: Engine | undefined
    app.followEngine((present) => {
      engine = present
    })
    if (engine === undefined) throw new Error('The app has a token and no engine')
    engine.projects.add(archive.service.projects.map(({ id, name }) => ({ id, name })))
    const silent = () => undefined
    const log = { debug: silent, info: silent, warn: silent, error: silent }
    const addresses: string[] = []
    const server = await startHttpHost({
      app,
      log,
      rendererFolder,
      host: '127.0.0.1',
      port: 0,
      clock: systemClock,
      ...host,
      makeBundle: () => Promise.reject(new Error('Nothing is served here that a bundle could be made of')),
      onAddress: (address) => void addresses.push(address),
    })
    try {
      const session = await openSession(addresses[0] ?? '')
      const send: Served['send'] = (path, sent) => exchange(server.origin, path, sent, session)
      await use({
        archive,
        engine,
        origin: server.origin,
        rendererFolder,
        session,
        addresses,
        shown,
        send,
        async call(name, input) {
          const headers = { 'content-type': 'application/json' }
          const { body } = await send(`/api/call/${name}`, { method: 'POST', headers, body: JSON.stringify(input) })
          return JSON.parse(body.toString()) as never
        },
      })
    } finally {
      await server.close()
    }
  } finally {
    await app.close()
  }
}

/** Uses `node:http`, since `fetch` sets Host and Origin itself and normalizes paths. */
function exchange(origin: string, path: string, sent: Sent = {}, session: OpenedSession): Promise<Reply> {
  const { hostname, port } = new URL(origin)
  const own = sent.hasOnlyCookie ? { cookie: session.cookie } : session.headers
  const headers = { ...(sent.isStranger ? {} : own), ...sent.headers }
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method: sent.method ?? 'GET', headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(sent.body)
  })
}
