/** The part of pdfkit that is used; it has no types of its own. Lengths are points, from the top left of a page. */
declare module 'pdfkit' {
  import type { Readable } from 'node:stream'

  interface TextOptions {
    readonly lineBreak: false
    /** OpenType features by their tags. */
    readonly features?: Readonly<Record<string, boolean>>
  }

  interface OutlineItem {
    addItem(title: string): OutlineItem
  }

  interface DocumentOptions {
    readonly size: 'LETTER'
    readonly margin: number
    readonly font: string
    readonly autoFirstPage: false
    readonly bufferPages: true
    readonly fontLayoutCache: false
    readonly pdfVersion: '1.7'
    readonly subset: 'PDF/A-2b'
    readonly lang: string
    readonly displayTitle: true
    readonly info: Readonly<Record<'Title' | 'Creator' | 'Producer', string> & { CreationDate: Date; ModDate: Date }>
  }

  class PDFDocument extends Readable {
    constructor(options: DocumentOptions)
    readonly outline: OutlineItem
    readonly info: { Title: string }
    /** Adds `info` to the XMP. */
    _addInfo(): void
    /** The current font. */
    readonly _font: { readonly font: { hasGlyphForCodePoint(codePoint: number): boolean } }
    addPage(): this
    bufferedPageRange(): { readonly start: number; readonly count: number }
    switchToPage(index: number): unknown
    font(path: string): this
    fontSize(size: number): this
    fillColor(color: string): this
    strokeColor(color: string): this
    lineWidth(width: number): this
    rect(x: number, y: number, width: number, height: number): this
    roundedRect(x: number, y: number, width: number, height: number, radius: number): this
    moveTo(x: number, y: number): this
    lineTo(x: number, y: number): this
    fill(): this
    stroke(): this
    text(text: string, x: number, y: number, options: TextOptions): this
    widthOfString(text: string, options: TextOptions): number
    /** `bytes`: a JPEG. */
    image(bytes: Buffer, x: number, y: number, options: { readonly width: number; readonly height: number }): this
    end(): void
  }
  export default PDFDocument
}
