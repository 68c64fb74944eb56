import type { ProcessPort, StartProcess } from '../lib/ports.ts'
import { programUrl } from '../lib/thread.ts'
import { type AnalysisMessage, analysisMessageSchema } from './analysis-task.ts'
import { type AnalysisResult, type AnalysisTask, maxTaskMs } from './analysis-task.ts'

const program = programUrl(import.meta.url, 'analysis-process')

export interface RunnerOptions {
  readonly start: StartProcess
  /** Time for a task, in milliseconds. Default: `maxTaskMs`. */
  readonly taskMs?: number
  /** Time without a task after which the process ends, so that it takes no memory. */
  readonly idleMs?: number
}

/** Time for a process to be ready, also on a slow disk, and on a machine with as much other work as for a task. */
const startMs = 120_000

const defaultIdleMs = 10_000

/** Creates a runner of tasks, one at a time, whose process is started with a task, and replaced whenever it ended. */
export function createAnalysisRunner({ start, taskMs = maxTaskMs, idleMs = defaultIdleMs }: RunnerOptions) {
  let child: Child | undefined
  let idle: NodeJS.Timeout | undefined

  function end(): void {
    clearTimeout(idle)
    child?.kill()
    child = undefined
  }

  /** Returns a new process, or `undefined` if none can be started: without memory, `start` itself throws. */
  function startChild(): Child | undefined {
    try {
      return new Child(start)
    } catch {
      return undefined
    }
  }

  async function ready(signal: AbortSignal): Promise<Child | undefined> {
    if (child === undefined || child.hasEnded) child = startChild()
    return (await child?.isReady(signal)) === true ? child : undefined
  }

  return {
    /**
     * Resolves to the result of a task, or to `undefined` if no process can be started here. Rejects with the signal's
     * reason as soon as it aborts.
     */
    async run(task: AnalysisTask, signal: AbortSignal): Promise<AnalysisResult | undefined> {
      clearTimeout(idle)
      let isReusable = false
      try {
        const process = await ready(signal)
        if (process === undefined) return undefined
        process.send(task)
        const message = await process.next(taskMs, signal)
        if (message === 'late') return { kind: 'failed', reason: 'too-long' }
        if (message === 'ended' || !('result' in message)) return { kind: 'failed', reason: 'ended' }
        isReusable = !message.isLast
        return message.result
      } finally {
        if (!isReusable) end()
        else idle = setTimeout(end, idleMs).unref()
      }
    },
    /** Starts the process and loads what reads reports, unless it runs: the first report then need not wait for it. */
    prepare(): void {
      if (child !== undefined) return
      child = startChild()
      if (child === undefined) return
      child.prepare()
      idle = setTimeout(end, idleMs).unref()
    },
    /** Ends the process. */
    close: end,
  }
}

export type AnalysisRunner = ReturnType<typeof createAnalysisRunner>

/** One process, and the message that is expected from it. */
class Child {
  hasEnded = false
  readonly #port: ProcessPort
  #wasReady = false
  #next = Promise.withResolvers<AnalysisMessage | 'ended'>()

  constructor(start: StartProcess) {
    const onEnd = () => {
      this.hasEnded = true
      this.#next.resolve('ended')
    }
    this.#port = start(program, {
      onMessage: (message) => this.#next.resolve(analysisMessageSchema.safeParse(message).data ?? 'ended'),
      onEnd,
    })
  }

  /** Waits until the process can take a task. Rejects with the signal's reason as soon as it aborts. */
  async isReady(signal: AbortSignal): Promise<boolean> {
    if (this.#wasReady) return true
    const first = await this.next(startMs, signal)
    this.#wasReady = typeof first === 'object' && 'isReady' in first
    return this.#wasReady
  }

  send(task: AnalysisTask): void {
    this.#next = Promise.withResolvers()
    if (this.hasEnded) this.#next.resolve('ended')
    else this.#port.send(task)
  }

  /** Has the process load what reads reports. */
  prepare(): void {
    this.#port.send({ kind: 'prepare' })
  }

  kill(): void {
    if (!this.hasEnded) this.#port.kill()
  }

  /** Waits for the next message. Rejects with the signal's reason as soon as it aborts. */
  async next(maxMs: number, signal: AbortSignal): Promise<AnalysisMessage | 'ended' | 'late'> {
    signal.throwIfAborted()
    const other = Promise.withResolvers<'late'>()
    const timer = setTimeout(() => other.resolve('late'), maxMs)
    const onAbort = () => other.reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([this.#next.promise, other.promise])
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }
}
