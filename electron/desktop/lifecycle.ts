import { app, powerMonitor, type BrowserWindow } from 'electron'
import type { App } from '../app/create-app.ts'
import type { Log } from '../engine/lib/ports.ts'
import { runsOnBattery } from './battery.ts'
import { installedProgram } from './startup.ts'

/** Closing takes a second or two. If it takes longer, the process exits anyway: the archive does not depend on it. */
const quitTimeoutMs = 10_000

/** The system's installer may ask for a password; if it takes longer than this, it has failed silently. */
const installTimeoutMs = 5 * 60_000

export interface Quitting {
  /** Closes and quits the app. Further calls have no effect. */
  quit(exitCode?: number): void
  /**
   * Quits, then calls `install`, which replaces this version by a newer one, starts it, and asks Electron to quit. If
   * it reports a failure, or takes too long, this version restarts.
   */
  readonly quitToInstall: (install: (onFailure: () => void) => void) => void
  /** Called when the user asks for the app. Returns true if it is quitting; it then restarts afterwards. */
  requestShow(): boolean
  /** Sets what to close before the process exits. */
  setClose(close: () => Promise<void>): void
  setLog(log: Log): void
}

/**
 * Closes and quits the app when the user, a signal, or the end of the session requests it. `restoreEnvironment` is
 * called before another instance is started, which inherits the environment.
 */
export function prepareQuitting({ restoreEnvironment }: { readonly restoreEnvironment: () => void }): Quitting {
  let close: () => Promise<void> = () => Promise.resolve()
  let log: Log | undefined
  let isQuitting = false
  let restartsAfterwards = false
  let isInstalling = false

  function quit(exitCode = 0, leave = exit): void {
    if (isQuitting) return
    isQuitting = true
    const late = Promise.withResolvers<number>()
    const timer = setTimeout(() => {
      log?.error('The app could not be closed in time')
      late.resolve(exitCode || 1)
    }, quitTimeoutMs)
    const closed = close().then(
      () => exitCode,
      (cause: unknown) => {
        log?.error('The app was not closed in order', { cause })
        return exitCode || 1
      },
    )
    void Promise.race([closed, late.promise]).then((code) => {
      clearTimeout(timer)
      leave(code)
    })
  }

  function exit(exitCode: number): void {
    if (restartsAfterwards) {
      restoreEnvironment()
      relaunch()
    }
    app.exit(exitCode)
  }

  app.on('before-quit', (event) => {
    if (isInstalling) return
    event.preventDefault()
    quit()
  })
  // The app runs without its window.
  app.on('window-all-closed', () => undefined)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => quit())
  // At the end of the session Windows notifies the windows, the other systems the power monitor.
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
        isInstalling = true
        // The newer version starts while this one exits, and would yield to it.
        app.releaseSingleInstanceLock()
        const giveUp = () => {
          log?.error('The newer version could not be installed')
          restartsAfterwards = true
          exit(1)
        }
        setTimeout(giveUp, installTimeoutMs)
        restoreEnvironment()
        install(giveUp)
      })
    },
    requestShow() {
      restartsAfterwards ||= isQuitting
      return isQuitting
    },
    setClose: (next) => {
      close = next
    },
    setLog: (next) => {
      log = next
    },
  }
}

/** Starts the app again, with its window, once this process has exited. */
function relaunch(): void {
  const { env, execPath, argv } = process
  const program = installedProgram({ env, execPath, isPackaged: app.isPackaged }) ?? execPath
  app.relaunch({ execPath: program, args: argv.slice(1).filter((arg) => arg !== '--hidden') })
}

/** After this time at most, an unplugged laptop pauses, and one that was plugged in resumes. */
const batteryIntervalMs = 30_000

/**
 * Adapts the engine to the machine's power: after a sleep it rechecks what blocked it, and on battery it pauses if the
 * settings say so. The app has to be ready. Returns a function that ends it.
 */
export function followPower({ api, followEngine }: Pick<App, 'api' | 'followEngine'>, log: Log): () => void {
  let isOnBattery = false
  let pausesOnBattery = false
  let setPaused: (isPaused: boolean) => void = () => undefined
  const apply = () => setPaused(isOnBattery && pausesOnBattery)

  const stopFollowing = followEngine((engine) => {
    setPaused = (isPaused) => engine?.watch.pauseOnBattery(isPaused)
    apply()
  })
  const unsubscribe = api.subscribe(({ name, value }) => {
    if (name !== 'settings-state') return
    pausesOnBattery = value.pauseOnBattery
    apply()
  })
  const onSuspend = () => log.info('The machine goes to sleep')
  const onResume = () => {
    log.info('The machine has woken up')
    void api.call('watch.recheck', {})
  }
  const setBattery = (isOn: boolean) => {
    log.debug('The power of the machine', { isOnBattery: isOn })
    isOnBattery = isOn
    apply()
  }
  const onBattery = () => setBattery(true)
  const onMains = () => setBattery(false)
  powerMonitor.on('suspend', onSuspend)
  powerMonitor.on('resume', onResume)
  powerMonitor.on('on-battery', onBattery)
  powerMonitor.on('on-ac', onMains)
  // On Linux, Chromium always says that the machine is plugged in.
  const isLinux = process.platform === 'linux'
  let wasOnBattery = isLinux ? runsOnBattery() : powerMonitor.isOnBatteryPower()
  setBattery(wasOnBattery)
  const checkBattery = () => {
    const isNow = runsOnBattery()
    if (isNow !== wasOnBattery) setBattery(isNow)
    wasOnBattery = isNow
  }
  const timer = isLinux ? setInterval(checkBattery, batteryIntervalMs) : undefined
  return () => {
    clearInterval(timer)
    powerMonitor.off('suspend', onSuspend)
    powerMonitor.off('resume', onResume)
    powerMonitor.off('on-battery', onBattery)
    powerMonitor.off('on-ac', onMains)
    unsubscribe()
    stopFollowing()
  }
}
