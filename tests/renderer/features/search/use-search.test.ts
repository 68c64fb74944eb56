import { createPinia } from 'pinia'
import { expect, test } from 'vitest'
import { createApp, effectScope } from 'vue'
import { useSearch } from '../../../../renderer/features/search/use-search.ts'
import { useEngine } from '../../../../renderer/stores/engine-store.ts'
import { clientKey, type Client } from '../../../../renderer/transport/transport.ts'

test('a first search that fails is repeated after a change of the archive', async () => {
  const answers: PromiseWithResolvers<object>[] = []
  const client = {
    call() {
      const answer = Promise.withResolvers<object>()
      answers.push(answer)
      return answer.promise
    },
  }
  // Only what a search uses of a client.
  const app = createApp({})
    .use(createPinia())
    .provide(clientKey, client as unknown as Client)
  const engine = app.runWithContext(() => useEngine())
  const scope = effectScope()
  const search = app.runWithContext(() => scope.run(() => useSearch(() => 'panel', { limit: 20 })))
  answers[0]?.reject(new Error('restarting'))
  await expect.poll(() => search?.isLoading.value).toBe(false)
  expect(search?.error.value).not.toBeNull()
  engine.changes += 1
  await expect.poll(() => answers).toHaveLength(2)
  answers[1]?.resolve({ hits: [], cursor: null, total: 0, isCapped: false, isIndexing: false, isReading: false })
  await expect.poll(() => search?.answer.value?.query).toBe('panel')
  expect(search?.error.value).toBeNull()
  scope.stop()
})
