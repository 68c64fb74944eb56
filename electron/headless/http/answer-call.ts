import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Bridge } from '../../app/api/create-api.ts'
import { sendAnswer, sendError } from './send.ts'

/** A list of projects of 4 MB, in which each character may be three bytes. */
const maxBodyBytes = 13 * 1024 * 1024

/**
 * `POST /api/call/<name>` with the input as JSON; no body is an empty input. The status is 200 for whatever the handlers
 * answer, errors included: they are in the envelope. 415, 413 and 400 are for what never gets that far.
 */
export async function answerCall(
  bridge: Bridge,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // A form of another site can send every other type without asking first.
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')) {
    return sendError(response, 415, 'wrong-usage', 'Calls are sent as application/json.')
  }
  const body = await readBody(request)
  if (body === undefined) {
    // The rest of it is not read: the connection cannot be used again.
    response.setHeader('Connection', 'close')
    sendError(response, 413, 'wrong-usage', 'That was more than Solarchive takes at once. Send it in parts.')
    return
  }
  const input = parse(body)
  if (input === undefined) return sendError(response, 400, 'wrong-usage', 'The call is not JSON. Nothing was changed.')
  sendAnswer(response, 200, await bridge.call(name, input.value))
}

/** Undefined when it is longer than allowed; rejects when the connection breaks. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const buffer = chunk as Buffer
    bytes += buffer.length
    if (bytes > maxBodyBytes) return undefined
    chunks.push(buffer)
  }
  return Buffer.concat(chunks)
}

function parse(body: Buffer): { readonly value: unknown } | undefined {
  if (body.length === 0) return { value: {} }
  try {
    return { value: JSON.parse(body.toString()) as unknown }
  } catch {
    return undefined
  }
}
