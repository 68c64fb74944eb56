import { AppError } from '../../../../shared/errors.ts'
import { programUrl, Thread } from '../../lib/thread.ts'
import type { PictureAnswer, PictureRequest } from './picture-thread.ts'
import type { PictureLimits } from './scale-picture.ts'

/** Makes the pictures of documents in a thread of its own, so that decoding a large photo stops nothing else. */
export type PictureMaker = ReturnType<typeof createPictureMaker>

/** Time for one picture. Photos take a second or two; only a file made for it takes longer. */
const maxMs = 30_000

const program = {
  url: programUrl(import.meta.url, 'picture-thread'),
  // Memory apart from pixels, which makes the thread collect its garbage early. A photo takes some megabytes.
  resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 },
}

export function createPictureMaker() {
  let thread: Thread | undefined
  let last: Promise<unknown> = Promise.resolve()

  function take(): Thread {
    try {
      return Thread.take(program)
    } catch {
      throw cannotStart()
    }
  }

  /** Resolves to `undefined` if the thread ends. A picture that takes too long is too large, and ends the thread. */
  async function ask(asked: Thread, request: PictureRequest): Promise<PictureAnswer | undefined> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      void asked.end()
    }, maxMs)
    try {
      return (await asked.ask<PictureAnswer>(request)) ?? (isLate ? 'too-large' : undefined)
    } finally {
      clearTimeout(timer)
    }
  }

  async function make(request: PictureRequest): Promise<PictureAnswer> {
    thread ??= take()
    const asked = thread
    const answer = await ask(asked, request)
    if (asked.hasEnded) thread = undefined
    if (answer !== undefined) return answer
    if (!asked.hasAnswered && (await isBroken())) throw cannotStart()
    return 'unreadable'
  }

  /** Returns true if even a new thread fails to answer a trivial request. */
  async function isBroken(): Promise<boolean> {
    thread = take()
    const limits = { maxWidth: 1, maxHeight: 1, maxBytes: 1 }
    return (await ask(thread, { bytes: new Uint8Array(), limits })) === undefined
  }

  return {
    /**
     * Returns an image as a picture within the limits, or why there is none. The bytes are copied. Throws an AppError
     * if no thread can be started.
     */
    make(bytes: Uint8Array, limits: PictureLimits): Promise<PictureAnswer> {
      const mine = last.then(() => make({ bytes, limits }))
      last = mine.catch(() => undefined)
      return mine
    },
    async close(): Promise<void> {
      const closed = thread
      thread = undefined
      await closed?.release()
    },
  }
}

function cannotStart(): AppError {
  return new AppError(
    'internal',
    'Solarchive cannot start the thread that makes pictures for documents. If it runs in a container, allow it more ' +
      'processes.',
  )
}
