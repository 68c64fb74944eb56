import { networkInterfaces } from 'node:os'
import { exitCodes } from '../../../shared/error-policy.ts'
import type { BundleAnswer } from '../../../shared/settings.ts'
import { recordError } from '../../app/log/create-file-log.ts'
import { openApp, type OpenApp } from '../../app/open-app.ts'
import { rendererFolder } from '../../app/static-files/page-files.ts'
import { streamZip } from '../../app/support/write-zip.ts'
import { systemClock } from '../../engine/lib/system-clock.ts'
import { type GlobalFlags, readFlags, textOf, wholeNumber } from '../flags.ts'
import { bundlePath } from '../http/answers.ts'
import type { Reach } from '../http/access.ts'
import { type AddressReason, startHttpHost } from '../http/start-http-host.ts'
import type { Outcome } from '../output/console-output.ts'
import type { Host } from '../run-host.ts'
import { loadSample, withConsole } from '../session.ts'
import { desktopOf } from '../system-programs.ts'
import { printWatch } from './watch.ts'

export interface ServeFlags {
  readonly port?: string
  readonly host?: string
}

export interface ServeOptions {
  readonly listenOn: ServeFlags
  /** Called with the address and its one-time token, at the start and whenever there is a new one. */
  readonly onAddress?: (address: string) => void
}

const addressNotes: Readonly<Record<AddressReason, string>> = {
  started: 'Open this address in a browser; it works once:',
  opened: 'The app is open. For another browser, this address works once:',
  'logged-out': 'All browsers are logged out. To open the app again, this address works once:',
}

/** `serve [--port N] [--host H]`: the watch, and the app in a browser, until SIGINT or SIGTERM. */
export async function serveCommand(session: ServeSession, { listenOn, onAddress }: ServeOptions): Promise<Outcome> {
  const { app, output, log, tokenAdvice, signal } = session
  const port = wholeNumber(listenOn.port, '--port', 0, 65_535, 'from 0 (any free one) to 65535') ?? 0
  let stopPrinting: (() => void) | undefined
  let isOnAll = false
  output.stampTimes(() => new Date(systemClock.nowMs()))
  const stopFollowing = app.followEngine((engine) => {
    stopPrinting?.()
    stopPrinting = engine && printWatch({ engine, output, tokenAdvice })
  })
  try {
    const host = await startHttpHost({
      app,
      async makeBundle() {
        const { fileName, entries, madeAtMs } = await session.makeBundle()
        return { fileName, zip: streamZip(entries, madeAtMs) }
      },
      log,
      host: hostOf(listenOn),
      port,
      rendererFolder: rendererFolder(),
      clock: systemClock,
      onListening(reach) {
        isOnAll = reach === 'all'
        const warning = reachWarning(reach)
        if (warning !== undefined) output.warn(warning)
      },
      onAddress(address, reason) {
        if (!output.isJson) output.note(addressNotes[reason])
        output.printAddress(address, new Date(systemClock.nowMs()).toISOString())
        if (isOnAll) output.printOtherAddresses('The same address for other machines:', elsewhere(address))
        onAddress?.(address)
      },
    })
    try {
      if (!output.isJson) output.note(startNote(session))
      await app.run(signal)
    } finally {
      await host.close()
    }
  } finally {
    stopFollowing()
    stopPrinting?.()
  }
  return { exitCode: exitCodes.done, endsByStop: true }
}

/** Returns the address or name to listen on. */
export function hostOf({ host }: ServeFlags): string {
  return textOf(host, '--host') ?? '127.0.0.1'
}

/** Returns what it means that others can reach the app, or undefined if only this machine can. */
function reachWarning(reach: Reach): string | undefined {
  if (reach === 'machine') return undefined
  const where = reach === 'all' ? 'on all addresses of this machine' : 'on an address that other machines can reach'
  return (
    `Solarchive listens ${where}, and the connection is not encrypted: whoever can read the network can take over a ` +
    'browser session, and with it see the archive and place orders. Do this only on a network that you trust, or ' +
    `leave --host out and use an SSH tunnel.`
  )
}

/** Returns an address of this machine for each network that it is in. */
function elsewhere(address: string): string[] {
  return Object.values(networkInterfaces())
    .flat()
    .flatMap((found) => (found === undefined || found.internal || found.family !== 'IPv4' ? [] : [found.address]))
    .map((host) => {
      const url = new URL(address)
      url.hostname = host
      return url.href
    })
}

function startNote({ app }: ServeSession): string {
  const { ready, archiveFolder } = app.setupState()
  return ready
    ? `Ctrl+C stops. Archive: ${archiveFolder}`
    : 'Ctrl+C stops. Nothing is set up yet: the page asks for the service, its token, and the archive folder.'
}

export type ServeSession = Host & Omit<OpenApp, 'close'>

export interface InstallationOptions {
  readonly flags: GlobalFlags
  /** Address that the app is served at. */
  readonly servedAt: string
  /**
   * True to show the archive beside another process that owns the data folder. Default false: a supervised `serve` has
   * to end, so that it is started again, and archives, once the other one has ended.
   */
  readonly mayRead?: boolean
}

/** Opens the data folder for the app in a browser, and always closes it. Rejects only with an AppError. */
export async function withInstallation<T>(
  host: Host,
  { flags, servedAt, mayRead = false }: InstallationOptions,
  use: (session: ServeSession) => Promise<T>,
): Promise<T> {
  const { environment, output, redactor } = host
  const opened = await openApp({
    started: readFlags(flags),
    environment,
    redactor,
    showMessage: (message) => output.warn(message),
    loggerOf: (log) => withConsole(log, output),
    loadSample,
    stop: host.stop,
    startProcess: host.startProcess,
    deliverBundle: (): Promise<BundleAnswer> => Promise.resolve({ kind: 'download', path: bundlePath }),
    desktop: desktopOf({ env: environment.env, platform: environment.platform, host: servedAt }),
    host: 'browser',
    mayRead,
  })
  try {
    return await use({ ...host, ...opened })
  } catch (thrown) {
    throw recordError(opened.log, thrown)
  } finally {
    await opened.close()
  }
}
