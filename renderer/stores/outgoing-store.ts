import { useIntervalFn } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { EventMessage } from '../../shared/contract/events.ts'
import type { EvidenceState } from '../../shared/evidence.ts'
import { orderRequests } from '../transport/request-order.ts'
import { type CallError, useClient } from '../transport/transport.ts'
import { createRefresh } from './create-refresh.ts'

/** Interval of checks of the deliveries of hooks that are on: no event reports that they fail. */
const checkMs = 60_000
/** Minimum interval between two checks. */
const refreshMs = 500

/** Returns whether time stamps or hooks may have changed. */
function changesOutgoing(message: EventMessage): boolean {
  if (message.name !== 'activity') return message.name === 'evidence-state'
  const { items, hasMore } = message.value
  return hasMore || items.some(({ kind }) => kind === 'hooks-changed')
}

/** Problems with what is sent elsewhere than to the service: time stamps, and events for hooks. */
export const useOutgoing = defineStore('outgoing', () => {
  const client = useClient()
  const evidence = shallowRef<EvidenceState | null>(null)
  /** Why `evidence` is not known, or not the latest. */
  const evidenceError = shallowRef<CallError | null>(null)
  /** Names of the hooks that fail. */
  const failingHooks = ref<readonly string[]>([])
  /** True until the first answer says otherwise. */
  let hasHooks = true

  /** Error of the time stamps; `null` while there is none, or it may pass by itself. */
  const stampProblem = computed(() => {
    const problem = evidence.value?.problem
    return problem?.attention === true ? problem.error : null
  })
  const attentionCount = computed(() => (stampProblem.value === null ? 0 : 1) + failingHooks.value.length)

  const begin = orderRequests()
  async function load(): Promise<void> {
    const isNewest = begin()
    const [state, deliveries] = await Promise.allSettled([
      client.call('evidence.state', {}),
      Promise.all([client.call('hooks.list', {}), client.call('hooks.failing', {})]),
    ])
    if (!isNewest()) return
    if (state.status === 'fulfilled') evidence.value = state.value
    evidenceError.value = state.status === 'fulfilled' ? null : (state.reason as CallError)
    // The page of the hooks reports its own error.
    if (deliveries.status === 'rejected') return
    const [{ hooks }, { hookIds }] = deliveries.value
    hasHooks = hooks.some(({ isOn }) => isOn)
    failingHooks.value = hooks.filter(({ id }) => hookIds.includes(id)).map(({ name }) => name)
  }
  const { refresh } = createRefresh(load, refreshMs)
  const checks = useIntervalFn(() => hasHooks && refresh(), checkMs, { immediate: false })

  /** Loads and listens for events. Returns a function that stops. */
  function start(): () => void {
    refresh()
    checks.resume()
    const stop = client.listen({
      onEvent(message) {
        if (message.name === 'evidence-state') {
          // Counts as the newest answer: one that is on its way is older.
          begin()()
          evidence.value = message.value
        }
        if (changesOutgoing(message)) refresh()
      },
      onLink(now) {
        if (now === 'open') refresh()
      },
    })
    return () => {
      checks.pause()
      stop()
    }
  }

  return { evidence, evidenceError, stampProblem, failingHooks, attentionCount, refresh, start }
})
