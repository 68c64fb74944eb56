import { posix, win32 } from 'node:path'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import type { EngineSettings } from '../../engine/engine.ts'
import { type NetworkSettings, proxySecrets, type WrittenProxy } from '../../engine/service/proxy-route.ts'
import { type FixableSetting, fixableSettings, type LogLevel, logLevels } from '../../../shared/setting-names.ts'
import { isUnencryptedRemote, unencryptedMeaning } from '../../../shared/service-address.ts'
import { hookSettings } from '../hooks/hook-settings.ts'
import type { SettingsFile } from './settings-file.ts'

/** The host's environment, injected so that each platform can be tested on any machine. */
export interface HostEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly currentFolder: string
  /** The user's home folder. */
  readonly userFolder: string
}

/** Base URL according to the service's documentation. */
export const defaultServiceUrl = 'https://api.portal.scanifly.com'

/**
 * Options that a host was started with, already validated. They take precedence over the environment and settings.json.
 */
export interface StartSettings {
  readonly serviceUrl?: string
  /** The user accepts a `serviceUrl` without encryption. */
  readonly allowHttp?: boolean
  /** As typed: `~` and paths relative to the current folder are allowed. */
  readonly homeFolder?: string
  readonly archiveFolder?: string
  readonly apiCallsPerMinute?: number
  readonly concurrency?: number
  /** The embedded sample service takes the place of the real one. */
  readonly useSample?: boolean
}

/** Origin of the data folder: `--home`, the environment variable, or neither. */
export type HomeSource = 'option' | 'environment' | 'default'

/** Source of the archive folder. `owner`: the process that owns the data folder. */
export type ArchiveSource = HomeSource | 'settings' | 'owner'

/** Resolved settings of a host. Folders are absolute. */
export interface HostSettings extends EngineSettings {
  readonly homeSource: HomeSource
  readonly archiveSource: ArchiveSource
  /** Token of the environment; see `TokenReader`. */
  readonly accessToken: string | undefined
  /** The embedded sample service takes the place of the real one; its own address and token are then used. */
  readonly useSample: boolean
  /** A user's answer to a service address without encryption, if there is one. */
  readonly allowHttp?: boolean
  /** Default `info`. */
  readonly logLevel?: LogLevel
}

/** Returns the settings that options or the environment fix, so that settings.json cannot change them. */
export function fixedSettings(started: StartSettings, { env }: HostEnvironment): Exclude<FixableSetting, 'token'>[] {
  const isFixed: Record<Exclude<FixableSetting, 'token'>, boolean> = {
    serviceUrl:
      started.useSample !== true && (started.serviceUrl !== undefined || Boolean(env['SOLARCHIVE_URL']?.trim())),
    archiveFolder: started.archiveFolder !== undefined || folderOf(env, 'SOLARCHIVE_ARCHIVE') !== undefined,
    apiCallsPerMinute: started.apiCallsPerMinute !== undefined,
    concurrency: started.concurrency !== undefined,
    logLevel: Boolean(env['SOLARCHIVE_LOG_LEVEL']?.trim()),
    sample: started.useSample === true,
  }
  return fixableSettings.filter((name) => name !== 'token').filter((name) => isFixed[name])
}

/** Returns a folder of the environment without surrounding whitespace, such as the CR of a file from Windows. */
function folderOf(env: HostEnvironment['env'], name: string): string | undefined {
  return env[name]?.trim() || undefined
}

function homeSourceOf(started: StartSettings, { env }: HostEnvironment): HomeSource {
  if (started.homeFolder) return 'option'
  return started.homeFolder === undefined && folderOf(env, 'SOLARCHIVE_HOME') ? 'environment' : 'default'
}

