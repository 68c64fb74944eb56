import { createPinia } from 'pinia'
import { expect, test } from 'vitest'
import { createApp } from 'vue'
import { useOutgoing } from '../../../renderer/stores/outgoing-store.ts'
import { clientKey, type Client, type TransportListener } from '../../../renderer/transport/transport.ts'
import type { EventMessage } from '../../../shared/contract/events.ts'

test('a time stamp that arrives as an event is not taken back by an answer that was on its way', async () => {
  const answers: PromiseWithResolvers<unknown>[] = []
  let listener: TransportListener | undefined
  const client = {
    call(name: string) {
      if (name !== 'evidence.state') return Promise.resolve({ hooks: [], hookIds: [] })
      const answer = Promise.withResolvers<unknown>()
      answers.push(answer)
      return answer.promise
    },
    listen(added: TransportListener) {
      listener = added
      return () => undefined
    },
  }
  // Only what the store uses of a client.
  const app = createApp({})
    .use(createPinia())
    .provide(clientKey, client as unknown as Client)
  const outgoing = app.runWithContext(() => useOutgoing())
  const stop = outgoing.start()
  await expect.poll(() => answers).toHaveLength(1)
  const value = { problem: null }
  listener?.onEvent({ name: 'evidence-state', value } as EventMessage)
  answers[0]?.resolve({ problem: { attention: true, error: { code: 'stamp-refused', message: 'Refused.' } } })
  await expect.poll(() => answers).toHaveLength(2)
  expect([outgoing.evidence, outgoing.attentionCount]).toEqual([value, 0])
  stop()
})
