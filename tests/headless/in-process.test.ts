import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../support/watching.ts'
import { runMain, startMain } from '../support/run-main.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const events = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'disconnect',
  'uncaughtException',
  'unhandledRejection',
  'exit',
  'warning',
]

/** State of this process that a command could leave behind. */
function stateOfProcess() {
  return {
    listeners: events.map((event) => [event, process.listenerCount(event)]),
    streams: [process.stdout, process.stderr].map((stream) => stream.listenerCount('error')),
    env: { ...process.env },
    cwd: process.cwd(),
    exitCode: process.exitCode,
  }
}

/** Timers, servers, and processes that keep this process alive. */
const activeResources = () =>
  process.getActiveResourcesInfo().filter((name) => /Timeout|Server|Process/.test(name)).length

test('a command leaves nothing behind in its calling process', async () => {
  const folder = temporaryFolder()
  const args = ['--sample', '--home', join(folder, 'home'), '--archive', join(folder, 'archive')]
  // Modules that are loaded the first time may keep a listener permanently.
  await runMain([...args, 'projects', 'list'])
  const before = stateOfProcess()
  const resources = activeResources()
  expect((await runMain([...args, 'projects', 'list'])).exitCode).toBe(0)
  expect((await runMain([...args, 'bogus'])).exitCode).toBe(2)
  for (const command of ['watch', 'serve']) {
    const running = startMain([...args, command])
    await until(`${command} runs`, () => /Ctrl\+C stops/.test(running.printed.stderr) || running.hasEnded())
    expect((await running.stop()).exitCode).toBe(0)
  }
  expect(stateOfProcess()).toEqual(before)
  // Looked at while no timer of the test itself runs.
  await until('its timers, servers, and processes are gone', () => activeResources() <= resources)
})
