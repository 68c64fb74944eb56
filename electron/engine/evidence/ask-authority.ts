import { AppError } from '../../../shared/errors.ts'
import { createAddressPolicy, createLinkPolicy, type AddressPolicy } from '../service/address-policy.ts'
import type { Clock } from '../lib/ports.ts'
import type { Outbound } from '../service/outbound.ts'
import { postBytes, postError } from '../service/post-bytes.ts'
import type { TimeStamp } from './time-stamp.ts'

/** Time for one answer: authorities answer within a second or two. */
const timeoutMs = 30_000

/** A checked time stamp, and the response that contains it as it came. */
export interface StampResponse {
  readonly stamp: TimeStamp
  readonly bytes: Buffer
}

export interface AskDeps {
  readonly outbound: Outbound
  readonly policy: AddressPolicy
  readonly clock: Pick<Clock, 'nowMs'>
}

const refuse = (why: string) =>
  new AppError('link-unsafe', `The address of the time-stamping authority ${why}. It was not asked.`)

/**
 * Returns the policy for addresses of authorities in the settings, which pages can change: as near as the service is.
 * Plain http is allowed, because only a hash is sent, and the answer proves itself.
 */
export function authorityPolicy(serviceUrl: URL): AddressPolicy {
  return createLinkPolicy(serviceUrl, { allowHttp: true, refuse })
}

/** The policy for an address that a user has typed on the command line: a company may have an authority of its own. */
export const typedAuthorityPolicy: AddressPolicy = createAddressPolicy({
  allowHttp: true,
  refuse,
  nearest: () => 'machine',
})

/**
 * Asks an authority to stamp data (RFC 3161, section 3.4) and checks its answer. Throws `stamp-refused` for anything
 * but a time stamp of these data, `link-unsafe`, the errors of connections, and the signal's reason.
 */
export async function askAuthority(
  { outbound, policy, clock }: AskDeps,
  address: string,
  data: Uint8Array,
  signal: AbortSignal,
): Promise<StampResponse> {
  if (!URL.canParse(address)) {
    throw new AppError(
      'wrong-settings',
      'The address of the time-stamping authority is not a valid URL. Nothing was sent.',
    )
  }
  const url = new URL(address)
  const who = `The time-stamping authority ${url.host}`
  // Its library takes long to load, and few need it.
  const { createStampRequest, maxResponseBytes, readTimeStamp, StampError } = await import('./time-stamp.ts')
  const request = createStampRequest(data)
  const post = async () => {
    policy.check(url)
    return postBytes(outbound, {
      url,
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: request.bytes,
      lookup: policy.lookup,
      timeoutMs,
      maxAnswerBytes: maxResponseBytes,
      signal,
    })
  }
  const answer = await post().catch((thrown: unknown) => {
    signal.throwIfAborted()
    throw postError(thrown, `${who} returned no time stamp`)
  })
  if (answer.status !== 200) throw refused(who, `was HTTP status ${answer.status}`)
  try {
    const asked = { nonce: request.nonce, nowMs: clock.nowMs() }
    return { stamp: await readTimeStamp(answer.body, data, asked), bytes: answer.body }
  } catch (error) {
    if (!(error instanceof StampError)) throw error
    throw refused(who, error.message, error)
  }
}

function refused(who: string, why: string, cause?: Error): AppError {
  return new AppError('stamp-refused', `${who} returned no time stamp: its answer ${why}.`, { cause })
}
