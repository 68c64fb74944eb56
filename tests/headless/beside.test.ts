import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exampleOrder } from '../../electron/sample-service/orders/order-book.ts'
import { startSampleService } from '../../electron/sample-service/start-sample-service.ts'
import { canMount, makeSmallDisk } from '../support/small-disk.ts'
import { runMain, type StartedMain, startMain } from '../support/run-main.ts'
import { until } from '../support/watching.ts'
import { entry, startSolarchive } from './run-solarchive.ts'

/** A service and folders for commands; two of them serve the same. */
async function install() {
  const service = await startSampleService({
    token: 'canary-token-of-the-service',
    projects: 2,
    checklistsPerProject: 1,
    statuses: ['completed'],
    photoQuestionsPerChecklist: 1,
    photosPerQuestion: 2,
    photoBytes: 2_000,
    existingOrders: 0,
  })
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-beside-'))
  const env: NodeJS.ProcessEnv = {
    SOLARCHIVE_HOME: join(folder, 'home'),
    SOLARCHIVE_ARCHIVE: join(folder, 'archive'),
    SOLARCHIVE_URL: service.url,
    SOLARCHIVE_TOKEN: service.token,
  }
  onTestFinished(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    service,
    folder,
    env,
    home: join(folder, 'home'),
    ids: service.projects.map(({ id }) => id),
    start: (...args: string[]) => startMain(['--api-rate', '0', ...args], { env, cwd: folder }),
    run: (...args: string[]) => runMain(['--api-rate', '0', ...args], { env, cwd: folder }),
  }
}

type Installation = Awaited<ReturnType<typeof install>>

/** Progress of a sync, or of a verify: how much of it is printed depends on the speed of the machine. */
const progressLine =
  /^(?:Reading projects: \d+ of \d+|\d+ of \d+ files?) · |^\d+ (?:of \d+ )?files? checked(?: · \d+ %)?$/

function withoutProgress(stderr: string): string {
  const lines = stderr.split('\n')
  return lines.filter((line) => !progressLine.test(line)).join('\n')
}

/** An installation with both projects archived. */
async function installArchived(): Promise<Installation> {
  const installation = await install()
  await installation.run('projects', 'add', ...installation.ids)
  expect(await installation.run('sync')).toMatchObject({ exitCode: 0 })
  return installation
}

/** Starts `watch`, which is idle when this returns. It checks projects only when another command asks for it. */
async function startWatch({ home, start }: Installation): Promise<StartedMain> {
  writeFileSync(join(home, 'settings.json'), '{"schedule": "manual"}')
  const watching = start('watch', '--json', '--quiet')
  onTestFinished(() => void watching.stop())
  await until('the watch is idle', () => watching.printed.stdout.includes('"kind":"idle"'))
  return watching
}

/** Everything about the data folder that a write would change, except what the owner writes all the time. */
function dataFolder({ home }: Installation) {
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.startsWith('logs'))
    .map((path) => ({ path, mode: statSync(join(home, path)).mode }))
}

test.each([
  ['is not set up', '{}', 'Solarchive is not set up yet'],
  ['explores the sample', '{"useSample": true}', 'The app is exploring the sample service'],
])('beside an app that %s, commands say so at once', async (_, settings, reason) => {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-beside-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = join(folder, 'home')
  mkdirSync(home)
  writeFileSync(join(home, 'settings.json'), settings)
  const options = { env: { SOLARCHIVE_HOME: home, SOLARCHIVE_ARCHIVE: join(folder, 'archive') }, cwd: folder }
  const serving = startMain(['serve', '--port', '0'], options)
  onTestFinished(() => void serving.stop())
  await until('the app can be reached', () => existsSync(join(home, 'owner', 'owner.json')))
  for (const command of [['sync'], ['projects', 'list'], ['status'], ['verify'], ['projects', 'add', 'p1']]) {
    const { exitCode, stderr } = await runMain(command, options)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(reason)])
  }
})

