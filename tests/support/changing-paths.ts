import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A service that returns another path for every file at every call, and the number of calls of each kind. */
export interface ChangingPaths {
  readonly url: string
  readonly requests: { media: number; files: number }
}

/** Starts such a proxy of a service and its file host, closed after the test. */
export async function changingPaths(api: string, files: string): Promise<ChangingPaths> {
  const requests = { media: 0, files: 0 }
  let round = 0
  const filesUrl = await listen((request, response) => {
    requests.files += 1
    void fetch(files + (request.url ?? '').replace(/^\/r\d+\//, '/'))
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
        response.end(Buffer.from(await answer.arrayBuffer()))
      })
      .catch(() => response.destroy())
  })
  const url = await listen((request, response) => {
    if (request.url?.includes('/media/') === true) requests.media += 1
    void fetch(api + (request.url ?? ''))
      .then(async (answer) => {
        round += 1
        response.writeHead(answer.status, { 'content-type': 'application/json' })
        response.end((await answer.text()).replaceAll(`${files}/`, `${filesUrl}/r${round}/`))
      })
      .catch(() => response.destroy())
  })
  return { url, requests }
}

/** A service that has another path for each version of its files, at which old versions stay. */
export interface VersionPaths {
  readonly url: string
  /** Keeps all files that the service has linked to, and returns other paths from then on. */
  keepVersions(): Promise<void>
}

/**
 * Starts such a proxy of a service and its file host, closed after the test. An old version is sent once the media of a
 * category were.
 */
export async function versionPaths(api: string, files: string): Promise<VersionPaths> {
  const linked = new Map<string, string>()
  const kept = new Map<string, Buffer>()
  let version = 1
  let mediaSent = Promise.withResolvers<void>()
  const filesUrl = await listen((request, response) => {
    const url = request.url ?? ''
    const old = kept.get(url)
    const send = async () => {
      if (old !== undefined) {
        await mediaSent.promise
        response.end(old)
        return
      }
      const answer = await fetch(linked.get(url) ?? files)
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
      response.end(Buffer.from(await answer.arrayBuffer()))
    }
    void send().catch(() => response.destroy())
  })
  const url = await listen((request, response) => {
    const send = async () => {
      const answer = await fetch(api + (request.url ?? ''))
      const text = (await answer.text()).replaceAll(/"http:[^"]+"/g, (quoted) => {
        const link = JSON.parse(quoted) as string
        if (!link.startsWith(`${files}/`)) return quoted
        const path = link.replace(`${files}/`, `/v${version}/`)
        linked.set(path, link)
        return JSON.stringify(filesUrl + path)
      })
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(text, () => {
        if (request.url?.includes('/media/') === true) mediaSent.resolve()
      })
    }
    void send().catch(() => response.destroy())
  })
  const keepVersions = async () => {
    for (const [path, link] of linked) kept.set(path, Buffer.from(await (await fetch(link)).arrayBuffer()))
    version += 1
    mediaSent = Promise.withResolvers()
  }
  return { url, keepVersions }
}

async function listen(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
