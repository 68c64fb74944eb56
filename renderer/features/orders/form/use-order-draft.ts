import { useEventListener } from '@vueuse/core'
import { computed, onScopeDispose, reactive, ref, shallowRef, watch } from 'vue'
import { orderFieldNames, type OrderFieldName } from '../../../../shared/order/order-fields.ts'
import type { OrderDetail } from '../../../../shared/order/order-views.ts'
import type { SetbackRegion } from '../../../../shared/order/setback-defaults.ts'
import { type CallError, type Client, useClient } from '../../../transport/transport.ts'

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

/**
 * A draft that is saved while the user types. If another window changes it too, neither version is overwritten: the
 * user chooses.
 */
export class OrderDraft {
  /** Latest version from the engine, or `null` until it is loaded. */
  readonly order = shallowRef<OrderDetail | null>(null)
  readonly error = shallowRef<CallError | null>(null)
  readonly texts = reactive<Texts>({})
  readonly region = ref<SetbackRegion | null>(null)
  readonly saveState = shallowRef<SaveState>({ kind: 'typing' })
  /** False once the order is sent: it cannot be changed anymore. */
  readonly isDraft = computed(() => this.order.value?.state === 'draft')
  readonly #orderId: number
  readonly #client: Client
  #revision = 0
  #saved = ''
  #sending: Promise<boolean> | undefined
  #timer: number | undefined
  #failures = 0
  #isClosed = false

  constructor(orderId: number, client: Client) {
    this.#orderId = orderId
    this.#client = client
  }

  /** Revision of the version that was loaded or saved last; `order` may still be an earlier one. */
  get revision(): number {
    return this.#revision
  }

  isDirty(): boolean {
    return this.order.value !== null && this.#content() !== this.#saved
  }

