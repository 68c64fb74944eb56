import { createHash } from 'node:crypto'
import type { SampleChecklist, SampleProject, SampleReport } from '../site/site-types.ts'
import { readResource } from './photos.ts'

/** The smallest report: `short.pdf`, some 3,200 bytes, and an object of padding. */
export const minReportBytes = 4000

/** Units of a PDF, 1/72 inch, in US Letter. */
const margin = 48

/** Sections and questions that the cover page has room for. */
const maxRows = 20

/**
 * Returns the PDF with an incremental update (ISO 32000-1, 7.5.6) that replaces or adds one object, a stream of the
 * content.
 */
function withStream(pdf: Buffer, objectNumber: number, content: Buffer): Buffer {
  const end = pdf.toString('latin1', pdf.length - 1024)
  const [, size, root, tableAt] = /\/Size (\d+).*\/Root (\d+ 0 R).*startxref\s+(\d+)\s+%%EOF\s*$/s.exec(end) ?? []
  const object = Buffer.concat([
    // Numbers of a fixed width make the length of everything known beforehand.
    Buffer.from(`${objectNumber} 0 obj\n<< /Length ${tenDigits(content.length)} >>\nstream\n`),
    content,
    Buffer.from('\nendstream\nendobj\n'),
  ])
  const table =
    `xref\n${objectNumber} 1\n${tenDigits(pdf.length)} 00000 n \n` +
    `trailer\n<< /Size ${Math.max(Number(size), objectNumber + 1)} /Root ${root} /Prev ${tableAt} >>\n` +
    `startxref\n${tenDigits(pdf.length + object.length)}\n%%EOF\n`
  return Buffer.concat([pdf, object, Buffer.from(table)])
}

function tenDigits(value: number): string {
  return String(value).padStart(10, '0')
}

/**
 * Returns a PDF of exactly `size` bytes, unlike that of any other key: `short.pdf` and a stream that nothing refers to.
 */
async function paddedReport(key: string, size: number): Promise<Buffer> {
  const pdf = await readResource('reports/short.pdf')
  const unused = Number(/\/Size (\d+)/.exec(pdf.toString('latin1', pdf.length - 1024))?.[1])
  const length = size - withStream(pdf, unused, Buffer.alloc(0)).length
  if (length < 128) throw new RangeError(`No report fits into ${size} bytes`)
  return withStream(pdf, unused, Buffer.alloc(length, createHash('sha512').update(key).digest('hex')))
}

/** Returns the operators that show one line of text (ISO 32000-1, 9.4); `y` counts down from the top of the page. */
function line(text: string, x: number, y: number, style: { size: number; color: string; bold?: boolean }): string {
  // The fonts that every PDF reader has are used in Latin-1; what that lacks is left out.
  const printable = text
    .normalize('NFC')
    .replace(/[^\x20-\x7e\xa0-\xff]/g, '')
    .trim()
  const escaped = printable.replace(/[()\\]/g, '\\$&')
  const font = style.bold === true ? 'F2' : 'F1'
  return `BT /${font} ${style.size} Tf ${style.color} rg 1 0 0 -1 ${x} ${y} Tm (${escaped}) Tj ET`
}

const ink = '0.11 0.15 0.16'
const muted = '0.41 0.46 0.49'
const white = '1 1 1'

/** Splits a text into lines of at most `length` characters. A longer word stays whole. */
function wrap(text: string, length: number): string[] {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trim()
    if (longer.length <= length) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** Returns the text of a report's cover page: title, facts, and every question with its answer or number of photos. */
function coverText(project: SampleProject, checklist: SampleChecklist, report: SampleReport): string {
  const questions = report.sections.flatMap((section) => section.questions)
  const photos = questions.reduce((sum, question) => sum + question.photoCount, 0)
  const facts = [
    ['Homeowner', project.homeownerName],
    ['Checklist', checklist.id],
    ['Issued', `${report.madeAt.slice(0, 16).replace('T', ' ')} UTC`],
    ['Issue', String(report.revision + 1)],
    ['Photos', String(photos)],
  ] as const
  const title = wrap(report.title, 26).slice(0, 3)
  const lines = title.map((text, index) => line(text, margin, 108 + index * 30, { size: 25, color: white, bold: true }))
  lines.push(line(project.address, margin, 112 + title.length * 30, { size: 11.5, color: white }))
  facts.forEach(([label, value], index) => {
    lines.push(line(label, margin, 283 + index * 20, { size: 10, color: muted }))
    lines.push(line(value, margin + 120, 283 + index * 20, { size: 10.5, color: ink }))
  })
  const rows = report.sections.flatMap((section) => [
    { text: section.label, bold: true },
    ...section.questions.map(({ label, answer, photoCount }) => ({
      text: `${label.slice(0, 60)}: ${answer ?? (photoCount === 1 ? '1 photo' : `${photoCount} photos`)}`,
      bold: false,
    })),
  ])
  rows.slice(0, maxRows).forEach(({ text, bold }, index) => {
    lines.push(line(text, bold ? margin : margin + 14, 400 + index * 16, { size: 10.5, color: ink, bold }))
  })
  return lines.join('\n')
}

/**
 * Returns the bytes of a checklist's PDF. The pages come from `resources/sample/reports`; the cover page's text, an
 * object marked `/SampleCover` at their start, is the checklist's own. With a size, it is a short report of exactly
 * that many bytes.
 */
export async function reportBytes(
  project: SampleProject,
  checklist: SampleChecklist,
  report: SampleReport,
  size: number | null,
): Promise<Buffer> {
  if (size !== null) return paddedReport(`${checklist.id}/${report.revision}`, size)
  const pdf = await readResource(`reports/${checklist.reportFile}`)
  const cover = Number(/(\d+) 0 obj\s*<<\s*\/SampleCover/.exec(pdf.toString('latin1', 0, 1024))?.[1])
  return withStream(pdf, cover, Buffer.from(coverText(project, checklist, report), 'latin1'))
}