describe('status, projects list, and orders list', () => {
  const questions = [['status'], ['projects', 'list'], ['orders', 'list']]

  /** Runs every one of them, with and without --json. */
  async function askAll({ run }: Pick<Installation, 'run'>) {
    const answers: Record<string, unknown> = {}
    for (const question of questions) {
      for (const args of [question, [...question, '--json']]) answers[args.join(' ')] = await run(...args)
    }
    return answers
  }

  test('give the same answers while watch runs as alone, and write nothing', async () => {
    const installation = await installArchived()
    const before = dataFolder(installation)
    const alone = await askAll(installation)
    expect(dataFolder(installation)).toEqual(before)
    expect(alone).toMatchObject({ status: { exitCode: 0 }, 'orders list': { exitCode: 0 } })
    const watching = await startWatch(installation)
    const log = () => readFileSync(join(installation.home, 'logs', 'solarchive.log'), 'utf8')
    const logged = log()
    const during = dataFolder(installation)
    expect(await askAll(installation)).toEqual(alone)
    expect([dataFolder(installation), log()]).toEqual([during, logged])
    expect(await watching.stop()).toMatchObject({ exitCode: 0 })
    expect(await askAll(installation)).toEqual(alone)
  })

  test('answer beside an owner of a data folder that was never synced', async () => {
    const { service, start, run, ids } = await install()
    await run('projects', 'add', ...ids)
    service.faults.add({ route: 'projects', fault: { kind: 'hang' } })
    const owner = start('projects', 'discover')
    await until('the service is asked', () => service.requests.count('projects') > 0)
    const answers = await askAll({ run })
    expect(await owner.stop('SIGINT')).toMatchObject({ exitCode: 130 })
    expect(await askAll({ run })).toEqual(answers)
    // Nothing is archived yet.
    expect(answers).toMatchObject({ status: { exitCode: 4 }, 'orders list': { exitCode: 0 } })
    expect(await run('verify')).toMatchObject({ exitCode: 0 })
  })

  test.runIf(canMount())('answer on a full and on a read-only disk', async () => {
    const { env, ids } = await install()
    const disk = makeSmallDisk(16_000)
    try {
      const onDisk = { ...env, SOLARCHIVE_HOME: join(disk.path, 'home') }
      const run = (...args: string[]) => runMain(['--api-rate', '0', ...args], { env: onDisk })
      await run('projects', 'add', ...ids)
      expect(await run('sync')).toMatchObject({ exitCode: 0 })
      const answers = await askAll({ run })
      expect(answers).toMatchObject({ status: { exitCode: 0 } })
      disk.leaveFree(0)
      expect(await askAll({ run })).toEqual(answers)
      disk.setReadOnly(true)
      expect(await askAll({ run })).toEqual(answers)
    } finally {
      disk.remove()
    }
  })
})

test('while the archive is being moved, lists are printed; commands that read files say why they cannot', async () => {
  const installation = await installArchived()
  const { run, home, env, folder } = installation
  await startWatch(installation)
  const move = { from: env['SOLARCHIVE_ARCHIVE'], to: '/elsewhere', folders: [], renamed: [], phase: 'copying' }
  writeFileSync(join(home, 'archive-move.json'), JSON.stringify(move))
  for (const list of ['projects', 'orders']) expect(await run(list, 'list')).toMatchObject({ exitCode: 0 })
  const copy = ['--to', join(folder, 'copy')]
  for (const args of [['status'], ['verify'], ['export', ...copy], ['export', '--search', 'kind:photo', ...copy]]) {
    const { exitCode, stderr } = await run(...args)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('to /elsewhere, and that is not finished.')])
    expect(stderr).toContain('Try again when it is done.')
  }
})

