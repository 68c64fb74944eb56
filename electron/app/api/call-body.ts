import type { IncomingMessage } from 'node:http'

/** The largest call is a list of projects of 4 MB, each character of which may take three bytes. */
const maxBodyBytes = 13 * 1024 * 1024

/** The body of a call: its value, or the reason that there is none. */
export type CallBody =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'not-json' }

/** Reads the JSON body of a call; no body is an empty input. Rejects if the connection breaks. */
export async function readCallBody(request: IncomingMessage): Promise<CallBody> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const buffer = chunk as Buffer
    bytes += buffer.length
    if (bytes > maxBodyBytes) return { kind: 'too-large' }
    chunks.push(buffer)
  }
  if (bytes === 0) return { kind: 'value', value: {} }
  try {
    return { kind: 'value', value: JSON.parse(Buffer.concat(chunks).toString()) as unknown }
  } catch {
    return { kind: 'not-json' }
  }
}