/** Returns the data folder: from options, the environment, or the platform's default. It contains settings.json. */
export function resolveHomeFolder(started: StartSettings, environment: HostEnvironment): string {
  const { env, currentFolder } = environment
  const chosen = started.homeFolder ?? folderOf(env, 'SOLARCHIVE_HOME')
  if (chosen) return resolvePath(chosen, currentFolder, environment)
  const home = defaultHomeFolder(environment)
  return started.useSample ? pathRules(environment).join(home, 'sample', 'data') : home
}

/**
 * Returns the settings by precedence: options, environment, `settings.json`, defaults. Throws `wrong-settings`, which
 * names the source of the value and what is allowed. With `callsService` false, nothing is sent to the service, so an
 * address without encryption needs no consent.
 */
export function resolveSettings(
  started: StartSettings,
  environment: HostEnvironment,
  file: SettingsFile,
  { callsService = true }: { readonly callsService?: boolean } = {},
): HostSettings {
  const apiCallsPerMinute =
    started.apiCallsPerMinute ??
    file.apiCallsPerMinute ??
    // The limit is the real service's; a local service does not need one.
    (started.useSample ? 0 : undefined)
  const concurrency = started.concurrency ?? file.concurrency
  const logLevel = logLevelOf(environment) ?? file.logLevel
  const allowHttp = allowsHttp(started, environment, file)
  const network = resolveNetwork(started, environment, file)
  return {
    serviceUrl: resolveServiceUrl(started, environment, file, callsService),
    homeFolder: resolveHomeFolder(started, environment),
    homeSource: homeSourceOf(started, environment),
    archiveFolder: resolveArchiveFolder(started, environment, file),
    archiveSource: archiveSourceOf(started, environment, file),
    accessToken: accessTokenOf(environment),
    useSample: started.useSample === true,
    ...(allowHttp === undefined ? {} : { allowHttp }),
    ...(apiCallsPerMinute === undefined ? {} : { apiCallsPerMinute }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(Object.keys(network).length === 0 ? {} : { network }),
    ...(file.schedule === undefined ? {} : { schedule: file.schedule }),
    ...(file.quietHours === undefined ? {} : { quietHours: file.quietHours }),
    ...(file.readPhotos === undefined ? {} : { readPhotos: file.readPhotos }),
    ...(logLevel === undefined ? {} : { logLevel }),
    ...evidenceSettings(file, started),
    // The sample's events are nobody's business.
    ...(started.useSample === true ? {} : hookSettings(file.hooks)),
  }
}

/** Returns the settings of time stamps. Nobody needs daily ones of the sample's photos. */
function evidenceSettings(file: SettingsFile, started: StartSettings): Pick<EngineSettings, 'evidence'> {
  const { stampDaily = false, stampAuthority, stampFallback } = file
  const authorities = [stampAuthority, stampFallback].filter((address) => address !== undefined)
  if (!stampDaily && authorities.length === 0) return {}
  return { evidence: { isDaily: stampDaily && started.useSample !== true, authorities } }
}

/** Returns the way to other machines. Settings take precedence over the environment; `NO_PROXY` applies to both. */
function resolveNetwork(
  started: StartSettings,
  environment: HostEnvironment,
  file: Pick<SettingsFile, 'proxy' | 'caFile'>,
): NetworkSettings {
  const { env } = environment
  const { proxy = 'environment', caFile } = file
  const chosen = proxy === 'none' ? undefined : { text: proxy, from: '"proxy" in the settings' }
  const isOfEnvironment = proxy === 'environment'
  const httpsProxy = isOfEnvironment ? proxyVariable(env, 'HTTPS_PROXY') : chosen
  const httpProxy = isOfEnvironment ? proxyVariable(env, 'HTTP_PROXY') : chosen
  const noProxy = variable(env, 'NO_PROXY')
  const extraCaFile = env['NODE_EXTRA_CA_CERTS']
  return {
    ...(httpsProxy !== undefined && { httpsProxy }),
    ...(httpProxy !== undefined && { httpProxy }),
    ...(noProxy !== undefined && { noProxy }),
    ...(caFile !== undefined && { caFile: resolvePath(caFile, resolveHomeFolder(started, environment), environment) }),
    ...(extraCaFile && { extraCaFile }),
  }
}

function proxyVariable(env: HostEnvironment['env'], name: string): WrittenProxy | undefined {
  const [found] = [name, 'ALL_PROXY'].flatMap((from) => {
    const text = variable(env, from)
    return text === undefined ? [] : [{ text, from }]
  })
  return found
}

/** Returns a variable of proxies, which other programs read in lower case first. */
function variable(env: HostEnvironment['env'], name: string): string | undefined {
  return env[name.toLowerCase()]?.trim() || env[name]?.trim() || undefined
}

function logLevelOf({ env }: HostEnvironment): LogLevel | undefined {
  const chosen = env['SOLARCHIVE_LOG_LEVEL']?.trim().toLowerCase()
  if (!chosen) return undefined
  const level = logLevels.find((known) => known === chosen)
  if (level !== undefined) return level
  throw new AppError('wrong-settings', `SOLARCHIVE_LOG_LEVEL must be one of ${logLevels.join(', ')}.`)
}

function resolveServiceUrl(
  started: StartSettings,
  environment: HostEnvironment,
  file: SettingsFile,
  callsService: boolean,
): string {
  if (started.useSample) return defaultServiceUrl
  const answer = allowsHttp(started, environment, file)
  // Only what is sent needs consent.
  const allowed = callsService ? answer : true
  if (started.serviceUrl !== undefined) return accepted(started.serviceUrl, '--url', 'wrong-usage', allowed)
  const variable = environment.env['SOLARCHIVE_URL']?.trim()
  if (variable) {
    const url = checkedUrl(variable, 'SOLARCHIVE_URL', 'wrong-settings')
    return accepted(url, 'SOLARCHIVE_URL', 'wrong-settings', allowed)
  }
  if (file.serviceUrl === undefined) return defaultServiceUrl
  const where = '"serviceUrl" in settings.json'
  // Nobody was asked before there was a question: such an archive is still used, with `unencryptedWarning`.
  return accepted(checkedUrl(file.serviceUrl, where, 'wrong-settings'), where, 'wrong-settings', allowed ?? true)
}

/** Returns the user's answer to an address without encryption: of the option, the environment, or settings.json. */
function allowsHttp(started: StartSettings, { env }: HostEnvironment, file: SettingsFile): boolean | undefined {
  const variable = env['SOLARCHIVE_ALLOW_HTTP']?.trim()
  if (variable && !['0', '1'].includes(variable)) {
    throw new AppError('wrong-settings', 'SOLARCHIVE_ALLOW_HTTP must be 1 or 0.')
  }
  return started.allowHttp ?? (variable ? variable === '1' : file.allowHttp)
}

/** Returns the URL unless it is without encryption and was not accepted; throws `code` then. */
function accepted(url: string, where: string, code: ErrorCode, isAllowed: boolean | undefined): string {
  if (isAllowed === true || !isUnencryptedRemote(url)) return url
  throw new AppError(
    code,
    `${where} starts with http://, so ${unencryptedMeaning} Nothing was sent. Use https:// if the service offers it. ` +
      'If you accept this, add --allow-http, or set SOLARCHIVE_ALLOW_HTTP=1 or "allowHttp": true in settings.json.',
  )
}

/** Returns a warning if the address is without encryption and no user was asked about it yet. */
export function unencryptedWarning({
  serviceUrl,
  allowHttp,
  useSample,
}: Pick<HostSettings, 'serviceUrl' | 'allowHttp' | 'useSample'>): string | undefined {
  if (useSample || allowHttp !== undefined || !isUnencryptedRemote(serviceUrl)) return undefined
  return (
    `"serviceUrl" in settings.json starts with http://, so ${unencryptedMeaning} Change it to https:// if the ` +
    'service offers it. If you accept this, set "allowHttp": true in settings.json, or confirm it in the settings of ' +
    'the app.'
  )
}

/**
 * Returns the text if it is a plain URL, and throws otherwise. The message names its source, `where`, but never repeats
 * the text, which may contain a token.
 */
export function checkedUrl(text: string, where: string, code: ErrorCode): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new AppError(code, `${where} must be an address that starts with https://, such as ${defaultServiceUrl}.`)
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new AppError(
      code,
      `${where} must be the plain address of the service, such as ${defaultServiceUrl}. ` +
        'A token or password does not belong in it: put the access token into SOLARCHIVE_TOKEN, or into the file ' +
        '"token" in the data folder.',
    )
  }
  return text
}

