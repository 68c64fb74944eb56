import stringWidth from 'string-width'
import { once } from '../../../shared/format.ts'

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** Width in columns at which cells are cut; without it, they keep their width. */
  readonly maxWidth?: number
}

/** Returns the lines of an aligned table, its header first, without trailing spaces. Cells are plain text. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const cut = (text: string, column: Column) =>
    column.maxWidth === undefined ? text : cutToWidth(text, column.maxWidth)
  const lines = [columns.map((column) => column.title), ...rows].map((row) =>
    columns.map((column, i) => cut(row[i] ?? '', column)),
  )
  const widths = columns.map((_, i) => Math.max(...lines.map((cells) => stringWidth(cells[i] ?? ''))))
  return lines.map((cells) =>
    columns
      .map(({ align }, i) => {
        const cell = cells[i] ?? ''
        const gap = ' '.repeat((widths[i] ?? 0) - stringWidth(cell))
        return align === 'right' ? gap + cell : cell + gap
      })
      .join('  ')
      .trimEnd(),
  )
}

const graphemes = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }))

/** Returns the text cut to at most `columns` columns of a terminal, with `…` if something was cut. */
export function cutToWidth(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text
  let kept = ''
  let used = 0
  for (const { segment } of graphemes().segment(text)) {
    used += stringWidth(segment)
    if (used > columns - 1) break
    kept += segment
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`
}
