import type { Ports } from '../../../electron/engine/lib/ports.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import type { BacklogTask } from './messages.ts'
import { silentLogger } from '../../support/silent-logger.ts'

/** Real time, the service's token and no log. */
export function portsOf({ token }: BacklogTask): Ports {
  return {
    clock: systemClock,
    logger: silentLogger,
    secrets: { accessToken: () => Promise.resolve(token) },
  }
}
