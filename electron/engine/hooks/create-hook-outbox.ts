import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../shared/errors.ts'
import type { HookDelivery } from '../../../shared/hooks.ts'
import { evaluateFacts } from '../checklists/refresh-facts.ts'
import { backoffMs, maxDelayMs } from '../lib/backoff.ts'
import { createAddressPolicy, type AddressPolicy } from '../service/address-policy.ts'
import type { Clock } from '../lib/ports.ts'
import { dayMs, hourMs, toIso, toMs } from '../lib/time.ts'
import type { Outbound } from '../service/outbound.ts'
import { type PostAnswer, postBytes, postError } from '../service/post-bytes.ts'
import type { Store } from '../store/create-store.ts'
import { hookGone, type HookSubscription } from '../store/hooks-store.ts'

export type { HookSubscription }

/** A message to a webhook. */
export interface WebhookPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly allowPrivate: boolean
  readonly signal: AbortSignal
}

/** Events for hooks, and their deliveries. */
export interface HookOutbox {
  /** Sets the hooks that events are recorded for, in the transactions that record the events. */
  subscribe(hooks: readonly HookSubscription[]): void
  /**
   * Records events that nothing else reports: old gaps, once an hour, and damage, ten seconds after it was found so
   * that a verification reports a checklist once; with `isEnding`, at once.
   */
  collect(signal: AbortSignal, options?: { readonly isEnding?: boolean }): Promise<void>
  /** Returns the ids of the hooks that have deliveries that are due. */
  dueHooks(): string[]
  /** Returns the oldest delivery of a hook that is due, if there is one. */
  nextDue(hookId: string): HookDelivery | undefined
  /** Counts a try before it is made. Returns false if the delivery no longer waits. */
  begin(delivery: HookDelivery): boolean
  delivered(delivery: HookDelivery, result: string): void
  /** Ends a delivery whose hook is gone. */
  giveUp(delivery: HookDelivery): void
  /**
   * Schedules the next try. Unless the receiver refused this event (`isRefused`), also postpones the hook's later
   * deliveries, to keep their order. Gives up once three days have passed since the first try and at least eight tries
   * were made. Returns true if the others were postponed.
   */
  failed(delivery: HookDelivery, result: string, options: { readonly isRefused: boolean }): boolean
  /** Delivers again, with the same id. Throws `not-found`. */
  repeat(deliveryId: number): HookDelivery
  /**
   * Throws `link-unsafe` for an address that only a webhook with `allowPrivate` may have: one without encryption, or
   * one that names this machine or a private network. Looks nothing up. `refusal` returns the message for a reason.
   */
  refuseAddress(address: string, refusal: (why: string) => string): void
  /** Posts to a webhook. Throws `link-unsafe` for an address that is not allowed, and the errors of connections. */
  post(message: WebhookPost): Promise<Pick<PostAnswer, 'status'>>
}

export interface HookOutboxDeps {
  readonly store: Store
  readonly clock: Clock
  readonly outbound: Outbound
}

const gapsEveryMs = hourMs

/** Meta keys: when gaps were last collected, and when the clock was first seen to be earlier than that. */
const gapsCollectedKey = 'hook-gaps-collected-at'
const clockBackKey = 'hook-gaps-clock-back-at'

/** A clock that is behind by more than this is trusted only after it has stayed behind for as long. */
const clockDoubtMs = dayMs

const damageRestMs = 10_000

/** A receiver that is down for a weekend misses nothing. */
const giveUpAfterMs = 3 * dayMs

/** Minimum tries before giving up: a machine that was off for three days has made few. */
const minTries = 8

/** Longer than the longest time between two tries: only a clock that was ahead schedules one later. */
const maxWaitMs = maxDelayMs + hourMs

const timeoutMs = 30_000

/** The body of an answer is read only so that the receiver can end it. */
const maxAnswerBytes = 64 * 1024

