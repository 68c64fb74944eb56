import { spawn } from 'node:child_process'

const isPosix = process.platform !== 'win32'

/**
 * Starts a program in a process group of its own, because some programs, such as xvfb-run, do not forward signals.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function startGroup(program, args, options) {
  return spawn(program, args, { ...options, detached: isPosix })
}

/**
 * @param {import('node:child_process').ChildProcess} child of `startGroup`
 * @param {NodeJS.Signals} signal
 */
export function signalGroup({ pid, exitCode, signalCode }, signal) {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  process.kill(isPosix ? -pid : pid, signal)
}
