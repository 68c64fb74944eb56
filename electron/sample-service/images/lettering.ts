import { fileURLToPath } from 'node:url'
import { registerFont } from 'pureimage'
import type { Canvas, Outline, Paint } from './canvas.ts'

interface PathCommand {
  readonly type: 'M' | 'L' | 'Q' | 'C' | 'Z'
  readonly x: number
  readonly y: number
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
}

/** What is used of the parsed font that pureimage hands out untyped. */
interface ParsedFont {
  getPath(text: string, x: number, y: number, size: number): { readonly commands: readonly PathCommand[] }
  readonly unitsPerEm: number
  stringToGlyphs(text: string): readonly { readonly advanceWidth: number }[]
  charToGlyphIndex(character: string): number
}

export type Face = 'regular' | 'bold'

const parsedFonts = new Map<Face, ParsedFont>()

function fontPath(face: Face): string {
  if (face === 'bold') return fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf'))
  return fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf'))
}

function font(face: Face): ParsedFont {
  const known = parsedFonts.get(face)
  if (known) return known
  const parsed = registerFont(fontPath(face), `sample-service-${face}`).loadSync().font as ParsedFont
  parsedFonts.set(face, parsed)
  return parsed
}

/** The text without the characters that the font cannot draw, so that no empty boxes show. */
export function drawableText(text: string, face: Face = 'regular'): string {
  const known = font(face)
  return Array.from(text.normalize('NFC'))
    .filter((character) => character === ' ' || known.charToGlyphIndex(character) > 0)
    .join('')
}

export function textWidth(text: string, size: number, face: Face = 'regular'): number {
  const parsed = font(face)
  const advance = parsed.stringToGlyphs(text).reduce((sum, glyph) => sum + glyph.advanceWidth, 0)
  return (advance / parsed.unitsPerEm) * size
}

/** The text cut with an ellipsis so that it is at most `width` wide. */
export function fitText(text: string, width: number, size: number, face: Face = 'regular'): string {
  if (textWidth(text, size, face) <= width) return text
  const characters = Array.from(text)
  while (characters.length > 0 && textWidth(`${characters.join('')}…`, size, face) > width) characters.pop()
  return `${characters.join('').trimEnd()}…`
}

/** Draws text with its baseline at `y`; `align` says which end of it `x` is. `size` is the em in scene units. */
export function drawText(
  canvas: Canvas,
  text: string,
  place: { x: number; y: number; size: number; face?: Face; align?: 'left' | 'middle' | 'right' },
  paint: Paint,
  alpha = 1,
): void {
  const { size, face = 'regular', align = 'left' } = place
  const share = align === 'left' ? 0 : align === 'middle' ? 0.5 : 1
  const x = share === 0 ? place.x : place.x - textWidth(text, size, face) * share
  canvas.fill(flatten(font(face).getPath(text, x, place.y, size).commands, size), paint, alpha)
}

function flatten(commands: readonly PathCommand[], size: number): Outline[] {
  const outlines: number[][] = []
  let outline: number[] = []
  const steps = size > 60 ? 10 : 5
  for (const { type, x, y, x1, y1 } of commands) {
    if (type === 'M') {
      outline = [x, y]
      outlines.push(outline)
    } else if (type === 'L') outline.push(x, y)
    else if (type === 'Q') {
      const startX = outline.at(-2) ?? x
      const startY = outline.at(-1) ?? y
      for (let step = 1; step <= steps; step++) {
        const t = step / steps
        const u = 1 - t
        outline.push(u * u * startX + 2 * u * t * x1 + t * t * x, u * u * startY + 2 * u * t * y1 + t * t * y)
      }
    }
  }
  return outlines
}
