import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import { readOrderJson } from '../../../shared/order/order-payload.ts'
import { plainText } from '../../app/log/plain-text.ts'
import { requireText } from '../../engine/lib/decode-text.ts'
import type { Io } from '../io.ts'

/** One order as a user wrote it: its fields, and the problems of the file. */
export interface OrderInput {
  readonly texts: OrderTexts
  readonly problems: readonly { readonly path: string; readonly message: string }[]
}

/** Reads the order's file or standard input. Throws `wrong-usage` if it is not JSON or names another project. */
export async function readOrderInput(
  { file, project }: { readonly file: string; readonly project?: string },
  io: Pick<Io, 'stdin' | 'currentFolder'>,
): Promise<OrderInput> {
  const source = file === '-' ? 'standard input' : plainText(file)
  const { texts, problems } = readOrderJson(parse(await readSource(file, io), source))
  const projectId = project?.trim()
  if (projectId !== undefined && texts.projectId !== undefined && texts.projectId.trim() !== projectId) {
    throw new AppError(
      'wrong-usage',
      `--project names another project than the order in ${source}. Nothing was sent. Name only one.`,
    )
  }
  return { texts: projectId === undefined ? texts : { ...texts, projectId }, problems }
}

/** More than any order needs, so that a photo passed by mistake is not read completely. */
const maxBytes = 1024 * 1024

async function readSource(
  file: string,
  { stdin, currentFolder }: Pick<Io, 'stdin' | 'currentFolder'>,
): Promise<string> {
  try {
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of file === '-' ? stdin : createReadStream(resolve(currentFolder, file))) {
      const bytes = Buffer.from(chunk as Uint8Array)
      size += bytes.length
      if (size > maxBytes) {
        const source = file === '-' ? 'Standard input' : plainText(file)
        throw new AppError('wrong-usage', `${source} is too large for an order. Nothing was sent.`)
      }
      chunks.push(bytes)
    }
    return requireText(Buffer.concat(chunks), file === '-' ? 'The standard input' : plainText(file))
  } catch (error) {
    if (error instanceof AppError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const why = unreadable[code] ?? `cannot be read (${code})`
    throw new AppError('wrong-usage', `The order ${plainText(file)} ${why}.`, { cause: error })
  }
}

const unreadable: Readonly<Record<string, string>> = { ENOENT: 'does not exist', EISDIR: 'is a folder' }

function parse(text: string, source: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('wrong-usage', `${source} is not JSON, so no order was read. "orders template" prints one.`, {
      cause: error,
    })
  }
}
