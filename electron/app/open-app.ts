import packageJson from '../../package.json' with { type: 'json' }
import type { AppInfo, BundleAnswer } from '../../shared/settings.ts'
import { createApp, type App } from './create-app.ts'
import type { ResolvedSettings } from './ports.ts'
import { type SampleLoader, startSample } from './start-sample.ts'
import { readSettingsFile, type SettingsFile } from './settings/settings-file.ts'
import type { Desktop, Log, Logger, LoginItem, StartProcess } from '../engine/lib/ports.ts'
import type { Redactor } from '../engine/lib/redact.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { logFolder } from './log/log-files.ts'
import { recordError } from './log/create-file-log.ts'
import { openDataFolder } from './data-folder.ts'
import {
  accessTokenOf,
  environmentSecrets,
  fixedSettings,
  type HostEnvironment,
  resolveHomeFolder,
  resolveSettings,
  type StartSettings,
  unencryptedWarning,
} from './settings/resolve-settings.ts'
import { nestingWarning } from './settings/archive-folder.ts'
import { bundleName, collectBundle } from './support/collect-bundle.ts'
import type { BundleEntry } from './support/read-logs.ts'
import { createKeychainTokens, type Keychain } from './token/keychain-tokens.ts'
import { createTokenStore, type TokenAdvice } from './token/token-reader.ts'

/** Everything that differs between the hosts that show the app. */
export interface HostDeps {
  readonly started: StartSettings
  readonly environment: HostEnvironment
  readonly redactor: Redactor
  /** Shows a message to the user; it is not logged. */
  readonly showMessage: (message: string) => void
  /** Returns the app's logger, which writes to the given log. */
  readonly loggerOf: (log: Log) => Logger
  readonly loadSample: SampleLoader
  /** Saves a support bundle, or offers it as a download. */
  readonly deliverBundle: (make: () => Promise<SupportBundle>) => Promise<BundleAnswer>
  /** Ends the process as SIGTERM does. */
  readonly stop: () => void
  /** See `Ports`. */
  readonly startProcess: StartProcess | undefined
  readonly desktop: Desktop | undefined
  readonly loginItem?: LoginItem | undefined
  readonly host: AppInfo['host']
  /** True if the host can update the app. Default: false. */
  readonly canUpdate?: boolean
  /** True to show the archive beside another process that owns the data folder, instead of failing. Default false. */
  readonly mayRead?: boolean
  /** The system's keychain, which keeps the token instead of the private file. */
  readonly keychain?: Keychain
}

/** A support bundle in memory. */
export interface SupportBundle {
  readonly fileName: string
  readonly entries: readonly BundleEntry[]
  readonly madeAtMs: number
}

/** An open app, as a host receives it. */
export interface OpenApp {
  readonly app: App
  readonly log: Log
  readonly tokenAdvice: TokenAdvice
  readonly makeBundle: () => Promise<SupportBundle>
  close(): Promise<void>
}

/** Opens the data folder for a host that shows the app. Rejects with an AppError, which is in the log too. */
export async function openApp(deps: HostDeps): Promise<OpenApp> {
  const { started, environment, redactor, showMessage } = deps
  const homeFolder = resolveHomeFolder(started, environment)
  for (const secret of environmentSecrets(environment)) redactor.addSecret(secret)
  const resolve = (file: SettingsFile): ResolvedSettings => {
    const { accessToken: _, ...settings } = resolveSettings(started, environment, file)
    return settings
  }
  const { settings: settingsFile, warnings } = await readSettingsFile(homeFolder)
  for (const warning of warnings) showMessage(warning)
  // The sample that a user explores from the app keeps its data and its archive in the data folder, side by side.
  const isExploring = settingsFile.useSample === true && started.useSample !== true
  const settings = resolveSettings(started, environment, settingsFile)
  const nesting = isExploring ? undefined : await nestingWarning(settings, environment)
  if (nesting !== undefined) showMessage(nesting)
  const unencrypted = isExploring ? undefined : unencryptedWarning(settings)
  if (unencrypted !== undefined) showMessage(unencrypted)
  const { log, tokens, followRefusals } = openDataFolder({
    homeFolder,
    logLevel: settings.logLevel,
    accessToken: accessTokenOf(environment),
    platform: environment.platform,
    redactor,
    showMessage,
  })
  const file = createTokenStore(homeFolder, tokens)
  const keepSecret = (text: string) => redactor.addSecret(text)
  const { keychain } = deps
  const tokenStore =
    keychain === undefined
      ? file
      : createKeychainTokens({ file, keychain, homeFolder, keepSecret, log, clock: systemClock })
  const makeBundle = async (): Promise<SupportBundle> => {
    const madeAtMs = systemClock.nowMs()
    const entries = await collectBundle({ started, environment, redactor, clock: systemClock })
    return { fileName: bundleName(madeAtMs), entries, madeAtMs }
  }
  try {
    const app = await createApp({
      ...(deps.mayRead !== undefined && { mayRead: deps.mayRead }),
      source: {
        homeFolder,
        userFolder: environment.userFolder,
        fixed: fixedSettings(started, environment),
        resolve,
      },
      ports: {
        clock: systemClock,
        logger: deps.loggerOf(log),
        tokens: tokenStore,
        startSample: () => startSample(deps.loadSample),
        keepSecret,
        setLogLevel: (level) => log.setLevel(level),
        stop: deps.stop,
        startProcess: deps.startProcess,
        deliverBundle: () => deps.deliverBundle(makeBundle),
        desktop: deps.desktop,
        loginItem: deps.loginItem,
        appInfo: {
          version: packageJson.version,
          host: deps.host,
          canUpdate: deps.canUpdate ?? false,
          platform: environment.platform,
          logsFolder: logFolder(homeFolder),
          startedAt: new Date(systemClock.nowMs()).toISOString(),
        },
      },
    })
    const stopFollowing = app.followEngine((engine) => {
      // Beside another process, the service refuses the token of that process.
      if (engine !== undefined && app.setupState().owner === null) followRefusals(engine)
    })
    return {
      app,
      log,
      tokenAdvice: tokens.advice,
      makeBundle,
      async close() {
        stopFollowing()
        await app.close()
      },
    }
  } catch (thrown) {
    throw recordError(log, thrown)
  }
}
