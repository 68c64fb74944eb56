const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** A size as people and file managers write it, in powers of 1000: `0 B`, `950 B`, `4.2 MB`, `48 GB`. */
export function formatBytes(bytes: number): string {
  let value = Math.max(0, bytes)
  let unit = 0
  // 999.5 would be rounded to 1000 of the smaller unit.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0
  return `${value.toFixed(digits)} ${units[unit]}`
}
