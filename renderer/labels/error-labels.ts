/** Returns the heading of an error; its message explains the rest. */
export function errorTitle(code: string): string {
  switch (code) {
    case 'unreachable':
      return 'Solarchive is not responding'
    case 'not-found':
      return 'Not found'
    case 'token-refused':
      return 'The service refuses the access token'
    case 'token-missing':
      return 'No access token'
    case 'no-permission':
      return 'Not allowed'
    case 'rate-limited':
      return 'The service limits requests'
    case 'unreachable-dns':
    case 'unreachable-refused':
    case 'unreachable-timeout':
    case 'unreachable-reset':
    case 'service-error':
      return 'The service cannot be reached'
    case 'unreachable-tls':
      return 'The connection is not secure'
    case 'disk-full':
      return 'The disk is full'
    case 'disk-error':
    case 'archive-read-only':
    case 'archive-unavailable':
      return 'The archive folder cannot be used'
    default:
      return 'Something went wrong'
  }
}
