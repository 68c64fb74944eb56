import { computed, onScopeDispose, reactive, ref, shallowRef, watch } from 'vue'
import { orderFieldNames, type OrderFieldName } from '../../../../shared/order/order-fields.ts'
import type { OrderDetail } from '../../../../shared/order/order-views.ts'
import type { SetbackRegion } from '../../../../shared/order/setback-defaults.ts'
import { useClient } from '../../../transport/use-client.ts'
import type { CallError } from '../../../transport/transport.ts'

/** From the last key on; a person who types on is not interrupted. */
const pauseMs = 500
/** How long a save that failed waits for its next try, longer each time. */
const retryDelaysMs = [2_000, 4_000, 8_000, 15_000] as const

type Texts = Partial<Record<OrderFieldName, string>>

/** How what is typed stands with the engine. `elsewhere`: another window changed the draft; `fields` differ from what is here. */
export type SaveState =
  | { readonly kind: 'saved'; readonly at: string }
  | { readonly kind: 'typing' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'failed'; readonly error: CallError }
  | { readonly kind: 'elsewhere'; readonly other: OrderDetail; readonly fields: readonly OrderFieldName[] }

export type OrderDraft = ReturnType<typeof useOrderDraft>

/**
 * A draft as it is typed, kept by the engine all the time. Nothing that was typed here is overwritten by what another window
 * saved, and the other way round: then the person chooses.
 */
export function useOrderDraft(orderId: number) {
  const client = useClient()
  /** As the engine told it last; null until it did. */
  const order = shallowRef<OrderDetail | null>(null)
  const error = shallowRef<CallError | null>(null)
  const texts = reactive<Texts>({})
  const region = ref<SetbackRegion | null>(null)
  const saveState = shallowRef<SaveState>({ kind: 'typing' })
  let revision = 0
  let saved = ''
  let sending: Promise<boolean> | undefined
  let timer: number | undefined
  let failures = 0
  let isGone = false

  const content = () => contentOf(texts, region.value)
  const isDirty = () => order.value !== null && content() !== saved
  /** Only a draft can be changed. */
  const isDraft = computed(() => order.value?.state === 'draft')

  function adopt(told: OrderDetail): void {
    window.clearTimeout(timer)
    order.value = told
    revision = told.revision
    for (const name of orderFieldNames) {
      const text = told.texts[name]
      if (text === undefined) delete texts[name]
      else texts[name] = text
    }
    region.value = told.region
    saved = content()
    saveState.value = { kind: 'saved', at: told.changedAt }
  }

  async function load(): Promise<void> {
    try {
      const told = await client.call('orders.get', { orderId })
      error.value = null
      // An older one was asked for before what is here was kept.
      if (order.value === null || (told.revision > revision && !isDirty() && sending === undefined)) adopt(told)
      else if (told.revision === revision || told.state !== 'draft') order.value = told
    } catch (thrown) {
      if (order.value === null || (thrown as CallError).code === 'not-found') error.value = thrown as CallError
    }
  }

  function schedule(delayMs: number): void {
    window.clearTimeout(timer)
    if (!isGone) timer = window.setTimeout(() => void save(), delayMs)
  }

  /** Answers whether everything that was typed is kept. */
  async function save(): Promise<boolean> {
    window.clearTimeout(timer)
    while (isDirty()) {
      if (sending !== undefined) {
        await sending
        if (saveState.value.kind === 'failed') return false
        continue
      }
      if (!isDraft.value || saveState.value.kind === 'elsewhere') return false
      sending = sendOnce().finally(() => (sending = undefined))
      if (!(await sending)) return false
    }
    return isDraft.value
  }

  async function sendOnce(): Promise<boolean> {
    const mine = content()
    if (saveState.value.kind !== 'failed') saveState.value = { kind: 'saving' }
    try {
      const answer = await client.call('orders.saveDraft', {
        orderId,
        revision,
        texts: { ...texts },
        region: region.value,
      })
      accept(mine, answer.revision, answer.savedAt)
      return true
    } catch (thrown) {
      return explain(thrown as CallError, mine)
    }
  }

  function accept(mine: string, now: number, at: string): void {
    revision = now
    saved = mine
    failures = 0
    saveState.value = isDirty() ? { kind: 'typing' } : { kind: 'saved', at }
  }

  /** Why it was not kept: also a save that was kept and whose answer was lost looks as if another window had made it. */
  async function explain(refusal: CallError, mine: string): Promise<boolean> {
    const told = await client.call('orders.get', { orderId }).catch(() => null)
    if (told !== null && told.state !== 'draft') {
      order.value = told
      return false
    }
    if (told !== null && contentOf(told.texts, told.region) === mine) {
      order.value = told
      accept(mine, told.revision, told.changedAt)
      return true
    }
    if (told !== null && refusal.code === 'draft-changed') {
      const fields = orderFieldNames.filter((name) => (told.texts[name] ?? '') !== (texts[name] ?? ''))
      saveState.value = { kind: 'elsewhere', other: told, fields }
      return false
    }
    saveState.value = { kind: 'failed', error: refusal }
    schedule(retryDelaysMs[Math.min(failures++, retryDelaysMs.length - 1)] ?? pauseMs)
    return false
  }

  /** Ends a conflict: with what the other window saved, or with what is here. */
  async function choose(whose: 'theirs' | 'mine'): Promise<void> {
    if (saveState.value.kind !== 'elsewhere') return
    const { other } = saveState.value
    if (whose === 'theirs') return adopt(other)
    order.value = other
    revision = other.revision
    saveState.value = { kind: 'typing' }
    await save()
  }

  watch([texts, region], () => {
    if (!isDirty()) {
      if (saveState.value.kind === 'typing' && sending === undefined && order.value !== null) {
        saveState.value = { kind: 'saved', at: order.value.changedAt }
      }
      return
    }
    if (saveState.value.kind === 'elsewhere') return
    if (saveState.value.kind !== 'failed') saveState.value = { kind: 'typing' }
    schedule(pauseMs)
  })

  /** The page goes: what is not kept yet is sent without waiting. One that is on its way makes the draft's next revision. */
  function sendLast(): void {
    if (!isDirty() || !isDraft.value || saveState.value.kind === 'elsewhere') return
    const next = sending === undefined ? revision : revision + 1
    const last = { orderId, revision: next, texts: { ...texts }, region: region.value }
    client.call('orders.saveDraft', last).catch(() => undefined)
  }
  window.addEventListener('pagehide', sendLast)

  const stopListening = client.listen({
    onEvent({ name, value }) {
      if (name !== 'orders-changed') return
      const changed = (value as { readonly orderId: number | null }).orderId
      if (changed === null || changed === orderId) void load()
    },
    onResync: () => void load(),
    onLink(link) {
      if (link === 'open' && saveState.value.kind === 'failed') void save()
    },
  })
  onScopeDispose(() => {
    isGone = true
    window.clearTimeout(timer)
    window.removeEventListener('pagehide', sendLast)
    stopListening()
  })
  void load()

  return { order, error, texts, region, saveState, isDraft, isDirty, load, adopt, save, choose }
}

/** The same for two forms that say the same. */
function contentOf(texts: Texts, region: SetbackRegion | null): string {
  return JSON.stringify([region, ...orderFieldNames.map((name) => texts[name] ?? '')])
}