/** Replaces what differs between two runs: times, durations, random ids, and folders. */
function comparable(text: string, { folder, service }: Installation): string {
  return (
    text
      .replaceAll(folder, '<folder>')
      .replaceAll(service.url, '<service>')
      .replace(/\d{4}-\d\d-\d\d(?:T[\d:.]+Z| \d\d:\d\d)?/g, '<time>')
      .replace(/[A-Z][a-z]{2} \d{1,2}, \d{4}(?:, \d{1,2}:\d\d [AP]M)?/g, '<time>')
      // IDs of new orders begin with the time.
      .replace(/\b[0-9a-f]{8}([0-9a-f]{16})\b/g, '<time>$1')
      // Alone it is about the next command, beside an owner about the running one.
      .replace(/(?:Put|Write) a new token into [^"\n]*/g, '<what to do about the token>')
      .replace(/"durationMs": \d+/g, '"durationMs": 0')
      .replace(/\b(?:in|for) [\d.,]+ (?:m?s|min)\b/g, 'in <duration>')
  )
}

/** Runs every command that changes something. Returns what each printed, and its exit code. */
async function changeEverything(installation: Installation) {
  const { run, ids, service, folder } = installation
  const [first = '', second = ''] = ids
  const printed: Record<string, unknown> = {}
  const step = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await run(...args)
    expect(stdout + stderr).not.toContain('canary')
    const lines = [stdout, withoutProgress(stderr)].map((text) => comparable(text, installation))
    printed[`${Object.keys(printed).length} ${comparable(args.join(' '), installation)}`] = { exitCode, lines }
  }
  await step('projects', 'add', second, ` ${second}`, '--name', 'Second', '--json')
  await step('projects', 'add', 'a/b')
  await step('projects', 'remove', 'unknown', '--json')
  await step('projects', 'discover', '--json')
  await step('sync', '--json')
  await step('sync', second)
  await step('sync', '--fail-on', 'errors', '--quiet')
  await step('sync', 'unknown', '--json')
  await step('verify', '--json')
  const { projects } = JSON.parse((await run('status', '--json')).stdout) as {
    projects: { checklists: { folder: string }[] }[]
  }
  rmSync(join(folder, 'archive', projects[0]!.checklists[0]!.folder, 'report.pdf'))
  await step('verify')
  await step('verify', '--repair', '--json', first, second)
  await step('verify', first)
  await step('status', second, '--fail-on', 'errors', '--json')
  service.faults.add({ route: 'projects', fault: { kind: 'status', status: 401 }, count: 1 })
  await step('projects', 'discover', '--json')
  writeFileSync(join(folder, 'list.csv'), 'Project ID,Name\nlisted-1,Listed one\nlisted-2,Listed two\n')
  await step('projects', 'add', '--file', 'list.csv')
  await step('projects', 'list', '--json')
  await step('projects', 'remove', 'listed-1')
  await step('projects', 'remove', 'listed-2')
  await step('projects', 'remove', second)

  const order = exampleOrder(service.projects[0]!)
  writeFileSync(join(folder, 'order.json'), JSON.stringify(order))
  writeFileSync(join(folder, 'wrong.json'), '{"form": {}}')
  await step('orders', 'place', '--file', 'order.json', '--dry-run', '--json')
  await step('orders', 'place', '--file', 'wrong.json', '--project', first)
  writeFileSync(
    join(folder, 'long.json'),
    JSON.stringify({ ...order, form: { ...order.form, homeownerName: 'x'.repeat(5000) } }),
  )
  await step('orders', 'place', '--file', 'long.json', '--json')
  await step('orders', 'place', '--file', 'order.json')
  await step('orders', 'place', '--file', 'order.json', '--json')
  await step('orders', 'check', '1', '--json')
  await step('orders', 'check', '9')
  await step('orders', 'place', '--file', 'order.json', '--project', second, '--without-check', '--preset', 'unknown')
  service.faults.add({ route: 'serviceRequests', method: 'POST', fault: { kind: 'status', status: 500 }, count: 1 })
  await step('orders', 'place', '--file', 'order.json', '--again', '--json')
  await step('orders', 'settle', '2', '--placed', '--service-id', 'sr-2', '--json')
  await step('orders', 'settle', '2', '--not-placed')
  await step('orders', 'list', '--json')
  await step('orders', 'list', '--project', second)
  await step('status', '--json')
  return printed
}

describe('a command that changes something', () => {
  test('does and prints the same while watch runs as alone', async () => {
    const alone = await install()
    await alone.run('projects', 'add', alone.ids[0]!)
    const expected = await changeEverything(alone)

    const beside = await install()
    await beside.run('projects', 'add', beside.ids[0]!)
    const watching = await startWatch(beside)
    const during = await changeEverything(beside)
    expect(during).toEqual(expected)
    expect(Object.values(during).map((one) => (one as { exitCode: number }).exitCode)).not.toContain(5)
    expect(await watching.stop()).toMatchObject({ exitCode: 0, stderr: '' })
    expect(readdirSync(join(beside.home, 'owner'))).toEqual([])
  })

  test('works beside the app in a browser', async () => {
    const installation = await install()
    const [first = '', second = ''] = installation.ids
    await installation.run('projects', 'add', first)
    const serving = installation.start('serve', '--json')
    onTestFinished(() => void serving.stop())
    await until('the project is archived', () => serving.printed.stdout.includes('"event":"project"'))
    expect(await installation.run('projects', 'add', second, '--json')).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await installation.run('sync', second)).toMatchObject({ exitCode: 0 })
    expect((await installation.run('status')).stdout).toContain('2 of 2 checklists complete.')
    expect(await serving.stop()).toMatchObject({ exitCode: 0 })
    expect((await installation.run('status')).stdout).toContain('2 of 2 checklists complete.')
  })

  test('is stopped alone by Ctrl+C, with the exit code that it has alone', async () => {
    const installation = await installArchived()
    const { service, start, run, ids } = installation
    const stopped = async () => {
      service.requests.clear()
      service.faults.add({ route: 'checklists', fault: { kind: 'hang' }, count: 1 })
      const syncing = start('sync', '--json', '--quiet', ids[0]!)
      await until('the service is asked', () => service.requests.count('api') > 0)
      return syncing.stop('SIGINT')
    }
    const alone = await stopped()
    expect(alone.exitCode).toBe(130)
    const watching = await startWatch(installation)
    expect(await stopped()).toEqual(alone)
    expect(watching.hasEnded()).toBe(false)
    expect(await run('sync')).toMatchObject({ exitCode: 0 })
  })

  /** Starts two syncs, and waits until the first one is done. The service answers the second one when it is released. */
  async function startTwoSyncs({ service, start, ids }: Installation) {
    const holdNext = () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      service.faults.add({ route: 'checklists', fault: { kind: 'hold', until: promise }, count: 1 })
      return resolve
    }
    service.requests.clear()
    const [releaseFirst, releaseSecond] = [holdNext(), holdNext()]
    const first = start('sync', ids[0]!)
    await until('the first one asks the service', () => service.requests.count('api') === 1)
    const second = start('sync', ids[1]!)
    await until('the second one asks the service', () => service.requests.count('api') === 2)
    releaseFirst()
    await until('the first one waits', () => first.printed.stderr.includes('still works for another command'))
    return { first, second, releaseSecond }
  }

  test('is waited for by a command that does its work', async () => {
    const { first, second, releaseSecond } = await startTwoSyncs(await installArchived())
    expect(second.hasEnded()).toBe(false)
    releaseSecond()
    expect(await second.ended).toMatchObject({ exitCode: 0 })
    expect(await first.ended).toMatchObject({ exitCode: 0 })
  })

  test('says so if that command is stopped', async () => {
    const installation = await installArchived()
    const { first, second } = await startTwoSyncs(installation)
    expect(await first.stop('SIGINT')).toMatchObject({ exitCode: 130 })
    const { exitCode, stderr } = await second.ended
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining(`(process ${process.pid}) was stopped`)])
    expect(await installation.run('sync')).toMatchObject({ exitCode: 0 })
  })
})

