import { createHmac } from 'node:crypto'
import packageJson from '../../../package.json' with { type: 'json' }
import { AppError, toAppError } from '../../../shared/errors.ts'
import type { Hook, HookDelivery } from '../../../shared/hooks.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Clock, Log } from '../../engine/lib/ports.ts'
import { runProgram } from './run-program.ts'

export interface HookRunnerDeps {
  readonly clock: Clock
  readonly log: Log
  /** Returns the current hooks, with their secrets. */
  readonly hooks: () => readonly Hook[]
}

type HookEngine = Pick<Engine, 'hooks'>

interface Outcome {
  readonly isOk: boolean
  /** True if the receiver does not want this event, whatever it does with others. */
  readonly isRefused: boolean
  /** For people. */
  readonly result: string
}

/** Time between two checks for new events, and for tries that have become due. */
const restMs = 2_000

/** Further rest after the database could not be written to: each try may block for SQLite's whole busy timeout. */
const blockedRestMs = 30_000

/** Time that a finished command spends on starting deliveries; the next process makes the rest. */
const maxEndMs = 10_000

/**
 * Delivers events to hooks: those of one hook in order, one at a time, and no hook waits for another. A try is counted
 * in the database before it is made, and its outcome after it: a process that ends in between makes it again, with the
 * same id and the same bytes.
 */
export class HookRunner {
  readonly #deps: HookRunnerDeps

  constructor(deps: HookRunnerDeps) {
    this.#deps = deps
  }

  /**
   * Delivers what is due until the signal aborts, which kills programs that run, or until `isDone`. Waits while the
   * database cannot be written to. Logs any other error of the database, after which nothing more is delivered.
   * Resolves once no delivery is in flight.
   */
  async run(engine: HookEngine, signal: AbortSignal, isDone: AbortSignal = signal): Promise<void> {
    const { clock, log, hooks } = this.#deps
    const failure = new AbortController()
    const combinedSignal = AbortSignal.any([signal, isDone, failure.signal])
    const inFlight = new Map<string, Promise<void>>()
    let [isBlocked, wasBlocked] = [false, false]
    const fail = (cause: unknown) => {
      if (isTemporary(cause)) {
        if (!isBlocked && !wasBlocked) log.warn('Hooks wait until the database can be written to', { cause })
        isBlocked = true
        return
      }
      if (!failure.signal.aborted) this.#logFailure(cause, signal)
      failure.abort()
    }
    const startDue = async () => {
      if (hooks().length === 0) return
      await engine.hooks.collect(signal)
      for (const hookId of engine.hooks.dueHooks()) {
        if (inFlight.has(hookId)) continue
        const deliveries = this.#deliverAll(engine, hookId, signal, () => combinedSignal.aborted)
        inFlight.set(
          hookId,
          deliveries.catch(fail).finally(() => inFlight.delete(hookId)),
        )
      }
    }
    const rest = (ms: number) => clock.sleep(ms, combinedSignal).catch(() => undefined)
    while (!combinedSignal.aborted) {
      await startDue().catch(fail)
      await rest(restMs)
      if (isBlocked) await rest(blockedRestMs)
      wasBlocked = isBlocked
      isBlocked = false
    }
    await Promise.allSettled(inFlight.values())
  }

  /**
   * Delivers what is due now, until `isDone`. Rejects with errors of the database, and the signal's reason, once no
   * delivery is in flight.
   */
  async deliverDue(engine: HookEngine, signal: AbortSignal, isDone: () => boolean, isEnding = false): Promise<void> {
    await engine.hooks.collect(signal, { isEnding })
    const deliveries = engine.hooks.dueHooks().map((hookId) => this.#deliverAll(engine, hookId, signal, isDone))
    await Promise.allSettled(deliveries)
    await Promise.all(deliveries)
  }

  /** Delivers what is due for a command that is done. Never rejects. */
  async finish(engine: HookEngine, signal: AbortSignal): Promise<void> {
    const { clock, hooks } = this.#deps
    if (hooks().length === 0) return
    const untilMs = clock.monotonicMs() + maxEndMs
    try {
      await this.deliverDue(engine, signal, () => clock.monotonicMs() >= untilMs, true)
    } catch (cause) {
      this.#logFailure(cause, signal)
    }
  }

  #logFailure(cause: unknown, signal: AbortSignal): void {
    if (!signal.aborted) this.#deps.log.error('Hooks are not run any more', { cause })
  }

