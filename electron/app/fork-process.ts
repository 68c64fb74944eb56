import { type ChildProcess, fork, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { StartProcess } from '../engine/lib/ports.ts'

/**
 * Heap of the program's JavaScript, in MB. Memory outside of it, such as WebAssembly's, is for the program itself to
 * watch.
 */
export const maxHeapMegabytes = 160

/** Options of V8 for a program. */
const engineOptions = [`--max-old-space-size=${maxHeapMegabytes}`, '--expose-gc']

/**
 * Starts a program with this Node. It may read files, and start threads; it may not write, or start programs. The
 * command line of the installed app, which does not run as Node, starts the app itself, for the analysis alone.
 */
export const forkProcess: StartProcess = (program, { onMessage, onEnd }) => {
  const child = process.versions.electron === undefined ? startNode(program) : startApp()
  let hasEnded = false
  const end = () => {
    if (!hasEnded) onEnd()
    hasEnded = true
  }
  child.on('message', onMessage)
  child.on('exit', end)
  child.on('error', end)
  return {
    // A process that has just ended is reported by its end.
    send: (message) => child.send(message as object, () => undefined),
    kill: () => child.kill('SIGKILL'),
  }
}

// Windows starts no program without it.
const { SystemRoot } = process.env
const options = {
  env: SystemRoot === undefined ? {} : { SystemRoot },
  stdio: ['ignore', 'ignore', 'ignore', 'ipc'] as ['ignore', 'ignore', 'ignore', 'ipc'],
}

function startNode(program: URL): ChildProcess {
  return fork(fileURLToPath(program), [], {
    ...options,
    execArgv: [...engineOptions, '--no-warnings', ...permissions()],
  })
}

/** See `entry/main.ts`. Without a page, there is nothing to sandbox, and nothing to start in advance. */
function startApp(): ChildProcess {
  const switches = ['--no-sandbox', '--no-zygote', `--js-flags=${engineOptions.join(' ')}`]
  return spawn(process.execPath, [...switches, '--analysis'], options)
}

/** Returns the options of Node's permission model, which is called experimental before 23.5 (22.13). */
function permissions(): string[] {
  if (!process.allowedNodeEnvironmentFlags.has('--permission')) return []
  return ['--permission', '--allow-fs-read=*', '--allow-worker']
}
