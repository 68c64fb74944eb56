import { onScopeDispose, ref, shallowReactive, shallowRef, watch } from 'vue'
import type { CallError } from './transport.ts'

/**
 * Rows per call: as many as a tall window shows. Nobody sees the others when a list changes with each key that is
 * typed, and each row of a page takes the engine about a millisecond.
 */
const pageSize = 32

/** Pages kept in memory; those farthest from the view are dropped first. */
const maxPages = 20

export interface PageAnswer<Item> {
  readonly total: number
  readonly items: readonly Item[]
}

/** Old rows are shown for this long while those of another list load: a list that empties at each key flickers. */
const staleMs = 300

type LoadPage<Item> = (page: { offset: number; limit: number }) => Promise<PageAnswer<Item>>

/** The pages in memory, and those being loaded. */
export class Pages<Item> {
  /** Number of matching rows, or `null` until the first response. */
  readonly total = ref<number | null>(null)
  readonly error = shallowRef<CallError | null>(null)
  readonly #load: LoadPage<Item>
  readonly #pages = shallowReactive(new Map<number, readonly Item[]>())
  readonly #inFlight = new Set<number>()
  /** Pages that were requested again while in flight. */
  readonly #outdated = new Set<number>()
  #generation = 0
  #shown = { first: 0, last: 0 }
  /** Runs while the rows are those of the list before. */
  #staleTimer: number | undefined

  constructor(load: LoadPage<Item>) {
    this.#load = load
  }

  /** Returns the row, or `undefined` while its page is loading. */
  at(index: number): Item | undefined {
    return this.#pages.get(Math.floor(index / pageSize))?.[index % pageSize]
  }

  /** Sets which rows are on screen. Their pages are loaded. */
  show(first: number, last: number): void {
    this.#shown = { first: Math.max(0, first), last: Math.max(0, last) }
    for (const page of this.#shownPages()) if (!this.#pages.has(page)) void this.#fetchPage(page)
  }

  /** A page in flight is displayed when it arrives, then loaded once more: changes may be faster than responses. */
  readonly reload = (): void => {
    for (const page of this.#shownPages()) {
      if (this.#inFlight.has(page)) this.#outdated.add(page)
      else void this.#fetchPage(page)
    }
  }

  /** Loads another list from its top. */
  startOver(): void {
    this.#generation += 1
    this.#inFlight.clear()
    this.#outdated.clear()
    this.error.value = null
    clearTimeout(this.#staleTimer)
    this.#staleTimer = window.setTimeout(() => this.#dropStaleRows(), staleMs)
    // As many rows are on screen as before: nothing else reports them if the list was at its top already.
    this.#shown = { first: 0, last: this.#shown.last - this.#shown.first }
    void this.#loadTop()
  }

  /** The first page is on the screen first; the others are loaded once it is known which there are. */
  async #loadTop(): Promise<void> {
    const mine = this.#generation
    await this.#fetchPage(0)
    if (mine !== this.#generation || this.total.value === null) return
    this.show(this.#shown.first, Math.min(this.#shown.last, this.total.value - 1))
  }

  /** Loads the rows on screen again, and the others once they are shown. */
  refresh(): void {
    const onScreen = new Set(this.#shownPages())
    for (const page of this.#pages.keys()) if (!onScreen.has(page)) this.#pages.delete(page)
    this.reload()
  }

  /** Ignores responses from now on. */
  close(): void {
    this.#generation += 1
    clearTimeout(this.#staleTimer)
  }

  async #fetchPage(page: number): Promise<void> {
    if (this.#inFlight.has(page)) return
    this.#inFlight.add(page)
    const mine = this.#generation
    try {
      const answer = await this.#load({ offset: page * pageSize, limit: pageSize })
      if (mine !== this.#generation) return
      this.#dropStaleRows()
      this.#pages.set(page, answer.items)
      this.total.value = answer.total
      this.error.value = null
      this.#dropFarPages()
    } catch (thrown) {
      if (mine === this.#generation) {
        this.#dropStaleRows()
        this.error.value = thrown as CallError
      }
    } finally {
      if (mine === this.#generation) {
        this.#inFlight.delete(page)
        if (this.#outdated.delete(page)) void this.#fetchPage(page)
      }
    }
  }

  #shownPages(): number[] {
    const first = Math.floor(this.#shown.first / pageSize)
    const last = Math.floor(this.#shown.last / pageSize)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  }

  #dropStaleRows(): void {
    if (this.#staleTimer === undefined) return
    clearTimeout(this.#staleTimer)
    this.#staleTimer = undefined
    this.#pages.clear()
    this.total.value = null
  }

  #dropFarPages(): void {
    const pages = this.#pages
    const middle = (this.#shown.first + this.#shown.last) / 2 / pageSize
    const farFirst = [...pages.keys()].sort((one, other) => Math.abs(other - middle) - Math.abs(one - middle))
    for (const page of farFirst.slice(0, Math.max(0, pages.size - maxPages))) pages.delete(page)
  }
}

/**
 * A long list of which only the pages near the view are in memory. Starts over if `key` changes; if `refreshOn`
 * changes, loads the pages on screen again and keeps the old rows until then.
 */
export function usePages<Item>(
  load: LoadPage<Item>,
  { key, refreshOn = () => null }: { key: () => unknown; refreshOn?: () => unknown },
) {
  const pages = new Pages<Item>(load)
  watch(key, () => pages.startOver(), { immediate: true })
  watch(refreshOn, () => pages.refresh())
  onScopeDispose(() => pages.close())
  return pages
}
