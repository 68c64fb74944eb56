import { join } from 'node:path'
import type { ParsedInput } from '../../../shared/contract/calls.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { ConnectionTest, FixableSetting, SettingsPatch } from '../../../shared/settings.ts'
import { pathExists, toDiskError } from '../../engine/lib/fs/disk-error.ts'
import { probeWriting } from '../../engine/lib/fs/side-files.ts'
import { makeFolders } from '../../engine/lib/fs/make-folders.ts'
import { isSameOrigin, normalizeBaseUrl } from '../../engine/service/base-url.ts'
import { databaseName } from '../../engine/store/database-files.ts'
import { absoluteFolder, type ArchivePlaces, checkArchiveFolder } from './archive-folder.ts'
import type { Configuration } from './configuration.ts'
import { ownTokenAdvice } from './connection-tester.ts'
import type { EngineHolder, OpenedEngine } from '../engine-holder.ts'
import type { AppPorts, SettingsSource, TokenChoice } from '../ports.ts'
import type { SettingsFileChange } from './settings-file.ts'

export interface SetUpParts {
  readonly source: SettingsSource
  readonly ports: AppPorts
  readonly configuration: Configuration
  readonly engines: EngineHolder
  readonly open: () => Promise<OpenedEngine>
  /** Throws while the archive may only be read. */
  readonly requireArchiveAtRest: () => void
  readonly testConnection: (asked: { readonly serviceUrl: string; readonly token: string }) => Promise<ConnectionTest>
}

interface NewToken extends TokenChoice {
  readonly text: string
}

/** The first run and the settings: choices are checked, stored, and applied. */
export type SetUp = ReturnType<typeof createSetUp>