export function createHookOutbox({ store, clock, outbound }: HookOutboxDeps): HookOutbox {
  let gapsAtMs: number | undefined

  /**
   * Returns whether the clock is behind, as at a start before it is set from the network: every gap would seem to be as
   * old as that. If it stays there, it was ahead before.
   */
  function isClockBehind(): boolean {
    const nowMs = clock.nowMs()
    const timeOf = (key: string) => toMs(store.meta.get(key) ?? null)
    if (nowMs >= (timeOf(gapsCollectedKey) ?? 0) - clockDoubtMs) return false
    const backMs = timeOf(clockBackKey)
    if (backMs === null || backMs > nowMs) store.meta.set(clockBackKey, toIso(nowMs))
    return backMs === null || nowMs - backMs < clockDoubtMs
  }

  async function collectGaps(signal: AbortSignal): Promise<void> {
    const hooks = store.hooks.subscriptions().filter(({ events }) => events.includes('gap-old'))
    const nowMs = clock.monotonicMs()
    if (hooks.length === 0 || (gapsAtMs !== undefined && nowMs - gapsAtMs < gapsEveryMs) || isClockBehind()) return
    const keys = await checklistsWithGaps(store, signal)
    const at = toIso(clock.nowMs())
    store.transaction(() => {
      store.meta.set(gapsCollectedKey, at)
      store.meta.remove(clockBackKey)
      store.hooks.putGaps(keys, at)
      for (const { id, gapDays } of hooks) {
        for (const gap of store.hooks.oldGaps(id, toIso(clock.nowMs() - gapDays * dayMs))) {
          const { checklistKey, projectId, since } = gap
          store.hooks.record({ event: 'gap-old', at, projectId, checklistKey, facts: { since, days: gapDays } }, id)
          store.hooks.markGapNotified(checklistKey, id)
        }
      }
    })
    gapsAtMs = nowMs
  }

  return {
    subscribe(hooks) {
      store.hooks.subscribe(hooks, toIso(clock.nowMs()))
      gapsAtMs = undefined
    },
    async collect(signal, { isEnding = false } = {}) {
      const nowMs = clock.nowMs()
      const latest = toIso(nowMs + maxWaitMs)
      store.hooks.resetFutureTries(toIso(nowMs), latest)
      const until = toIso(nowMs - (isEnding ? 0 : damageRestMs))
      while (store.transaction(() => store.hooks.recordDamageEvents(until, latest))) await nextTurn()
      await collectGaps(signal)
    },
    dueHooks: () => store.hooks.dueHooks(toIso(clock.nowMs())),
    nextDue: (hookId) => store.hooks.nextDue(hookId, toIso(clock.nowMs())),
    begin({ deliveryId, tries }) {
      const nowMs = clock.nowMs()
      return store.hooks.begin(deliveryId, toIso(nowMs), toIso(nowMs + backoffMs(tries + 1, Math.random())))
    },
    delivered: ({ deliveryId }, result) => store.hooks.end(deliveryId, 'delivered', toIso(clock.nowMs()), result),
    giveUp: ({ deliveryId }) => store.hooks.end(deliveryId, 'failed', toIso(clock.nowMs()), hookGone),
    failed({ deliveryId, tries }, result, { isRefused }) {
      const nowMs = clock.nowMs()
      const since = Date.parse(store.hooks.triedSince(deliveryId, toIso(nowMs)) ?? '')
      if (tries + 1 >= minTries && nowMs - since >= giveUpAfterMs) {
        store.hooks.end(deliveryId, 'failed', toIso(nowMs), result)
        return false
      }
      const nextTryAt = toIso(nowMs + backoffMs(tries + 1, Math.random()))
      store.hooks.postpone(deliveryId, { nextTryAt, result, ...(!isRefused && { now: toIso(nowMs) }) })
      return !isRefused
    },
    repeat(deliveryId) {
      const found = store.transaction(() => store.hooks.repeat(deliveryId, toIso(clock.nowMs())))
      if (found === undefined) throw new AppError('not-found', 'This delivery no longer exists.')
      return found
    },
    refuseAddress(address, refusal) {
      policyOf(false, refusal).check(new URL(address))
    },
    async post({ url: address, headers, body, allowPrivate, signal }) {
      const url = new URL(address)
      const policy = policyOf(allowPrivate, (why) => `The address of the webhook ${why}. Nothing was sent. ${remedy}`)
      try {
        policy.check(url)
        return await postBytes(outbound, {
          url,
          headers,
          body: Buffer.from(body),
          lookup: policy.lookup,
          timeoutMs,
          maxAnswerBytes,
          isStatusEnough: true,
          signal,
        })
      } catch (thrown) {
        signal.throwIfAborted()
        throw postError(thrown, 'The webhook could not be reached')
      }
    },
  }
}

const remedy =
  'To allow it, set "allowPrivate" to true for this webhook in settings.json, or change the webhook in the app window.'

function policyOf(allowPrivate: boolean, message: (why: string) => string): AddressPolicy {
  return createAddressPolicy({
    allowHttp: allowPrivate,
    nearest: () => (allowPrivate ? 'machine' : 'public'),
    refuse: (why) => new AppError('link-unsafe', message(why), { details: { input: 'url' } }),
  })
}

/** Open checklists that are evaluated in one turn of the event loop. */
const checklistsPerTurn = 100

/**
 * Returns the keys of the checklists of active projects that have gaps. Continues after the last key, not at an offset:
 * a sync may complete a checklist of an earlier page meanwhile.
 */
async function checklistsWithGaps(store: Store, signal: AbortSignal): Promise<number[]> {
  const keys: number[] = []
  const query = { filter: 'incomplete', offset: 0, limit: checklistsPerTurn } as const
  let before: number | undefined
  for (;;) {
    signal.throwIfAborted()
    const rows = store.catalog.openChecklists(query, '', before)
    for (const row of rows) if (evaluateFacts(store, row).gaps.length > 0) keys.push(row.key)
    if (rows.length < checklistsPerTurn) return keys
    before = rows.at(-1)?.key
    await nextTurn()
  }
}
