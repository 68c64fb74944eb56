import type { FixableSetting, LogLevel } from '../../shared/setting-names.ts'
import type { AppInfo, BundleAnswer, TokenKeeper, TokenSource } from '../../shared/settings.ts'
import type { NewProject } from '../engine/engine.ts'
import type { Clock, Desktop, Logger, LoginItem, StartProcess } from '../engine/lib/ports.ts'
import type { HostSettings } from './settings/resolve-settings.ts'
import type { SettingsFile } from './settings/settings-file.ts'

/** Settings resolved from flags, the environment, and settings.json, in this order. Folders are absolute. */
export type ResolvedSettings = Omit<HostSettings, 'accessToken'>

export interface SettingsSource {
  /** Absolute path of the data folder, which exists. */
  readonly homeFolder: string
  /** The user's home folder, for `~`. */
  readonly userFolder: string
  /** Settings that flags or the environment fix, apart from the token; see `TokenStore.source`. */
  readonly fixed: readonly Exclude<FixableSetting, 'token'>[]
  /** Throws `wrong-settings` or `wrong-usage`. */
  resolve(file: SettingsFile): ResolvedSettings
}

/** Choice of where to store the token. */
export interface TokenChoice {
  /** True for the private file, false for the host's default. */
  readonly inFile: boolean
}

export interface TokenStore {
  /** Returns the token, or undefined if there is none. Called for each use. */
  read(): Promise<string | undefined>
  /**
   * Stores the token and replaces any other. Never called concurrently. Throws `wrong-settings` if it cannot be stored.
   */
  save(token: string, choice: TokenChoice): Promise<void>
  /**
   * Removes the stored token, wherever it is. Returns a function that puts it back. Throws `wrong-settings` without
   * changing anything.
   */
  remove(): Promise<() => Promise<void>>
  source(): Promise<TokenSource>
  /** Returns the reason, for a user, that a stored token cannot be used, or null. */
  problem(): Promise<string | null>
  keepsIn(): Promise<TokenKeeper>
}

/** The embedded service, running. */
export interface RunningSample {
  readonly url: string
  readonly token: string
  readonly projects: readonly NewProject[]
  close(): Promise<void>
}

/** Ports that a host provides to the app. */
export interface AppPorts {
  readonly clock: Clock
  readonly logger: Logger
  readonly tokens: TokenStore
  /** Starts the embedded sample service. */
  readonly startSample: () => Promise<RunningSample>
  /** Registers text that must never reach the log or the console. */
  readonly keepSecret: (text: string) => void
  readonly setLogLevel: (level: LogLevel) => void
  /** Ends the process as SIGTERM does: another one takes over the data folder. */
  readonly stop: () => void
  /** Creates a support bundle, and saves it or offers it as a download. */
  readonly deliverBundle: () => Promise<BundleAnswer>
  /** See `Ports` of the engine. */
  readonly startProcess?: StartProcess | undefined
  /** File manager and folder dialog, on hosts that have them. */
  readonly desktop?: Desktop | undefined
  /** Setting to start when the user logs in, on hosts that have it. */
  readonly loginItem?: LoginItem | undefined
  readonly appInfo: Omit<AppInfo, 'homeFolder' | 'canShowFiles' | 'canChooseFolders'>
}