function resolveArchiveFolder(started: StartSettings, environment: HostEnvironment, file: SettingsFile): string {
  const { env, currentFolder } = environment
  const chosen = started.archiveFolder ?? folderOf(env, 'SOLARCHIVE_ARCHIVE')
  if (chosen) return resolvePath(chosen, currentFolder, environment)
  if (file.archiveFolder !== undefined) {
    return resolvePath(file.archiveFolder, resolveHomeFolder(started, environment), environment)
  }
  if (started.useSample) return sampleArchiveFolder(environment)
  return defaultArchiveFolder(environment)
}

function archiveSourceOf(started: StartSettings, { env }: HostEnvironment, file: SettingsFile): ArchiveSource {
  if (started.archiveFolder) return 'option'
  if (started.archiveFolder === undefined && folderOf(env, 'SOLARCHIVE_ARCHIVE')) return 'environment'
  return file.archiveFolder === undefined ? 'default' : 'settings'
}

/** Returns the token of the environment without surrounding whitespace, or undefined if it is empty. */
export function accessTokenOf({ env }: HostEnvironment): string | undefined {
  const token = env['SOLARCHIVE_TOKEN']?.trim()
  return token === '' ? undefined : token
}

/** Returns everything in the environment that must not be shown: the token, and passwords of proxies. */
export function environmentSecrets(environment: HostEnvironment): string[] {
  const network = resolveNetwork({}, environment, {})
  return [accessTokenOf(environment) ?? '', ...proxySecrets(network)]
}

