import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSampleService, type SampleService } from '../../electron/sample-service/start-sample-service.ts'
import { canMount, makeSmallDisk } from '../support/small-disk.ts'
import { runMain, startMain } from '../support/run-main.ts'
import { until } from '../support/watching.ts'

/** An installation with an archived project, one that was never synced, and an order. */
let service: SampleService
let folder: string
let env: NodeJS.ProcessEnv

const run = (...args: string[]) => runMain(['--api-rate', '0', ...args], { env })

/** The reading commands. */
const questions = [['status'], ['projects', 'list'], ['orders', 'list']]

/** Runs every reading command, with and without --json. */
async function askAll() {
  const answers: Record<string, unknown> = {}
  for (const question of questions) {
    for (const args of [question, [...question, '--json']]) answers[args.join(' ')] = await run(...args)
  }
  return answers
}

/** Everything about the data folder that a write would change. The log of the owner grows. */
function dataFolder() {
  return readdirSync(join(folder, 'home'), { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('logs'))
    .map((path) => ({ path, mode: statSync(join(folder, 'home', path)).mode }))
}

/** Starts `watch`, which is idle when this returns. Returns a function that ends it. */
async function startWatch(): Promise<() => Promise<void>> {
  const watching = startMain(['watch', '--json', '--quiet', '--api-rate', '0'], { env })
  await until('the watch is idle', () => watching.printed.stdout.includes('"kind":"idle"'))
  return async () => {
    expect(await watching.stop('SIGTERM')).toMatchObject({ exitCode: 0 })
  }
}

beforeAll(async () => {
  service = await startSampleService({
    token: 'canary-token-of-the-service',
    projects: 2,
    checklistsPerProject: 1,
    statuses: ['completed'],
    photoBytes: 2_000,
  })
  folder = mkdtempSync(join(tmpdir(), 'solarchive-beside-'))
  env = {
    SOLARCHIVE_HOME: join(folder, 'home'),
    SOLARCHIVE_ARCHIVE: join(folder, 'archive'),
    SOLARCHIVE_URL: service.url,
    SOLARCHIVE_TOKEN: service.token,
  }
  for (const { id } of service.projects) await run('projects', 'add', id)
  expect(await run('sync')).toMatchObject({ exitCode: 0 })
})

afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('status, projects list, and orders list', () => {
  test('give the same answers while watch runs as alone, and write nothing', async () => {
    const before = dataFolder()
    const alone = await askAll()
    expect(dataFolder()).toEqual(before)
    expect(alone).toMatchObject({ status: { exitCode: 0 }, 'orders list': { exitCode: 0 } })
    const stop = await startWatch()
    const log = () => readFileSync(join(folder, 'home', 'logs', 'solarchive.log'), 'utf8')
    const logged = log()
    const during = dataFolder()
    expect(await askAll()).toEqual(alone)
    expect([dataFolder(), log()]).toEqual([during, logged])
    await stop()
    expect(await askAll()).toEqual(alone)
  })

  test.runIf(canMount())('answer on a full and on a read-only disk', async () => {
    const disk = makeSmallDisk(16_000)
    try {
      const onDisk = { ...env, SOLARCHIVE_HOME: join(disk.path, 'home') }
      const ask = (...args: string[]) => runMain(['--api-rate', '0', ...args], { env: onDisk })
      await ask('projects', 'add', service.projects[0]!.id)
      expect(await ask('sync')).toMatchObject({ exitCode: 0 })
      const answers = await Promise.all(questions.map((question) => ask(...question)))
      expect(answers.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
      disk.leaveFree(0)
      expect(await Promise.all(questions.map((question) => ask(...question)))).toEqual(answers)
      disk.setReadOnly(true)
      expect(await Promise.all(questions.map((question) => ask(...question)))).toEqual(answers)
    } finally {
      disk.remove()
    }
  })
})
