import packageJson from '../../package.json' with { type: 'json' }
import type { AppInfo, BundleAnswer } from '../../shared/settings.ts'
import { createInstallation, type Installation } from './create-app.ts'
import type { ResolvedSettings, RunningSample } from './ports.ts'
import { readSettingsFile, type SettingsFile } from './settings/settings-file.ts'
import type { Desktop, Log, Logger, LoginItem } from '../engine/lib/ports.ts'
import type { Redactor } from '../engine/lib/redact.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { logFolder } from './log/log-files.ts'
import { noteError } from './log/log-error.ts'
import { openDataFolder } from './data-folder.ts'
import type { Surroundings } from './settings/default-folders.ts'
import { nestingWarning } from './settings/archive-folder.ts'
import {
  accessTokenOf,
  fixedSettings,
  resolveHomeFolder,
  resolveSettings,
  type StartSettings,
} from './settings/resolve-settings.ts'
import { bundleName, collectBundle } from './support/collect-bundle.ts'
import type { BundleEntry } from './support/read-logs.ts'
import { createKeychainTokens, type Keychain } from './token/keychain-tokens.ts'
import type { TokenAdvice } from './token/token-source.ts'
import { createTokenStore } from './token/token-store.ts'

/** What a host that shows the app brings along; everything else is the same in all of them. */
export interface HostParts {
  readonly started: StartSettings
  readonly surroundings: Surroundings
  readonly redactor: Redactor
  /** A sentence for the person who is there, not for the log. */
  readonly tell: (message: string) => void
  /** What the installation logs to, made of the log's files. */
  readonly loggerOf: (log: Log) => Logger
  readonly startSample: () => Promise<RunningSample>
  /** Hands a support bundle to the person. */
  readonly giveBundle: (make: () => Promise<SupportBundle>) => Promise<BundleAnswer>
  readonly desktop: Desktop | undefined
  readonly loginItem?: LoginItem | undefined
  readonly host: AppInfo['host']
  /** Whether the host can bring the app up to date. Default: it cannot. */
  readonly canUpdate?: boolean
  /** A better place for the token than the private file. */
  readonly keychain?: Keychain
}

/** A support bundle, made and not yet written. */
export interface SupportBundle {
  readonly fileName: string
  readonly entries: readonly BundleEntry[]
  readonly madeAtMs: number
}

/** An installation in the hands of a host. */
export interface OpenHost {
  readonly installation: Installation
  readonly log: Log
  readonly tokenAdvice: TokenAdvice
  readonly makeBundle: () => Promise<SupportBundle>
  close(): Promise<void>
}

/** Opens the data folder for a host that shows the app. Every rejection is an AppError; what concerns the log is in it. */
export async function openHost(parts: HostParts): Promise<OpenHost> {
  const { started, surroundings, redactor, tell } = parts
  const homeFolder = resolveHomeFolder(started, surroundings)
  const resolve = (file: SettingsFile): ResolvedSettings => {
    const { accessToken: _, ...settings } = resolveSettings(started, surroundings, file)
    return settings
  }
  const { settings: settingsFile, warnings } = await readSettingsFile(homeFolder)
  for (const warning of warnings) tell(warning)
  // The sample that a person explores from the app has both its folders in the data folder, side by side.
  const isExploring = settingsFile.useSample === true && started.useSample !== true
  const settings = resolveSettings(started, surroundings, settingsFile)
  const nesting = isExploring ? undefined : await nestingWarning(settings, surroundings)
  if (nesting !== undefined) tell(nesting)
  const { log, tokens, followRefusals } = openDataFolder({
    homeFolder,
    logLevel: settings.logLevel,
    accessToken: accessTokenOf(surroundings),
    platform: surroundings.platform,
    redactor,
    tell,
  })
  const file = createTokenStore(homeFolder, tokens)
  const keepSecret = (text: string) => redactor.addSecret(text)
  const { keychain } = parts
  const tokenStore =
    keychain === undefined
      ? file
      : createKeychainTokens({ file, keychain, homeFolder, keepSecret, log, clock: systemClock })
  const makeBundle = async (): Promise<SupportBundle> => {
    const madeAtMs = systemClock.nowMs()
    const entries = await collectBundle({ started, surroundings, redactor, clock: systemClock })
    return { fileName: bundleName(madeAtMs), entries, madeAtMs }
  }
  try {
    const installation = await createInstallation({
      source: {
        homeFolder,
        userFolder: surroundings.userFolder,
        fixed: fixedSettings(started, surroundings),
        resolve,
      },
      ports: {
        clock: systemClock,
        logger: parts.loggerOf(log),
        tokens: tokenStore,
        startSample: parts.startSample,
        keepSecret,
        setLogLevel: (level) => log.setLevel(level),
        giveBundle: () => parts.giveBundle(makeBundle),
        ...{ desktop: parts.desktop, loginItem: parts.loginItem },
        app: {
          version: packageJson.version,
          host: parts.host,
          canUpdate: parts.canUpdate ?? false,
          platform: surroundings.platform,
          logsFolder: logFolder(homeFolder),
          startedAt: new Date(systemClock.nowMs()).toISOString(),
        },
      },
    })
    const stopFollowing = installation.followEngine((engine) => {
      if (engine !== undefined) followRefusals(engine)
    })
    return {
      installation,
      log,
      tokenAdvice: tokens.advice,
      makeBundle,
      async close() {
        stopFollowing()
        await installation.close()
      },
    }
  } catch (thrown) {
    throw noteError(log, thrown)
  }
}