/** Returns the path functions of the platform. */
function pathRules({ platform }: HostEnvironment): typeof posix {
  return platform === 'win32' ? win32 : posix
}

/** Returns the platform's folder for a program's data: database, settings, logs. */
export function defaultHomeFolder(environment: HostEnvironment): string {
  const { env, platform, userFolder } = environment
  const path = pathRules(environment)
  if (platform === 'darwin') return path.join(userFolder, 'Library', 'Application Support', 'Solarchive')
  if (platform === 'win32')
    return path.join(env['LOCALAPPDATA'] || path.join(userFolder, 'AppData', 'Local'), 'Solarchive')
  // The XDG specification says to ignore relative values.
  const dataHome = env['XDG_DATA_HOME'] ?? ''
  return path.join(path.isAbsolute(dataHome) ? dataHome : path.join(userFolder, '.local', 'share'), 'solarchive')
}

/** Returns the default archive folder, which is easy to find in the user's home folder. */
export function defaultArchiveFolder(environment: HostEnvironment): string {
  return pathRules(environment).join(environment.userFolder, 'Solarchive')
}

/** Returns the archive folder of the sample service. */
export function sampleArchiveFolder(environment: HostEnvironment): string {
  return pathRules(environment).join(defaultHomeFolder(environment), 'sample', 'archive')
}

/** Returns a typed path as an absolute one: `~` is the user's home folder, and relative paths start at `base`. */
function resolvePath(written: string, base: string, environment: HostEnvironment): string {
  const path = pathRules(environment)
  if (written === '~') return environment.userFolder
  if (/^~[/\\]/.test(written)) return path.join(environment.userFolder, written.slice(2))
  return path.resolve(base, written)
}
