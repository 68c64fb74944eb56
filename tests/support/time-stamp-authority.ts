import { execFile, execFileSync } from 'node:child_process'
import { createHash, createPrivateKey, sign, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fromBER } from 'asn1js'
import { SignedData, TimeStampResp } from 'pkijs'

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
  /** Has the authority state the time of this clock from now on; without one, that of the machine. RSA keys only. */
  useClock(clock?: { nowMs(): number }): void
  /** Changes bytes of an answer, as many as they were, and signs it again. RSA keys only. */
  change(answer: Buffer, edit: (bytes: Buffer) => void): Buffer
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

const config = (folder: string, nameHash: string) => `[tsa]
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
ess_cert_id_alg = ${nameHash}
`

/**
 * Starts an authority on this machine that answers with `openssl ts -reply`. Certificates of `isElliptic` ones have
 * keys on a curve, others RSA. Its signatures name the certificate by `nameHash`.
 */
export async function startAuthority({ isElliptic = false, nameHash = 'sha256' } = {}): Promise<TestAuthority> {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-tsa-'))
  makeCertificates(folder, isElliptic)
  writeFileSync(join(folder, 'tsa.cnf'), config(folder, nameHash))
  const queries: Buffer[] = []
  let count = 0
  const stamp = async (query: Buffer): Promise<Buffer> => {
    count += 1
    const [asked, replied] = [join(folder, `${count}.tsq`), join(folder, `${count}.tsr`)]
    writeFileSync(asked, query)
    const options = ['ts', '-reply', '-config', join(folder, 'tsa.cnf'), '-queryfile', asked, '-out', replied]
    await run('openssl', options)
    const answer = readFileSync(replied)
    const at = clock?.nowMs()
    return at === undefined ? answer : change(answer, (bytes) => setTime(bytes, at))
  }
  let clock: { nowMs(): number } | undefined
  const change = (answer: Buffer, edit: (bytes: Buffer) => void) => changeStamp(folder, answer, edit)
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
    change,
    useClock: (next) => (clock = next),
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
  const key = isElliptic ? ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'] : ['-newkey', 'rsa:2048']
  const name = (text: string) => ['-subj', `/O=Example/CN=${text}`]
  const of = ['-x509', ...key, '-nodes', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '400']
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
  const sign = ['-req', '-in', 'tsa.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '400']
  openssl('x509', ...sign, '-out', 'tsa.pem', '-extfile', 'extensions.cnf', '-extensions', 'tsa')
}

/** Sets the time that a stamp states. */
export function setTime(bytes: Buffer, ms: number): void {
  const time = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  bytes.write(time, bytes.toString('latin1').search(/\d{14}Z/), 'latin1')
}

/** Replaces bytes by as many others, which have to be there. */
export function replaceBytes(bytes: Buffer, from: string, to: string): void {
  const at = bytes.indexOf(Buffer.from(from, 'hex'))
  if (at < 0 || from.length !== to.length) throw new Error('There are no such bytes')
  bytes.write(to, at, 'hex')
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

/** Writes what `openssl ts -reply` would not: changes its answer in place, and everything that depends on it. */
function changeStamp(folder: string, answer: Buffer, edit: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.from(answer)
  const keyOf = (name: string) => createPrivateKey(readFileSync(join(folder, `${name}.key`)))
  /** Signatures of 2048 bits end what they sign. */
  const signUntil = (end: number, signed: Uint8Array, name: string) =>
    sign('sha256', signed, keyOf(name)).copy(bytes, end - 256)
  const certificate = new X509Certificate(readFileSync(join(folder, 'tsa.pem'))).raw
  const [certificateAt, nameAt] = [bytes.indexOf(certificate), bytes.indexOf(sha256(certificate))]
  const end = certificateAt + certificate.length
  const { encapContentInfo, signerInfos } = new SignedData({
    schema: new TimeStampResp({ schema: fromBER(new Uint8Array(bytes).buffer).result }).timeStampToken?.content,
  })
  /** Returns the bytes of the answer that equal a part, as they are after the edit. */
  const placeOf = (part: ArrayBuffer = new ArrayBuffer()) => {
    const at = bytes.indexOf(new Uint8Array(part))
    return bytes.subarray(at, at + part.byteLength)
  }
  const contents = placeOf(encapContentInfo.eContent?.getValue())
  // What is signed begins with the tag of a set; the answer has another one there.
  const attributes = placeOf(signerInfos[0]?.signedAttrs?.encodedValue.slice(1))
  const digestAt = bytes.indexOf(sha256(contents))
  edit(bytes)
  const now = bytes.subarray(certificateAt, end)
  if (!now.equals(certificate)) {
    // The signed part begins after the 4 bytes of the outer header, and has such a header itself.
    signUntil(end, now.subarray(4, 8 + now.readUInt16BE(6)), 'ca')
    sha256(now).copy(bytes, nameAt)
  }
  sha256(contents).copy(bytes, digestAt)
  signUntil(bytes.length, Buffer.concat([Buffer.from('31', 'hex'), attributes]), 'tsa')
  return bytes
}

/** Checks a stamp with openssl, against the authority's root certificate. Returns what it prints. */
export function verifyWithOpenssl(dataFile: string, stampFile: string, caFile: string): string {
  return execFileSync('openssl', ['ts', '-verify', '-data', dataFile, '-in', stampFile, '-CAfile', caFile], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
