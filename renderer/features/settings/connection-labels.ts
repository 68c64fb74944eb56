import type { ConnectionOutcome, TokenSource } from '../../../shared/settings.ts'
import type { StatePresentation } from '../../labels/status-labels.ts'

/** How the outcome of a connection test is displayed; its message explains what to do. */
export const connectionPresentations: Readonly<Record<ConnectionOutcome, StatePresentation>> = {
  ok: { label: 'Connected', icon: 'i-lucide-circle-check-big', tone: 'success' },
  unencrypted: { label: 'Not encrypted', icon: 'i-lucide-lock-open', tone: 'warning' },
  'bad-address': { label: 'Wrong address', icon: 'i-lucide-link-2-off', tone: 'error' },
  unreachable: { label: 'Cannot be reached', icon: 'i-lucide-wifi-off', tone: 'error' },
  'bad-tls': { label: 'Connection not secure', icon: 'i-lucide-lock-open', tone: 'error' },
  'no-token': { label: 'Token missing', icon: 'i-lucide-key-round', tone: 'warning' },
  'bad-token': { label: 'Token refused', icon: 'i-lucide-key-round', tone: 'error' },
  'no-permission': { label: 'No permission', icon: 'i-lucide-ban', tone: 'error' },
  'not-the-service': { label: 'Not the design service', icon: 'i-lucide-circle-help', tone: 'error' },
  'not-certain': { label: 'Not confirmed', icon: 'i-lucide-circle-help', tone: 'warning' },
  'rate-limited': { label: 'Rate limited', icon: 'i-lucide-hourglass', tone: 'warning' },
  'service-error': { label: 'Service error', icon: 'i-lucide-server-off', tone: 'warning' },
}

export const tokenSourceSentences: Readonly<Record<TokenSource, string>> = {
  none: 'No token is stored.',
  environment: 'The token comes from the environment variable SOLARCHIVE_TOKEN.',
  file: 'A token is stored in a private file: not encrypted, and readable by your account on this computer alone.',
  keychain: 'A token is stored encrypted; the key to it is in the keychain of this computer.',
}

/** The service's public host (docs of the service: "Base URL"). */
export const publicServiceUrl = 'https://api.portal.scanifly.com'

/** Returns true if the typed address has another origin than the stored one. The stored token is not sent there. */
export function isOtherService(typed: string, stored: string): boolean {
  const [a, b] = [typed.trim(), stored.trim()]
  return URL.canParse(a) && URL.canParse(b) && new URL(a).origin !== new URL(b).origin
}

/** Returns what to do if the address is of another service than the stored token. */
export function otherServiceSentence(source: TokenSource): string {
  return source === 'environment'
    ? 'The token in SOLARCHIVE_TOKEN is not sent to another address. Start Solarchive with SOLARCHIVE_URL too.'
    : 'The stored token is not sent to another address. Paste the token for this address, then save both.'
}
