import { request, type IncomingHttpHeaders } from 'node:http'
import type { CallInput, CallOutput } from '../../../shared/contract/calls.ts'
import type { CallName } from '../../../shared/contract/channel-names.ts'
import type { Answer } from '../../../shared/envelope.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import { createApp } from '../../../electron/app/create-app.ts'
import { startHttpHost } from '../../../electron/headless/http/start-http-host.ts'
import type { SampleServiceOptions } from '../../../electron/sample-service/start-sample-service.ts'
import { hostPorts, settingsSource, tokenStore } from '../../support/host-ports.ts'
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
  /** Sends no session cookie. */
  readonly isStranger?: boolean
}

/** A real engine on a sample service behind a real HTTP host, and a browser's session on it. */
export interface Served {
  readonly archive: SampleArchive
  readonly engine: Engine
  readonly origin: string
  readonly rendererFolder: string
  readonly cookie: string
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
    const { api } = app
    const silent = () => undefined
    const log = { debug: silent, info: silent, warn: silent, error: silent }
    const addresses: string[] = []
    const host = await startHttpHost({
      ...{ api, log, rendererFolder, host: '127.0.0.1', port: 0 },
      makeBundle: () => Promise.reject(new Error('Nothing is served here that a bundle could be made of')),
      openAsset: (assetId) => app.openAsset(assetId),
      onAddress: (address) => void addresses.push(address),
    })
    try {
      const opened = await fetch(addresses[0] ?? '')
      const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
      const send: Served['send'] = (path, sent) => exchange(host.origin, path, sent, cookie)
      await use({
        ...{ archive, engine, origin: host.origin, rendererFolder, cookie, addresses, shown, send },
        async call(name, input) {
          const headers = { 'content-type': 'application/json' }
          const { body } = await send(`/api/call/${name}`, { method: 'POST', headers, body: JSON.stringify(input) })
          return JSON.parse(body.toString()) as never
        },
      })
    } finally {
      await host.close()
    }
  } finally {
    await app.close()
  }
}

/** Uses `node:http`, since `fetch` sets Host and Origin itself and normalizes paths. */
function exchange(origin: string, path: string, sent: Sent = {}, cookie: string): Promise<Reply> {
  const { hostname, port } = new URL(origin)
  const headers = { ...(sent.isStranger ? {} : { cookie }), ...sent.headers }
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
