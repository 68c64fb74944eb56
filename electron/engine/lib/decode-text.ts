import { AppError } from '../../../shared/errors.ts'

/**
 * Returns the text of a file that a person hands in, or null if it is not text in UTF-8, or in UTF-16 with a byte order
 * mark, which PowerShell 5 writes. Other encodings do not say which they are: a guess would send wrong letters.
 */
export function decodeText(bytes: Uint8Array): string | null {
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    // UTF-16 without its mark, or no text at all.
    return text.includes('\0') ? null : text
  } catch {
    return null
  }
}

/**
 * As `requireText`, but takes other text for Windows-1252, in which spreadsheets still save "CSV". Only for names that
 * a person sees before they are used, never for what is sent.
 */
export function guessText(bytes: Uint8Array, subject: string): string {
  return bytes.includes(0) ? requireText(bytes, subject) : (decodeText(bytes) ?? windows1252.decode(bytes))
}

const windows1252 = new TextDecoder('windows-1252')

/** As `decodeText`, but throws `wrong-usage` with the way to save the file right. `subject` begins the sentence. */
export function requireText(bytes: Uint8Array, subject: string): string {
  const text = decodeText(bytes)
  if (text !== null) return text
  throw new AppError(
    'wrong-usage',
    `${subject} is not saved as UTF-8, so its letters cannot be read for certain. Nothing was sent or changed. Save ` +
      'it again: in Excel as "CSV UTF-8", in an editor with the encoding UTF-8, in PowerShell with "-Encoding utf8".',
  )
}
