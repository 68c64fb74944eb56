// Runs before the app or the command line: lets stopping, the first paint, and the desktop's answers take as long as
// they need. Their limits are for a user who waits. On a busy machine a test would reach them, although everything
// works.
const { syncBuiltinESMExports } = process.getBuiltinModule('node:module')
const timers = process.getBuiltinModule('node:timers/promises')
const processes = process.getBuiltinModule('node:child_process')

/** Only a hang reaches it. */
const longMs = 240_000

/** Recognizes a limit of stopping by what it does once it is reached. */
const endsStop = (/** @type {unknown} */ run) => /could not be closed in time|request\.exitCode/.test(String(run))

const { setTimeout: start } = globalThis
/** @type {(run: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]) => NodeJS.Timeout} */
const startLong = (run, delayMs, ...args) => start(run, endsStop(run) ? longMs : delayMs, ...args)
globalThis.setTimeout = Object.assign(startLong, start)

// The limits of the window are the only sleeps that do not keep the app alive.
const { setTimeout: sleep } = timers
timers.setTimeout = (delayMs, value, options) => sleep(options?.ref === false ? longMs : delayMs, value, options)

// The desktop is asked whether it shows a tray.
const { execFile } = processes
const execLong = (
  /** @type {[string, string[], { timeout?: number }, () => void]} */ ...[program, args, options, done]
) => execFile(program, args, options?.timeout === undefined ? options : { ...options, timeout: longMs }, done)
processes.execFile = Object.assign(execLong, execFile)
syncBuiltinESMExports()
