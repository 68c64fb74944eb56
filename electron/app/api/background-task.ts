import type { TaskEnd, TaskState } from '../../../shared/background-tasks.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { Clock } from '../../engine/lib/ports.ts'
import { toEnvelope } from './error-envelope.ts'

export interface BackgroundTaskOptions<Task, Report, Order> {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly work: (task: Task, signal: AbortSignal) => Promise<Report>
  /** Returns what the state shows of a task. */
  readonly orderOf: (task: Task) => Order
  /** Error message for a start while it is running. */
  readonly alreadyRunning: string
  readonly onState: (state: TaskState<Order, Report>) => void
  /** Called with an unexpected error, to log it. */
  readonly onUnexpected: (error: AppError) => void
}

/** A long task that a user starts and stops; one runs at a time. Its state includes the outcome of the last run. */
export class BackgroundTask<Task, Report, Order = Task> {
  readonly #options: BackgroundTaskOptions<Task, Report, Order>
  #state: TaskState<Order, Report> = { kind: 'idle', last: null }
  #stop = new AbortController()
  /** Incremented by `forget`: the result of a run that started in an earlier era is dropped. */
  #era = 0
  #ended: Promise<void> = Promise.resolve()

  constructor(options: BackgroundTaskOptions<Task, Report, Order>) {
    this.#options = options
  }

  get state(): TaskState<Order, Report> {
    return this.#state
  }

  /** Starts a run. Throws `wrong-usage` while one is running. */
  start(task: Task): TaskState<Order, Report> {
    if (this.#state.kind === 'running') throw new AppError('wrong-usage', this.#options.alreadyRunning)
    this.#stop = new AbortController()
    this.#set({ kind: 'running', startedAt: this.#now(), order: this.#options.orderOf(task) })
    this.#ended = this.#run(task, this.#stop.signal)
    return this.#state
  }

  /** Asks the task to stop; the state changes once it has. */
  stop(): TaskState<Order, Report> {
    this.#stop.abort()
    return this.#state
  }

  /** Stops the task and waits for its end. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  /** Forgets the result of the last run, and that of the current run when it ends. */
  forget(): void {
    this.#era += 1
    if (this.#state.kind === 'idle' && this.#state.last !== null) this.#set({ kind: 'idle', last: null })
  }

  /** Restores the result of a run of an earlier process, unless a run has started since. */
  recall(last: TaskEnd<Report>): void {
    if (this.#state.kind === 'idle' && this.#state.last === null) this.#set({ kind: 'idle', last })
  }

  async #run(task: Task, signal: AbortSignal): Promise<void> {
    const era = this.#era
    const end = (last: TaskEnd<Report>) => this.#set({ kind: 'idle', last: era === this.#era ? last : null })
    try {
      const report = await this.#options.work(task, signal)
      end({ ok: true, endedAt: this.#now(), report })
    } catch (thrown) {
      const error = toAppError(thrown)
      if (error.code === 'internal') this.#options.onUnexpected(error)
      end({ ok: false, endedAt: this.#now(), error: toEnvelope(error) })
    }
  }

  #set(state: TaskState<Order, Report>): void {
    this.#state = state
    this.#options.onState(state)
  }

  #now(): string {
    return new Date(this.#options.clock.nowMs()).toISOString()
  }
}
