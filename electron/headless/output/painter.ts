import { styleText } from 'node:util'

/** The few roles that colour plays in what is printed. Nothing is told by colour alone. */
export interface Painter {
  readonly title: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly waiting: (text: string) => string
  readonly faint: (text: string) => string
}

type Format = Parameters<typeof styleText>[0]

/** Colours for a terminal that shows them, or the text as it is. */
export function createPainter(useColours: boolean): Painter {
  const paint = (format: Format) => (text: string) =>
    useColours ? styleText(format, text, { validateStream: false }) : text
  return {
    title: paint('bold'),
    good: paint('green'),
    bad: paint('red'),
    waiting: paint('yellow'),
    faint: paint('dim'),
  }
}
