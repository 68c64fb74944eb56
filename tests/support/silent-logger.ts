import type { Clock, Logger, Ports } from '../../electron/engine/lib/ports.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'

const silent = () => undefined

/** A logger that drops all messages. */
export const silentLogger: Logger = { debug: silent, info: silent, warn: silent, error: silent, showMessage: silent }

/** Ports with a token and without a log; real time by default. */
export function silentPorts(token: string, clock: Clock = systemClock): Ports {
  return { clock, logger: silentLogger, secrets: { accessToken: () => Promise.resolve(token) } }
}
