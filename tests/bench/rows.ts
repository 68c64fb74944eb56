/** One line of the table of targets. */
export interface Row {
  readonly name: string
  /** The measured value with its parts, for readers. */
  readonly text: string
  readonly value: number
  readonly target: number
  readonly aim?: number
  /** True if the target is a minimum. Default: a maximum. */
  readonly isMinimum?: boolean
}

/** A line that could not be measured here, and why. */
export interface MissingRow {
  readonly name: string
  readonly missing: string
}

export type AnyRow = Row | MissingRow

function isMet({ value, target, isMinimum = false }: Row, limit = target): boolean {
  return isMinimum ? value >= limit : value <= limit
}

const limitOf = ({ isMinimum = false }: Row, limit: number) => `at ${isMinimum ? 'least' : 'most'} ${limit}`

/** Prints rows as they are measured. Sets the exit code to 1 when one misses its target. */
export function printRow(row: AnyRow): void {
  if ('missing' in row) return console.log(`${row.name}: not measured: ${row.missing}`)
  if (!isMet(row)) process.exitCode = 1
  console.log(`${row.name}: ${row.text} (target: ${limitOf(row, row.target)})${isMet(row) ? '' : '  MISSED'}`)
}

/** Returns rows as lines of a Markdown table. */
export function tableOf(rows: readonly AnyRow[]): string[] {
  return [
    '| Bench | Measured | Target | Aim | |',
    '|---|---|---|---|---|',
    ...rows.map((row) => {
      if ('missing' in row) return `| ${row.name} | not measured: ${row.missing} | | | |`
      const verdict = !isMet(row) ? '**missed**' : row.aim === undefined || isMet(row, row.aim) ? 'met' : 'target met'
      return `| ${row.name} | ${row.text} | ${limitOf(row, row.target)} | ${row.aim ?? ''} | ${verdict} |`
    }),
  ]
}

export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

export const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`

/** Returns a number of an argument, or the default if it is left out. Throws unless it is a whole number from 1. */
export function countOf(text: string | undefined, byDefault: number): number {
  const count = text === undefined ? byDefault : Number(text)
  if (!Number.isInteger(count) || count < 1) throw new Error(`"${text}" must be a whole number from 1.`)
  return count
}
