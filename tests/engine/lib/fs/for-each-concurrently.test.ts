import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { forEachConcurrently } from '../../../../electron/engine/lib/fs/for-each-concurrently.ts'

test('works on every item once, as many at a time as allowed', async () => {
  const done: number[] = []
  let running = 0
  let most = 0
  await forEachConcurrently(
    Array.from({ length: 20 }, (_, index) => index),
    3,
    async (item) => {
      running += 1
      most = Math.max(most, running)
      await sleep(1)
      running -= 1
      done.push(item)
    },
  )
  expect(done.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, index) => index))
  expect(most).toBe(3)
})

test('takes no item before there is a hand for it, and none after a failure', async () => {
  let taken = 0
  let closed = false
  async function* items() {
    try {
      for (;;) {
        await sleep(0)
        yield (taken += 1)
      }
    } finally {
      closed = true
    }
  }
  const finished: number[] = []
  const work = forEachConcurrently(items(), 2, async (item) => {
    if (item === 4) throw new Error('fourth')
    await sleep(5)
    finished.push(item)
  })
  await expect(work).rejects.toThrow('fourth')
  expect(closed).toBe(true)
  expect(taken).toBeLessThanOrEqual(5)
  expect(finished).toContain(3)
})

test('tells when the items themselves fail', async () => {
  const broken = (function* () {
    yield 1
    throw new Error('broken')
  })()
  await expect(forEachConcurrently(broken, 2, async () => sleep(1))).rejects.toThrow('broken')
})
