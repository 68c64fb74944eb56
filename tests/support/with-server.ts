import { randomInt } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'

/** One request as the server saw it. `url` is the path with its query. */
interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface TestServer {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly url: string
  readonly port: number
  /** Every request so far, in order of arrival. */
  readonly requests: readonly SeenRequest[]
}

type Handler = (request: SeenRequest, response: ServerResponse) => void | Promise<void>

/** Runs `use` against a real HTTP server on a free port of this machine and closes the server afterwards. */
export async function withServer<T>(handler: Handler, use: (server: TestServer) => Promise<T>): Promise<T> {
  const requests: SeenRequest[] = []
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(Buffer.from(chunk as Uint8Array))
    const { method = '', url = '', headers } = incoming
    const request = { method, url, headers, body: Buffer.concat(chunks).toString() }
    requests.push(request)
    await handler(request, response)
  }
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy())
  })
  const port = await listen(server)
  try {
    return await use({ url: `http://127.0.0.1:${port}`, port, requests })
  } finally {
    server.closeAllConnections()
    await close(server)
  }
}

/**
 * Runs `use` against a TCP server that calls `onSocket` for each connection: for responses that no HTTP library would
 * send.
 */
export async function withRawServer<T>(
  onSocket: (socket: Socket) => void,
  use: (server: Omit<TestServer, 'requests'>) => Promise<T>,
): Promise<T> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // Some tests disconnect the client in the middle.
    socket.on('error', () => undefined)
    onSocket(socket)
  })
  const port = await listen(server)
  try {
    return await use({ url: `http://127.0.0.1:${port}`, port })
  } finally {
    for (const socket of sockets) socket.destroy()
    await close(server)
  }
}

/**
 * A port on which nothing listens: it is assigned to no service, and systems give it to nobody. `fetch` refuses some
 * ports of that kind, but not this one.
 */
export const closedPort = 4

/**
 * Returns a free port for a server that is to come back at it. It is below those that systems choose themselves, which
 * begin at 32,768 on Linux: another server could otherwise get it meanwhile.
 */
export async function ownPort(): Promise<number> {
  for (;;) {
    const server = createTcpServer()
    try {
      await listen(server, randomInt(10_000, 32_000))
    } catch {
      continue
    }
    const { port } = server.address() as AddressInfo
    await close(server)
    return port
  }
}

/** Responds with JSON, as the service does. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
