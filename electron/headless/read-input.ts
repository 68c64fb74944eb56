import { AppError } from '../../shared/errors.ts'

const unreadable: Readonly<Record<string, string>> = { ENOENT: 'does not exist', EISDIR: 'is a folder' }

/**
 * Reads what a user hands in, and no more than the limit, however large it is. Throws `wrong-usage` with a sentence
 * that begins with `what`, or with `tooLarge`.
 */
export async function readInput(
  input: AsyncIterable<unknown>,
  { what, maxBytes, tooLarge }: { readonly what: string; readonly maxBytes: number; readonly tooLarge: string },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of input) {
      const bytes = Buffer.from(chunk as Uint8Array)
      size += bytes.length
      if (size > maxBytes) break
      chunks.push(bytes)
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw new AppError('wrong-usage', `${what} ${unreadable[code] ?? `cannot be read (${code})`}.`, { cause: error })
  }
  if (size > maxBytes) throw new AppError('wrong-usage', tooLarge)
  return Buffer.concat(chunks)
}
