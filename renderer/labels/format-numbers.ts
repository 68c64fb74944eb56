export { countOf, formatCount } from '../../shared/format-count.ts'

const whole = new Intl.NumberFormat('en-US')
const oneDecimal = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** Decimal units, as file managers of macOS and Linux have them: 1234567 → "1.2 MB". */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 99.95 ? whole.format(Math.round(value)) : oneDecimal.format(value)} ${byteUnits[unit]}`
}

/** Whole percent, and never 100 while something is missing nor 0 when something is there. */
export function percentOf(part: number, all: number): number {
  if (all === 0) return 100
  if (part >= all) return 100
  if (part <= 0) return 0
  return Math.min(99, Math.max(1, Math.round((part / all) * 100)))
}
