import { constants } from 'node:os'
import { AppError } from '../../shared/errors.ts'

/** Stopping takes at most two seconds; a bit less, so that the exit itself fits in. */
const deadlineMs = 1_800

/**
 * One Ctrl+C reaches this process several times: from the terminal, from scripts/run.mjs and from npm. What comes within
 * this time is the same keystroke.
 */
const echoMs = 400

/** How a person or a supervisor asks for an end. */
export interface StopSignals {
  /** Aborts at the first signal, with an AppError `cancelled` as its reason. */
  readonly signal: AbortSignal
  /** 128 + n after signal n, as a shell has it; undefined while none came. */
  readonly exitCode: () => number | undefined
  readonly stopListening: () => void
}

/**
 * Listens for SIGINT, SIGTERM, SIGHUP and for the end of the parent (scripts/run.mjs) that passes them on. After the
 * first one the process has two seconds; a second SIGINT or SIGTERM ends it at once.
 */
export function listenForStop(): StopSignals {
  const controller = new AbortController()
  let exitCode: number | undefined
  let firstMs = 0

  const stop = (name: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => {
    const nowMs = performance.now()
    if (exitCode !== undefined) {
      if (nowMs - firstMs > echoMs) process.exit(exitCode)
      return
    }
    firstMs = nowMs
    exitCode = 128 + constants.signals[name]
    setTimeout(() => process.exit(exitCode), deadlineMs).unref()
    controller.abort(
      new AppError('cancelled', 'It was stopped. What is archived so far is safe; the next sync goes on from there.'),
    )
  }
  const onInterrupt = () => stop('SIGINT')
  const onTerminate = () => stop('SIGTERM')
  const onHangUp = () => stop('SIGHUP')

  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onTerminate)
  process.on('SIGHUP', onHangUp)
  process.on('disconnect', onTerminate)
  // A listener for messages or the disconnect keeps the process alive; work should, the channel should not.
  process.channel?.unref()

  return {
    signal: controller.signal,
    exitCode: () => exitCode,
    stopListening() {
      process.off('SIGINT', onInterrupt)
      process.off('SIGTERM', onTerminate)
      process.off('SIGHUP', onHangUp)
      process.off('disconnect', onTerminate)
    },
  }
}
