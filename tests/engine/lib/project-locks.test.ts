import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ProjectLocks } from '../../../electron/engine/lib/project-locks.ts'

test('work that is aborted while it waits ends at once, never runs, and lets no later work pass', async () => {
  const locks = new ProjectLocks()
  const events: string[] = []
  const first = Promise.withResolvers<void>()
  const running = locks.run('a', () => first.promise)
  const stop = new AbortController()
  const waiting = locks.run('a', () => Promise.resolve(void events.push('aborted work')), stop.signal)
  const last = locks.run('a', () => Promise.resolve(void events.push('last')), new AbortController().signal)
  stop.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  await nextTurn()
  expect([events, locks.isBusy('a'), locks.isIdle]).toEqual([[], true, false])
  first.resolve()
  await running
  await last
  expect([events, locks.isBusy('a'), locks.isIdle]).toEqual([['last'], false, true])

  // Alone, and aborted before: the lock is free afterwards, too.
  await expect(locks.run('a', () => Promise.resolve(), AbortSignal.abort(new Error('before')))).rejects.toThrow(
    'before',
  )
  await nextTurn()
  expect(locks.isIdle).toBe(true)
  const second = Promise.withResolvers<void>()
  const held = locks.run('a', () => second.promise)
  await expect(locks.run('a', () => Promise.resolve(), AbortSignal.abort(new Error('now')))).rejects.toThrow('now')
  expect(locks.isBusy('a')).toBe(true)
  second.resolve()
  await held
  await nextTurn()
  expect(locks.isIdle).toBe(true)
})
