import { AppError } from '../../../shared/errors.ts'
import { createBridge } from '../../engine/handlers.ts'
import { systemClock } from '../../engine/system-clock.ts'
import { exitCodes } from '../exit-codes.ts'
import { rendererFolder } from '../http/static-files.ts'
import { startHttpHost } from '../http/start-http-host.ts'
import type { Outcome } from '../output/outcome.ts'
import type { Session } from '../with-session.ts'
import { tellWatch } from './watch-command.ts'

export interface ServeFlags {
  readonly port?: string
  readonly host?: string
}

/** `serve [--port N] [--host H]`: the watch, and the app in a browser, until SIGINT or SIGTERM. */
export async function serveCommand(session: Session, flags: ServeFlags): Promise<Outcome> {
  const { engine, settings, output, log, signal } = session
  const port = portOf(flags.port)
  const bridge = createBridge({ engine, clock: systemClock, log })
  const stopTelling = tellWatch(session)
  try {
    const host = await startHttpHost({
      engine,
      bridge,
      log,
      host: flags.host?.trim() || '127.0.0.1',
      port,
      rendererFolder: rendererFolder(),
      onAddress(address) {
        if (!output.isJson) output.note('Open this address in a browser; it works once:')
        output.printAddress(address, new Date(systemClock.nowMs()).toISOString())
      },
    })
    try {
      if (!output.isJson) output.note(`Ctrl+C stops. Archive: ${settings.archiveFolder}`)
      await engine.watch.run(signal)
    } finally {
      await host.close()
    }
  } finally {
    await bridge.close()
    stopTelling()
  }
  return { exitCode: exitCodes.done, endsByStop: true }
}

function portOf(given = '0'): number {
  const port = /^\d+$/.test(given.trim()) ? Number(given) : Number.NaN
  if (port <= 65_535) return port
  throw new AppError(
    'wrong-usage',
    `--port has to be a whole number, from 0 (any free one) to 65535; "${given}" is not.`,
  )
}
