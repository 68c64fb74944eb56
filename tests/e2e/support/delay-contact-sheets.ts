import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'
import { Thread } from '../../../electron/engine/lib/thread.ts'

/** Some hundred pictures then take longer than any machine takes for a few clicks. */
const pictureMs = 2_000

/** Recognizes a `PictureRequest`: threads also write downloads and check files, which nothing delays. */
const isPicture = (message: unknown) => typeof message === 'object' && message !== null && 'limits' in message

/**
 * Delays the pictures of contact sheets: an export with one counts slowly, and runs until it is stopped. Returns a
 * function that ends this; so does the end of the test.
 */
export function delayContactSheets(): () => void {
  const ask = Reflect.get(Thread.prototype, 'ask')
  const ended = new AbortController()
  vi.spyOn(Thread.prototype, 'ask').mockImplementation(async function (this: Thread, message) {
    if (isPicture(message)) await pause(pictureMs, undefined, { signal: ended.signal }).catch(() => undefined)
    return ask.call(this, message)
  })
  const proceed = () => ended.abort()
  onTestFinished(proceed)
  return proceed
}