export function createSetUp(parts: SetUpParts) {
  const { source, ports, configuration, engines, open, requireArchiveAtRest, testConnection } = parts
  const folders = (): ArchivePlaces => ({
    homeFolder: source.homeFolder,
    userFolder: source.userFolder,
    archivedFolders: configuration.usesSample ? [] : (engines.present?.archivedFolders() ?? []),
    saidFolder: configuration.saidArchiveFolder,
  })

  async function start({ rest }: { readonly rest: boolean }): Promise<void> {
    if (!configuration.saysAnything && !(await pathExists(join(source.homeFolder, databaseName)))) return
    await engines.replace(open, { rest })
    // A database alone, as a listing of no projects leaves one, is no set-up.
    if (!configuration.saysAnything && engines.present?.projects.list().length === 0) await engines.replace(undefined)
  }

  /** What may stay as it is where a flag or the environment says it. */
  function requireFreeOrSame(name: FixableSetting, isSame: boolean): void {
    if (!isSame) configuration.requireFree(name)
  }

  async function requireArchiveFolder(typed: string, adopt: boolean): Promise<string> {
    const { folder, problem, isArchive } = await checkArchiveFolder(typed, folders())
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

  /** `checkArchiveFolder` has refused the folder if the archive is elsewhere. */
  function isOwn(folder: string): boolean {
    return (
      folders().archivedFolders.length > 0 ||
      (engines.present !== undefined && folder === configuration.engineSettings.archiveFolder)
    )
  }

  function requireKeeper(inFile: boolean): void {
    if (inFile || configuration.keepsTokenIn !== 'nowhere') return
    throw new AppError(
      'wrong-settings',
      'This computer has no keyring that Solarchive could use. Choose to keep the token in a private file. Nothing was changed.',
    )
  }

  /** What was typed, where it may be used. */
  async function checkedToken(typed: string | undefined, inFile = false): Promise<NewToken | undefined> {
    if (typed === undefined || typed === '') return undefined
    requireFreeOrSame('token', typed === (await ports.tokens.read()))
    requireSendable(typed)
    if (configuration.tokenSource !== 'environment') requireKeeper(inFile)
    return { text: typed, inFile }
  }

  /** The token that is there was given for the present service: no other one gets it without somebody's saying so. */
  async function requireOwnToken(serviceUrl: string): Promise<void> {
    if (isSameOrigin(serviceUrl, configuration.resolved.serviceUrl)) return
    if ((await ports.tokens.read()) === undefined) return
    throw new AppError('wrong-settings', `${ownTokenAdvice(configuration.tokenSource)} Nothing was changed.`)
  }

  /** Settings and token, or nothing of both. `token` undefined: it stays. */
  async function keep(change: SettingsFileChange, token: NewToken | undefined): Promise<void> {
    const undo = await configuration.change(change)
    if (token === undefined || configuration.tokenSource === 'environment') return
    ports.keepSecret(token.text)
    try {
      await configuration.saveToken(token.text, token)
    } catch (error) {
      await configuration.change(undo)
      throw error
    }
  }

  /** Between two engines: neither service is asked for anything with the token of the other. */
  async function changeService(change: SettingsFileChange, token: NewToken | undefined): Promise<void> {
    const hadEngine = engines.present !== undefined
    let problem: AppError | undefined
    await engines.replace(async () => {
      try {
        await keep(change, token)
      } catch (error) {
        problem = toAppError(error)
      }
      return problem === undefined || hadEngine ? open() : undefined
    })
    if (problem !== undefined) throw problem
  }

  return {
    start,
    folders,

    async complete(input: ParsedInput<'setup.complete'>): Promise<void> {
      requireArchiveAtRest()
      configuration.requireFree('sample')
      const serviceUrl = normalizeBaseUrl(input.serviceUrl)
      requireFreeOrSame('serviceUrl', serviceUrl === normalizeBaseUrl(configuration.resolved.serviceUrl))
      const { archiveFolder } = configuration.resolved
      requireFreeOrSame('archiveFolder', absoluteFolder(input.archiveFolder, source.userFolder) === archiveFolder)
      const token = await checkedToken(input.token, input.tokenInFile)
      if (token === undefined) {
        if (configuration.tokenSource === 'none') throw noToken(configuration.tokenProblem)
        await requireOwnToken(serviceUrl)
      }
      const folder = await requireArchiveFolder(input.archiveFolder, input.adopt)
      await makeFolder(folder)
      await changeService({ serviceUrl, archiveFolder: folder, useSample: null }, token)
    },

    async useSample(): Promise<void> {
      requireArchiveAtRest()
      if (configuration.usesSample) return
      configuration.requireFree('sample')
      await configuration.change({ useSample: true })
      await engines.replace(open)
    },

    /** The engine is opened anew where the change is its own. */
    async save({ token: typed, tokenInFile, ...patch }: SettingsPatch): Promise<void> {
      const { settings } = configuration
      const serviceUrl = patch.serviceUrl === undefined ? undefined : normalizeBaseUrl(patch.serviceUrl)
      for (const name of ['apiCallsPerMinute', 'concurrency', 'logLevel'] as const) {
        requireFreeOrSame(name, patch[name] === undefined || patch[name] === settings[name])
      }
      const isSameService = serviceUrl === undefined || serviceUrl === normalizeBaseUrl(settings.serviceUrl)
      for (const name of ['serviceUrl', 'sample'] as const) requireFreeOrSame(name, isSameService)
      const token = await checkedToken(typed, tokenInFile)
      if (token === undefined && serviceUrl !== undefined) await requireOwnToken(serviceUrl)
      if (isOfEngine(patch)) requireArchiveAtRest()
      const before = JSON.stringify(configuration.engineSettings)
      const notifications = patch.notifications && { ...settings.notifications, ...patch.notifications }
      const change = { ...patch, serviceUrl: isSameService ? undefined : serviceUrl, notifications }
      if (!isSameService && engines.present !== undefined) await changeService(change, token)
      else await keep(change, token)
      ports.setLogLevel(configuration.settings.logLevel)
      if (!isSameService || engines.present === undefined) return
      if (JSON.stringify(configuration.engineSettings) !== before) await engines.replace(open)
    },

    /** Throws `token-refused` for one that the service refuses. Where it cannot be asked, the token may be right. */
    async requireAccepted(token: string): Promise<void> {
      if (configuration.tokenSource === 'environment') return
      requireSendable(token)
      const { serviceUrl } = configuration.resolved
      const { outcome } = await testConnection({ serviceUrl, token })
      if (outcome === 'bad-token') throw refusedToken(configuration.tokenSource !== 'none')
    },

    async saveToken({ token, inFile }: ParsedInput<'token.save'>): Promise<void> {
      // The environment's stands in the way only until it is refused.
      await configuration.lookForToken()
      configuration.requireFree('token')
      requireSendable(token)
      requireKeeper(inFile)
      ports.keepSecret(token)
      await configuration.saveToken(token, { inFile })
      // What was refused for want of a token is tried again at once.
      engines.present?.watch.recheck()
    },
  }
}

function refusedToken(isOneStored: boolean): AppError {
  const kept = isOneStored ? 'The stored one was kept.' : 'It was not stored.'
  return new AppError('token-refused', `The service refuses this token. ${kept}`)
}

function noToken(problem: string | null): AppError {
  const missing =
    'The access token is missing. An administrator of the account makes one, under Settings, Access Tokens.'
  return new AppError('wrong-settings', `${problem ?? missing} Nothing was changed.`)
}

/** Whether an engine has to be opened anew for it. */
function isOfEngine({ serviceUrl, apiCallsPerMinute, concurrency, schedule, quietHours }: SettingsPatch): boolean {
  return [serviceUrl, apiCallsPerMinute, concurrency, schedule, quietHours].some((setting) => setting !== undefined)
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