  /** Shows a version from the engine, instead of any unsaved changes. */
  adopt(loaded: OrderDetail): void {
    window.clearTimeout(this.#timer)
    this.order.value = loaded
    this.#revision = loaded.revision
    for (const name of orderFieldNames) {
      const text = loaded.texts[name]
      if (text === undefined) delete this.texts[name]
      else this.texts[name] = text
    }
    this.region.value = loaded.region
    this.#saved = this.#content()
    this.saveState.value = { kind: 'saved', at: loaded.changedAt }
  }

  async load(): Promise<void> {
    const { order, error } = this
    try {
      const loaded = await this.#client.call('orders.get', { orderId: this.#orderId })
      error.value = null
      const isNewer = loaded.revision > this.#revision
      // A response may be older than the last save.
      if (order.value === null || (isNewer && !this.isDirty() && this.#sending === undefined)) this.adopt(loaded)
      else if (loaded.revision === this.#revision || loaded.state !== 'draft') order.value = loaded
    } catch (thrown) {
      if (order.value === null || (thrown as CallError).code === 'not-found') error.value = thrown as CallError
    }
  }

  /** Returns true if everything is saved. */
  async save(): Promise<boolean> {
    window.clearTimeout(this.#timer)
    while (this.isDirty()) {
      if (this.#sending !== undefined) {
        await this.#sending
        if (this.saveState.value.kind === 'failed') return false
        continue
      }
      if (!this.isDraft.value || this.saveState.value.kind === 'elsewhere') return false
      this.#sending = this.#send().finally(() => (this.#sending = undefined))
      if (!(await this.#sending)) return false
    }
    return this.isDraft.value
  }

  /** Resolves a conflict: keeps the other window's version, or this one. */
  async choose(whose: 'theirs' | 'mine'): Promise<void> {
    if (this.saveState.value.kind !== 'elsewhere') return
    const { other } = this.saveState.value
    if (whose === 'theirs') {
      this.adopt(other)
      // The other window may have saved again.
      return this.load()
    }
    this.order.value = other
    this.#revision = other.revision
    this.#saved = contentOf(other.texts, other.region)
    this.saveState.value = { kind: 'typing' }
    this.handleChange()
    await this.save()
  }

  /** Called after each change of the texts or the region. */
  handleChange(): void {
    const { saveState, order } = this
    if (!this.isDirty()) {
      if (saveState.value.kind === 'typing' && this.#sending === undefined && order.value !== null) {
        saveState.value = { kind: 'saved', at: order.value.changedAt }
      }
      return
    }
    if (saveState.value.kind === 'elsewhere') return
    if (saveState.value.kind !== 'failed') saveState.value = { kind: 'typing' }
    this.#schedule(pauseMs)
  }

  /** Sends unsaved changes while the page closes. A save in flight creates the revision before this one. */
  sendLast(): void {
    if (!this.isDirty() || !this.isDraft.value || this.saveState.value.kind === 'elsewhere') return
    const revision = this.#sending === undefined ? this.#revision : this.#revision + 1
    this.#client.call('orders.saveDraft', { ...this.#values(), revision }).catch(() => undefined)
  }

  /** Stops the retries. */
  close(): void {
    this.#isClosed = true
    window.clearTimeout(this.#timer)
  }

  #content(): string {
    return contentOf(this.texts, this.region.value)
  }

  #values() {
    return { orderId: this.#orderId, texts: { ...this.texts }, region: this.region.value }
  }

  #schedule(delayMs: number): void {
    window.clearTimeout(this.#timer)
    if (!this.#isClosed) this.#timer = window.setTimeout(() => void this.save(), delayMs)
  }

  async #send(): Promise<boolean> {
    const sent = this.#content()
    if (this.saveState.value.kind !== 'failed') this.saveState.value = { kind: 'saving' }
    try {
      const answer = await this.#client.call('orders.saveDraft', { ...this.#values(), revision: this.#revision })
      this.#accept(sent, answer.revision, answer.savedAt)
      return true
    } catch (thrown) {
      return this.#diagnose(thrown as CallError, sent)
    }
  }

  #accept(sent: string, revision: number, at: string): void {
    this.#revision = revision
    this.#saved = sent
    this.#failures = 0
    this.saveState.value = this.isDirty() ? { kind: 'typing' } : { kind: 'saved', at }
  }

  /** Finds out why a save failed. A save whose response was lost looks like a change by another window. */
  async #diagnose(failure: CallError, sent: string): Promise<boolean> {
    const loaded = await this.#client.call('orders.get', { orderId: this.#orderId }).catch(() => null)
    if (loaded !== null && loaded.state !== 'draft') {
      this.order.value = loaded
      return false
    }
    if (loaded !== null && contentOf(loaded.texts, loaded.region) === sent) {
      this.order.value = loaded
      this.#accept(sent, loaded.revision, loaded.changedAt)
      return true
    }
    if (loaded !== null && failure.code === 'draft-changed') {
      const fields = orderFieldNames.filter((name) => (loaded.texts[name] ?? '') !== (this.texts[name] ?? ''))
      this.saveState.value = { kind: 'elsewhere', other: loaded, fields }
      return false
    }
    this.saveState.value = { kind: 'failed', error: failure }
    this.#schedule(retryDelaysMs[Math.min(this.#failures++, retryDelaysMs.length - 1)] ?? pauseMs)
    return false
  }
}

/** Loads a draft and saves its changes until the component is unmounted. */
export function useOrderDraft(orderId: number): OrderDraft {
  const client = useClient()
  const draft = new OrderDraft(orderId, client)
  watch([draft.texts, draft.region], () => draft.handleChange())
  useEventListener(window, 'pagehide', () => draft.sendLast())
  const stopListening = client.listen({
    onEvent({ name, value }) {
      if (name !== 'orders-changed') return
      if (value.orderId === null || value.orderId === orderId) void draft.load()
    },
    onResync: () => void draft.load(),
    onLink(link) {
      if (link === 'open' && draft.saveState.value.kind === 'failed') void draft.save()
    },
  })
  onScopeDispose(() => {
    draft.close()
    stopListening()
  })
  void draft.load()
  return draft
}

/** Returns a string that is equal for equal forms. */
function contentOf(texts: Texts, region: SetbackRegion | null): string {
  return JSON.stringify([region, ...orderFieldNames.map((name) => texts[name] ?? '')])
}
