const whole = new Intl.NumberFormat('en-US')

/** 12345 → "12,345". */
export function formatCount(count: number): string {
  return whole.format(count)
}

/** "1 photo", "12,345 photos". `many` for words that are not made with -s. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
