import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { StartProcess } from '../engine/lib/ports.ts'

/**
 * Heap of the program's JavaScript, in MB. Memory outside of it, such as WebAssembly's, is for the program itself to
 * watch.
 */
export const maxHeapMegabytes = 160

/** Starts a program with this Node. It may read files, and start threads; it may not write, or start programs. */
export const forkProcess: StartProcess = (program, { onMessage, onEnd }) => {
  // Windows starts no program without it.
  const { SystemRoot } = process.env
  const child = fork(fileURLToPath(program), [], {
    execArgv: [`--max-old-space-size=${maxHeapMegabytes}`, '--expose-gc', '--no-warnings', ...permissions()],
    env: SystemRoot === undefined ? {} : { SystemRoot },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
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

/** Returns the options of Node's permission model, which is called experimental before 23.5 (22.13). */
function permissions(): string[] {
  if (!process.allowedNodeEnvironmentFlags.has('--permission')) return []
  return ['--permission', '--allow-fs-read=*', '--allow-worker']
}
