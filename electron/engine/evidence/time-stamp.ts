import { createHash, randomBytes } from 'node:crypto'
import { BitString, fromBER, Integer, ObjectIdentifier, OctetString, Sequence } from 'asn1js'
import {
  AlgorithmIdentifier,
  Certificate,
  type ContentInfo,
  ExtKeyUsage,
  MessageImprint,
  SignedData,
  TimeStampReq,
  TimeStampResp,
  TSTInfo,
} from 'pkijs'

/** Time stamps of RFC 3161: the request for one, and what a response proves. */

const oids = {
  sha256: '2.16.840.1.101.3.4.2.1',
  signedData: '1.2.840.113549.1.7.2',
  timeStampInfo: '1.2.840.113549.1.9.16.1.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
  keyUsage: '2.5.29.15',
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
} as const

/** Names in Node of the hashes that a stamp may name its certificate by. */
const hashNames: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}

/** Enough for a response with a chain of certificates, which takes 3 to 10 KB. */
export const maxResponseBytes = 64 * 1024

/** 64 bits, as RFC 3161 recommends. */
const nonceBytes = 8

/** Maximum difference between a fresh stamp and this machine's clock: beyond it, one of the two is wrong. */
const maxClockDifferenceMs = 60 * 60_000

export interface StampRequest {
  /** DER, for the body of a POST. */
  readonly bytes: Uint8Array
  readonly nonce: Uint8Array
}

/** Returns a request to stamp data. Only the data's hash is in it. */
export function createStampRequest(data: Uint8Array): StampRequest {
  const nonce = randomBytes(nonceBytes)
  // A positive number without a leading zero: some authorities return any other one in another form.
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40
  const request = new TimeStampReq({
    version: 1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithmId: oids.sha256 }),
      hashedMessage: new OctetString({ valueHex: bufferOf(createHash('sha256').update(data).digest()) }),
    }),
    nonce: new Integer({ valueHex: bufferOf(nonce) }),
    certReq: true,
  })
  return { bytes: new Uint8Array(request.toSchema().toBER()), nonce }
}

/** A time stamp that was checked. */
export interface TimeStamp {
  /** Time at which the data existed, as the authority states it: ISO 8601 UTC. */
  readonly at: string
  /** Name in the certificate of the authority. */
  readonly signedBy: string
}

/** A response that is not a valid time stamp of the data. The message completes "the answer ...". */
export class StampError extends Error {
  override readonly name = 'StampError'
}

/** The request that a fresh response answers, and the time by the clock of this machine. */
export interface StampAsked {
  readonly nonce: Uint8Array
  readonly nowMs: number
}

/**
 * Checks a response of an authority: its status, that it is about these data, and the signature by the certificate that
 * is in it, which the signature has to name, and which has to be one for time stamps, and valid at the stated time;
 * with `asked` also that it answers that request, now. Who issued the certificate is not checked: the recipient of
 * the evidence decides whether to trust the issuer (`openssl ts -verify -CAfile`, which refuses all that is refused
 * here). Throws StampError.
 */
export async function readTimeStamp(response: Uint8Array, data: Uint8Array, asked?: StampAsked): Promise<TimeStamp> {
  try {
    return await check(response, data, asked)
  } catch (error) {
    if (error instanceof StampError) throw error
    // The library throws whatever a mistake in the bytes leads to, a stack that is too deep included.
    throw new StampError('cannot be read as a time stamp', { cause: error })
  }
}

async function check(bytes: Uint8Array, data: Uint8Array, asked: StampAsked | undefined): Promise<TimeStamp> {
  if (bytes.byteLength > maxResponseBytes) throw new StampError('is too large for a time stamp')
  const { offset, result } = fromBER(bufferOf(bytes))
  if (offset !== bytes.byteLength) throw new StampError('cannot be read as a time stamp')
  const response = new TimeStampResp({ schema: result })
  const status: number = response.status.status
  // 0 granted, 1 granted with modifications.
  if (status !== 0 && status !== 1) throw new StampError(`refuses the request (status ${status})`)
  const signed = signedDataIn(response.timeStampToken)
  const content = signed.encapContentInfo.eContent
  if (signed.encapContentInfo.eContentType !== oids.timeStampInfo || content === undefined) {
    throw new StampError('contains no time stamp')
  }
  if (signed.signerInfos.length !== 1) throw new StampError('has more than one signature, or none')
  const info = TSTInfo.fromBER(content.getValue())
  const { hashAlgorithm, hashedMessage } = info.messageImprint
  const sha256 = createHash('sha256').update(data).digest()
  if (hashAlgorithm.algorithmId !== oids.sha256 || !sha256.equals(Buffer.from(hashedMessage.valueBlock.valueHexView))) {
    throw new StampError('is a time stamp of something else')
  }
  if (asked !== undefined && !isSameNumber(info.nonce, asked.nonce)) throw new StampError('answers another request')
  const { signerCertificate, signatureVerified } = await signed.verify({
    signer: 0,
    data: bufferOf(data),
    checkChain: false,
    extendedMode: true,
  })
  if (signatureVerified !== true || !(signerCertificate instanceof Certificate)) {
    throw new StampError('has a signature that is not valid')
  }
  requireNamed(signerCertificate, signed)
  requireTimeStamping(signerCertificate, info.genTime)
  if (asked !== undefined) requireNow(info.genTime, asked.nowMs)
  return { at: info.genTime.toISOString(), signedBy: nameOf(signerCertificate) }
}

