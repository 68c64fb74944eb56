import type { Ports } from '../../../electron/engine/lib/ports.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import type { BacklogTask } from './messages.ts'

/** Real time, the service's token and no log. */
export function portsOf({ token }: BacklogTask): Ports {
  const silent = () => undefined
  return {
    clock: systemClock,
    logger: { debug: silent, info: silent, warn: silent, error: silent, showMessage: silent },
    secrets: { accessToken: () => Promise.resolve(token) },
  }
}
