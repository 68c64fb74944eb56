import type { CallName } from '../../../shared/contract/calls.ts'
import { AppError } from '../../../shared/errors.ts'

/** A shorter token could be part of any text by chance. */
const minTokenLength = 8

/** A signed JSON Web Token (RFC 7519), which many services use as an access token. */
const webToken = /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/

/**
 * Throws `wrong-usage` if a text that is about to be stored or sent contains the access token, for example one that was
 * pasted as a project ID, and then would be shown, logged, and sent as part of addresses.
 */
export function refuseToken(texts: readonly string[], token = ''): void {
  const searched = token.toLowerCase()
  const isToken = (text: string) =>
    webToken.test(text) || (token.length >= minTokenLength && text.toLowerCase().includes(searched))
  if (!texts.some(isToken)) return
  throw new AppError(
    'wrong-usage',
    'The access token was entered where another text belongs, such as a project ID. Nothing was stored or sent. The ' +
      'token belongs in the settings, or in SOLARCHIVE_TOKEN.',
  )
}

/** Calls that store or send texts of projects and orders, or show them before that. */
export const callsThatRefuseToken: ReadonlySet<CallName> = new Set<CallName>([
  'projects.add',
  'projects.preview',
  'orders.create',
  'orders.saveDraft',
  'orders.refresh',
  'orders.settle',
  'presets.save',
  'batches.preview',
  'batches.create',
])

/** Like `refuseToken`, for every text in the input of such a call. */
export async function refuseTokenInCall(input: object, readToken: () => Promise<string | undefined>): Promise<void> {
  // While the keychain is locked, no token is known.
  refuseToken([...textsOf(input)], await readToken().catch(() => undefined))
}

function* textsOf(value: unknown, key?: string): Generator<string> {
  if (typeof value === 'string') yield key === 'base64' ? Buffer.from(value, 'base64').toString('latin1') : value
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) yield* textsOf(item, name)
}
