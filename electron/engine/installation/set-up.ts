import { join } from 'node:path'
import type { ParsedInput } from '../../../shared/contract.ts'
import { AppError } from '../../../shared/errors.ts'
import type { FixableSetting, SettingsPatch } from '../../../shared/settings.ts'
import { toDiskError } from '../archive/disk-error.ts'
import { probeWriting } from '../archive/probe-writing.ts'
import { makeFolders } from '../make-folders.ts'
import { normalizeBaseUrl } from '../service/base-url.ts'
import { absoluteFolder, type ArchivePlaces, checkArchiveFolder } from './check-archive-folder.ts'
import type { Configuration } from './configuration.ts'
import type { EngineHolder, OpenedEngine } from './engine-holder.ts'
import { isThere } from './is-there.ts'
import type { InstallationPorts, SettingsSource } from './installation-ports.ts'

export interface SetUpParts {
  readonly source: SettingsSource
  readonly ports: InstallationPorts
  readonly configuration: Configuration
  readonly engines: EngineHolder
  readonly open: () => Promise<OpenedEngine>
  /** Throws while the archive may only be read. */
  readonly requireArchiveAtRest: () => void
}

/** First run and settings: what a person chooses, checked, kept, and put into force. */
export function createSetUp(parts: SetUpParts) {
  const { source, ports, configuration, engines, open, requireArchiveAtRest } = parts
  const places = (): ArchivePlaces => ({
    homeFolder: source.homeFolder,
    userFolder: source.userFolder,
    archivedFolders: configuration.usesSample ? [] : (engines.present?.archivedFolders() ?? []),
  })

  async function start({ rest }: { readonly rest: boolean }): Promise<void> {
    if (!configuration.saysAnything && !(await isThere(join(source.homeFolder, 'solarchive.sqlite3')))) return
    await engines.replace(open, { rest })
    // A database alone, as a listing of no projects leaves one, is no set-up.
    if (!configuration.saysAnything && engines.present?.projects.list().length === 0) await engines.replace(undefined)
  }

  /** What may stay as it is where a flag or the environment says it. */
  function requireFreeOrSame(name: FixableSetting, isSame: boolean): void {
    if (!isSame) configuration.requireFree(name)
  }

  async function requireArchiveFolder(typed: string, adopt: boolean): Promise<string> {
    const { folder, problem, isArchive } = await checkArchiveFolder(typed, places())
    if (problem !== null) throw new AppError('wrong-settings', `${problem} Nothing was changed.`)
    if (isArchive && !adopt && !isOwn(folder)) {
      throw new AppError(
        'wrong-settings',
        'There is an archive in this folder already. Say that it is to be taken over, or choose another folder. Nothing was changed.',
        { details: { isArchive: true } },
      )
    }
    return folder
  }

  /** `places` had it refused where the archive is elsewhere. */
  function isOwn(folder: string): boolean {
    return (
      places().archivedFolders.length > 0 ||
      (engines.present !== undefined && folder === configuration.engineSettings.archiveFolder)
    )
  }

  async function requireToken(given: string | undefined): Promise<void> {
    if (given !== undefined && given !== '') {
      requireFreeOrSame('token', given === (await ports.tokens.read()))
      requireSendable(given)
      return
    }
    if (configuration.tokenSource !== 'none') return
    throw new AppError(
      'wrong-settings',
      'The access token is missing. An administrator of the account makes one, under Settings, Access Tokens. Nothing was changed.',
    )
  }

  return {
    start,
    places,

    async complete(input: ParsedInput<'setup.complete'>): Promise<void> {
      requireArchiveAtRest()
      configuration.requireFree('sample')
      const serviceUrl = normalizeBaseUrl(input.serviceUrl)
      requireFreeOrSame('serviceUrl', serviceUrl === normalizeBaseUrl(configuration.resolved.serviceUrl))
      const { archiveFolder } = configuration.resolved
      requireFreeOrSame('archiveFolder', absoluteFolder(input.archiveFolder, source.userFolder) === archiveFolder)
      await requireToken(input.token)
      const folder = await requireArchiveFolder(input.archiveFolder, input.adopt)
      await makeFolder(folder)
      if (input.token !== undefined && input.token !== '' && configuration.tokenSource !== 'environment') {
        ports.keepSecret(input.token)
        await configuration.saveToken(input.token)
      }
      await configuration.change({ serviceUrl, archiveFolder: folder, useSample: null })
      await engines.replace(open)
    },

    async useSample(): Promise<void> {
      requireArchiveAtRest()
      if (configuration.usesSample) return
      configuration.requireFree('sample')
      await configuration.change({ useSample: true })
      await engines.replace(open)
    },

    /** The engine is opened anew where the change is its own. */
    async save(patch: SettingsPatch): Promise<void> {
      const { settings } = configuration
      const serviceUrl = patch.serviceUrl === undefined ? undefined : normalizeBaseUrl(patch.serviceUrl)
      for (const name of ['apiCallsPerMinute', 'concurrency', 'logLevel'] as const) {
        requireFreeOrSame(name, patch[name] === undefined || patch[name] === settings[name])
      }
      const isSameService = serviceUrl === undefined || serviceUrl === normalizeBaseUrl(settings.serviceUrl)
      for (const name of ['serviceUrl', 'sample'] as const) requireFreeOrSame(name, isSameService)
      if (isOfEngine(patch)) requireArchiveAtRest()
      const before = JSON.stringify(configuration.engineSettings)
      const notifications = patch.notifications && { ...settings.notifications, ...patch.notifications }
      await configuration.change({ ...patch, serviceUrl: isSameService ? undefined : serviceUrl, notifications })
      ports.setLogLevel(configuration.settings.logLevel)
      if (engines.present === undefined) return
      if (JSON.stringify(configuration.engineSettings) !== before) await engines.replace(open)
    },

    async saveToken(token: string): Promise<void> {
      configuration.requireFree('token')
      requireSendable(token)
      ports.keepSecret(token)
      await configuration.saveToken(token)
      // What was refused for want of a token is tried again at once.
      engines.present?.watch.nudge()
    },
  }
}

/** Whether an engine has to be opened anew for it. */
function isOfEngine({ serviceUrl, apiCallsPerMinute, concurrency, quietHours }: SettingsPatch): boolean {
  return [serviceUrl, apiCallsPerMinute, concurrency, quietHours].some((setting) => setting !== undefined)
}

function requireSendable(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return
  throw new AppError(
    'wrong-settings',
    'The token holds spaces or characters that no token has. Copy it again, as a whole. Nothing was changed.',
  )
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await makeFolders(folder)
    await probeWriting(folder)
  } catch (error) {
    const { message } = toDiskError(error, `use the folder ${folder}`)
    throw new AppError('wrong-settings', message, { cause: error })
  }
}
