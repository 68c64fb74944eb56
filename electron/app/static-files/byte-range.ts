/** Which bytes of a file are wanted; `end` is the last one. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Reads a `Range` header (RFC 9110, section 14.2). `whole`: there is none, or one that is not understood or names several
 * ranges, which may be ignored; `unsatisfiable`: it begins behind the end of the file.
 */
export function readRange(header: string | undefined, sizeBytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.replace(/[ \t]/g, '') ?? '') ?? []
  if (first === '' && last === '') return 'whole'
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  const start = Number(first)
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1)
  // A range that ends before it begins is none.
  if (last !== '' && Number(last) < start) return 'whole'
  return start >= sizeBytes ? 'unsatisfiable' : { start, end }
}
