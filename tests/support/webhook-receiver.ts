import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import { hookEvents } from '../../shared/hooks.ts'
import { type TestServer, withServer } from './with-server.ts'

/** The body that receivers may rely on; see docs/operations.md. */
const messageSchema = z.looseObject({
  id: z.uuid(),
  event: z.enum(hookEvents),
  at: z.iso.datetime(),
  project: z.object({ id: z.string(), name: z.string().nullable() }).nullable(),
  checklist: z.object({ id: z.string(), title: z.string().nullable() }).nullable(),
})
type Message = z.infer<typeof messageSchema>

export const hookSecret = 'canary-secret-of-the-hook'

export interface Receiver {
  readonly url: string
  /** Messages with a right signature, in order. */
  readonly messages: Message[]
  /** Answers in place of 204 from now on; undefined for 204. */
  answer: ((response: ServerResponse) => void) | undefined
}

/** Runs `use` with a receiver that checks signatures, and their time, as the documentation says. */
export async function withReceiver<T>(
  use: (receiver: Receiver, server: TestServer) => Promise<T>,
  nowMs: () => number = Date.now,
): Promise<T> {
  const messages: Message[] = []
  let receiver: Receiver | undefined
  return withServer(
    ({ headers, body }, response) => {
      const timestamp = String(headers['x-solarchive-timestamp'])
      const signature = createHmac('sha256', hookSecret).update(`${timestamp}.${body}`).digest('hex')
      const isFresh = Math.abs(nowMs() / 1000 - Number(timestamp)) < 300
      if (!isFresh || headers['x-solarchive-signature'] !== `sha256=${signature}`) {
        response.writeHead(401).end()
        return
      }
      const message = messageSchema.parse(JSON.parse(body))
      if (headers['x-solarchive-id'] !== message.id) throw new Error('The id is another one')
      messages.push(message)
      if (receiver?.answer !== undefined) receiver.answer(response)
      else response.writeHead(204).end()
    },
    (server) => {
      receiver = { url: `${server.url}/hook`, messages, answer: undefined }
      return use(receiver, server)
    },
  )
}
