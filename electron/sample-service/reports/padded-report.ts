import { createHash } from 'node:crypto'

/** The fewest bytes that a padded report can have: its PDF of little more than 3,000, and the padding's own objects. */
export const leastReportBytes = 4000

/** The fewest bytes that the padding's own objects need behind a PDF. */
const paddingRoom = 400

function found(text: string, pattern: RegExp): string {
  const value = pattern.exec(text)?.[1]
  if (value === undefined) throw new Error(`The PDF has no ${pattern.source}`)
  return value
}

/**
 * The PDF grown to exactly `size` bytes by an incremental update (ISO 32000-1, 7.5.6) that adds one stream which nothing
 * refers to, different for each `key`. Throws a RangeError when the PDF does not fit.
 */
export function paddedReport(pdf: Buffer, size: number, key: string): Buffer {
  if (size < pdf.length + paddingRoom) {
    throw new RangeError(`A report of ${size} bytes does not fit: at least ${pdf.length + paddingRoom} are needed`)
  }
  const end = pdf.subarray(-1024).toString('latin1')
  const objects = Number(found(end, /\/Size (\d+)/))
  const root = found(end, /\/Root (\d+ \d+ R)/)
  const previous = found(end, /startxref\s+(\d+)\s+%%EOF\s*$/)
  // Numbers of a fixed width make the length of everything known beforehand.
  const fixed = (value: number): string => String(value).padStart(10, '0')
  const head = (length: number): string => `${objects} 0 obj\n<< /Length ${fixed(length)} >>\nstream\n`
  const tail = (tableAt: number): string =>
    `\nendstream\nendobj\nxref\n${objects} 1\n${fixed(pdf.length)} 00000 n \n` +
    `trailer\n<< /Size ${objects + 1} /Root ${root} /Prev ${previous} >>\nstartxref\n${fixed(tableAt)}\n%%EOF\n`
  const length = size - pdf.length - head(0).length - tail(0).length
  const tableAt = pdf.length + head(length).length + length + '\nendstream\nendobj\n'.length
  const padding = Buffer.alloc(length, createHash('sha512').update(key).digest('hex'))
  return Buffer.concat([pdf, Buffer.from(head(length)), padding, Buffer.from(tail(tableAt))], size)
}
