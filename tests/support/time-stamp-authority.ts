import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Undefined without openssl: tests that need it are reported as not run (docs/testing.md). */
export const openssl = findOpenssl()

function findOpenssl(): string | undefined {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}

/** Answers a request in place of the authority. `stamp` is what the authority itself would answer. */
export type Authority = (
  query: Buffer,
  response: ServerResponse,
  stamp: (query: Buffer) => Promise<Buffer>,
) => void | Promise<void>

export interface TestAuthority {
  /** Address for requests. */
  readonly url: string
  /** PEM file of the root certificate. */
  readonly caFile: string
  /** Bodies of the requests so far. */
  readonly queries: readonly Buffer[]
  /** Answers differently from now on; without a function, as an authority does. */
  answerWith(authority?: Authority): void
  close(): Promise<void>
}

const extensions = `[tsa]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
[dn]
`

const config = (folder: string) => `[tsa]
default_tsa = here
[here]
serial = ${folder}/serial
crypto_device = builtin
signer_cert = ${folder}/tsa.pem
certs = ${folder}/ca.pem
signer_key = ${folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_alg = sha256
`

/**
 * Starts an authority on this machine that answers with `openssl ts -reply`. Certificates of `isElliptic` ones have keys
 * on a curve, others RSA.
 */
export async function startAuthority({ isElliptic = false } = {}): Promise<TestAuthority> {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-tsa-'))
  makeCertificates(folder, isElliptic)
  const queries: Buffer[] = []
  let count = 0
  const stamp = async (query: Buffer): Promise<Buffer> => {
    count += 1
    const [asked, replied] = [join(folder, `${count}.tsq`), join(folder, `${count}.tsr`)]
    writeFileSync(asked, query)
    const options = ['ts', '-reply', '-config', join(folder, 'tsa.cnf'), '-queryfile', asked, '-out', replied]
    await run('openssl', options)
    return readFileSync(replied)
  }
  let authority: Authority | undefined
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const query = Buffer.concat(chunks)
    queries.push(query)
    if (authority !== undefined) return authority(query, response, stamp)
    response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(await stamp(query))
  }
  const server = createServer((incoming, response) => void answer(incoming, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsr`,
    caFile: join(folder, 'ca.pem'),
    queries,
    answerWith: (next) => (authority = next),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function makeCertificates(folder: string, isElliptic: boolean): void {
  const openssl = (...options: string[]) => execFileSync('openssl', options, { cwd: folder, stdio: 'ignore' })
  writeFileSync(join(folder, 'extensions.cnf'), extensions)
  writeFileSync(join(folder, 'serial'), '01')
  writeFileSync(join(folder, 'tsa.cnf'), config(folder))
  const key = isElliptic ? ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] : ['-newkey', 'rsa:2048']
  const name = (text: string) => ['-subj', `/O=Example/CN=${text}`]
  const of = ['-x509', ...key, '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '30']
  openssl('req', ...of, ...name('Example root'), '-config', 'extensions.cnf', '-extensions', 'ca')
  openssl(
    'req',
    '-new',
    ...key,
    '-nodes',
    '-keyout',
    'tsa.key',
    '-out',
    'tsa.csr',
    ...name('Example time stamps'),
    '-config',
    'extensions.cnf',
  )
  const sign = ['-req', '-in', 'tsa.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '20']
  openssl('x509', ...sign, '-out', 'tsa.pem', '-extfile', 'extensions.cnf', '-extensions', 'tsa')
}

/** Checks a stamp with openssl, against the authority's root certificate. Returns what it prints. */
export function verifyWithOpenssl(dataFile: string, stampFile: string, caFile: string): string {
  return execFileSync('openssl', ['ts', '-verify', '-data', dataFile, '-in', stampFile, '-CAfile', caFile], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
