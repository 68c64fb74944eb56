import { expect, test } from 'vitest'
import { effectScope, nextTick, ref } from 'vue'
import { useLoaded } from '../../../renderer/transport/use-loaded.ts'

/** Loads what a test answers, in any order. */
function slowLoad() {
  const key = ref('one')
  const changes = ref(0)
  const requests: PromiseWithResolvers<string>[] = []
  const load = () => {
    const request = Promise.withResolvers<string>()
    requests.push(request)
    return request.promise
  }
  const scope = effectScope()
  const loaded = scope.run(() =>
    useLoaded(load, {
      key: () => key.value,
      refreshOn: () => changes.value,
      isPartial: (value) => value.startsWith('part'),
    }),
  )
  if (loaded === undefined) throw new Error('The scope has ended')
  return { key, changes, requests, loaded, scope }
}

test('a value that changes faster than its answers arrive is still updated', async () => {
  const { changes, requests, loaded, scope } = slowLoad()
  changes.value += 1
  await nextTick()
  changes.value += 1
  await nextTick()
  requests[0]?.resolve('first')
  await expect.poll(() => loaded.value.value).toBe('first')
  expect(loaded.isLoading.value).toBe(true)
  requests[2]?.resolve('third')
  await expect.poll(() => loaded.value.value).toBe('third')
  expect(loaded.isLoading.value).toBe(false)
  // An answer that a newer one overtook.
  requests[1]?.resolve('second')
  await requests[1]?.promise
  await nextTick()
  expect(loaded.value.value).toBe('third')
  scope.stop()
})

test('an answer for another key, or after the end, is dropped', async () => {
  const { key, requests, loaded, scope } = slowLoad()
  key.value = 'two'
  await nextTick()
  requests[0]?.resolve('of one')
  await requests[0]?.promise
  await nextTick()
  expect([loaded.value.value, loaded.isLoading.value]).toEqual([null, true])
  scope.stop()
  requests[1]?.reject(new Error('of two'))
  await requests[1]?.promise.catch(() => undefined)
  await nextTick()
  expect([loaded.value.value, loaded.error.value]).toEqual([null, null])
})

test('a partial value is loaded again by one request at a time, whatever changes, until it is whole or fails', async () => {
  const { changes, requests, loaded, scope } = slowLoad()
  changes.value += 1
  await nextTick()
  requests[0]?.resolve('part 1')
  await expect.poll(() => loaded.value.value).toBe('part 1')
  await nextTick()
  expect(requests).toHaveLength(2)
  requests[1]?.resolve('part 2')
  await expect.poll(() => requests).toHaveLength(3)
  requests[2]?.reject(new Error('a busy disk'))
  await expect.poll(() => loaded.error.value).not.toBeNull()
  await nextTick()
  expect(requests).toHaveLength(3)
  changes.value += 1
  await expect.poll(() => requests).toHaveLength(4)
  requests[3]?.resolve('part 3')
  await expect.poll(() => requests).toHaveLength(5)
  requests[4]?.resolve('whole')
  await expect.poll(() => loaded.value.value).toBe('whole')
  await nextTick()
  expect(requests).toHaveLength(5)
  scope.stop()
})
