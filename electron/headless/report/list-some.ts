import { formatCount } from '../format/count-of.ts'

/** The first lines of a list that may be very long, and how many more there are. */
export function listSome(lines: readonly string[], limit: number, where: string): string[] {
  if (lines.length <= limit) return [...lines]
  return [...lines.slice(0, limit), `... and ${formatCount(lines.length - limit)} more (${where})`]
}
