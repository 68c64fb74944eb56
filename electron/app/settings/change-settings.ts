import { join } from 'node:path'
import type { ParsedInput } from '../../../shared/contract/calls.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import { isUnencryptedRemote } from '../../../shared/service-address.ts'
import type { FixableSetting } from '../../../shared/setting-names.ts'
import type { ConnectionTest, SettingsPatch } from '../../../shared/settings.ts'
import { pathExists, toDiskError } from '../../engine/lib/fs/disk-error.ts'
import { probeWriting } from '../../engine/lib/fs/write-probe.ts'
import { makeFolders } from '../../engine/lib/fs/make-folders.ts'
import { isSameOrigin, normalizeBaseUrl } from '../../engine/service/base-url.ts'
import { readCertificates } from '../../engine/service/outbound.ts'
import { databaseName } from '../../engine/store/database-files.ts'
import { noKeychain } from '../token/keychain-tokens.ts'
import { isToken } from '../token/read-token-file.ts'
import { isOldFolder, movedAway, readMoveRecord } from '../move/move-record.ts'
import { absoluteFolder, type ArchiveContext, checkArchiveFolder } from './archive-folder.ts'
import type { Configuration } from './configuration.ts'
import { type ConnectionToTest, ownTokenAdvice, unencryptedAdvice } from './connection-tester.ts'
import type { EngineHolder, OpenedEngine } from '../engine-holder.ts'
import type { AppPorts, SettingsSource, TokenChoice } from '../ports.ts'
import { defaultServiceUrl } from './resolve-settings.ts'
import { listedValues, type RecordAction, settingsChanges } from './settings-activity.ts'
import type { SettingsFileChange } from './settings-file.ts'

export interface SettingsChangerDeps {
  readonly source: SettingsSource
  readonly ports: AppPorts
  readonly configuration: Configuration
  readonly engines: EngineHolder
  readonly open: () => Promise<OpenedEngine>
  /** Throws `wrong-usage` while the archive may only be read. */
  readonly requireWritableArchive: () => void
  readonly testConnection: (asked: ConnectionToTest) => Promise<ConnectionTest>
  readonly recordAction: RecordAction
}

interface NewToken extends TokenChoice {
  readonly text: string
}

/** First-run setup and changes of the settings: checks choices, stores them, and applies them to the engine. */
export class SettingsChanger {
  readonly #deps: SettingsChangerDeps
  readonly #source: SettingsSource
  readonly #ports: AppPorts
  readonly #configuration: Configuration
  readonly #engines: EngineHolder

  constructor(deps: SettingsChangerDeps) {
    this.#deps = deps
    this.#source = deps.source
    this.#ports = deps.ports
    this.#configuration = deps.configuration
    this.#engines = deps.engines
  }

  /** Returns the folders that a chosen archive folder is checked against. */
  folders(): ArchiveContext {
    return {
      homeFolder: this.#source.homeFolder,
      userFolder: this.#source.userFolder,
      archivedFolders: this.#configuration.usesSample ? [] : (this.#engines.present?.archivedFolders() ?? []),
      chosenFolder: this.#configuration.chosenArchiveFolder,
    }
  }

