import { utilityProcess } from 'electron'
import { fileURLToPath } from 'node:url'
import { maxHeapMegabytes } from '../app/fork-process.ts'
import type { StartProcess } from '../engine/lib/ports.ts'

/** Starts a program in a utility process: the packaged app does not run as Node. Electron must be ready. */
export const startUtilityProcess: StartProcess = (program, { onMessage, onEnd }) => {
  const child = utilityProcess.fork(fileURLToPath(program), [], {
    execArgv: [`--js-flags=--max-old-space-size=${maxHeapMegabytes} --expose-gc`],
    env: {},
    stdio: 'ignore',
    serviceName: 'Solarchive file analysis',
  })
  child.on('message', onMessage)
  child.on('exit', onEnd)
  // A fatal error of V8, which ends the process. Without a listener it would be thrown here.
  child.on('error', () => undefined)
  // A process that never comes back from a file ignores a polite request.
  const kill = () => {
    if (child.pid === undefined) return
    try {
      process.kill(child.pid, 'SIGKILL')
    } catch {
      // It has just ended.
    }
  }
  return {
    send: (message) => child.postMessage(message),
    // While it starts, it has no ID yet.
    kill: () => void (child.pid === undefined ? child.once('spawn', kill) : kill()),
  }
}
