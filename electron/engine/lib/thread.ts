import { type ResourceLimits, Worker } from 'node:worker_threads'

/** A program that answers every message with exactly one, in their order. */
export interface ThreadProgram {
  /** See `programUrl`. */
  readonly url: URL
  readonly resourceLimits?: ResourceLimits
}

/** Returns the file of a program beside the module `base`: in the sources, or in the built app beside the main file. */
export function programUrl(base: string, name: string): URL {
  return new URL(base.endsWith('.ts') ? `./${name}.ts` : `./${name}.js`, base)
}

/** Time without work after which a thread ends, so that it takes no memory. */
const defaultIdleMs = 10_000

/** Threads without work, by their program's URL: to start one takes some 30 ms of processor time. */
const idleThreads = new Map<string, Thread[]>()

/** A thread that answers messages. Without one to answer, it does not keep the process alive. */
export class Thread {
  /** False until the first answer: a thread that ends before it may be one that cannot be started here. */
  hasAnswered = false
  hasEnded = false
  #idle: NodeJS.Timeout | undefined
  readonly #waiting: ((answer: unknown) => void)[] = []
  readonly #program: ThreadProgram
  readonly #worker: Worker

  private constructor(program: ThreadProgram) {
    this.#program = program
    const { url, resourceLimits } = program
    this.#worker = new Worker(url, { execArgv: [], stdin: false, ...(resourceLimits && { resourceLimits }) })
    const onEnd = () => this.#onEnd()
    this.#worker.on('message', (answer: unknown) => this.#onAnswer(answer))
    this.#worker.on('messageerror', () => void this.end())
    this.#worker.on('error', onEnd)
    this.#worker.on('exit', onEnd)
    this.#worker.unref()
  }

  /**
   * Returns a thread of the program that was released, or starts one. Throws if the system refuses it, as a container
   * with a limit of processes does.
   */
  static take(program: ThreadProgram): Thread {
    const thread = idleThreads.get(program.url.href)?.pop() ?? new Thread(program)
    clearTimeout(thread.#idle)
    return thread
  }

  /** Messages that wait for an answer. */
  get pending(): number {
    return this.#waiting.length
  }

  /** Resolves to the answer, or to `undefined` if the thread ends first. Throws for what cannot be sent to a thread. */
  ask<Answer>(message: unknown): Promise<Answer | undefined> {
    if (this.hasEnded) return Promise.resolve(undefined)
    const { promise, resolve } = Promise.withResolvers<unknown>()
    this.#worker.postMessage(message)
    this.#waiting.push(resolve)
    this.#worker.ref()
    return promise as Promise<Answer | undefined>
  }

  /** Leaves the thread to whoever takes it next, or ends it if it has messages to answer. */
  async release(idleMs = defaultIdleMs): Promise<void> {
    if (this.pending > 0) return this.end()
    if (this.hasEnded) return
    const { href } = this.#program.url
    const others = idleThreads.get(href)
    if (others === undefined) idleThreads.set(href, [this])
    else others.push(this)
    this.#idle = setTimeout(() => void this.end(), idleMs).unref()
  }

  /** Ends the thread, also amid its work. */
  async end(): Promise<void> {
    this.#onEnd()
    await this.#worker.terminate()
  }

  #onAnswer(answer: unknown): void {
    this.hasAnswered = true
    this.#waiting.shift()?.(answer)
    if (this.pending === 0) this.#worker.unref()
  }

  #onEnd(): void {
    this.hasEnded = true
    clearTimeout(this.#idle)
    const others = idleThreads.get(this.#program.url.href) ?? []
    const index = others.indexOf(this)
    if (index !== -1) others.splice(index, 1)
    for (const resolve of this.#waiting.splice(0)) resolve(undefined)
  }
}
