import type {
  AppInfo,
  BundleAnswer,
  FixableSetting,
  LogLevel,
  TokenKeeper,
  TokenSource,
} from '../../shared/settings.ts'
import type { EngineSettings, NewProject } from '../engine/engine.ts'
import type { Clock, Desktop, Logger, LoginItem } from '../engine/lib/ports.ts'
import type { SettingsFile } from './settings/settings-file.ts'

/** What a host makes of flags, the environment and settings.json, in this order. Folders are absolute. */
export interface ResolvedSettings extends EngineSettings {
  readonly logLevel?: LogLevel
  /** Started on the sample service, in whose folders everything is. */
  readonly useSample: boolean
}

/** Where the settings come from. */
export interface SettingsSource {
  /** Absolute path of the data folder, which is there. */
  readonly homeFolder: string
  /** What `~` means: the person's own folder. */
  readonly userFolder: string
  /** What flags and the environment say, and settings.json cannot change. The token's source tells of the token. */
  readonly fixed: readonly Exclude<FixableSetting, 'token'>[]
  /** Throws `wrong-settings` or `wrong-usage`. */
  resolve(file: SettingsFile): ResolvedSettings
}

/** Where a person wants the token: `inFile`, in the private file, whatever the host would do else. */
export interface TokenChoice {
  readonly inFile: boolean
}

/** Where the host keeps the access token. */
export interface TokenStore {
  /** Undefined: there is none. Asked for at each use. */
  read(): Promise<string | undefined>
  /** Keeps it for good, in place of any other; called one at a time. Throws `wrong-settings` when it cannot be kept. */
  save(token: string, choice: TokenChoice): Promise<void>
  source(): Promise<TokenSource>
  /** Why one that is stored cannot be used, for a person; null: there is none, or it can. */
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

/** What a host lends an app. */
export interface AppPorts {
  readonly clock: Clock
  readonly logger: Logger
  readonly tokens: TokenStore
  /** Starts the embedded sample service. */
  readonly startSample: () => Promise<RunningSample>
  /** `text` must never reach the log or the console. */
  readonly keepSecret: (text: string) => void
  readonly setLogLevel: (level: LogLevel) => void
  /** Makes a support bundle and hands it to the person in the host's way. */
  readonly giveBundle: () => Promise<BundleAnswer>
  /** Where a person in front of the app can be shown a folder. */
  readonly desktop?: Desktop | undefined
  /** Where Solarchive can start with the person's session. */
  readonly loginItem?: LoginItem | undefined
  readonly appInfo: Omit<AppInfo, 'homeFolder' | 'canShowFiles' | 'canChooseFolders'>
}
