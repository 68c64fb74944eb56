import { cutToWidth, displayWidth } from './display-width.ts'

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  /** Cells wider than this many columns are cut; without it, cells keep their width. */
  readonly maxWidth?: number
}

/** Lines of an aligned table, its header first, without trailing spaces. Cells are plain text. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const cut = (text: string, column: Column) =>
    column.maxWidth === undefined ? text : cutToWidth(text, column.maxWidth)
  const lines = [columns.map((column) => column.title), ...rows].map((row) =>
    columns.map((column, i) => cut(row[i] ?? '', column)),
  )
  const widths = columns.map((_, i) => Math.max(...lines.map((cells) => displayWidth(cells[i] ?? ''))))
  return lines.map((cells) =>
    columns
      .map(({ align }, i) => {
        const cell = cells[i] ?? ''
        const gap = ' '.repeat((widths[i] ?? 0) - displayWidth(cell))
        return align === 'right' ? gap + cell : cell + gap
      })
      .join('  ')
      .trimEnd(),
  )
}
