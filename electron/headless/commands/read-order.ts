import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import type { OrderTexts } from '../../../shared/order/order-fields.ts'
import { readOrderJson } from '../../../shared/order/order-payload.ts'
import { plainText } from '../../app/log/plain-text.ts'
import { requireText } from '../../engine/lib/decode-text.ts'
import type { Io } from '../io.ts'
import { readInput } from '../read-input.ts'

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
      `--project names a different project from the order in ${source}. Nothing was sent. Name only one.`,
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
  const subject = file === '-' ? 'The standard input' : plainText(file)
  const bytes = await readInput(file === '-' ? stdin : createReadStream(resolve(currentFolder, file)), {
    what: `The order ${plainText(file)}`,
    maxBytes,
    tooLarge: `${subject} is too large for an order. Nothing was sent.`,
  })
  return requireText(bytes, subject)
}

function parse(text: string, source: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('wrong-usage', `${source} is not JSON, so no order was read. "orders template" prints one.`, {
      cause: error,
    })
  }
}
