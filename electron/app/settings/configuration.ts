import { join } from 'node:path'
import type { OwnerFacts } from '../../../shared/contract/owner-facts.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Hook } from '../../../shared/hooks.ts'
import { concurrencyRange, fixableSettings, type FixableSetting } from '../../../shared/setting-names.ts'
import { notificationKinds, type Settings, type TokenKeeper, type TokenSource } from '../../../shared/settings.ts'
import type { EngineSettings } from '../../engine/engine.ts'
import { defaultCallsPerMinute } from '../../engine/service/rate-budget.ts'
import type { ResolvedSettings, SettingsSource, TokenChoice, TokenStore } from '../ports.ts'
import { keptInKeychain } from '../token/token-reader.ts'
import { requireSameAs } from './settings-beside-owner.ts'
import {
  changedSettings,
  readSettingsFile,
  type SettingsFile,
  type SettingsFileChange,
  writeSettingsFile,
} from './settings-file.ts'

/** Settings that concern what to archive, and how. */
const archiveSettings = [
  'archiveFolder',
  'serviceUrl',
  'allowHttp',
  'apiCallsPerMinute',
  'concurrency',
  'schedule',
  'quietHours',
  'readPhotos',
  'logLevel',
  'useSample',
] as const

/** Returns whether an owner has no pages: only the hosts of the pages follow settings.json to the sample. */
const isCommand = ({ command }: OwnerFacts) => command !== 'serve' && command !== 'app'

/** Holds the settings in effect and changes them. */
export class Configuration {
  readonly #source: SettingsSource
  readonly #tokens: TokenStore
  #file: SettingsFile = {}
  #resolved: ResolvedSettings
  /** Archive and service of the process beside which this one only reads. */
  #owners: Pick<OwnerFacts, 'archiveFolder' | 'serviceUrl'> | undefined
  /** That process does not follow settings.json to the sample. */
  #isBesideCommand = false
  #tokenSource: TokenSource = 'none'
  #lastChange: Promise<unknown> = Promise.resolve()
  #keepsTokenIn: TokenKeeper = 'file'
  #tokenProblem: string | null = null

  private constructor(source: SettingsSource, tokens: TokenStore, file: SettingsFile) {
    this.#source = source
    this.#tokens = tokens
    this.#file = file
    this.#resolved = source.resolve(file)
  }

  /** Reads settings.json and the token. Throws `wrong-settings` or `wrong-usage`. */
  static async read(source: SettingsSource, tokens: TokenStore): Promise<Configuration> {
    const { settings } = await readSettingsFile(source.homeFolder)
    const configuration = new Configuration(source, tokens, settings)
    await configuration.reloadToken()
    return configuration
  }

