import { AppError, type ErrorCode } from '../../../shared/errors.ts'
import type { EngineSettings } from '../../engine/engine.ts'
import { type FixableSetting, fixableSettings, type LogLevel, logLevels } from '../../../shared/settings.ts'
import {
  defaultArchiveFolder,
  defaultHomeFolder,
  pathRules,
  resolvePath,
  type Surroundings,
} from './default-folders.ts'
import type { SettingsFile } from '../../engine/installation/settings-file.ts'

/** The address that the service's own documentation gives. */
const defaultServiceUrl = 'https://api.portal.scanifly.com'

/** The options that every command takes, as they were written. */
export interface GlobalFlags {
  readonly url?: string
  readonly home?: string
  readonly archive?: string
  readonly apiRate?: string
  readonly concurrency?: string
  readonly json?: true
  readonly quiet?: true
  readonly sample?: true
}

/** What a command runs with. Folders are absolute. */
export interface HeadlessSettings extends EngineSettings {
  /** The environment's, see `TokenSource`. */
  readonly accessToken: string | undefined
  /** The embedded sample service takes the place of the real one; its own address and token are then used. */
  readonly useSample: boolean
  /** Default `info`. */
  readonly logLevel?: LogLevel
}

/** What flags and the environment say, so that settings.json cannot change it. */
export function fixedSettings(flags: GlobalFlags, { env }: Surroundings): Exclude<FixableSetting, 'token'>[] {
  const isFixed: Record<Exclude<FixableSetting, 'token'>, boolean> = {
    serviceUrl: flags.url !== undefined || Boolean(env['SOLARCHIVE_URL']?.trim()),
    archiveFolder: flags.archive !== undefined || Boolean(env['SOLARCHIVE_ARCHIVE']),
    apiCallsPerMinute: flags.apiRate !== undefined,
    concurrency: flags.concurrency !== undefined,
    logLevel: Boolean(env['SOLARCHIVE_LOG_LEVEL']?.trim()),
    sample: flags.sample === true,
  }
  return fixableSettings.filter((name) => name !== 'token').filter((name) => isFixed[name])
}

/** The data folder: by flag, by environment, or where the platform wants it. Settings cannot move it: they lie in it. */
export function resolveHomeFolder(flags: GlobalFlags, surroundings: Surroundings): string {
  const { env, currentFolder } = surroundings
  const given = givenText(flags.home, '--home') ?? env['SOLARCHIVE_HOME']
  if (given) return resolvePath(given, currentFolder, surroundings)
  const home = defaultHomeFolder(surroundings)
  return flags.sample ? pathRules(surroundings).join(home, 'sample', 'data') : home
}

/**
 * Settings by precedence: flags, environment, `settings.json`, defaults. Throws `wrong-usage` for a flag and
 * `wrong-settings` for the rest, naming where the value stands and what is allowed.
 */
export function resolveSettings(flags: GlobalFlags, surroundings: Surroundings, file: SettingsFile): HeadlessSettings {
  if (flags.sample && flags.url !== undefined) {
    throw new AppError('wrong-usage', '--sample brings its own service along, so it does not go with --url.')
  }
  const apiCallsPerMinute =
    wholeNumber(flags.apiRate, '--api-rate', 0, Number.MAX_SAFE_INTEGER, '0 (no limit) or more') ??
    file.apiCallsPerMinute ??
    // The limit is that of the real service; on one's own machine it would only make a person wait.
    (flags.sample ? 0 : undefined)
  const concurrency = wholeNumber(flags.concurrency, '--concurrency', 1, 64, 'from 1 to 64') ?? file.concurrency
  const logLevel = logLevelOf(surroundings) ?? file.logLevel
  return {
    serviceUrl: resolveServiceUrl(flags, surroundings, file),
    homeFolder: resolveHomeFolder(flags, surroundings),
    archiveFolder: resolveArchiveFolder(flags, surroundings, file),
    accessToken: accessTokenOf(surroundings),
    useSample: flags.sample === true,
    ...(apiCallsPerMinute === undefined ? {} : { apiCallsPerMinute }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(file.quietHours === undefined ? {} : { quietHours: file.quietHours }),
    ...(logLevel === undefined ? {} : { logLevel }),
  }
}

function logLevelOf({ env }: Surroundings): LogLevel | undefined {
  const given = env['SOLARCHIVE_LOG_LEVEL']?.trim().toLowerCase()
  if (!given) return undefined
  const level = logLevels.find((known) => known === given)
  if (level !== undefined) return level
  throw new AppError('wrong-settings', `SOLARCHIVE_LOG_LEVEL has to be one of ${logLevels.join(', ')}.`)
}

function resolveServiceUrl(flags: GlobalFlags, { env }: Surroundings, file: SettingsFile): string {
  if (flags.sample) return defaultServiceUrl
  const flag = givenText(flags.url, '--url')
  if (flag !== undefined) return checkedUrl(flag, '--url', 'wrong-usage')
  const variable = env['SOLARCHIVE_URL']?.trim()
  if (variable) return checkedUrl(variable, 'SOLARCHIVE_URL', 'wrong-settings')
  if (file.serviceUrl !== undefined)
    return checkedUrl(file.serviceUrl, '"serviceUrl" in settings.json', 'wrong-settings')
  return defaultServiceUrl
}

/** The message never repeats the address: a token may have been pasted with it. */
function checkedUrl(text: string, where: string, code: ErrorCode): string {
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

function resolveArchiveFolder(flags: GlobalFlags, surroundings: Surroundings, file: SettingsFile): string {
  const { env, currentFolder } = surroundings
  const given = givenText(flags.archive, '--archive') ?? env['SOLARCHIVE_ARCHIVE']
  if (given) return resolvePath(given, currentFolder, surroundings)
  if (file.archiveFolder !== undefined) {
    return resolvePath(file.archiveFolder, resolveHomeFolder(flags, surroundings), surroundings)
  }
  if (flags.sample) return pathRules(surroundings).join(defaultHomeFolder(surroundings), 'sample', 'archive')
  return defaultArchiveFolder(surroundings)
}

function givenText(flag: string | undefined, name: string): string | undefined {
  if (flag?.trim() === '') throw new AppError('wrong-usage', `${name} needs a value.`)
  return flag?.trim()
}

function wholeNumber(
  flag: string | undefined,
  name: string,
  lowest: number,
  highest: number,
  allowed: string,
): number | undefined {
  if (flag === undefined) return undefined
  const value = /^\d+$/.test(flag.trim()) ? Number(flag) : Number.NaN
  if (value >= lowest && value <= highest) return value
  throw new AppError('wrong-usage', `${name} has to be a whole number, ${allowed}; "${flag}" is not.`)
}

/** A token pasted with spaces or a line break around it is meant without them; an empty one is none. */
export function accessTokenOf({ env }: Surroundings): string | undefined {
  const token = env['SOLARCHIVE_TOKEN']?.trim()
  return token === '' ? undefined : token
}