describe('the same order, placed by a second command while the first one waits for its user,', () => {
  const place = ['orders', 'place', '--file', 'order.json', '--json']
  const waits = 'Another command places the same order.'

  /** Starts a command in a terminal that asks about the module, and a second one that waits for it. */
  async function startTwo({ service, folder, env, start }: Installation, ...more: string[]) {
    writeFileSync(join(folder, 'order.json'), JSON.stringify(exampleOrder(service.projects[0]!)))
    const keyboard = new PassThrough()
    const first = startMain(place.slice(0, -1), { env, cwd: folder, isTerminal: true, keyboard })
    await until('it asks', () => first.printed.stderr.includes('Order it? [y/N]'))
    const second = start(...place, ...more)
    await until('it waits', () => second.hasEnded() || second.printed.stderr.includes(waits))
    expect(second.printed).toMatchObject({ stdout: '' })
    return { first, second, answer: (text: string) => keyboard.end(`${text}\n`) }
  }

  const documentOf = async ({ ended }: StartedMain) => {
    const { exitCode, stdout } = await ended
    return { exitCode, ...(JSON.parse(stdout) as object) }
  }

  async function listed({ run }: Installation) {
    const { orders } = JSON.parse((await run('orders', 'list', '--json')).stdout) as {
      orders: { id: number; state: string }[]
    }
    return orders.map(({ id, state }) => ({ id, state }))
  }

  describe.each([
    ['through watch', true],
    ['through the first one', false],
  ])('%s', (_, isBesideWatch) => {
    async function installTwo() {
      const installation = await installArchived()
      if (isBesideWatch) await startWatch(installation)
      return installation
    }

    test('finds it placed', async () => {
      const installation = await installTwo()
      const { first, second, answer } = await startTwo(installation)
      answer('y')
      const order = { id: 1, state: 'placed' }
      expect(await documentOf(second)).toMatchObject({ exitCode: 0, outcome: 'already-placed', order })
      expect((await first.ended).exitCode).toBe(0)
      expect([installation.service.orders.length, await listed(installation)]).toEqual([1, [order]])
    })

    test('is a second one with --again', async () => {
      const installation = await installTwo()
      const { first, second, answer } = await startTwo(installation, '--again')
      answer('y')
      expect(await documentOf(second)).toMatchObject({ exitCode: 0, outcome: 'placed', order: { id: 2 } })
      expect((await first.ended).exitCode).toBe(0)
      expect(installation.service.orders).toHaveLength(2)
    })

    test('is placed by it if the first one is declined', async () => {
      const installation = await installTwo()
      const { first, second, answer } = await startTwo(installation)
      answer('n')
      expect(await documentOf(second)).toMatchObject({ exitCode: 0, outcome: 'placed' })
      expect((await first.ended).exitCode).toBe(2)
      expect([installation.service.orders.length, await listed(installation)]).toMatchObject([1, [{ state: 'placed' }]])
    })

    test('is not sent if the second one is stopped', async () => {
      const installation = await installTwo()
      const { first, second, answer } = await startTwo(installation)
      expect(await second.stop('SIGINT')).toMatchObject({ exitCode: 130 })
      answer('y')
      expect((await first.ended).exitCode).toBe(0)
      expect(installation.service.orders).toHaveLength(1)
    })
  })

  test('goes on at once if the first one is killed, of which no draft is left', async () => {
    const installation = await installArchived()
    const { service, folder, env, start } = installation
    await startWatch(installation)
    writeFileSync(join(folder, 'order.json'), JSON.stringify(exampleOrder(service.projects[0]!)))
    service.requests.clear()
    service.faults.add({ route: 'serviceRequests', method: 'GET', fault: { kind: 'hang' }, count: 1 })
    const first = startSolarchive(['--api-rate', '0', ...place], { env, cwd: folder })
    await until('the service is asked', () => service.requests.count('serviceRequests', 'GET') > 0)
    const second = start(...place)
    await until('it waits', () => second.hasEnded() || second.printed.stderr.includes(waits))
    first.child.kill('SIGKILL')
    expect(await documentOf(second)).toMatchObject({ exitCode: 0, outcome: 'placed' })
    expect([service.orders.length, await listed(installation)]).toMatchObject([1, [{ state: 'placed' }]])
  })
})

