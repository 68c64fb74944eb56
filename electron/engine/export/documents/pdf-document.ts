import { createWriteStream, existsSync, type WriteStream } from 'node:fs'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import PDFDocument from 'pdfkit'
import packageJson from '../../../../package.json' with { type: 'json' }
import { escapeXml } from '../geo.ts'
import { printable, wrap } from './pdf-text.ts'
import type { Picture } from './scale-picture.ts'

/** Colors of a document: gray and one accent, so that it also reads well in black and white. */
export const ink = {
  text: '#161b22',
  muted: '#59636e',
  faint: '#8b949e',
  line: '#d1d9e0',
  faintLine: '#e6eaef',
  panel: '#f6f8fa',
  good: '#1a7f37',
  bad: '#b3261e',
  warn: '#8a5a00',
  badPanel: '#fdf3f2',
  warnPanel: '#fff8e6',
  goodPanel: '#f0f9f2',
} as const

/** US Letter, in points. */
const page = { width: 612, height: 792 } as const
/** The area of a page that content fills. */
export const area = { left: 45, right: page.width - 45, top: 58, bottom: page.height - 58 } as const
export const areaWidth = area.right - area.left

/** Widths of texts that are in memory at a time. */
const maxWidths = 2000

/** Distance of lines relative to the size of their letters. */
const leading = 1.36

export interface TextStyle {
  readonly size: number
  readonly isBold?: boolean
  readonly color?: string
  /** Figures of one width, for columns of them. */
  readonly isTabular?: boolean
}

export interface TextBox extends TextStyle {
  readonly x?: number
  readonly width?: number
  readonly align?: 'left' | 'right'
  /** Longer texts end with an ellipsis. Default: 3. */
  readonly maxLines?: number
}

interface RuleOptions {
  readonly x?: number
  readonly width?: number
  readonly color?: string
}

export interface DocumentFacts {
  /** Title of the file, and of the bar at the top of its pages. */
  readonly title: string
  /** ISO 8601. */
  readonly createdAt: string
}

/**
 * A PDF/A-2b file that grows page by page: text in an embedded font, pictures, bookmarks, and page numbers. `y` is
 * where the next content starts. Only texts are in memory until the end.
 */
export class PdfWriter {
  y: number = area.top
  /** Subject of this page and the next ones, printed at the bottom of them. */
  subject = ''
  readonly #doc: PDFDocument
  readonly #facts: DocumentFacts
  readonly #file: WriteStream
  readonly #written: Promise<void>
  readonly #fonts = { regular: fontFile('Inter-Regular.ttf'), bold: fontFile('Inter-SemiBold.ttf') }
  /** The last bookmark of each level. */
  readonly #bookmarks: { addItem(title: string): unknown }[]
  readonly #subjects: string[] = []
  /** Weight and size of the current font. */
  #fontKey = ''

