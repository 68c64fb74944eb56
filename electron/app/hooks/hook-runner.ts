import { createHmac } from 'node:crypto'
import packageJson from '../../../package.json' with { type: 'json' }
import { toAppError } from '../../../shared/errors.ts'
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

/** How a try ended. */
interface Outcome {
  readonly isOk: boolean
  /** True if the receiver does not want this event, whatever it does with others. */
  readonly isRefused: boolean
  /** For people. */
  readonly result: string
}

/** Deliveries that are looked at together. */
const batchSize = 100

/** Longest rest: an event that this process does not notice otherwise is delivered after it. */
const maxRestMs = 2_000

/** Time after which a command that is done begins no other delivery. The rest is left to the next process. */
const maxEndMs = 10_000

/**
 * Delivers events to hooks. A try is counted in the database before it is made, and its outcome after it: a process
 * that ends in between makes it again, with the same id and the same bytes.
 */
export class HookRunner {
  readonly #deps: HookRunnerDeps

  constructor(deps: HookRunnerDeps) {
    this.#deps = deps
  }

  /**
   * Delivers what is due until the signal aborts, which kills a program that runs, or until `isDone`. Logs errors of
   * the database, after which nothing more is delivered.
   */
  async run(engine: HookEngine, signal: AbortSignal, isDone: AbortSignal = signal): Promise<void> {
    const { clock, log, hooks } = this.#deps
    const either = AbortSignal.any([signal, isDone])
    try {
      while (!either.aborted) {
        if (hooks().length > 0) await this.deliverDue(engine, signal, () => isDone.aborted)
        const restMs = Math.min(maxRestMs, Math.max(100, engine.hooks.dueInMs() ?? maxRestMs))
        await clock.sleep(restMs, either).catch(() => undefined)
      }
    } catch (cause) {
      if (!signal.aborted) log.error('Hooks are not run any more', { cause })
    }
  }

  /**
   * Delivers what is due now, each hook's deliveries one after the other, until `isDone`. Rejects with errors of the
   * database, and the signal's reason.
   */
  async deliverDue(engine: HookEngine, signal: AbortSignal, isDone: () => boolean, isEnding = false): Promise<void> {
    await engine.hooks.collect(signal, { isEnding })
    while (!isDone()) {
      signal.throwIfAborted()
      const byHook = Map.groupBy(engine.hooks.due(batchSize), ({ hookId }) => hookId)
      if (byHook.size === 0) return
      await Promise.all([...byHook.values()].map((deliveries) => this.#deliverAll(engine, deliveries, signal, isDone)))
    }
  }

  /** Delivers what is due for a command that is done. Never rejects. */
  async finish(engine: HookEngine, signal: AbortSignal): Promise<void> {
    const { clock, log, hooks } = this.#deps
    if (hooks().length === 0) return
    const untilMs = clock.monotonicMs() + maxEndMs
    try {
      await this.deliverDue(engine, signal, () => clock.monotonicMs() >= untilMs, true)
    } catch (cause) {
      if (!signal.aborted) log.error('Hooks are not run any more', { cause })
    }
  }

  async #deliverAll(
    { hooks }: HookEngine,
    deliveries: readonly HookDelivery[],
    signal: AbortSignal,
    isDone: () => boolean,
  ): Promise<void> {
    for (const delivery of deliveries) {
      signal.throwIfAborted()
      if (isDone()) return
      const hook = this.#deps.hooks().find(({ id, isOn }) => id === delivery.hookId && isOn)
      if (hook === undefined) {
        hooks.giveUp(delivery)
        continue
      }
      if (!hooks.begin(delivery)) continue
      const { isOk, isRefused, result } = await this.#deliver({ hooks }, hook, delivery, signal)
      // Stopped by this process: no fault of the receiver, and it is not known whether it has the event.
      if (signal.aborted) return
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
      : post(engine, hook.target, delivery, signal)
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
}

/**
 * Statuses of 4xx that are about the receiver's state, not about the message: timeout, too early, too many requests.
 */
const passingStatuses: readonly number[] = [408, 425, 429]

const isRefusal = (status: number) => status >= 400 && status < 500 && !passingStatuses.includes(status)

/** Returns the signature of a message: HMAC-SHA-256 over `<timestamp>.<body>`, in hex. */
function signatureOf(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
}

async function post(
  { hooks }: HookEngine,
  { url, secret, allowPrivate }: Extract<Hook['target'], { kind: 'webhook' }>,
  { body, eventId, event }: HookDelivery,
  signal: AbortSignal,
): Promise<Outcome> {
  // That of the try, so that a receiver can refuse old messages that somebody recorded.
  const timestamp = String(Math.floor(Date.now() / 1000))
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
    return { isOk, isRefused: isRefusal(status), result: `HTTP status ${status}` }
  } catch (thrown) {
    return { isOk: false, isRefused: false, result: toAppError(thrown).message }
  }
}