  /** Opens the engine if something is set up. Its watch does not run while `paused`. */
  async start({ paused }: { readonly paused: boolean }): Promise<void> {
    if (!this.#configuration.isConfigured && !(await pathExists(join(this.#source.homeFolder, databaseName)))) return
    await this.#engines.replace(this.#deps.open, { paused })
    // A command that lists projects creates an empty database: without projects nothing is set up.
    if (!this.#configuration.isConfigured && this.#engines.present?.projects.list().length === 0)
      await this.#engines.replace(undefined)
  }

  async complete(input: ParsedInput<'setup.complete'>): Promise<void> {
    this.#deps.requireWritableArchive()
    this.#configuration.requireFree('sample')
    // Its user may have written the file meanwhile.
    await this.#configuration.reloadToken()
    const serviceUrl = normalizeBaseUrl(input.serviceUrl)
    this.#requireFreeOrSame('serviceUrl', serviceUrl === normalizeBaseUrl(this.#configuration.resolved.serviceUrl))
    const allowHttp = this.#acceptedHttp(serviceUrl, input.allowHttp)
    const { archiveFolder } = this.#configuration.resolved
    this.#requireFreeOrSame(
      'archiveFolder',
      absoluteFolder(input.archiveFolder, this.#source.userFolder) === archiveFolder,
    )
    const token = await this.#checkedToken(input.token, input.tokenInFile)
    const isFirst = this.#engines.present === undefined || this.#configuration.usesSample
    if (token === undefined) {
      const isSameService = !isFirst && isSameOrigin(serviceUrl, this.#configuration.resolved.serviceUrl)
      // Another archive folder needs no service.
      if (this.#configuration.tokenSource === 'none' && !isSameService) throw noToken(this.#configuration.tokenProblem)
      await this.#requireOwnToken(serviceUrl)
    }
    const folder = await this.#requireArchiveFolder(input.archiveFolder, input.adopt)
    // The old folder of a move is not whole while its files are removed.
    const move = await readMoveRecord(this.#source.homeFolder)
    if (move?.phase === 'removing' && isOldFolder(move, folder)) throw movedAway(move)
    await makeFolder(folder)
    const before = this.#listedValues()
    const service = token === undefined && this.#isOverridden() ? {} : { serviceUrl, allowHttp }
    await this.#changeService({ ...service, archiveFolder: folder, useSample: null }, token)
    if (isFirst) this.#deps.recordAction({ kind: 'set-up', facts: { serviceUrl, archiveFolder: folder } })
    else this.#recordChanges(before, token)
  }

  /** Explores the sample service. Throws without changing anything if it cannot be opened. */
  async useSample(): Promise<void> {
    this.#deps.requireWritableArchive()
    if (this.#configuration.usesSample) return
    this.#configuration.requireFree('sample')
    const hadEngine = this.#engines.present !== undefined
    let problem: AppError | undefined
    await this.#engines.replace(async () => {
      let undo: SettingsFileChange | undefined
      try {
        undo = await this.#configuration.change({ useSample: true })
        return await this.#deps.open()
      } catch (error) {
        problem = toAppError(error)
      }
      // Otherwise, the next start would fail as well.
      if (undo !== undefined) await this.#configuration.change(undo)
      return hadEngine ? this.#deps.open() : undefined
    })
    if (problem !== undefined) throw problem
  }

  /** Saves changed settings, and reopens the engine if they concern it. */
  async save({ token: typed, tokenInFile, allowHttp: isAccepted, ...patch }: SettingsPatch): Promise<void> {
    const { settings } = this.#configuration
    const serviceUrl = patch.serviceUrl === undefined ? undefined : normalizeBaseUrl(patch.serviceUrl)
    for (const name of ['apiCallsPerMinute', 'concurrency', 'logLevel'] as const) {
      this.#requireFreeOrSame(name, patch[name] === undefined || patch[name] === settings[name])
    }
    const isSameService = serviceUrl === undefined || serviceUrl === normalizeBaseUrl(settings.serviceUrl)
    for (const name of ['serviceUrl', 'sample'] as const) this.#requireFreeOrSame(name, isSameService)
    const allowHttp = serviceUrl === undefined ? undefined : this.#acceptedHttp(serviceUrl, isAccepted)
    const caFile = await this.#checkedCaFile(patch.caFile)
    const token = await this.#checkedToken(typed, tokenInFile)
    const isStored = token !== undefined && this.#configuration.tokenSource !== 'environment'
    const itsAddress = isStored ? this.#addressOfOption() : undefined
    if (token === undefined && serviceUrl !== undefined) await this.#requireOwnToken(serviceUrl)
    requireAuthority({ ...settings, ...patch }, patch)
    if (patch.savedSearches !== undefined) await this.#configuration.requireUnchanged('savedSearches')
    if (settingsOfEngine.some((name) => patch[name] !== undefined)) this.#deps.requireWritableArchive()
    const before = JSON.stringify(this.#configuration.engineSettings)
    const valuesBefore = this.#listedValues()
    const notifications = patch.notifications && { ...settings.notifications, ...patch.notifications }
    const saved = isSameService ? itsAddress : serviceUrl
    const change = { ...patch, serviceUrl: saved, allowHttp, notifications, caFile }
    if (!isSameService && this.#engines.present !== undefined) await this.#changeService(change, token)
    else await this.#store(change, token)
    this.#ports.setLogLevel(this.#configuration.settings.logLevel)
    const hasChanged = JSON.stringify(this.#configuration.engineSettings) !== before
    if (isSameService && hasChanged && this.#engines.present !== undefined) await this.#engines.replace(this.#deps.open)
    this.#recordChanges(valuesBefore, token)
  }

  /**
   * Returns the address of the service that accepts the token, or could not test it. Throws `token-refused` if it
   * refuses the token.
   */
  async requireAccepted(token: string): Promise<string> {
    const { serviceUrl } = this.#configuration.resolved
    if (this.#configuration.tokenSource === 'environment') return serviceUrl
    requireSendable(token)
    const { outcome } = await this.#deps.testConnection({ serviceUrl, token })
    if (outcome === 'bad-token') throw refusedToken(this.#configuration.tokenSource !== 'none')
    return serviceUrl
  }

  /** Stores the token of the service at `serviceUrl`. Throws `wrong-settings` if that is no longer the current one. */
  async saveToken({ token, inFile }: ParsedInput<'token.save'>, serviceUrl: string): Promise<void> {
    if (!isSameOrigin(serviceUrl, this.#configuration.resolved.serviceUrl)) throw otherAddress()
    // The token of the environment takes precedence only until it is refused.
    await this.#configuration.reloadToken()
    this.#configuration.requireFree('token')
    requireSendable(token)
    const itsAddress = this.#addressOfOption()
    this.#requireTokenStorage(inFile)
    await this.#store(itsAddress === undefined ? {} : { serviceUrl: itsAddress }, { text: token, inFile })
    this.#recordToken()
    // Checks that lacked a token are tried again at once.
    this.#engines.present?.watch.recheck()
  }

  #listedValues() {
    return listedValues(this.#configuration.settings, this.#configuration.resolved.archiveFolder)
  }

  /** Lists the settings that differ from `before`, and a new token, in the activity. */
  #recordChanges(before: ReturnType<typeof listedValues>, token: NewToken | undefined): void {
    const changes = settingsChanges(before, this.#listedValues())
    if (changes.length > 0) this.#deps.recordAction({ kind: 'settings-changed', facts: { changes } })
    if (token !== undefined && this.#configuration.tokenSource !== 'environment') this.#recordToken()
  }

  #recordToken(): void {
    const keptIn = this.#configuration.tokenSource === 'keychain' ? 'keychain' : 'file'
    this.#deps.recordAction({ kind: 'token-changed', facts: { keptIn } })
  }

  /** Throws `wrong-usage` for a changed value that a flag or the environment fixes. */
  #requireFreeOrSame(name: FixableSetting, isSame: boolean): void {
    if (!isSame) this.#configuration.requireFree(name)
  }

  async #requireArchiveFolder(typed: string, adopt: boolean): Promise<string> {
    const { folder, problem, isArchive } = await checkArchiveFolder(typed, this.folders())
    if (problem !== null) throw new AppError('wrong-settings', `${problem} Nothing was changed.`)
    if (isArchive && !adopt && !this.#isOwn(folder)) {
      throw new AppError(
        'wrong-settings',
        'There is an archive in this folder already. Choose to use it, or choose another folder. Nothing was changed.',
        { details: { isArchive: true } },
      )
    }
    return folder
  }

  /**
   * Returns true for the current archive's folder: `checkArchiveFolder` has refused any other if there is an archive.
   */
  #isOwn(folder: string): boolean {
    return (
      this.folders().archivedFolders.length > 0 ||
      (this.#engines.present !== undefined && folder === this.#configuration.engineSettings.archiveFolder)
    )
  }

  /** Returns the typed file as an absolute path. Throws `wrong-settings` if it is not a file with certificates. */
  async #checkedCaFile(typed: string | null | undefined): Promise<string | null | undefined> {
    if (typed === undefined || typed === null) return typed
    const path = absoluteFolder(typed, this.#source.userFolder)
    if (path === undefined) {
      const message = 'The file with certificates must be a whole path, from the root of the disk. Nothing was changed.'
      throw new AppError('wrong-settings', message)
    }
    await readCertificates(path).catch((error: Error) => {
      throw new AppError('wrong-settings', `${error.message} Nothing was changed.`, { cause: error })
    })
    return path
  }

  /** Returns whether an option names another service than the settings, whose token may be stored. */
  #isOverridden(): boolean {
    const { fixed, resolved, savedServiceUrl } = this.#configuration
    if (!fixed.includes('serviceUrl') || savedServiceUrl === undefined) return false
    return !isSameOrigin(savedServiceUrl, resolved.serviceUrl)
  }

  /**
   * Returns the address set by an option or the environment if it must be saved with its token, because the next start
   * may lack that option. Throws `wrong-usage` if the settings have another one.
   */
  #addressOfOption(): string | undefined {
    const { fixed, resolved, savedServiceUrl } = this.#configuration
    if (!this.#isOverridden()) {
      return fixed.includes('serviceUrl') && savedServiceUrl === undefined ? resolved.serviceUrl : undefined
    }
    throw new AppError(
      'wrong-usage',
      'The address comes from --url or SOLARCHIVE_URL, and the settings have another one, to which the next start ' +
        'could send this token. Nothing was changed. Set SOLARCHIVE_TOKEN too when you start Solarchive.',
    )
  }

  #requireTokenStorage(inFile: boolean): void {
    if (inFile || this.#configuration.keepsTokenIn !== 'nowhere') return
    throw noKeychain()
  }

  /** Returns the typed token, or undefined if none was typed. Throws if it cannot be used. */
  async #checkedToken(typed: string | undefined, inFile = false): Promise<NewToken | undefined> {
    if (typed === undefined || typed === '') return undefined
    this.#requireFreeOrSame('token', typed === (await this.#ports.tokens.read()))
    requireSendable(typed)
    if (this.#configuration.tokenSource !== 'environment') this.#requireTokenStorage(inFile)
    return { text: typed, inFile }
  }

  /**
   * Returns what to store about an address without encryption: null if this one is encrypted, undefined to leave it
   * unchanged. Throws `wrong-settings` for a new one that the user did not accept.
   */
  #acceptedHttp(serviceUrl: string, isAccepted: boolean | undefined): true | null | undefined {
    if (!isUnencryptedRemote(serviceUrl)) return null
    if (isAccepted === true) return true
    if (isSameOrigin(serviceUrl, this.#configuration.resolved.serviceUrl)) return undefined
    throw new AppError('wrong-settings', `${unencryptedAdvice} Nothing was changed.`)
  }

  /**
   * Throws `wrong-settings` for another service, because the stored token is only for the current one, also if it
   * cannot be read at the moment.
   */
  async #requireOwnToken(serviceUrl: string): Promise<void> {
    if (isSameOrigin(serviceUrl, this.#configuration.resolved.serviceUrl)) return
    // In this order: a keyring that is unlocked in between is noticed.
    const { tokens } = this.#ports
    if ((await tokens.problem()) === null && (await tokens.read()) === undefined) return
    throw new AppError('wrong-settings', `${ownTokenAdvice(this.#configuration.tokenSource)} Nothing was changed.`)
  }

  /**
   * Stores the settings and the token, or neither. Without `token` the stored one is kept. A kill in between leaves no
   * token rather than one of another service.
   */
  async #store(change: SettingsFileChange, token: NewToken | undefined): Promise<void> {
    const { serviceUrl } = change
    const { savedServiceUrl = defaultServiceUrl } = this.#configuration
    const isForeign = typeof serviceUrl === 'string' && !isSameOrigin(serviceUrl, savedServiceUrl)
    // Without a known token, the installed app may have one in its keychain, which this host cannot read.
    const mayRemain = token !== undefined || this.#configuration.tokenSource === 'none'
    const restore = isForeign && mayRemain ? await this.#configuration.removeToken() : undefined
    let undo: SettingsFileChange | undefined
    try {
      if (Object.keys(change).length > 0) undo = await this.#configuration.change(change)
      if (token === undefined || this.#configuration.tokenSource === 'environment') return
      this.#ports.keepSecret(token.text)
      await this.#configuration.saveToken(token.text, token)
    } catch (error) {
      if (undo !== undefined) {
        await this.#configuration.change(undo).catch((cause: unknown) => {
          throw notUndone(cause)
        })
      }
      await restore?.()
      throw error
    }
  }

  /** Stores the change between two engines, so that neither service is called with the token of the other. */
  async #changeService(change: SettingsFileChange, token: NewToken | undefined): Promise<void> {
    const hadEngine = this.#engines.present !== undefined
    const before = JSON.stringify(this.#configuration.engineSettings)
    let problem: AppError | undefined
    await this.#engines.replace(async () => {
      try {
        await this.#store(change, token)
      } catch (error) {
        problem = toAppError(error)
      }
      const isUndone = JSON.stringify(this.#configuration.engineSettings) === before
      return problem === undefined || (hadEngine && isUndone) ? this.#deps.open() : undefined
    })
    if (problem !== undefined) throw problem
  }
}

export type SettingsQueue = ReturnType<typeof createSettingsQueue>

/** Creates the queue that all changes of the settings go through, one after the other. */
export function createSettingsQueue(publishSettings: () => void) {
  let last: Promise<void> = Promise.resolve()
  return {
    /** Runs `act` after the changes before it, then publishes the settings, even if it failed. */
    run(act: () => Promise<void>): Promise<void> {
      const current = last.then(act).finally(publishSettings)
      last = current.catch(() => undefined)
      return current
    },
    /** Resolves once no change is pending. */
    idle: () => last,
  }
}

/** Returns the error of a token that was not stored, after its settings were. */
function notUndone(cause: unknown): AppError {
  return new AppError(
    'wrong-settings',
    'The settings were saved, but the token could not be, and the disk then refused to take the settings back. Check ' +
      'that the disk of the data folder has room and can be written, then save the address and its token again.',
    { cause },
  )
}

function refusedToken(isOneStored: boolean): AppError {
  const kept = isOneStored ? 'The stored one was kept.' : 'It was not stored.'
  return new AppError('token-refused', `The service refuses this token. ${kept}`)
}

function otherAddress(): AppError {
  const message = 'The address was changed meanwhile. Nothing was changed. Paste the token for the new address.'
  return new AppError('wrong-settings', message)
}

function noToken(problem: string | null): AppError {
  const missing = 'The access token is missing. Ask an administrator of the account for one (Settings, Access Tokens).'
  return new AppError('wrong-settings', `${problem ?? missing} Nothing was changed.`)
}

/** Settings of the engine, which cannot be changed while the archive may only be read. */
const settingsOfEngine = [
  'serviceUrl',
  'apiCallsPerMinute',
  'concurrency',
  'schedule',
  'quietHours',
  'readPhotos',
  'proxy',
  'caFile',
  'stampDaily',
  'stampAuthority',
  'stampFallback',
] as const

/** Throws `wrong-settings` if a change would have the archive stamped daily by nobody. */
function requireAuthority(
  settings: Pick<SettingsPatch, 'stampDaily' | 'stampAuthority'>,
  { stampDaily, stampAuthority }: SettingsPatch,
): void {
  const isChanged = stampDaily !== undefined || stampAuthority !== undefined
  if (!isChanged || settings.stampDaily !== true || typeof settings.stampAuthority === 'string') return
  throw new AppError(
    'wrong-settings',
    'Daily time stamps need the address of a time-stamping authority. Nothing was changed.',
  )
}

function requireSendable(token: string): void {
  if (isToken(token)) return
  throw new AppError(
    'wrong-settings',
    'The token contains spaces or characters that tokens do not have. Copy it again completely. Nothing was changed.',
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
