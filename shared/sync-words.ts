import type { ErrorCode } from './errors.ts'
import type { ObstacleKind } from './watch.ts'

const obstacleTitles: Readonly<Record<ObstacleKind, string>> = {
  offline: 'Offline',
  service: 'Service not answering',
  token: 'Access token problem',
  disk: 'Archive folder problem',
}

/** What is in the way of everything, as a title: a token is refused by the service alone. */
export function obstacleTitle({ obstacle, code }: { obstacle: ObstacleKind; code?: ErrorCode | undefined }): string {
  if (obstacle !== 'token' || code === undefined) return obstacleTitles[obstacle]
  return code === 'token-missing' ? 'No access token to use' : 'Access token refused'
}
