import type { BundleAnswer } from '../../shared/settings.ts'
import { noteError } from '../app/log/log-error.ts'
import { openHost, type OpenHost } from '../app/open-host.ts'
import { desktopOf } from './file-manager.ts'
import { bundlePath } from './http/answer-bundle.ts'
import { withConsole } from './log/host-log.ts'
import type { Host } from './run-host.ts'
import { type GlobalFlags, readFlags } from './settings/read-flags.ts'
import { startSample } from './start-sample.ts'

/** What `serve` works with. */
export type ServeSession = Host & Omit<OpenHost, 'close'>

/**
 * Opens the data folder for the app in a browser, and closes it whatever happens. `servedAt`: the address on which it is
 * shown. Every rejection is an AppError.
 */
export async function withInstallation<T>(
  host: Host,
  { flags, servedAt }: { readonly flags: GlobalFlags; readonly servedAt: string },
  use: (session: ServeSession) => Promise<T>,
): Promise<T> {
  const { surroundings, output, redactor } = host
  const opened = await openHost({
    started: readFlags(flags),
    surroundings,
    redactor,
    tell: (message) => output.warn(message),
    loggerOf: (log) => withConsole(log, output),
    startSample,
    giveBundle: (): Promise<BundleAnswer> => Promise.resolve({ kind: 'download', path: bundlePath }),
    desktop: desktopOf({ env: surroundings.env, platform: surroundings.platform, host: servedAt }),
    host: 'browser',
  })
  try {
    return await use({ ...host, ...opened })
  } catch (thrown) {
    throw noteError(opened.log, thrown)
  } finally {
    await opened.close()
  }
}
