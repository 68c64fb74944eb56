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
