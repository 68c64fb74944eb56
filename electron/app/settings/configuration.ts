import { join } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import {
  fixableSettings,
  type FixableSetting,
  notificationKinds,
  type Settings,
  type TokenKeeper,
  type TokenSource,
} from '../../../shared/settings.ts'
import { defaultConcurrency } from '../../engine/create-engine.ts'
import type { EngineSettings } from '../../engine/engine.ts'
import { defaultCallsPerMinute } from '../../engine/service/rate-budget.ts'
import type { ResolvedSettings, SettingsSource, TokenChoice, TokenStore } from '../ports.ts'
import {
  changedSettings,
  readSettingsFile,
  type SettingsFile,
  type SettingsFileChange,
  writeSettingsFile,
} from './settings-file.ts'

/** The settings as they are in force, and how they are changed. */
export class Configuration {
  readonly #source: SettingsSource
  readonly #tokens: TokenStore
  #file: SettingsFile = {}
  #resolved: ResolvedSettings
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

  /** Throws `wrong-settings` or `wrong-usage`. */
  static async read(source: SettingsSource, tokens: TokenStore): Promise<Configuration> {
    const { settings } = await readSettingsFile(source.homeFolder)
    const configuration = new Configuration(source, tokens, settings)
    await configuration.lookForToken()
    return configuration
  }

  /** Whether somebody said what is to be archived: how the app looks and what it tells alone is no set-up. */
  get isConfigured(): boolean {
    const { appearance: _, notifications: __, pauseOnBattery: ___, looksForUpdates: ____, ...rest } = this.#file
    return Object.keys(rest).length > 0 || this.#resolved.useSample || this.#tokenSource !== 'none'
  }

  get usesSample(): boolean {
    return this.#resolved.useSample || this.#file.useSample === true
  }

  get resolved(): ResolvedSettings {
    return this.#resolved
  }

  /** Undefined where nobody said where the archive is: it would be where it is by default. */
  get chosenArchiveFolder(): string | undefined {
    const isSaid = this.#source.fixed.includes('archiveFolder') || this.#file.archiveFolder !== undefined
    return isSaid ? this.#resolved.archiveFolder : undefined
  }

  get tokenSource(): TokenSource {
    return this.#tokenSource
  }

  /** Why a stored token cannot be used, for a person. */
  get tokenProblem(): string | null {
    return this.#tokenProblem
  }

  get keepsTokenIn(): TokenKeeper {
    return this.#keepsTokenIn
  }

  /** What the engine is to run with. Its data folder is one of its own where settings.json says to use the sample service. */
  get engineSettings(): EngineSettings {
    const { useSample, logLevel: _, ...settings } = this.#resolved
    if (useSample || this.#file.useSample !== true) return settings
    const folder = join(this.#source.homeFolder, 'sample')
    return {
      ...settings,
      homeFolder: join(folder, 'data'),
      archiveFolder: join(folder, 'archive'),
      // The limit is that of the real service; on one's own machine it would only make a person wait.
      apiCallsPerMinute: 0,
    }
  }

  get fixed(): FixableSetting[] {
    return fixableSettings.filter((name) =>
      name === 'token' ? this.#tokenSource === 'environment' : this.#source.fixed.includes(name),
    )
  }

  /** As the app shows them. */
  get settings(): Settings {
    const { serviceUrl, apiCallsPerMinute, concurrency, schedule, quietHours, logLevel } = this.#resolved
    const { notifications = {}, appearance = 'system', pauseOnBattery = false, looksForUpdates = true } = this.#file
    const told = notificationKinds.map((kind) => [kind, notifications[kind] ?? true] as const)
    return {
      serviceUrl,
      apiCallsPerMinute: apiCallsPerMinute ?? defaultCallsPerMinute,
      concurrency: concurrency ?? defaultConcurrency,
      schedule: schedule ?? 'automatic',
      quietHours: quietHours ?? null,
      logLevel: logLevel ?? 'info',
      notifications: Object.fromEntries(told) as Settings['notifications'],
      ...{ appearance, pauseOnBattery, looksForUpdates },
      fixed: this.fixed,
    }
  }

  /** Throws `wrong-usage` for what a flag or the environment says. */
  requireFree(name: FixableSetting): void {
    if (!this.fixed.includes(name)) return
    throw new AppError(
      'wrong-usage',
      `This cannot be changed here: Solarchive was started with it (${name}), by an option or the environment. ` +
        'Nothing was changed. Start it without, then change it.',
    )
  }

  /**
   * Writes the change into settings.json; it is in force when this resolves. Throws `wrong-settings` and changes nothing.
   * Answers the change that puts everything back. A person's change and that of a move that ends come one after the other, or one would write over the other.
   */
  async change(change: SettingsFileChange): Promise<SettingsFileChange> {
    const mine = this.#lastChange.then(() => this.#write(change))
    this.#lastChange = mine.catch(() => undefined)
    return mine
  }

  async #write(change: SettingsFileChange): Promise<SettingsFileChange> {
    const { homeFolder } = this.#source
    const file = await changedSettings(homeFolder, change)
    const resolved = this.#source.resolve(file)
    await writeSettingsFile(homeFolder, change)
    const before: Readonly<Record<string, unknown>> = this.#file
    this.#file = file
    this.#resolved = resolved
    return Object.fromEntries(Object.keys(change).map((key) => [key, before[key] ?? null]))
  }

  /** Throws `wrong-settings` when it cannot be kept. */
  async saveToken(token: string, choice: TokenChoice): Promise<void> {
    await this.#tokens.save(token, choice)
    await this.lookForToken()
  }

  async lookForToken(): Promise<void> {
    this.#tokenSource = await this.#tokens.source()
    this.#tokenProblem = this.#tokenSource === 'none' ? await this.#tokens.problem() : null
    this.#keepsTokenIn = await this.#tokens.keepsIn()
  }
}

/** Changes of the settings, one after the other. */
export interface SettingsQueue {
  /** Runs `act` after the changes before it, and publishes the settings whatever came of it. */
  run(act: () => Promise<void>): Promise<void>
  /** Resolves when no change is left. */
  idle(): Promise<void>
}

/** Creates the queue that all changes of the settings go through. */
export function createSettingsQueue(publishSettings: () => void): SettingsQueue {
  let last: Promise<void> = Promise.resolve()
  return {
    run(act) {
      const current = last.then(act).finally(publishSettings)
      last = current.catch(() => undefined)
      return current
    },
    idle: () => last,
  }
}
