import { Worker } from 'node:worker_threads'
import { AppError } from '../../../../shared/errors.ts'
import type { PictureAnswer, PictureRequest } from './picture-thread.ts'
import type { PictureLimits } from './scale-picture.ts'

/** Makes the pictures of documents in a thread of its own, so that decoding a large photo stops nothing else. */
export interface PictureMaker {
  /**
   * Returns an image as a picture within the limits, or why there is none. The bytes are copied. Throws an AppError if
   * no thread can be started.
   */
  make(bytes: Uint8Array, limits: PictureLimits): Promise<PictureAnswer>
  close(): Promise<void>
}

/** The thread's file in the sources, and in the built app beside the main file; see group-writer.ts. */
const threadUrl = new URL(
  import.meta.url.endsWith('.ts') ? './picture-thread.ts' : './picture-thread.js',
  import.meta.url,
)

/** Time for one picture. Photos take a second or two; only a file made for it takes longer. */
const maxMs = 30_000

/** Memory of the thread apart from pixels, which makes it collect its garbage early. A photo takes some megabytes. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 }

interface Thread {
  readonly worker: Worker
  hasAnswered: boolean
}

export function createPictureMaker(): PictureMaker {
  let thread: Thread | undefined
  let last: Promise<unknown> = Promise.resolve()

  function start(): Thread {
    let worker: Worker
    try {
      worker = new Worker(threadUrl, { execArgv: [], stdin: false, resourceLimits })
    } catch {
      throw cannotStart()
    }
    const started: Thread = { worker, hasAnswered: false }
    const end = () => {
      if (thread === started) thread = undefined
    }
    worker.on('error', end)
    worker.on('exit', end)
    worker.unref()
    return (thread = started)
  }

  async function stop(): Promise<void> {
    const stopped = thread
    thread = undefined
    await stopped?.worker.terminate()
  }

  /** Resolves to undefined if the thread ends, or takes too long. */
  function ask(asked: Thread, request: PictureRequest): Promise<PictureAnswer | undefined> {
    const { worker } = asked
    const { promise, resolve } = Promise.withResolvers<PictureAnswer | undefined>()
    const fail = () => resolve(undefined)
    const answer = (message: PictureAnswer) => {
      asked.hasAnswered = true
      resolve(message)
    }
    const timer = setTimeout(fail, maxMs)
    worker.once('message', answer).once('messageerror', fail).once('error', fail).once('exit', fail)
    worker.postMessage(request)
    return promise.finally(() => {
      clearTimeout(timer)
      worker.off('message', answer).off('messageerror', fail).off('error', fail).off('exit', fail)
    })
  }

  async function make(request: PictureRequest): Promise<PictureAnswer> {
    const asked = thread ?? start()
    const answer = await ask(asked, request)
    if (answer !== undefined) return answer
    await stop()
    if (!asked.hasAnswered && (await isBroken())) throw cannotStart()
    return 'unreadable'
  }

  /** Returns whether also a new thread does not answer what every thread can. */
  async function isBroken(): Promise<boolean> {
    const answer = await ask(start(), { bytes: new Uint8Array(), limits: { maxWidth: 1, maxHeight: 1, maxBytes: 1 } })
    return answer === undefined
  }

  return {
    make(bytes, limits) {
      const mine = last.then(() => make({ bytes, limits }))
      last = mine.catch(() => undefined)
      return mine
    },
    close: stop,
  }
}

function cannotStart(): AppError {
  return new AppError(
    'internal',
    'Solarchive cannot start the thread that makes pictures for documents. If it runs in a container, allow it more ' +
      'processes.',
  )
}
