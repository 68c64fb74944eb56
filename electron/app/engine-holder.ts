import { AppError, toAppError } from '../../shared/errors.ts'
import { createEngine, type Predecessor } from '../engine/create-engine.ts'
import type { Engine } from '../engine/engine.ts'
import type { DataFolderLock } from '../engine/store/data-folder-lock.ts'
import type { AppPorts } from './ports.ts'
import { dataForSample } from './start-sample.ts'
import type { Configuration } from './settings/configuration.ts'

/** Called with each new engine, or undefined while there is none. */
export type EngineListener = (engine: Engine | undefined) => void

/** Holds the one engine of the app, and keeps its watch running when the engine is replaced. */
export class EngineHolder {
  readonly #listeners = new Set<EngineListener>()
  #engine: Engine | undefined
  #opened: OpenedEngine | undefined
  /** Error that keeps a configured engine from being open. */
  #problem: AppError | undefined
  #isPaused = false
  #changed = Promise.withResolvers<void>()
  #lastReplace: Promise<unknown> = Promise.resolve()
  readonly #ending = Promise.withResolvers<void>()

  /** Address of the current engine's service, if it is not that of the settings. */
  get serviceUrl(): string | undefined {
    return this.#opened?.serviceUrl
  }

  /** True while the watch is paused for a move. */
  get isPaused(): boolean {
    return this.#isPaused
  }

  /** The current engine, or undefined if there is none. */
  get present(): Engine | undefined {
    return this.#engine
  }

  /** Returns the engine. Throws `setup-needed` before setup. */
  require(): Engine {
    if (this.#engine !== undefined) return this.#engine
    if (this.#problem !== undefined) throw this.#problem
    throw new AppError(
      'setup-needed',
      'Solarchive is not set up yet: choose the service, its token, and the archive folder, or explore the sample ' +
        'service.',
    )
  }

  /**
   * Calls `listener` at once with the current engine, then with each later one. Returns a function that stops
   * following.
   */
  follow(listener: EngineListener): () => void {
    this.#listeners.add(listener)
    listener(this.#engine)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /**
   * Waits for the answers of orders in flight, closes the current engine, and opens the next one with `open`; there is
   * none if `open` is undefined or returns undefined. If `paused`, the watch of the next engine does not run until
   * `resume`. Throws the error of closing or opening; then there is no engine, and `run` rejects with that error.
   * Replacements run one after the other, so that no two engines are ever open.
   */
  replace(
    open: (() => Promise<OpenedEngine | undefined>) | undefined,
    { paused = false }: { readonly paused?: boolean } = {},
  ): Promise<void> {
    const mine = this.#lastReplace.then(() => this.#replace(open, paused))
    this.#lastReplace = mine.catch(() => undefined)
    return mine
  }

  async #replace(open: (() => Promise<OpenedEngine | undefined>) | undefined, paused: boolean): Promise<void> {
    const before = this.#opened
    // The engine stays open until then, so that the user who placed an order sees its outcome.
    await Promise.race([before?.engine.orders.finish(), this.#ending.promise])
    this.#opened = undefined
    this.#isPaused = paused
    this.#problem = new AppError('cancelled', 'Solarchive restarts with other settings. Try again in a moment.')
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

  /** Called when Solarchive is closing: from now on replacements do not wait for the answers of orders. */
  end(): void {
    this.#ending.resolve()
  }

  /** Resumes the watch after a replacement with `paused`. */
  resume(): void {
    this.#isPaused = false
    this.#wake()
  }

  /**
   * Keeps the watch of the current engine running until the signal aborts. Rejects with an error that prevents all
   * further writes to the database, or with the error of opening a new engine.
   */
  async run(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    while (!signal.aborted) {
      const changed = this.#changed.promise
      if (this.#engine !== undefined && !this.#isPaused) await this.#engine.watch.run(signal)
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

/** An open engine, and the sample service that was started for it, if any. */
export interface OpenedEngine {
  readonly engine: Engine
  /** Address of the service, if it is not that of the settings. */
  readonly serviceUrl?: string
  close(): Promise<void>
}

/** Opens an engine with the current settings, on the sample service if they select it. */
export async function openEngine(
  configuration: Configuration,
  ports: AppPorts,
  before: { readonly lock: DataFolderLock; readonly callsMadeAtMs: readonly number[] },
): Promise<OpenedEngine> {
  const { clock, logger, tokens, startProcess } = ports
  const settings = configuration.engineSettings
  if (!configuration.usesSample) {
    const secrets = { accessToken: () => tokens.read(), whyNone: () => configuration.whyNoToken() }
    const engine = createEngine(
      { ...settings, dataFor: { kind: 'service' } },
      { clock, logger, secrets, startProcess },
      before,
    )
    return { engine, close: () => engine.close() }
  }
  // The sample service of settings.json has its own data folder, which is not locked yet.
  const predecessor: Predecessor = configuration.resolved.useSample ? before : {}
  const sample = await ports.startSample()
  try {
    ports.keepSecret(sample.token)
    const secrets = { accessToken: () => Promise.resolve(sample.token) }
    const { resolved } = configuration
    const dataFor = resolved.useSample ? dataForSample(resolved, sample) : {}
    const onSample = { ...settings, serviceUrl: sample.url, ...dataFor }
    const engine = createEngine(onSample, { clock, logger, secrets, startProcess }, predecessor)
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
