/** Items by their due time, the earliest first. */
export class DueHeap<Item extends { readonly dueMs: number }> {
  readonly #items: Item[] = []

  get first(): Item | undefined {
    return this.#items[0]
  }

  push(item: Item): void {
    const items = this.#items
    let index = items.length
    for (let parent = (index - 1) >> 1; index > 0; parent = (index - 1) >> 1) {
      const above = items[parent]
      if (above === undefined || above.dueMs <= item.dueMs) break
      items[index] = above
      index = parent
    }
    items[index] = item
  }

  /** Takes the first. */
  pop(): Item | undefined {
    const items = this.#items
    const first = items[0]
    const item = items.pop()
    if (item === undefined || items.length === 0) return first
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (dueMs(items[child + 1]) < dueMs(items[child])) child++
      const below = items[child]
      if (below === undefined || below.dueMs >= item.dueMs) break
      items[index] = below
      index = child
    }
    items[index] = item
    return first
  }

  clear(): void {
    this.#items.length = 0
  }
}

const dueMs = (item: { readonly dueMs: number } | undefined) => item?.dueMs ?? Infinity
