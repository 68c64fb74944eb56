import type { Ports } from '../../../electron/engine/ports.ts'
import { systemClock } from '../../../electron/engine/system-clock.ts'
import type { BacklogTask } from './messages.ts'

/** Real time, the service's token and no log. */
export function portsOf({ token }: BacklogTask): Ports {
  const silent = () => undefined
  return {
    clock: systemClock,
    logger: { debug: silent, info: silent, warn: silent, error: silent, tell: silent },
    secrets: { accessToken: () => Promise.resolve(token) },
  }
}
