import { AppError } from '../../../shared/errors.ts'
import { systemClock } from '../../engine/lib/system-clock.ts'
import { exitCodes } from '../../../shared/error-policy.ts'
import { rendererFolder } from '../../app/static-files/page-files.ts'
import { startHttpHost } from '../http/start-http-host.ts'
import type { Outcome } from '../output/outcome.ts'
import { streamZip } from '../../app/support/write-zip.ts'
import type { ServeSession } from '../with-installation.ts'
import { tellWatch } from './watch-command.ts'

export interface ServeFlags {
  readonly port?: string
  readonly host?: string
}

export interface ServeOptions {
  readonly listenOn: ServeFlags
  /** Told the address with its one-time token: at the start, and a new one each time that one was used. */
  readonly onAddress?: (address: string) => void
}

/** `serve [--port N] [--host H]`: the watch, and the app in a browser, until SIGINT or SIGTERM. */
export async function serveCommand(session: ServeSession, { listenOn, onAddress }: ServeOptions): Promise<Outcome> {
  const { installation, output, log, tokenAdvice, signal } = session
  const port = portOf(listenOn.port)
  let stopTelling: (() => void) | undefined
  const stopFollowing = installation.followEngine((engine) => {
    stopTelling?.()
    stopTelling = engine && tellWatch({ engine, output, tokenAdvice })
  })
  let isOpened = false
  try {
    const host = await startHttpHost({
      bridge: installation.bridge,
      openAsset: (assetId) => installation.openAsset(assetId),
      async makeBundle() {
        const { fileName, entries, madeAtMs } = await session.makeBundle()
        return { fileName, zip: streamZip(entries, madeAtMs) }
      },
      log,
      host: hostOf(listenOn),
      port,
      rendererFolder: rendererFolder(),
      onAddress(address) {
        const first = 'Open this address in a browser; it works once:'
        if (!output.isJson)
          output.note(isOpened ? 'The app is open. For another browser, this address works once:' : first)
        isOpened = true
        output.printAddress(address, new Date(systemClock.nowMs()).toISOString())
        onAddress?.(address)
      },
    })
    try {
      if (!output.isJson) output.note(startNote(session))
      await installation.run(signal)
    } finally {
      await host.close()
    }
  } finally {
    stopFollowing()
    stopTelling?.()
  }
  return { exitCode: exitCodes.done, endsByStop: true }
}

/** The address or name to listen on. */
export function hostOf({ host }: ServeFlags): string {
  return host?.trim() || '127.0.0.1'
}

function startNote({ installation }: ServeSession): string {
  const { ready, archiveFolder } = installation.setupState()
  return ready
    ? `Ctrl+C stops. Archive: ${archiveFolder}`
    : 'Ctrl+C stops. Nothing is set up yet: the page asks for the service, its token and the archive folder.'
}

function portOf(given = '0'): number {
  const port = /^\d+$/.test(given.trim()) ? Number(given) : Number.NaN
  if (port <= 65_535) return port
  throw new AppError(
    'wrong-usage',
    `--port has to be a whole number, from 0 (any free one) to 65535; "${given}" is not.`,
  )
}
