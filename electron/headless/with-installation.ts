import packageJson from '../../package.json' with { type: 'json' }
import { toAppError } from '../../shared/errors.ts'
import type { BundleAnswer } from '../../shared/settings.ts'
import { createInstallation, type Installation } from '../engine/installation/create-installation.ts'
import type { ResolvedSettings } from '../engine/installation/installation-ports.ts'
import { readSettingsFile, type SettingsFile } from '../engine/installation/settings-file.ts'
import type { Log } from '../engine/ports.ts'
import { systemClock } from '../engine/system-clock.ts'
import { desktopOf } from './file-manager.ts'
import { bundlePath } from './http/answer-bundle.ts'
import { createFileLog } from './log/create-file-log.ts'
import { concernsTheLog, withConsole } from './log/host-log.ts'
import { logFolder } from './log/log-files.ts'
import { prepareHomeFolder } from './prepare-home-folder.ts'
import type { Host } from './run-host.ts'
import {
  accessTokenOf,
  fixedSettings,
  type GlobalFlags,
  resolveHomeFolder,
  resolveSettings,
} from './settings/resolve-settings.ts'
import { startSample } from './start-sample.ts'
import { type TokenAdvice, TokenSource } from './token/token-source.ts'
import { createTokenStore } from './token/token-store.ts'

/** What `serve` works with. */
export interface ServeSession extends Host {
  readonly installation: Installation
  readonly log: Log
  readonly flags: GlobalFlags
  readonly tokenAdvice: TokenAdvice
}

/**
 * Opens the data folder for a host that shows the app, and closes it whatever happens. `servedAt`: the address on which it is
 * shown. Every rejection is an AppError.
 */
export async function withInstallation<T>(
  host: Host,
  { flags, servedAt }: { readonly flags: GlobalFlags; readonly servedAt: string },
  use: (session: ServeSession) => Promise<T>,
): Promise<T> {
  const { surroundings, output, redactor } = host
  const homeFolder = resolveHomeFolder(flags, surroundings)
  const resolve = (file: SettingsFile): ResolvedSettings => {
    const { accessToken: _, ...settings } = resolveSettings(flags, surroundings, file)
    return settings
  }
  const { settings: file, warnings } = await readSettingsFile(homeFolder)
  for (const warning of warnings) output.warn(warning)
  const level = resolve(file).logLevel
  const onBroken = (message: string) => output.warn(message)
  const log = createFileLog({ homeFolder, redactor, clock: systemClock, level, onBroken })
  const keepSecret = (text: string) => redactor.addSecret(text)
  prepareHomeFolder(homeFolder)
  const tokens = new TokenSource({
    homeFolder,
    environmentToken: accessTokenOf(surroundings),
    platform: surroundings.platform,
    redactor,
    tell: (message) => output.warn(message),
  })
  try {
    const installation = await createInstallation({
      source: {
        homeFolder,
        userFolder: surroundings.userFolder,
        fixed: fixedSettings(flags, surroundings),
        resolve,
      },
      ports: {
        clock: systemClock,
        logger: withConsole(log, output),
        tokens: createTokenStore(homeFolder, tokens),
        startSample,
        keepSecret,
        setLogLevel: (next) => log.setLevel(next),
        giveBundle: (): Promise<BundleAnswer> => Promise.resolve({ kind: 'download', path: bundlePath }),
        desktop: desktopOf({ env: surroundings.env, platform: surroundings.platform, host: servedAt }),
        app: {
          version: packageJson.version,
          host: 'browser',
          platform: surroundings.platform,
          logsFolder: logFolder(homeFolder),
          startedAt: new Date(systemClock.nowMs()).toISOString(),
        },
      },
    })
    const stopFollowing = installation.followEngine((engine) => {
      engine?.events.on('watch-state', (state) => {
        if (state.kind === 'blocked' && state.obstacle === 'token') tokens.noteRefusal()
      })
    })
    try {
      return await use({ ...host, installation, log, flags, tokenAdvice: tokens.advice })
    } finally {
      stopFollowing()
      await installation.close()
    }
  } catch (thrown) {
    const error = toAppError(thrown)
    if (concernsTheLog(error)) log.error('A command ended with an error', { code: error.code, cause: error.cause })
    throw error
  }
}