  /** Reads settings.json and the token again, which another process may have changed. Throws as `read` does. */
  async reload(): Promise<void> {
    const { settings } = await readSettingsFile(this.#source.homeFolder)
    this.#resolved = this.#source.resolve(settings)
    this.#file = settings
    await this.reloadToken()
  }

  /** True if any setting concerns what to archive. */
  get isConfigured(): boolean {
    const isInFile = archiveSettings.some((name) => this.#file[name] !== undefined)
    return isInFile || this.#resolved.useSample || this.#tokenSource !== 'none'
  }

  get usesSample(): boolean {
    return this.#resolved.useSample || (this.#file.useSample === true && !this.#isBesideCommand)
  }

  get resolved(): ResolvedSettings {
    return { ...this.#resolved, ...this.#owners }
  }

  /** From now on uses the archive and the service of another owner, or with undefined those of the settings. */
  followOwner(owner: OwnerFacts | undefined): void {
    this.#owners = owner && { archiveFolder: owner.archiveFolder, serviceUrl: owner.serviceUrl }
    this.#isBesideCommand = owner !== undefined && isCommand(owner)
  }

  /**
   * Throws `wrong-usage` if these settings name another archive or service than the owner's. The address has to be the
   * same also if nobody chose one: it is where the stored token is sent.
   */
  requireSameAs(owner: OwnerFacts): void {
    const explores = this.#file.useSample === true && isCommand(owner)
    const chosen: FixableSetting[] = [
      ...this.#source.fixed,
      ...(explores ? ['sample' as const] : []),
      ...(this.chosenArchiveFolder === undefined ? [] : ['archiveFolder' as const]),
      ...(this.#resolved.useSample ? [] : ['serviceUrl' as const]),
    ]
    requireSameAs(owner, this.#resolved, chosen, 'app')
  }

  /** Saves the archive folder of an owner, if nobody chose one. Throws `wrong-settings`. */
  async adoptArchiveFolder({ archiveFolder, useSample }: OwnerFacts): Promise<void> {
    if (useSample || this.#resolved.useSample || this.chosenArchiveFolder !== undefined) return
    if (archiveFolder !== this.#resolved.archiveFolder) await this.change({ archiveFolder })
  }

  /** The archive folder, or undefined if it is the default. */
  get chosenArchiveFolder(): string | undefined {
    const isChosen = this.#source.fixed.includes('archiveFolder') || this.#file.archiveFolder !== undefined
    return isChosen ? this.#resolved.archiveFolder : undefined
  }

  /** The archive folder of settings.json, in place of which an option may name another one. */
  get savedArchiveFolder(): string | undefined {
    return this.#file.archiveFolder
  }

  /** The address of settings.json, in place of which an option may name another one. */
  get savedServiceUrl(): string | undefined {
    return this.#file.serviceUrl
  }

  get tokenSource(): TokenSource {
    return this.#tokenSource
  }

  /** Reason, shown to the user, that a stored token cannot be used; null if there is none. */
  get tokenProblem(): string | null {
    return this.#tokenProblem
  }

  /** Returns the reason, for a user, that there is no token although one is stored, or null. */
  async whyNoToken(): Promise<string | null> {
    const problem = await this.#tokens.problem()
    // Any other store reads the keychain itself.
    if (problem !== null || (await this.#tokens.keepsIn()) !== 'file') return problem
    return keptInKeychain(this.#source.homeFolder)
  }

  get keepsTokenIn(): TokenKeeper {
    return this.#keepsTokenIn
  }

  /** Settings of the engine, which has a data folder of its own if settings.json selects the sample service. */
  get engineSettings(): EngineSettings {
    const { useSample, logLevel: _, allowHttp: __, ...settings } = this.resolved
    if (useSample || !this.usesSample) return settings
    const folder = join(this.#source.homeFolder, 'sample')
    return {
      ...settings,
      homeFolder: join(folder, 'data'),
      archiveFolder: join(folder, 'archive'),
      // The limit is the real service's; a local service does not need one.
      apiCallsPerMinute: 0,
      // Nobody needs evidence of made-up photos.
      hooks: [],
      evidence: { isDaily: false, authorities: settings.evidence?.authorities ?? [] },
    }
  }

  get fixed(): FixableSetting[] {
    return fixableSettings.filter((name) =>
      name === 'token' ? this.#tokenSource === 'environment' : this.#source.fixed.includes(name),
    )
  }

  /** The hooks of settings.json, with their secrets; none on the sample service, whose events are nobody's business. */
  get hooks(): readonly Hook[] {
    return this.usesSample ? [] : this.savedHooks
  }

  /** The hooks of settings.json, with their secrets. */
  get savedHooks(): readonly Hook[] {
    return this.#file.hooks ?? []
  }

  /**
   * Throws `wrong-settings` if a list in settings.json is no longer the one that a change of it starts from: the file
   * may have been edited by hand since it was read.
   */
  async requireUnchanged(
    name: 'hooks' | 'savedSearches',
    before: readonly unknown[] | undefined = this.#file[name],
  ): Promise<void> {
    const { settings } = await readSettingsFile(this.#source.homeFolder)
    if (JSON.stringify(settings[name] ?? []) === JSON.stringify(before ?? [])) return
    throw new AppError(
      'wrong-settings',
      `The ${name === 'hooks' ? 'hooks' : 'saved searches'} in settings.json have changed since Solarchive read them. ` +
        'Nothing was changed. Restart Solarchive, then try again.',
    )
  }

  /** The settings as the app shows them. */
  get settings(): Settings {
    const {
      serviceUrl,
      allowHttp = false,
      apiCallsPerMinute,
      concurrency,
      schedule,
      quietHours,
      readPhotos,
      logLevel,
      network,
    } = this.resolved
    const {
      notifications = {},
      appearance = 'system',
      pauseOnBattery = false,
      looksForUpdates = true,
      proxy = 'environment',
      savedSearches = [],
      stampDaily = false,
      stampAuthority = null,
      stampFallback = null,
    } = this.#file
    const kinds = notificationKinds.map((kind) => [kind, notifications[kind] ?? true] as const)
    return {
      serviceUrl,
      allowHttp,
      apiCallsPerMinute: apiCallsPerMinute ?? defaultCallsPerMinute,
      concurrency: concurrency ?? concurrencyRange.default,
      proxy,
      caFile: network?.caFile ?? null,
      schedule: schedule ?? 'automatic',
      quietHours: quietHours ?? null,
      readPhotos: readPhotos ?? false,
      stampDaily,
      stampAuthority,
      stampFallback,
      logLevel: logLevel ?? 'info',
      notifications: Object.fromEntries(kinds) as Settings['notifications'],
      appearance,
      pauseOnBattery,
      looksForUpdates,
      savedSearches,
      fixed: this.fixed,
    }
  }

  /** Throws `wrong-usage` for a setting that a flag or the environment fixes. */
  requireFree(name: FixableSetting): void {
    if (!this.fixed.includes(name)) return
    throw new AppError(
      'wrong-usage',
      `This setting (${name}) cannot be changed here: an option or environment variable sets it. Nothing was ` +
        'changed. Start Solarchive without it, then change the setting.',
    )
  }

  /**
   * Writes a change to settings.json; it is in effect once this resolves. Returns the change that undoes it. Throws
   * `wrong-settings` without changing anything. Changes run one after the other, so that a user's change and that of
   * a finished move do not overwrite each other.
   */
  async change(change: SettingsFileChange): Promise<SettingsFileChange> {
    const mine = this.#lastChange.then(() => this.#write(change))
    this.#lastChange = mine.catch(() => undefined)
    return mine
  }

  async #write(change: SettingsFileChange): Promise<SettingsFileChange> {
    const { homeFolder } = this.#source
    const written = await changedSettings(homeFolder, change)
    // Lists that were edited by hand take effect at the next start: a change of them starts from what was read.
    const { hooks, savedSearches } = this.#file
    const file = {
      ...written,
      ...(change.hooks === undefined && { hooks }),
      ...(change.savedSearches === undefined && { savedSearches }),
    }
    const resolved = this.#source.resolve(file)
    await writeSettingsFile(homeFolder, change)
    const before: Readonly<Record<string, unknown>> = this.#file
    this.#file = file
    this.#resolved = resolved
    return Object.fromEntries(Object.keys(change).map((key) => [key, before[key] ?? null]))
  }

  /** Stores a token. Throws `wrong-settings` if that fails. */
  async saveToken(token: string, choice: TokenChoice): Promise<void> {
    await this.#tokens.save(token, choice)
    await this.reloadToken()
  }

  /** Removes the stored token. Returns a function that puts it back. Throws `wrong-settings` if that fails. */
  async removeToken(): Promise<() => Promise<void>> {
    const restore = await this.#tokens.remove()
    await this.reloadToken()
    return async () => {
      await restore()
      await this.reloadToken()
    }
  }

  async reloadToken(): Promise<void> {
    this.#tokenSource = await this.#tokens.source()
    this.#tokenProblem = this.#tokenSource === 'none' ? await this.whyNoToken() : null
    this.#keepsTokenIn = await this.#tokens.keepsIn()
  }
}
