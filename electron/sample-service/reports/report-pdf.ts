import PDFDocument from 'pdfkit'

interface ReportPhoto {
  /** A JPEG of 4 : 3. */
  readonly jpeg: Buffer
  readonly note: string
}

/** What a report says, in its order. */
export interface ReportContent {
  readonly title: string
  readonly address: string
  readonly homeownerName: string
  readonly reference: string
  readonly madeAt: Date
  /** 1 for the first issue. */
  readonly issue: number
  readonly sections: readonly {
    readonly label: string
    readonly questions: readonly {
      readonly label: string
      readonly answer: string | null
      readonly photos: readonly ReportPhoto[]
    }[]
  }[]
}

const ink = '#1d2529'
const muted = '#69757c'
const line = '#d8dde0'
const accent = '#f0a92b'
const dark = '#16242c'
const margin = 48
const page = { width: 612, height: 792 }
const columns = 3
const gap = 12
const photoWidth = (page.width - 2 * margin - (columns - 1) * gap) / columns
const photoHeight = photoWidth * 0.75
const bottom = page.height - 66

/** Two of the fonts that every PDF reader has: nothing to parse and nothing to embed. */
const faces = { regular: 'Helvetica', bold: 'Helvetica-Bold' } as const

/** The text without the characters that those fonts' encoding (WinAnsi) lacks. */
function printableText(text: string): string {
  return text.normalize('NFC').replace(/[^\x20-\x7e\xa0-\xff–—‘’“”•…]/g, '')
}

type Document = InstanceType<typeof PDFDocument>

/** Lays a checklist out as a PDF in US Letter: a cover with a summary, then its sections. Same content, same bytes. */
export async function reportPdf(content: ReportContent): Promise<Buffer> {
  const document = new PDFDocument({
    size: [page.width, page.height],
    margin,
    bufferPages: true,
    info: {
      Title: content.title,
      Author: 'Sample design service',
      Subject: content.address,
      CreationDate: content.madeAt,
      ModDate: content.madeAt,
    },
  })
  const done = collect(document)
  drawCover(document, content)
  document.addPage()
  let y = margin
  content.sections.forEach((section, index) => {
    y = drawSection(document, section, index + 1, y)
  })
  drawFooters(document, content)
  document.end()
  return done
}

function collect(document: Document): Promise<Buffer> {
  const parts: Buffer[] = []
  return new Promise((resolve, reject) => {
    document.on('data', (part: Buffer) => parts.push(part))
    document.on('end', () => resolve(Buffer.concat(parts)))
    document.on('error', reject)
  })
}

/** Writes one line or paragraph and returns the place below it. */
function write(
  document: Document,
  text: string,
  style: { x: number; y: number; size: number; width: number; colour?: string; face?: 'regular' | 'bold' },
): number {
  const { x, y, size, width, colour = ink, face = 'regular' } = style
  const drawable = printableText(text)
  document.font(faces[face]).fontSize(size).fillColor(colour)
  document.text(drawable, x, y, { width, lineGap: 1 })
  return y + document.heightOfString(drawable === '' ? ' ' : drawable, { width, lineGap: 1 })
}

