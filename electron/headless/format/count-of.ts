/** A count with its noun: `1 file`, `12,345 files`, `no files`. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count === 0 ? 'no' : formatCount(count)} ${count === 1 ? noun : plural}`
}

/** A count with separated thousands: `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}
