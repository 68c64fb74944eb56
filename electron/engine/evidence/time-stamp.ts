import { createHash, randomBytes } from 'node:crypto'
import { fromBER, Integer, OctetString } from 'asn1js'
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
  extendedKeyUsage: '2.5.29.37',
  timeStamping: '1.3.6.1.5.5.7.3.8',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
} as const

/** Enough for a response with a chain of certificates, which takes 3 to 10 KB. */
export const maxResponseBytes = 64 * 1024

/** 64 bits, as RFC 3161 recommends. */
const nonceBytes = 8

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

/** A response that is no time stamp of the data. The message completes "the answer ...". */
export class StampError extends Error {
  override readonly name = 'StampError'
}

/**
 * Checks a response of an authority: its status, that it is about these data and answers this request (unless `nonce`
 * is undefined), and the signature by the certificate that is in it, which has to be one for time stamps, and valid at
 * the stated time. Who issued that certificate is not checked: whom to trust is for those to decide to whom the stamp is
 * shown (`openssl ts -verify -CAfile`). Throws StampError.
 */
export async function readTimeStamp(
  response: Uint8Array,
  data: Uint8Array,
  nonce: Uint8Array | undefined,
): Promise<TimeStamp> {
  try {
    return await check(response, data, nonce)
  } catch (error) {
    if (error instanceof StampError) throw error
    // The library throws whatever a mistake in the bytes leads to, a stack that is too deep included.
    throw new StampError('cannot be read as a time stamp', { cause: error })
  }
}

async function check(bytes: Uint8Array, data: Uint8Array, nonce: Uint8Array | undefined): Promise<TimeStamp> {
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
  const info = TSTInfo.fromBER(content.getValue())
  const { hashAlgorithm, hashedMessage } = info.messageImprint
  const sha256 = createHash('sha256').update(data).digest()
  if (hashAlgorithm.algorithmId !== oids.sha256 || !sha256.equals(Buffer.from(hashedMessage.valueBlock.valueHexView))) {
    throw new StampError('is a time stamp of something else')
  }
  if (nonce !== undefined && !isSameNumber(info.nonce, nonce)) throw new StampError('answers another request')
  const { signerCertificate, signatureVerified } = await signed.verify({
    signer: 0,
    data: bufferOf(data),
    checkChain: false,
    extendedMode: true,
  })
  if (signatureVerified !== true || !(signerCertificate instanceof Certificate)) {
    throw new StampError('has a signature that is not valid')
  }
  requireTimeStamping(signerCertificate, info.genTime)
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

/** The certificate's only purpose has to be time stamps (RFC 3161, section 2.3). */
function requireTimeStamping(certificate: Certificate, at: Date): void {
  const usage = certificate.extensions?.find(({ extnID }) => extnID === oids.extendedKeyUsage)?.parsedValue as unknown
  const purposes = usage instanceof ExtKeyUsage ? usage.keyPurposes : []
  if (purposes.length !== 1 || purposes[0] !== oids.timeStamping) {
    throw new StampError('is signed with a certificate that is not one for time stamps')
  }
  if (at < certificate.notBefore.value || at > certificate.notAfter.value) {
    throw new StampError('is signed with a certificate that was not valid at its time')
  }
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