describe('an owner that', () => {
  /** Starts `watch` in a process of its own. */
  async function startWatchProcess({ env, home }: Installation) {
    writeFileSync(join(home, 'settings.json'), '{"schedule": "manual"}')
    const watching = startSolarchive(['watch', '--json', '--quiet', '--api-rate', '0'], { env })
    onTestFinished(async () => {
      watching.child.kill('SIGKILL')
      await watching.ended
    })
    await until('the watch is idle', () => watching.printed.stdout.includes('"kind":"idle"'))
    return watching
  }

  test('is killed ends the command with 5, and the next one carries on', async () => {
    const installation = await installArchived()
    const { service, start, run, ids } = installation
    const { child, ended } = await startWatchProcess(installation)
    service.requests.clear()
    service.faults.add({ route: 'checklists', fault: { kind: 'hang' }, count: 1 })
    const syncing = start('sync', '--json', ids[0]!)
    await until('the service is asked', () => service.requests.count('api') > 0)
    child.kill('SIGKILL')
    await ended
    const { exitCode, stdout, stderr } = await syncing.ended
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining(`(process ${child.pid}) ended while it worked on`)])
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'data-folder-locked' } })
    // Its socket and its key are still there.
    expect(readdirSync(join(installation.home, 'owner')).sort()).toEqual(['owner.json', 'socket'])
    expect(await run('status')).toMatchObject({ exitCode: 0 })
    const synced = await run('sync')
    expect([synced.exitCode, withoutProgress(synced.stderr)]).toEqual([0, ''])
    expect(readdirSync(join(installation.home, 'owner'))).toEqual([])
  })

  test('is killed while it places an order ends the command with what is known of the order', async () => {
    const installation = await installArchived()
    const { service, start, run, folder } = installation
    writeFileSync(join(folder, 'order.json'), JSON.stringify(exampleOrder(service.projects[0]!)))
    const place = ['orders', 'place', '--file', 'order.json', '--json']
    const killedAt = async (method: 'GET' | 'POST') => {
      const { child, ended } = await startWatchProcess(installation)
      service.requests.clear()
      // The list is read once to review the order, and again right before it is sent.
      const skip = method === 'GET' ? 1 : 0
      service.faults.add({ route: 'serviceRequests', method, skip, fault: { kind: 'hang' }, count: 1 })
      const placing = start(...place)
      await until('the service is asked', () => service.requests.count('serviceRequests', method) > skip)
      child.kill('SIGKILL')
      await ended
      return placing.ended
    }
    const before = await killedAt('GET')
    expect([before.exitCode, before.stderr]).toEqual([5, expect.stringContaining('the service does not have it')])
    const during = await killedAt('POST')
    expect([during.exitCode, during.stderr]).toEqual([5, expect.stringContaining('it is not known whether')])
    expect(JSON.parse((await run('orders', 'list', '--json')).stdout)).toMatchObject({
      orders: [{ id: 1, state: 'unconfirmed' }],
    })
    expect(JSON.parse((await run(...place)).stdout)).toMatchObject({ outcome: 'unconfirmed', order: { id: 1 } })
    expect(service.orders).toHaveLength(0)
  })

  test('is ended while it places an order leaves no draft of it', async () => {
    const installation = await installArchived()
    const { service, start, run, folder } = installation
    writeFileSync(join(folder, 'order.json'), JSON.stringify(exampleOrder(service.projects[0]!)))
    const watching = await startWatch(installation)
    service.requests.clear()
    service.faults.add({ route: 'serviceRequests', method: 'GET', skip: 1, fault: { kind: 'hang' }, count: 1 })
    const placing = start('orders', 'place', '--file', 'order.json')
    await until('the service is asked', () => service.requests.count('serviceRequests', 'GET') > 1)
    await watching.stop()
    const { exitCode, stderr } = await placing.ended
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining('Run the command again.')])
    expect(JSON.parse((await run('orders', 'list', '--json')).stdout)).toEqual({ orders: [] })
    expect(await run('orders', 'place', '--file', 'order.json')).toMatchObject({ exitCode: 0 })
    expect(service.orders).toHaveLength(1)
  })

  /** Starts a command in a terminal that asks about the module of an order. */
  async function startAsking({ service, folder, env }: Installation, homeownerName: string) {
    const order = exampleOrder(service.projects[0]!)
    const file = `${homeownerName}.json`
    writeFileSync(join(folder, file), JSON.stringify({ ...order, form: { ...order.form, homeownerName } }))
    const keyboard = new PassThrough()
    const started = startMain(['orders', 'place', '--file', file], { env, cwd: folder, isTerminal: true, keyboard })
    await until('it asks', () => started.printed.stderr.includes('Order it? [y/N]'))
    return { ended: started.ended, answer: (text: string) => keyboard.end(`${text}\n`) }
  }

  test('is ended while a command asks its user ends that command, which sends nothing', async () => {
    const installation = await installArchived()
    const watching = await startWatch(installation)
    const placing = await startAsking(installation, 'Ann')
    await watching.stop()
    const { exitCode, stderr } = await placing.ended
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining('this command sent no order')])
    expect(installation.service.orders).toHaveLength(0)
  })

  test('has done its own work does not wait for the user of another command', async () => {
    const installation = await installArchived()
    const owner = await startAsking(installation, 'Ann')
    const other = await startAsking(installation, 'Bo')
    owner.answer('n')
    expect((await owner.ended).exitCode).toBe(2)
    expect((await other.ended).exitCode).toBe(5)
    expect(installation.service.orders).toHaveLength(0)
  })

  test('is stopped is given up after 10 seconds, and does not keep others from reading', async () => {
    const installation = await installArchived()
    const { run, ids } = installation
    const { child } = await startWatchProcess(installation)
    child.kill('SIGSTOP')
    // Time in which this process has nothing to do: reading may take as long on a slow machine, but does not wait. On a
    // busy one, its calls on the disk may in some rounds.
    let idleMs = Infinity
    for (let round = 0; round < 5 && idleMs >= 8_000; round += 1) {
      const startMs = performance.now()
      const before = performance.eventLoopUtilization()
      const adding = run('projects', 'add', ids[0]!)
      expect(await run('status')).toMatchObject({ exitCode: 0, stderr: '' })
      expect((await run('verify', '--quiet')).exitCode).toBe(0)
      idleMs = performance.eventLoopUtilization(before).idle
      const { exitCode, stderr } = await adding
      expect([exitCode, stderr]).toEqual([5, expect.stringContaining(`(process ${child.pid}) does not answer`)])
      expect(performance.now() - startMs).toBeGreaterThan(9_000)
    }
    expect(idleMs).toBeLessThan(8_000)
    child.kill('SIGCONT')
    expect(await run('projects', 'add', ids[0]!)).toMatchObject({ exitCode: 0 })
  })

  test.runIf(process.getuid?.() === 0)('is another user is left alone, and said so', async () => {
    const installation = await installArchived()
    const { env, home, folder } = installation
    await startWatch(installation)
    const asNobody = async (...args: string[]) => {
      const child = spawn(process.execPath, [entry, ...args], {
        uid: 65_534,
        gid: 65_534,
        cwd: '/',
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...env, PATH: process.env.PATH, HOME: '/', SOLARCHIVE_ARCHIVE: '/nowhere' },
      })
      let stderr = ''
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
      const [exitCode] = (await once(child, 'close')) as [number]
      return { exitCode, stderr }
    }
    for (const mode of [0o700, 0o755]) {
      chmodSync(folder, 0o755)
      chmodSync(home, mode)
      for (const args of [['projects', 'list'], ['projects', 'discover'], ['verify']]) {
        const { exitCode, stderr } = await asNobody(...args)
        expect(exitCode).toBe(5)
        expect(stderr).toContain(`The data folder ${home} belongs to another user of this machine.`)
      }
    }
  })

  test.runIf(process.getuid?.() === 0)(
    'is asked through a link to the data folder that another user made',
    async () => {
      const installation = await installArchived()
      const { env, home, folder } = installation
      await startWatch(installation)
      const link = join(folder, 'link')
      symlinkSync(home, link)
      lchownSync(link, 65_534, 65_534)
      const discovered = await runMain(['projects', 'discover'], {
        env: { ...env, SOLARCHIVE_HOME: link },
        cwd: folder,
      })
      expect(discovered).toMatchObject({ exitCode: 0, stderr: '' })
    },
  )

  test('is another version is named with both versions', async () => {
    const installation = await installArchived()
    await startWatch(installation)
    const file = join(installation.home, 'owner', 'owner.json')
    const facts = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
    writeFileSync(file, JSON.stringify({ ...facts, version: '99.0.0' }))
    const { exitCode, stderr } = await installation.run('sync')
    expect([exitCode, stderr]).toEqual([5, expect.stringContaining(`is version 99.0.0, and this is version`)])
    expect(await installation.run('status')).toMatchObject({ exitCode: 0 })
  })
})

