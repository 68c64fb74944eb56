import type { ErrorCode } from './errors.ts'
import type { ObstacleKind, PauseLength } from './watch.ts'

/** What a person can do with the sync, in the words of every menu that offers it. */
export const syncLabels = { run: 'Sync everything now', stop: 'Stop this sync', resume: 'Resume syncing' } as const

export const pauseLabels: Readonly<Record<PauseLength, string>> = {
  hour: 'Pause for an hour',
  tomorrow: 'Pause until tomorrow',
  resumed: 'Pause until I resume',
}

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