function drawCover(document: Document, content: ReportContent): void {
  const width = page.width - 2 * margin
  document.rect(0, 0, page.width, 236).fill(dark)
  document.rect(0, 236, page.width, 5).fill(accent)
  drawSun(document, page.width - 118, 96)
  write(document, 'CHECKLIST REPORT', { x: margin, y: 64, size: 10, width, colour: accent, face: 'bold' })
  const below = write(document, content.title, {
    x: margin,
    y: 84,
    size: 25,
    width: width - 130,
    colour: '#ffffff',
    face: 'bold',
  })
  write(document, content.address, {
    x: margin,
    y: Math.min(below + 8, 196),
    size: 11.5,
    width: width - 130,
    colour: '#cfd8dc',
  })
  const photos = content.sections.flatMap(({ questions }) => questions.flatMap((question) => question.photos))
  const facts = [
    ['Homeowner', content.homeownerName],
    ['Checklist', content.reference],
    ['Issued', `${content.madeAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
    ['Issue', String(content.issue)],
    ['Photos', String(photos.length)],
  ] as const
  let y = 274
  for (const [label, value] of facts) {
    write(document, label, { x: margin, y, size: 10, width: 110, colour: muted })
    y = write(document, value, { x: margin + 120, y, size: 10.5, width: width - 120 }) + 7
  }
  y = write(document, 'Summary', { x: margin, y: y + 18, size: 14, width, face: 'bold' }) + 8
  for (const section of content.sections) {
    const answered = section.questions.filter(({ answer, photos: some }) => answer !== null || some.length > 0).length
    const count = section.questions.reduce((sum, question) => sum + question.photos.length, 0)
    document
      .moveTo(margin, y)
      .lineTo(page.width - margin, y)
      .lineWidth(0.6)
      .stroke(line)
    write(document, section.label, { x: margin, y: y + 7, size: 10.5, width: 220, face: 'bold' })
    write(document, `${answered} of ${section.questions.length} answered`, {
      x: margin + 250,
      y: y + 7,
      size: 10.5,
      width: 140,
    })
    write(document, count === 1 ? '1 photo' : `${count} photos`, { x: margin + 420, y: y + 7, size: 10.5, width: 96 })
    y += 28
  }
  document
    .moveTo(margin, y)
    .lineTo(page.width - margin, y)
    .lineWidth(0.6)
    .stroke(line)
}

function drawSun(document: Document, x: number, y: number): void {
  document.circle(x, y, 26).fill(accent)
  for (let ray = 0; ray < 12; ray++) {
    const angle = (ray / 12) * Math.PI * 2
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)]
    document
      .moveTo(x + dx * 35, y + dy * 35)
      .lineTo(x + dx * 45, y + dy * 45)
      .lineWidth(4)
      .stroke(accent)
  }
}

function drawSection(
  document: Document,
  section: ReportContent['sections'][number],
  number: number,
  from: number,
): number {
  let y = from > bottom - 150 ? nextPage(document) : from
  document.rect(margin, y, page.width - 2 * margin, 26).fill('#eef1f2')
  document.rect(margin, y, 4, 26).fill(accent)
  write(document, `${number}  ${section.label}`, { x: margin + 14, y: y + 7, size: 12.5, width: 480, face: 'bold' })
  y += 38
  section.questions.forEach((question, index) => {
    const needed = question.photos.length > 0 ? photoHeight + 48 : 44
    if (y + needed > bottom) y = nextPage(document)
    const label = question.label === '' ? 'Untitled question' : question.label
    y =
      write(document, `${number}.${index + 1}  ${label}`, {
        x: margin,
        y,
        size: 10.5,
        width: page.width - 2 * margin,
        face: 'bold',
      }) + 3
    if (question.answer !== null) {
      y = write(document, question.answer, { x: margin, y, size: 10.5, width: page.width - 2 * margin }) + 3
    }
    y = drawPhotos(document, question.photos, y) + 11
  })
  return y + 6
}

function drawPhotos(document: Document, photos: readonly ReportPhoto[], from: number): number {
  let y = from + 2
  photos.forEach(({ jpeg, note }, index) => {
    const column = index % columns
    if (column === 0 && index > 0) y += photoHeight + 22
    if (column === 0 && y + photoHeight + 16 > bottom) y = nextPage(document)
    const x = margin + column * (photoWidth + gap)
    document.image(jpeg, x, y, { width: photoWidth, height: photoHeight })
    document.rect(x, y, photoWidth, photoHeight).lineWidth(0.5).stroke('#9aa4a9')
    write(document, note, { x, y: y + photoHeight + 3, size: 8, width: photoWidth, colour: muted })
  })
  return photos.length === 0 ? from : y + photoHeight + 16
}

function nextPage(document: Document): number {
  document.addPage()
  return margin
}

function drawFooters(document: Document, content: ReportContent): void {
  const { start, count } = document.bufferedPageRange()
  for (let index = 0; index < count; index++) {
    document.switchToPage(start + index)
    // Text below the margin would make pdfkit begin another page.
    document.page.margins.bottom = 0
    const y = page.height - 40
    document
      .moveTo(margin, y - 8)
      .lineTo(page.width - margin, y - 8)
      .lineWidth(0.5)
      .stroke(line)
    document.font(faces.regular).fontSize(8).fillColor(muted)
    const title = printableText(content.title)
    document.text(title.length > 70 ? `${title.slice(0, 70)}…` : title, margin, y, { width: 380, lineBreak: false })
    document.text(`Page ${index + 1} of ${count}`, page.width - margin - 120, y, {
      width: 120,
      align: 'right',
      lineBreak: false,
    })
  }
}