  /** Delivers what is due for one hook, the oldest first, until a failure puts it off, or until `isDone`. */
  async #deliverAll(engine: HookEngine, hookId: string, signal: AbortSignal, isDone: () => boolean): Promise<void> {
    const { hooks } = engine
    while (!isDone()) {
      signal.throwIfAborted()
      const delivery = hooks.nextDue(hookId)
      if (delivery === undefined) return
      const hook = this.#deps.hooks().find(({ id, isOn }) => id === hookId && isOn)
      if (hook === undefined) {
        hooks.giveUp(delivery)
        continue
      }
      if (!hooks.begin(delivery)) continue
      const { isOk, isRefused, result } = await this.#deliver(engine, hook, delivery, signal)
      // Stopped by this process: no fault of the receiver, and it is not known whether it has the event.
      signal.throwIfAborted()
      const facts = { hook: hook.id, event: delivery.event, delivery: delivery.deliveryId }
      if (isOk) this.#deps.log.info('A hook was notified of an event', facts)
      else this.#deps.log.warn('A hook could not be notified of an event', { ...facts, reason: result })
      if (isOk) hooks.delivered(delivery, result)
      else if (hooks.failed(delivery, result, { isRefused })) return
    }
  }

  #deliver(engine: HookEngine, hook: Hook, delivery: HookDelivery, signal: AbortSignal): Promise<Outcome> {
    return hook.target.kind === 'program'
      ? this.#run(hook.target, delivery, signal)
      : this.#post(engine, hook.target, delivery, signal)
  }

  async #run(
    { path, args, timeoutSeconds }: Extract<Hook['target'], { kind: 'program' }>,
    { body, deliveryId, hookId }: HookDelivery,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const run = { path, args, input: `${body}\n`, timeoutMs: timeoutSeconds * 1000, signal }
    const { isOk, result, output } = await runProgram(run)
    if (output !== '') this.#deps.log.info('A hook has printed', { hook: hookId, delivery: deliveryId, output })
    return { isOk, isRefused: false, result }
  }

  async #post(
    { hooks }: HookEngine,
    { url, secret, allowPrivate }: Extract<Hook['target'], { kind: 'webhook' }>,
    { body, eventId, event }: HookDelivery,
    signal: AbortSignal,
  ): Promise<Outcome> {
    // That of the try, so that a receiver can refuse old messages that somebody recorded.
    const timestamp = String(Math.floor(this.#deps.clock.nowMs() / 1000))
    const headers = {
      'content-type': 'application/json',
      'user-agent': `Solarchive/${packageJson.version}`,
      'x-solarchive-id': eventId,
      'x-solarchive-event': event,
      'x-solarchive-timestamp': timestamp,
      'x-solarchive-signature': `sha256=${signatureOf(secret, timestamp, body)}`,
    }
    try {
      const { status } = await hooks.post({ url, headers, body, allowPrivate, signal })
      const isOk = status >= 200 && status < 300
      return { isOk, isRefused: refusesEvent(status), result: `HTTP status ${status}` }
    } catch (thrown) {
      return { isOk: false, isRefused: false, result: toAppError(thrown).message }
    }
  }
}

/** Returns whether an error of the database passes by itself: a full disk, or another program that keeps it locked. */
const isTemporary = (cause: unknown) =>
  cause instanceof AppError && (cause.code === 'disk-full' || cause.code === 'data-folder-locked')

/**
 * Statuses of 4xx that are about the receiver's state, not about the message: timeout, too early, too many requests.
 */
const passingStatuses: readonly number[] = [408, 425, 429]

const refusesEvent = (status: number) => status >= 400 && status < 500 && !passingStatuses.includes(status)

/** Returns the signature of a message: HMAC-SHA-256 over `<timestamp>.<body>`, in hex. */
function signatureOf(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
}
