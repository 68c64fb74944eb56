import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'

/** A private certificate authority, and a certificate that it issued for every name below `solar.test`. */
export interface Certificates {
  /** PEM file of the authority. */
  readonly caFile: string
  readonly ca: string
  readonly key: string
  readonly cert: string
  remove(): void
}

/**
 * Creates certificates with openssl; tests that need them are skipped without it (docs/testing.md). `extension` is one
 * that the issued certificate has in addition.
 */
export function createCertificates(extension = ''): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-certificates-'))
  const file = (name: string) => join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const [caKey, caFile, key, csr, cert] = ['ca.key', 'ca.pem', 'key.pem', 'csr.pem', 'cert.pem'].map(file) as [
    ...[string, string, string, string, string],
  ]
  openssl('req', '-x509', ...newKey, '-days', '2', '-subj', '/CN=Test Authority', '-keyout', caKey, '-out', caFile)
  openssl('req', ...newKey, '-subj', '/CN=solar.test', '-keyout', key, '-out', csr)
  writeFileSync(file('extensions'), `subjectAltName=DNS:*.solar.test,DNS:localhost,IP:127.0.0.1\n${extension}\n`)
  const issuer = ['-CA', caFile, '-CAkey', caKey, '-CAcreateserial', '-extfile', file('extensions')]
  openssl('x509', '-req', '-in', csr, ...issuer, '-days', '2', '-out', cert)
  const [ca, keyText, certText] = [caFile, key, cert].map((path) => readFileSync(path, 'utf8')) as [
    string,
    string,
    string,
  ]
  return { caFile, ca, key: keyText, cert: certText, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export interface ConnectProxy {
  readonly port: number
  /** Targets of all CONNECT requests so far, as host:port. */
  readonly targets: readonly string[]
  /** Everything else that was requested: a client must tunnel everything. */
  readonly otherRequests: readonly string[]
  close(): Promise<void>
}

interface ProxyOptions {
  /** Returns the local port that stands for a target, or a status to refuse it with. */
  readonly route: (target: string) => { readonly port: number } | { readonly status: number }
  /** Required value of Proxy-Authorization. */
  readonly authorization?: string
  /** Value of Proxy-Authenticate with a 407. */
  readonly challenge?: string
  /** Reaches the proxy itself with TLS. */
  readonly tls?: Certificates
}

/** Starts an HTTP proxy that only opens tunnels, to ports of this machine. */
export async function startProxy({ route, authorization, challenge, tls }: ProxyOptions): Promise<ConnectProxy> {
  const targets: string[] = []
  const otherRequests: string[] = []
  const sockets = new Set<Socket>()
  const refuseOther: RequestListener = (incoming, response) => {
    otherRequests.push(`${incoming.method} ${incoming.url}`)
    response.writeHead(400).end()
  }
  const server = tls === undefined ? createServer(refuseOther) : createHttpsServer(tls, refuseOther)
  server.on('connect', (incoming, client: Socket, head) => {
    const target = incoming.url ?? ''
    targets.push(target)
    client.on('error', () => undefined)
    sockets.add(client)
    const refuse = (status: number, header = '') =>
      client.end(`HTTP/1.1 ${status} No\r\n${header}content-length: 10\r\n\r\nproxy says`)
    if (authorization !== undefined && incoming.headers['proxy-authorization'] !== authorization) {
      refuse(407, `proxy-authenticate: ${challenge ?? 'Basic realm="test"'}\r\n`)
      return
    }
    const to = route(target)
    if ('status' in to) {
      refuse(to.status)
      return
    }
    const upstream = connect(to.port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      upstream.pipe(client).pipe(upstream)
    })
    sockets.add(upstream)
    upstream.on('error', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  const port = await listen(server)
  return {
    port,
    targets,
    otherRequests,
    async close() {
      for (const socket of sockets) socket.destroy()
      await close(server)
    },
  }
}

export interface TlsFront {
  readonly port: number
  /** Connections so far, and how many of them resumed a TLS session. */
  readonly connections: { all: number; resumed: number }
  readonly requests: readonly string[]
  close(): Promise<void>
}

/** Starts an HTTPS server on this machine. */
export async function startTls({ key, cert }: Certificates, listener: RequestListener): Promise<TlsFront> {
  const connections = { all: 0, resumed: 0 }
  const requests: string[] = []
  const server = createHttpsServer({ key, cert }, (incoming, response) => {
    requests.push(`${incoming.headers.host}${incoming.url}`)
    listener(incoming, response)
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    connections.all += 1
    if (socket.isSessionReused()) connections.resumed += 1
  })
  const port = await listen(server)
  return {
    port,
    connections,
    requests,
    async close() {
      server.closeAllConnections()
      await close(server)
    },
  }
}

/**
 * Returns a listener that passes requests on to servers of this machine, by the requested host, and writes the public
 * addresses into their JSON.
 */
export function passOn(backends: Readonly<Record<string, string>>): RequestListener {
  return (incoming, response) => {
    const backend = backends[incoming.headers.host ?? '']
    if (backend === undefined) {
      response.writeHead(421).end()
      return
    }
    const headers = { ...incoming.headers, host: new URL(backend).host }
    const sent = request(`${backend}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      const isJson = /json/.test(answer.headers['content-type'] ?? '')
      const { 'content-length': length, ...rest } = answer.headers
      response.writeHead(
        answer.statusCode ?? 500,
        isJson ? rest : { ...rest, ...(length && { 'content-length': length }) },
      )
      if (!isJson) {
        answer.pipe(response)
        return
      }
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      answer.on('end', () => {
        for (const [host, origin] of Object.entries(backends)) text = text.replaceAll(origin, `https://${host}`)
        response.end(text)
      })
    })
    sent.on('error', () => response.destroy())
    incoming.pipe(sent)
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
