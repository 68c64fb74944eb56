import { posix, win32 } from 'node:path'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import type { EngineSettings } from '../../engine/engine.ts'
import { type FixableSetting, fixableSettings, type LogLevel, logLevels } from '../../../shared/settings.ts'
import type { SettingsFile } from './settings-file.ts'

/** What of the machine decides where things are. Given, so that every platform can be tested on one. */
export interface HostEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly currentFolder: string
  /** The user's own folder. */
  readonly userFolder: string
}

/** The address that the service's own documentation gives. */
const defaultServiceUrl = 'https://api.portal.scanifly.com'

/** What a host was started with: it goes before the environment and settings.json. Checked by the host, which knows its options. */
export interface StartSettings {
  readonly serviceUrl?: string
  /** As it was written: `~` and paths that begin where Solarchive was started are allowed. */
  readonly homeFolder?: string
  readonly archiveFolder?: string
  readonly apiCallsPerMinute?: number
  readonly concurrency?: number
  /** The embedded sample service takes the place of the real one. */
  readonly useSample?: boolean
}

/** What a host runs with. Folders are absolute. */
export interface HostSettings extends EngineSettings {
  /** The environment's, see `TokenSource`. */
  readonly accessToken: string | undefined
  /** The embedded sample service takes the place of the real one; its own address and token are then used. */
  readonly useSample: boolean
  /** Default `info`. */
  readonly logLevel?: LogLevel
}

/** What the start and the environment say, so that settings.json cannot change it. */
export function fixedSettings(started: StartSettings, { env }: HostEnvironment): Exclude<FixableSetting, 'token'>[] {
  const isFixed: Record<Exclude<FixableSetting, 'token'>, boolean> = {
    serviceUrl: started.serviceUrl !== undefined || Boolean(env['SOLARCHIVE_URL']?.trim()),
    archiveFolder: started.archiveFolder !== undefined || Boolean(env['SOLARCHIVE_ARCHIVE']),
    apiCallsPerMinute: started.apiCallsPerMinute !== undefined,
    concurrency: started.concurrency !== undefined,
    logLevel: Boolean(env['SOLARCHIVE_LOG_LEVEL']?.trim()),
    sample: started.useSample === true,
  }
  return fixableSettings.filter((name) => name !== 'token').filter((name) => isFixed[name])
}

/** The data folder: by the start, by environment, or where the platform wants it. Settings cannot move it: they lie in it. */
export function resolveHomeFolder(started: StartSettings, environment: HostEnvironment): string {
  const { env, currentFolder } = environment
  const given = started.homeFolder ?? env['SOLARCHIVE_HOME']
  if (given) return resolvePath(given, currentFolder, environment)
  const home = defaultHomeFolder(environment)
  return started.useSample ? pathRules(environment).join(home, 'sample', 'data') : home
}

/**
 * Settings by precedence: the start, environment, `settings.json`, defaults. Throws `wrong-settings`, naming where the
 * value stands and what is allowed.
 */
