import { AppError, toAppError } from '../../shared/errors.ts'
import { createEngine, type Predecessor } from '../engine/create-engine.ts'
import type { Engine } from '../engine/engine.ts'
import type { DataFolderLock } from '../engine/store/data-folder-lock.ts'
import type { AppPorts } from './ports.ts'
import type { Configuration } from './settings/configuration.ts'

/** Told the engine that is there from now on; undefined while there is none. */
export type EngineListener = (engine: Engine | undefined) => void

/** Holds the one engine of the app, hands it out, and keeps its watch going from one to the next. */
export class EngineHolder {
  readonly #listeners = new Set<EngineListener>()
  #engine: Engine | undefined
  #opened: OpenedEngine | undefined
  /** Why there is none although everything is set up. */
  #problem: AppError | undefined
  #isResting = false
  #changed = Promise.withResolvers<void>()
  #lastReplace: Promise<unknown> = Promise.resolve()
  readonly #ending = Promise.withResolvers<void>()

  /** Where the present engine's service is, when it is not where the settings say. */
  get serviceUrl(): string | undefined {
    return this.#opened?.serviceUrl
  }

  /** Whether the watch is kept from running. */
  get isResting(): boolean {
    return this.#isResting
  }

  get present(): Engine | undefined {
    return this.#engine
  }

  /** The engine. Throws `setup-needed` while nothing is set up. */
  require(): Engine {
    if (this.#engine !== undefined) return this.#engine
    if (this.#problem !== undefined) throw this.#problem
    throw new AppError(
      'setup-needed',
      'Solarchive is not set up yet: choose the service, its token and the archive folder, or explore the sample service.',
    )
  }

  /** Calls `listener` with the present engine at once, and with each that follows. Answers how to end that. */
  follow(listener: EngineListener): () => void {
    this.#listeners.add(listener)
    listener(this.#engine)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /**
   * Waits for the answers of orders that are on their way, closes the present engine, which stops what it does in order, then opens
   * the next one with `open`; where that is, or answers, undefined: none. `rest`: the watch of the next one does not run until `resume`. Throws what closing or `open` throws; then there is none,
   * and `run` ends with it. One comes after the other, so that no two engines are ever open.
   */
  replace(
    open: (() => Promise<OpenedEngine | undefined>) | undefined,
    { rest = false }: { readonly rest?: boolean } = {},
  ): Promise<void> {
    const mine = this.#lastReplace.then(() => this.#replace(open, rest))
    this.#lastReplace = mine.catch(() => undefined)
    return mine
  }

  async #replace(open: (() => Promise<OpenedEngine | undefined>) | undefined, rest: boolean): Promise<void> {
    const before = this.#opened
    // Until then it stays where it is: who placed an order sees what became of it.
    await Promise.race([before?.engine.orders.finish(), this.#ending.promise])
    this.#opened = undefined
    this.#isResting = rest
    this.#problem = new AppError('cancelled', 'Solarchive starts anew with other settings. Try again in a moment.')
    this.#set(undefined)
    try {
      await before?.close()
      this.#opened = await open?.()
      this.#problem = undefined
    } catch (error) {
      this.#problem = toAppError(error)
      this.#wake()
      throw error
    }
    if (this.#opened !== undefined) this.#set(this.#opened.engine)
  }

  /** Solarchive ends: no replacement waits for the answer of an order any more. */
  end(): void {
    this.#ending.resolve()
  }

  resume(): void {
    this.#isResting = false
    this.#wake()
  }

  /**
   * Keeps the present engine's watch running, whichever it is, until the signal aborts. Rejects with what makes every
   * further record impossible, and with what kept a new engine from opening.
   */
  async run(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    while (!signal.aborted) {
      const changed = this.#changed.promise
      if (this.#engine !== undefined && !this.#isResting) await this.#engine.watch.run(signal)
      else if (this.#problem !== undefined && this.#problem.code !== 'cancelled') throw this.#problem
      if (signal.aborted) return
      await Promise.race([changed, aborted])
    }
  }

  #set(engine: Engine | undefined): void {
    this.#engine = engine
    for (const listener of this.#listeners) listener(engine)
    this.#wake()
  }

  #wake(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}

/** An engine, and how to close it with what was started for it. */
export interface OpenedEngine {
  readonly engine: Engine
  /** Where the service is, when it is not where the settings say. */
  readonly serviceUrl?: string
  close(): Promise<void>
}

/** Opens the engine that the settings ask for, with the sample service where they say so. */
export async function openEngine(
  configuration: Configuration,
  ports: AppPorts,
  before: { readonly lock: DataFolderLock; readonly callsMadeAtMs: readonly number[] },
): Promise<OpenedEngine> {
  const { clock, logger, tokens } = ports
  const settings = configuration.engineSettings
  if (!configuration.usesSample) {
    const secrets = { accessToken: () => tokens.read(), whyNone: () => tokens.problem() }
    const engine = createEngine(settings, { clock, logger, secrets }, before)
    return { engine, close: () => engine.close() }
  }
  // The sample of settings.json has a data folder of its own, which nobody has locked yet.
  const predecessor: Predecessor = configuration.resolved.useSample ? before : {}
  const sample = await ports.startSample()
  try {
    ports.keepSecret(sample.token)
    const secrets = { accessToken: () => Promise.resolve(sample.token) }
    const engine = createEngine({ ...settings, serviceUrl: sample.url }, { clock, logger, secrets }, predecessor)
    if (engine.projects.list().length === 0) engine.projects.add(sample.projects)
    return {
      engine,
      serviceUrl: sample.url,
      async close() {
        try {
          await engine.close()
        } finally {
          await sample.close()
        }
      },
    }
  } catch (error) {
    await sample.close()
    throw error
  }
}
