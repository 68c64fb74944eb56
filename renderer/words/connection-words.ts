import type { ConnectionOutcome, TokenSource } from '../../shared/settings.ts'
import type { StatusLook } from './status-words.ts'

/** What came of a test of the connection. Each outcome has a name of its own; the message tells what to do. */
export function lookOfConnection(outcome: ConnectionOutcome): StatusLook {
  switch (outcome) {
    case 'ok':
      return { label: 'Connected', icon: 'i-lucide-circle-check-big', tone: 'success' }
    case 'bad-address':
      return { label: 'Wrong address', icon: 'i-lucide-link-2-off', tone: 'error' }
    case 'unreachable':
      return { label: 'Cannot be reached', icon: 'i-lucide-wifi-off', tone: 'error' }
    case 'bad-tls':
      return { label: 'Connection not secure', icon: 'i-lucide-lock-open', tone: 'error' }
    case 'bad-token':
      return { label: 'Token refused', icon: 'i-lucide-key-round', tone: 'error' }
    case 'no-permission':
      return { label: 'No permission', icon: 'i-lucide-ban', tone: 'error' }
    case 'not-the-service':
      return { label: 'Not the design service', icon: 'i-lucide-circle-help', tone: 'error' }
    case 'rate-limited':
      return { label: 'Asked to wait', icon: 'i-lucide-hourglass', tone: 'warning' }
    case 'service-error':
      return { label: 'Service in trouble', icon: 'i-lucide-server-off', tone: 'warning' }
  }
}

const tokenSources: Readonly<Record<TokenSource, string>> = {
  none: 'No token is stored.',
  environment: 'The token comes from the environment variable SOLARCHIVE_TOKEN.',
  file: 'A token is stored in a private file of the data folder.',
  keychain: 'A token is stored in the keychain of this computer.',
}

export function tokenSourceSentence(source: TokenSource): string {
  return tokenSources[source]
}

/** The service's public host (docs of the service: "Base URL"). */
export const publicServiceUrl = 'https://api.portal.scanifly.com'