function signedDataIn(token: ContentInfo | undefined): SignedData {
  if (token?.contentType !== oids.signedData) throw new StampError('contains no time stamp')
  return new SignedData({ schema: token.content })
}

function isSameNumber(integer: Integer | undefined, nonce: Uint8Array): boolean {
  if (integer === undefined) return false
  return Buffer.from(integer.valueBlock.valueHexView).equals(nonce)
}

/**
 * The signed attributes have to name the certificate by its hash (RFC 3161, section 2.4.2; RFC 5816, section 2.2.1):
 * another certificate of the same key may say something else about it.
 */
function requireNamed(certificate: Certificate, { signerInfos }: SignedData): void {
  const der = Buffer.from(certificate.toSchema().toBER())
  const names = (signerInfos[0]?.signedAttrs?.attributes ?? []).flatMap(({ type, values }) => {
    if (type === oids.signingCertificate) return [isNameOf(der, values[0], 'sha1')]
    return type === oids.signingCertificateV2 ? [isNameOf(der, values[0], 'sha256')] : []
  })
  if (names.length === 0) throw new StampError('does not name the certificate that it is signed with')
  if (names.includes(false)) throw new StampError('names another certificate than it is signed with')
}

/**
 * Returns whether the first certificate that a SigningCertificate or SigningCertificateV2 names, which is that of the
 * signer, is this one: `{ certs: [{ hashAlgorithm?, certHash, issuerSerial? }], policies? }`.
 */
function isNameOf(certificate: Buffer, attribute: unknown, defaultHash: string): boolean {
  const [certs] = partsOf(attribute)
  const [first] = partsOf(certs)
  const parts = partsOf(first)
  const [algorithm] = partsOf(parts[0])
  const hash = algorithm instanceof ObjectIdentifier ? hashNames[algorithm.getValue()] : defaultHash
  const certHash = parts.find((part) => part instanceof OctetString)
  if (hash === undefined || certHash === undefined) return false
  return createHash(hash).update(certificate).digest().equals(Buffer.from(certHash.valueBlock.valueHexView))
}

const partsOf = (block: unknown): readonly unknown[] => (block instanceof Sequence ? block.valueBlock.value : [])

/** Bits of the first byte of a key usage: digitalSignature and nonRepudiation. */
const signingBits = 0xc0

/** The certificate's only purpose has to be time stamps, and that must be critical (RFC 3161, section 2.3). */
function requireTimeStamping(certificate: Certificate, at: Date): void {
  const extensionOf = (oid: string) => certificate.extensions?.find(({ extnID }) => extnID === oid)
  const extension = extensionOf(oids.extendedKeyUsage)
  const usage = extension?.parsedValue as unknown
  const purposes = usage instanceof ExtKeyUsage ? usage.keyPurposes : []
  if (purposes.length !== 1 || purposes[0] !== oids.timeStamping) {
    throw new StampError('is signed with a certificate that is not one for time stamps')
  }
  if (extension?.critical !== true) {
    throw new StampError('is signed with a certificate whose purpose, time stamps, is not marked critical')
  }
  const keyUsage = extensionOf(oids.keyUsage)?.parsedValue as unknown
  const [first = 0, ...others] = keyUsage instanceof BitString ? keyUsage.valueBlock.valueHexView : [signingBits]
  if ((first & signingBits) === 0 || (first & ~signingBits) !== 0 || others.some((byte) => byte !== 0)) {
    throw new StampError('is signed with a certificate whose key is for something else')
  }
  if (at < certificate.notBefore.value || at > certificate.notAfter.value) {
    throw new StampError('is signed with a certificate that was not valid at its time')
  }
}

function requireNow(at: Date, nowMs: number): void {
  if (Math.abs(at.getTime() - nowMs) <= maxClockDifferenceMs) return
  throw new StampError(
    `states the time ${at.toISOString()}, but the clock of this computer says ${new Date(nowMs).toISOString()}; one ` +
      'of them is wrong',
  )
}

/** Names in certificates are as long as their authors want. */
const maxNameLength = 200

function nameOf({ subject }: Certificate): string {
  const names = [oids.commonName, oids.organization].flatMap((oid) => {
    const found = subject.typesAndValues.find(({ type }) => type === oid)?.value.valueBlock.value as unknown
    return typeof found === 'string' && found !== '' ? [found] : []
  })
  return (names[0] ?? 'an authority without a name').replace(/[\p{C}]/gu, ' ').slice(0, maxNameLength)
}

/** Returns the bytes alone: a Buffer may be a part of a larger one. */
function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
}