  /** `path`: a file that does not exist yet. */
  constructor(path: string, facts: DocumentFacts) {
    this.#facts = facts
    const createdAt = new Date(facts.createdAt)
    const producer = `Solarchive ${packageJson.version}`
    this.#doc = new PDFDocument({
      size: 'LETTER',
      margin: 0,
      font: this.#fonts.regular,
      lang: 'en-US',
      displayTitle: true,
      autoFirstPage: false,
      bufferPages: true,
      pdfVersion: '1.7',
      subset: 'PDF/A-2b',
      // The cache keeps every word of a document.
      fontLayoutCache: false,
      info: { Title: facts.title, Creator: producer, Producer: producer, CreationDate: createdAt, ModDate: createdAt },
    })
    this.#rememberWidths()
    this.#escapeMetadata()
    this.#bookmarks = [this.#doc.outline]
    this.#file = createWriteStream(path, { flags: 'wx', flush: true })
    this.#doc.pipe(this.#file)
    this.#written = finished(this.#file)
    // Awaited at the end; until then an error only ends the writing.
    this.#written.catch(() => undefined)
  }

  /** Number of this page, from 1. */
  get page(): number {
    return this.#subjects.length
  }

  /** Throws the error of the disk if writing has failed. */
  addPage(): void {
    if (this.#file.errored !== null) throw this.#file.errored
    this.#doc.addPage()
    this.#subjects.push(this.subject)
    this.y = area.top
  }

  /** Starts a page if the height does not fit on this one. Returns whether it did. */
  makeRoom(height: number): boolean {
    if (this.#subjects.length > 0 && this.y + height <= area.bottom) return false
    this.addPage()
    return true
  }

  /** Starts a page if the height does not fit on this one, with the title of what continues there. */
  makeRoomIn(title: string, height: number): void {
    const style = { size: 9, isBold: true, color: ink.muted, maxLines: 1, width: areaWidth - 70 }
    if (!this.makeRoom(height)) return
    const [line = ''] = this.lines(title, style)
    this.text(`${line} (continued)`, style, 6)
  }

  /** Adds a bookmark to this place. `level` is 0 for the top, and at most one more than that of the last one. */
  bookmark(title: string, level: number): void {
    const parent = this.#bookmarks[Math.min(level, this.#bookmarks.length - 1)]
    const item = parent?.addItem(this.#clean(title).slice(0, 200) || 'Untitled') as { addItem(title: string): unknown }
    this.#bookmarks.splice(level + 1, Infinity, item)
  }

  /** Returns the lines of a text, for a box. */
  lines(text: string, { size, isBold = false, isTabular = false, width = areaWidth, maxLines = 3 }: TextBox): string[] {
    this.#font({ size, isBold })
    const options = textOptions(isTabular)
    return wrap(this.#clean(text), (line) => this.#doc.widthOfString(line, options) <= width, maxLines)
  }

  /** Returns the height of a number of lines. */
  heightOf(lines: number, size: number): number {
    return lines * size * leading
  }

  /** Prints a text at `y`, which stays. Returns its height. */
  textAt(text: string | readonly string[], y: number, box: TextBox): number {
    const { size, isBold = false, color = ink.text, x = area.left, width = areaWidth, align = 'left' } = box
    const options = textOptions(box.isTabular === true)
    const lines = typeof text === 'string' ? this.lines(text, box) : text
    this.#font({ size, isBold })
    this.#doc.fillColor(color)
    lines.forEach((line, index) => {
      const indent = align === 'right' ? width - this.#doc.widthOfString(line, options) : 0
      if (line !== '') this.#doc.text(line, x + indent, y + index * size * leading, options)
    })
    return this.heightOf(lines.length, size)
  }

  /** Prints a text at `y` and moves below it. */
  text(text: string | readonly string[], box: TextBox, space = 0): void {
    this.y += this.textAt(text, this.y, box) + space
  }

  /** Returns a function that prints `below` this place of this page once the text is known. */
  later(below = 0): (text: string, box: TextBox) => void {
    const [index, y] = [this.#subjects.length - 1, this.y + below]
    return (text, box) => {
      this.#doc.switchToPage(index)
      this.textAt(text, y, box)
      this.#doc.switchToPage(this.#subjects.length - 1)
    }
  }

  /** Draws a horizontal line. */
  rule(y: number, { x = area.left, width = areaWidth, color = ink.line }: RuleOptions = {}): void {
    this.#doc
      .lineWidth(0.6)
      .strokeColor(color)
      .moveTo(x, y)
      .lineTo(x + width, y)
      .stroke()
  }

  panel(x: number, y: number, size: { width: number; height: number }, color: string = ink.panel): void {
    this.#doc.fillColor(color).roundedRect(x, y, size.width, size.height, 3).fill()
  }

  /** Draws a picture in the middle of a box. */
  picture({ jpeg, ...pixels }: Picture, x: number, y: number, box: { width: number; height: number }): void {
    const scale = Math.min(box.width / pixels.width, box.height / pixels.height)
    const [width, height] = [pixels.width * scale, pixels.height * scale]
    const at = { x: x + (box.width - width) / 2, y: y + (box.height - height) / 2 }
    this.#doc.image(Buffer.from(jpeg.buffer, jpeg.byteOffset, jpeg.length), at.x, at.y, { width, height })
  }

  /** Adds titles and numbers to all pages, and resolves once the file is written. Rejects with an error of the disk. */
  async finish(): Promise<void> {
    const { start, count } = this.#doc.bufferedPageRange()
    const { title } = this.#facts
    const style = { size: 7.5, color: ink.muted }
    const half = { ...style, width: areaWidth * 0.7, maxLines: 1 }
    const titleLine = this.lines(title, half)
    const subjectLines = new Map([...new Set(this.#subjects)].map((subject) => [subject, this.lines(subject, half)]))
    for (let index = start; index < start + count; index += 1) {
      this.#doc.switchToPage(index)
      if (index > start) this.textAt(titleLine, 30, half)
      this.rule(page.height - 42)
      this.textAt(subjectLines.get(this.#subjects[index - start] ?? '') ?? '', page.height - 36, half)
      this.textAt(`Page ${index - start + 1} of ${count}`, page.height - 36, { ...style, align: 'right' })
    }
    this.#doc.end()
    await this.#written
  }

  /** Stops writing, and resolves once the file is closed; it is not a complete PDF. */
  async abort(): Promise<void> {
    this.#file.destroy()
    await this.#written.catch(() => undefined)
  }

  /** pdfkit measures each printed line twice more, and labels repeat on every page. */
  #rememberWidths(): void {
    const widths = new Map<string, number>()
    const measure = this.#doc.widthOfString.bind(this.#doc)
    this.#doc.widthOfString = (text, options) => {
      const key = `${this.#fontKey} ${JSON.stringify(options?.features)} ${text}`
      const width = widths.get(key) ?? measure(text, options)
      if (widths.size >= maxWidths) widths.clear()
      widths.set(key, width)
      return width
    }
  }

  /** pdfkit writes the title into the XMP unescaped, after the plain one of the Info dictionary. */
  #escapeMetadata(): void {
    const addInfo = this.#doc._addInfo.bind(this.#doc)
    this.#doc._addInfo = () => {
      this.#doc.info.Title = escapeXml(this.#facts.title)
      addInfo()
    }
  }

  #clean(text: string): string {
    return printable(text, (codePoint) => this.#doc._font.font.hasGlyphForCodePoint(codePoint))
  }

  #font({ size, isBold }: { readonly size: number; readonly isBold: boolean }): void {
    this.#doc.font(isBold ? this.#fonts.bold : this.#fonts.regular).fontSize(size)
    this.#fontKey = `${isBold} ${size}`
  }
}

/**
 * Letters are placed by the font's kerning. Contextual alternates, which only change arrows and the like, take most of
 * the time.
 */
const textOptions = (isTabular: boolean) => ({ lineBreak: false, features: { calt: false, tnum: isTabular } }) as const

/** Returns the path of a font, seen from the sources, from the bundle, and from the packaged app alike. */
function fontFile(name: string): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const path = join(folder, 'resources', 'fonts', name)
    if (existsSync(path)) return path
    if (dirname(folder) === folder) throw new Error(`No file resources/fonts/${name} above ${import.meta.dirname}`)
  }
}