export function resolveSettings(
  started: StartSettings,
  environment: HostEnvironment,
  file: SettingsFile,
): HostSettings {
  const apiCallsPerMinute =
    started.apiCallsPerMinute ??
    file.apiCallsPerMinute ??
    // The limit is that of the real service; on one's own machine it would only make a person wait.
    (started.useSample ? 0 : undefined)
  const concurrency = started.concurrency ?? file.concurrency
  const logLevel = logLevelOf(environment) ?? file.logLevel
  return {
    serviceUrl: resolveServiceUrl(started, environment, file),
    homeFolder: resolveHomeFolder(started, environment),
    archiveFolder: resolveArchiveFolder(started, environment, file),
    accessToken: accessTokenOf(environment),
    useSample: started.useSample === true,
    ...(apiCallsPerMinute === undefined ? {} : { apiCallsPerMinute }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(file.schedule === undefined ? {} : { schedule: file.schedule }),
    ...(file.quietHours === undefined ? {} : { quietHours: file.quietHours }),
    ...(logLevel === undefined ? {} : { logLevel }),
  }
}

function logLevelOf({ env }: HostEnvironment): LogLevel | undefined {
  const given = env['SOLARCHIVE_LOG_LEVEL']?.trim().toLowerCase()
  if (!given) return undefined
  const level = logLevels.find((known) => known === given)
  if (level !== undefined) return level
  throw new AppError('wrong-settings', `SOLARCHIVE_LOG_LEVEL has to be one of ${logLevels.join(', ')}.`)
}

function resolveServiceUrl(started: StartSettings, { env }: HostEnvironment, file: SettingsFile): string {
  if (started.useSample) return defaultServiceUrl
  if (started.serviceUrl !== undefined) return started.serviceUrl
  const variable = env['SOLARCHIVE_URL']?.trim()
  if (variable) return checkedUrl(variable, 'SOLARCHIVE_URL', 'wrong-settings')
  if (file.serviceUrl !== undefined)
    return checkedUrl(file.serviceUrl, '"serviceUrl" in settings.json', 'wrong-settings')
  return defaultServiceUrl
}

/** The message never repeats the address: a token may have been pasted with it. `where` it stands, for the person. */
export function checkedUrl(text: string, where: string, code: ErrorCode): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new AppError(code, `${where} has to be an address that starts with https://, such as ${defaultServiceUrl}.`)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new AppError(
      code,
      `${where} has to be the plain address of the service, such as ${defaultServiceUrl}. ` +
        'A token or password does not belong in it: put the access token into SOLARCHIVE_TOKEN, or into the file "token" in the data folder.',
    )
  }
  return text
}

function resolveArchiveFolder(started: StartSettings, environment: HostEnvironment, file: SettingsFile): string {
  const { env, currentFolder } = environment
  const given = started.archiveFolder ?? env['SOLARCHIVE_ARCHIVE']
  if (given) return resolvePath(given, currentFolder, environment)
  if (file.archiveFolder !== undefined) {
    return resolvePath(file.archiveFolder, resolveHomeFolder(started, environment), environment)
  }
  if (started.useSample) return sampleArchiveFolder(environment)
  return defaultArchiveFolder(environment)
}

/** A token pasted with spaces or a line break around it is meant without them; an empty one is none. */
export function accessTokenOf({ env }: HostEnvironment): string | undefined {
  const token = env['SOLARCHIVE_TOKEN']?.trim()
  return token === '' ? undefined : token
}

/** The path rules of the platform. */
export function pathRules({ platform }: HostEnvironment): typeof posix {
  return platform === 'win32' ? win32 : posix
}

/** Where the platform wants a program's data: database, settings, logs. */
export function defaultHomeFolder(environment: HostEnvironment): string {
  const { env, platform, userFolder } = environment
  const path = pathRules(environment)
  if (platform === 'darwin') return path.join(userFolder, 'Library', 'Application Support', 'Solarchive')
  if (platform === 'win32')
    return path.join(env['LOCALAPPDATA'] || path.join(userFolder, 'AppData', 'Local'), 'Solarchive')
  // The XDG specification has relative values ignored.
  const dataHome = env['XDG_DATA_HOME'] ?? ''
  return path.join(path.isAbsolute(dataHome) ? dataHome : path.join(userFolder, '.local', 'share'), 'solarchive')
}

/** Where the files go: in plain sight of the person whose files they are. */
export function defaultArchiveFolder(environment: HostEnvironment): string {
  return pathRules(environment).join(environment.userFolder, 'Solarchive')
}

/** Where the sample's files go, away from the person's own. */
export function sampleArchiveFolder(environment: HostEnvironment): string {
  return pathRules(environment).join(defaultHomeFolder(environment), 'sample', 'archive')
}

/** A path that a person wrote: `~` is the user's folder, and relative paths start at `base`. */
export function resolvePath(written: string, base: string, environment: HostEnvironment): string {
  const path = pathRules(environment)
  if (written === '~') return environment.userFolder
  if (/^~[/\\]/.test(written)) return path.join(environment.userFolder, written.slice(2))
  return path.resolve(base, written)
}
