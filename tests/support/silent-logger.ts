import type { Logger } from '../../electron/engine/lib/ports.ts'

const silent = () => undefined

/** A logger that drops all messages. */
export const silentLogger: Logger = { debug: silent, info: silent, warn: silent, error: silent, showMessage: silent }
