import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { childEnvironment } from '../child-environment.ts'

export interface ProgramRun {
  /** Absolute path. */
  readonly path: string
  readonly args: readonly string[]
  /** Text for its standard input. */
  readonly input: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface ProgramEnd {
  readonly isOk: boolean
  /** For people: "exit code 2". */
  readonly result: string
  /** The beginning of what it printed, on both streams. */
  readonly output: string
}

/** Characters of a program's output that are kept: it goes into the log. */
const maxOutput = 4_000

/**
 * Runs a program without a shell, in a group of its own, with the environment of other programs that Solarchive starts.
 * After the time, or when the signal aborts, the program and everything that it has started is killed. Never rejects.
 */
export function runProgram({ path, args, input, timeoutMs, signal }: ProgramRun): Promise<ProgramEnd> {
  const isWindows = process.platform === 'win32'
  return new Promise((resolve) => {
    const output: Buffer[] = []
    let size = 0
    const end = (isOk: boolean, result: string) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      child.stdout?.destroy()
      child.stderr?.destroy()
      resolve({ isOk, result, output: Buffer.concat(output).toString('utf8').slice(0, maxOutput) })
    }
    let why: string | undefined
    const kill = (reason: string) => {
      why ??= reason
      killGroup(child, isWindows)
    }
    const stop = () => kill('stopped, because Solarchive ended')
    let child: ChildProcess
    try {
      child = spawn(path, args, {
        shell: false,
        detached: !isWindows,
        windowsHide: true,
        cwd: startFolder(path),
        env: childEnvironment(process.env),
        stdio: ['pipe', 'pipe', 'pipe'],
      })
    } catch (error) {
      // Windows refuses files that only a shell can run.
      return resolve({ isOk: false, result: `could not be started (${codeOf(error)})`, output: '' })
    }
    const timer = setTimeout(() => kill(`killed after ${Math.round(timeoutMs / 1000)} s`), timeoutMs)
    const keep = (chunk: Buffer) => {
      if (size < maxOutput) output.push(chunk)
      size += chunk.byteLength
    }
    child.stdout?.on('data', keep).on('error', () => undefined)
    child.stderr?.on('data', keep).on('error', () => undefined)
    // A program may end without reading.
    child.stdin?.on('error', () => undefined).end(input)
    child.once('error', (error) => end(false, `could not be started (${codeOf(error)})`))
    // `exit`, not `close`: a descendant may keep the streams open.
    child.once('exit', (code, killedBy) => {
      setImmediate(() =>
        end(code === 0 && why === undefined, why ?? (code === null ? `ended by ${killedBy}` : `exit code ${code}`)),
      )
    })
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}

/**
 * Returns the home folder, or the program's own folder if there is none that can be entered: accounts of services have
 * /nonexistent or /dev/null as their home folder. The `.` is found only in a folder, with permission to enter it.
 */
function startFolder(path: string): string {
  try {
    const home = homedir()
    if (existsSync(`${home}/.`)) return home
  } catch {
    // A user without an account, as in a container, has none.
  }
  return dirname(path)
}

/** Kills a process and what it has started, as far as that is still in its group. */
function killGroup(child: ChildProcess, isWindows: boolean): void {
  if (child.pid === undefined) return
  if (isWindows) return killTree(child, process.env)
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has just ended.
    child.kill('SIGKILL')
  }
}

/**
 * Kills a process and its descendants with the `taskkill` of Windows, never another one on the PATH; if that fails, the
 * process alone.
 */
export function killTree(child: ChildProcess, env: NodeJS.ProcessEnv): void {
  const { SystemRoot = 'C:\\Windows' } = env
  const killAlone = () => child.kill('SIGKILL')
  try {
    const taskkill = spawn(join(SystemRoot, 'System32', 'taskkill.exe'), ['/pid', String(child.pid), '/T', '/F'], {
      stdio: 'ignore',
      windowsHide: true,
      env: childEnvironment(env),
    })
    taskkill.once('error', killAlone).once('exit', (code) => code !== 0 && killAlone())
    taskkill.unref()
  } catch {
    killAlone()
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unexpected'
}
