import { computed, onScopeDispose, reactive, ref, shallowRef, watch } from 'vue'
import { orderFieldNames, type OrderFieldName } from '../../../../shared/order/order-fields.ts'
import type { OrderDetail } from '../../../../shared/order/order-views.ts'
import type { SetbackRegion } from '../../../../shared/order/setback-defaults.ts'
import { useClient } from '../../../transport/use-client.ts'
import type { CallError } from '../../../transport/transport.ts'

/** Delay of a save after the last keystroke. */
const pauseMs = 500
/** Delays of the retries of a failed save. */
const retryDelaysMs = [2_000, 4_000, 8_000, 15_000] as const

type Texts = Partial<Record<OrderFieldName, string>>

/** State of saving. `elsewhere`: another window changed the draft; `fields` differ from this window's. */
export type SaveState =
  | { readonly kind: 'saved'; readonly at: string }
  | { readonly kind: 'typing' }
  | { readonly kind: 'saving' }
  | { readonly kind: 'failed'; readonly error: CallError }
  | { readonly kind: 'elsewhere'; readonly other: OrderDetail; readonly fields: readonly OrderFieldName[] }

export type OrderDraft = ReturnType<typeof useOrderDraft>

/**
 * A draft that is saved while the user types. If another window changes it too, neither version is overwritten: the
 * user chooses.
 */
export function useOrderDraft(orderId: number) {
  const client = useClient()
  /** Latest version from the engine, or `null` until it is loaded. */
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
  /** False once the order is sent: it cannot be changed anymore. */
  const isDraft = computed(() => order.value?.state === 'draft')

  function adopt(loaded: OrderDetail): void {
    window.clearTimeout(timer)
    order.value = loaded
    revision = loaded.revision
    for (const name of orderFieldNames) {
      const text = loaded.texts[name]
      if (text === undefined) delete texts[name]
      else texts[name] = text
    }
    region.value = loaded.region
    saved = content()
    saveState.value = { kind: 'saved', at: loaded.changedAt }
  }

  async function load(): Promise<void> {
    try {
      const loaded = await client.call('orders.get', { orderId })
      error.value = null
      // A response may be older than the last save.
      if (order.value === null || (loaded.revision > revision && !isDirty() && sending === undefined)) adopt(loaded)
      else if (loaded.revision === revision || loaded.state !== 'draft') order.value = loaded
    } catch (thrown) {
      if (order.value === null || (thrown as CallError).code === 'not-found') error.value = thrown as CallError
    }
  }

  function schedule(delayMs: number): void {
    window.clearTimeout(timer)
    if (!isGone) timer = window.setTimeout(() => void save(), delayMs)
  }

  /** Returns true if everything is saved. */
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
    const sent = content()
    if (saveState.value.kind !== 'failed') saveState.value = { kind: 'saving' }
    try {
      const answer = await client.call('orders.saveDraft', {
        orderId,
        revision,
        texts: { ...texts },
        region: region.value,
      })
      accept(sent, answer.revision, answer.savedAt)
      return true
    } catch (thrown) {
      return diagnose(thrown as CallError, sent)
    }
  }

  function accept(sent: string, now: number, at: string): void {
    revision = now
    saved = sent
    failures = 0
    saveState.value = isDirty() ? { kind: 'typing' } : { kind: 'saved', at }
  }

  /** Finds out why a save failed. A save whose response was lost looks like a change by another window. */
  async function diagnose(failure: CallError, sent: string): Promise<boolean> {
    const loaded = await client.call('orders.get', { orderId }).catch(() => null)
    if (loaded !== null && loaded.state !== 'draft') {
      order.value = loaded
      return false
    }
    if (loaded !== null && contentOf(loaded.texts, loaded.region) === sent) {
      order.value = loaded
      accept(sent, loaded.revision, loaded.changedAt)
      return true
    }
    if (loaded !== null && failure.code === 'draft-changed') {
      const fields = orderFieldNames.filter((name) => (loaded.texts[name] ?? '') !== (texts[name] ?? ''))
      saveState.value = { kind: 'elsewhere', other: loaded, fields }
      return false
    }
    saveState.value = { kind: 'failed', error: failure }
    schedule(retryDelaysMs[Math.min(failures++, retryDelaysMs.length - 1)] ?? pauseMs)
    return false
  }

  /** Resolves a conflict: keeps the other window's version, or this one. */
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

  /** Sends unsaved changes while the page closes. A save in flight creates the revision before this one. */
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

/** Returns a string that is equal for equal forms. */
function contentOf(texts: Texts, region: SetbackRegion | null): string {
  return JSON.stringify([region, ...orderFieldNames.map((name) => texts[name] ?? '')])
}
