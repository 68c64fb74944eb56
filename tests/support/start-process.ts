import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { forkProcess } from '../../electron/app/fork-process.ts'
import type { StartProcess } from '../../electron/engine/lib/ports.ts'

const { NODE_V8_COVERAGE } = process.env

/** Time for a process to write its coverage. One whose task never ends writes none. */
const writeMs = 2_000

/** Starts a process as the app does, but one that gets time for its coverage when it is killed. */
const startMeasured: StartProcess = (program, { onMessage, onEnd }) => {
  const child = fork(fileURLToPath(program), [], {
    env: { NODE_V8_COVERAGE },
    execArgv: ['--expose-gc', '--no-warnings'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('message', onMessage)
  child.on('exit', onEnd)
  return {
    send: (message) => child.send(message as object, () => undefined),
    kill: () => {
      if (child.connected) child.disconnect()
      setTimeout(() => child.kill('SIGKILL'), writeMs).unref()
    },
  }
}

/** Starts a program as the app does. While coverage is measured, it may write its own, which the app does not allow. */
export const startProcess = NODE_V8_COVERAGE === undefined ? forkProcess : startMeasured
