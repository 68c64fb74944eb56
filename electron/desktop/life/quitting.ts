import { app, powerMonitor, type BrowserWindow } from 'electron'
import type { Log } from '../../engine/lib/ports.ts'
import { startAgain } from './start-again.ts'

/** Stopping takes a second or two. What hangs longer is left: nothing of the archive depends on it. */
const deadlineMs = 10_000

/** An installer of the system may ask for a password; what takes longer has failed without saying so. */
const installMs = 5 * 60_000

export interface Quitting {
  /** Ends the app in order, once. */
  quit(exitCode?: number): void
  /**
   * The same, and then calls `install`, which puts a newer version in this one's place, starts it and asks Electron to quit. Where it
   * tells of a failure, or nothing comes of it, this version starts again.
   */
  readonly quitToInstall: (install: (onFailure: () => void) => void) => void
  /** Somebody wants to see the app. False: it is not on its way out. */
  wasWanted(): boolean
  /** What is to be ended first, in this order. */
  setEnd(end: () => Promise<void>): void
  setLog(log: Log): void
}

/** Ends the app in order, whoever asks for it: a person, a signal, the end of the session. */
export function prepareQuitting(): Quitting {
  let end: () => Promise<void> = () => Promise.resolve()
  let log: Log | undefined
  let isQuitting = false
  let isWantedAgain = false
  let isLeaving = false

  function quit(exitCode = 0, leave = exit): void {
    if (isQuitting) return
    isQuitting = true
    const late = Promise.withResolvers<number>()
    const deadline = setTimeout(() => {
      log?.error('The app could not be ended in order in time')
      late.resolve(exitCode || 1)
    }, deadlineMs)
    const ended = end().then(
      () => exitCode,
      (cause: unknown) => {
        log?.error('The app was not ended in order', { cause })
        return exitCode || 1
      },
    )
    void Promise.race([ended, late.promise]).then((code) => {
      clearTimeout(deadline)
      leave(code)
    })
  }

  function exit(exitCode: number): void {
    if (isWantedAgain) startAgain()
    app.exit(exitCode)
  }

  app.on('before-quit', (event) => {
    if (isLeaving) return
    event.preventDefault()
    quit()
  })
  // The window is not the app.
  app.on('window-all-closed', () => undefined)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => quit())
  // Windows tells the windows that the session ends, the other systems the power monitor.
  app.on('browser-window-created', (_event, window: BrowserWindow) => window.on('session-end', () => quit()))
  void app.whenReady().then(() => {
    powerMonitor.on('shutdown', (event?: { preventDefault?: () => void }) => {
      event?.preventDefault?.()
      quit()
    })
  })
  return {
    quit: (exitCode) => quit(exitCode),
    quitToInstall(install) {
      quit(0, () => {
        isLeaving = true
        // The newer version starts while this one is on its way out, and would leave the field to it.
        app.releaseSingleInstanceLock()
        const giveUp = () => {
          log?.error('The newer version could not be installed')
          isWantedAgain = true
          exit(1)
        }
        setTimeout(giveUp, installMs)
        install(giveUp)
      })
    },
    wasWanted() {
      isWantedAgain ||= isQuitting
      return isQuitting
    },
    setEnd: (next) => {
      end = next
    },
    setLog: (next) => {
      log = next
    },
  }
}
