export interface Random {
  between(low: number, high: number): number
  of<T>(items: readonly T[]): T
}

/** The same numbers for the same seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    between: (low, high) => low + (high - low) * next(),
    of(items) {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error('There is nothing to choose from')
      return item
    },
  }
}