describe('settings of a command beside an owner', () => {
  test('are those of the owner, if nobody set them', async () => {
    const { env, home, folder } = await installArchived().then(async (installation) => {
      await startWatch(installation)
      return installation
    })
    const own = { SOLARCHIVE_HOME: home, HOME: join(folder, 'nobody') }
    expect((await runMain(['status'], { env: own })).stdout).toContain(`Archive: ${env['SOLARCHIVE_ARCHIVE']}`)
    const synced = await runMain(['sync'], { env: own })
    expect([synced.exitCode, withoutProgress(synced.stderr)]).toEqual([0, ''])
    expect(synced.stdout).toContain(`Archive: ${env['SOLARCHIVE_ARCHIVE']}`)
  })

  test('name the running watch, and what it does at once', async () => {
    const installation = await installArchived()
    const watching = installation.start('watch', '--json', '--quiet')
    onTestFinished(() => void watching.stop())
    await until('the watch is idle', () => watching.printed.stdout.includes('"kind":"idle"'))
    const second = await installation.run('watch')
    expect([second.exitCode, second.stderr]).toEqual([
      5,
      expect.stringMatching(
        new RegExp(
          `The running Solarchive \\(watch, process ${process.pid}\\) is using .*\\. Stop it, then try again\\.`,
        ),
      ),
    ])
    const added = await installation.run('projects', 'add', '64b5f0c2a1d3e4f5a6b7c8d9')
    expect(added.stdout).toContain('The running Solarchive asks the service for it now.')
    const other = await installation.run('sync', '--url', 'http://127.0.0.1:9999')
    expect(other.stderr).toContain(`works with ${installation.service.url}. Nothing was changed.`)
  })

  test('say that a watch in its quiet hours asks for a new project later', async () => {
    const installation = await installArchived()
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toTimeString().slice(0, 5)
    const quietHours = { start: inHours(-1), end: inHours(6) }
    writeFileSync(join(installation.home, 'settings.json'), JSON.stringify({ quietHours }))
    const watching = installation.start('watch', '--json', '--quiet')
    onTestFinished(() => void watching.stop())
    await until('the watch is quiet', () => watching.printed.stdout.includes('"kind":"quiet"'))
    const added = await installation.run('projects', 'add', '64b5f0c2a1d3e4f5a6b7c8d9')
    expect(added.stdout).toContain('The next sync asks the service for it, and names IDs')
  })

  test('are refused if they name another archive or service, and reported if they have no effect', async () => {
    const installation = await installArchived()
    await startWatch(installation)
    const other = await installation.run('sync', '--archive', '/elsewhere')
    expect(other.exitCode).toBe(2)
    expect(other.stderr).toContain(`This command is for the archive /elsewhere, and the running Solarchive (watch,`)
    expect(other.stderr).toContain(`works with ${installation.env['SOLARCHIVE_ARCHIVE']}`)
    const copy = ['--to', join(installation.folder, 'copy')]
    const reading = [
      ['status'],
      ['verify'],
      ['export', ...copy],
      ['export', '--search', 'kind:photo', ...copy],
      ['evidence', 'verify'],
    ]
    for (const args of reading) {
      const { exitCode, stderr } = await installation.run(...args, '--archive', '/elsewhere')
      expect([args, exitCode, stderr]).toEqual([args, 2, expect.stringContaining('is for the archive /elsewhere,')])
    }
    for (const args of [
      ['projects', 'list'],
      ['orders', 'list'],
      ['search', 'x'],
    ]) {
      expect(await installation.run(...args, '--archive', '/elsewhere')).toMatchObject({ exitCode: 0, stderr: '' })
      const { exitCode, stderr } = await installation.run(...args, '--url', 'https://other.example')
      expect([args, exitCode, stderr]).toEqual([args, 2, expect.stringContaining('https://other.example')])
    }
    const service = await installation.run('projects', 'discover', '--url', 'https://other.example')
    expect([service.exitCode, service.stderr]).toEqual([2, expect.stringContaining('https://other.example')])
    const rate = await installation.run('sync', '--api-rate', '7', '--concurrency', '3')
    expect([rate.exitCode, rate.stderr]).toEqual([
      0,
      expect.stringMatching(/^Without effect: --api-rate, --concurrency. The work is done by/),
    ])
  })
})
