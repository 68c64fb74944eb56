import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { createApp, type App } from '../../electron/app/create-app.ts'
import { openApp as openWithHost } from '../../electron/app/open-app.ts'
import { openBesideOwner } from '../../electron/app/open-beside-owner.ts'
import { createRedactor } from '../../electron/engine/lib/redact.ts'
import { calls, type CallInput, type CallName, type CallOutput, readingCalls } from '../../shared/contract/calls.ts'
import { type Answer, answerSchema } from '../../shared/envelope.ts'
import type { Clock } from '../../electron/engine/lib/ports.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'
import { quarantineDatabase } from '../../electron/engine/store/database-files.ts'
import { lockDataFolder } from '../../electron/engine/store/data-folder-lock.ts'
import { hostPorts, settingsSource, tokenStore } from '../support/host-ports.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { type SampleArchive, sampleArchive } from '../support/sample-archive.ts'
import { startMain } from '../support/run-main.ts'
import { silentLogger } from '../support/silent-logger.ts'
import { callNames, contractInputs } from '../support/walk-contract.ts'
import { until } from '../support/watching.ts'

type Call = <Name extends CallName>(name: Name, input: CallInput<Name>) => Promise<Answer<CallOutput<Name>>>

const callOf =
  (app: App): Call =>
  async (name, input) =>
    (await app.api.call(name, input)) as never

async function openApp({ home, root, service }: SampleArchive, mayRead: boolean, clock?: Clock): Promise<App> {
  const source = settingsSource(home, root, service.url)
  const app = await createApp({ source, ports: hostPorts(tokenStore(service.token), clock && { clock }), mayRead })
  onTestFinished(() => app.close())
  return app
}

/** Opens an app with settings from the environment, and runs it. */
async function openHost(env: Readonly<Record<string, string>>): Promise<App> {
  const host = await openWithHost({
    started: { apiCallsPerMinute: 0 },
    environment: { env, platform: process.platform, currentFolder: '/', userFolder: '/' },
    redactor: createRedactor(),
    showMessage: () => undefined,
    loggerOf: () => silentLogger,
    loadSample: () => import('../../electron/sample-service/start-sample-service.ts'),
    deliverBundle: () => Promise.resolve({ kind: 'download', path: '/support-bundle.zip' }),
    stop: () => undefined,
    startProcess: undefined,
    desktop: undefined,
    host: 'desktop',
    mayRead: true,
  })
  const controller = new AbortController()
  const running = host.app.run(controller.signal)
  onTestFinished(async () => {
    controller.abort()
    await running
    await host.close()
  })
  return host.app
}

const needsDesktop: ReadonlySet<CallName> = new Set<CallName>([
  'folders.choose',
  'menu.show',
  'files.show',
  'files.open',
  'files.saveCopies',
  'files.saveAs',
  'export.show',
  'packets.show',
])

test('an app beside a running Solarchive shows its archive, follows it, and changes nothing', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  const owner = await openApp(archive, false)
  const beside = await openApp(archive, true)
  const [ask, askOwner] = [callOf(beside), callOf(owner)]
  expect(beside.setupState()).toMatchObject({ ready: true, owner: { pid: process.pid, hasEnded: false } })

  const inputs = await contractInputs({ service: archive.service, archiveFolder: archive.root, call: askOwner })
  const reading: readonly CallName[] = readingCalls
  for (const name of callNames.filter((one) => one !== 'owner.takeOver')) {
    const answer = await ask(name, inputs[name])
    if (!reading.includes(name)) {
      expect(answer, name).toMatchObject({ error: { code: 'data-folder-locked' } })
      continue
    }
    expect(answerSchema(calls[name].output).parse(answer), name).toEqual(answer)
    // A host without a file manager shows no folder, and one without a window no dialog.
    if (!needsDesktop.has(name)) expect(answer, name).toMatchObject({ ok: true })
  }

  const seen: string[] = []
  beside.api.subscribe(({ name }) => seen.push(name))
  seen.length = 0
  await askOwner('projects.add', { projects: [{ id: 'new-project', name: 'New project' }] })
  await until('the pages are notified of the change', () => seen.includes('watch-state'))
  const listed = await ask('projects.list', {})
  expect(listed).toMatchObject({
    value: { items: expect.arrayContaining([expect.objectContaining({ name: 'New project' })]) as unknown[] },
  })
})

test('an app beside a running Solarchive opens native menus and dialogs, and shows the names of a packet', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  await openApp(archive, false)
  const { home, root, service } = archive
  const done = () => Promise.resolve()
  const files = { showInFolder: done, openFolder: done, openFile: done }
  const desktop = { ...files, showMenu: () => Promise.resolve(0), chooseFolder: () => Promise.resolve('/exports') }
  const ports = hostPorts(tokenStore(service.token), { desktop })
  const beside = await createApp({ source: settingsSource(home, root, service.url), ports, mayRead: true })
  onTestFinished(() => beside.close())
  const ask = callOf(beside)
  expect(await ask('menu.show', { groups: [[{ label: 'Open' }]], x: 0, y: 0 })).toMatchObject({ value: { chosen: 0 } })
  expect(await ask('folders.choose', { from: '' })).toMatchObject({ value: { folder: '/exports' } })
  const names = await ask('packets.previewNames', { selection: { kind: 'everything' }, template: 'permit-photos' })
  expect(names).toMatchObject({ value: { problem: null } })
})

test('a host that has to own the data folder does not start beside another one', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  await openApp(archive, false)
  await expect(openApp(archive, false)).rejects.toMatchObject({ code: 'data-folder-locked' })
})

test('taking over ends the other process, and the app continues as the owner', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  const { home, root, service } = archive
  const env = {
    SOLARCHIVE_HOME: home,
    SOLARCHIVE_ARCHIVE: root,
    SOLARCHIVE_URL: service.url,
    SOLARCHIVE_TOKEN: service.token,
  }
  const watching = startMain(['watch', '--api-rate', '0'], { env })
  onTestFinished(async () => void (await watching.stop()))
  await until('the watch runs', () => watching.printed.stderr.includes('Watching 1 project'))
  const app = await openApp(archive, true)
  const ask = callOf(app)
  await until('the banner names the command', () => app.setupState().owner?.command === 'watch')
  await until('the app shows the state of the watch', async () => {
    const answer = await ask('watch.state', {})
    return answer.ok && answer.value.kind === 'idle'
  })

  const settings = join(home, 'settings.json')
  await writeFile(settings, '{ "concurrency": ')
  expect(await ask('owner.takeOver', {})).toMatchObject({ error: { code: 'wrong-settings' } })
  expect(app.setupState().owner).toMatchObject({ command: 'watch', hasEnded: false })
  await rm(settings)
  const answer = await ask('owner.takeOver', {})
  expect(answer).toMatchObject({ ok: true, value: { owner: null, ready: true } })
  expect((await watching.ended).exitCode).toBe(0)
  const added = await ask('projects.add', { projects: [{ id: 'new-project', name: 'New project' }] })
  expect(added).toMatchObject({ ok: true })
  expect(await ask('owner.takeOver', {})).toMatchObject({ error: { code: 'wrong-usage' } })
})

test('a refused token of the owner changes nothing about that of the app, with which it continues', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.withEngine(() => Promise.resolve())
  const { home, root, service } = archive
  const env = { SOLARCHIVE_HOME: home, SOLARCHIVE_ARCHIVE: root, SOLARCHIVE_URL: service.url }
  await writeFile(join(home, 'token'), 'an-expired-token', { mode: 0o600 })
  const watching = startMain(['watch', '--api-rate', '0'], { env })
  onTestFinished(async () => void (await watching.stop()))
  await until('the watch runs', () => watching.printed.stderr.includes('Watching 1 project'))
  const app = await openHost({ ...env, SOLARCHIVE_TOKEN: service.token })
  const ask = callOf(app)
  const watchState = async () => {
    const answer = await ask('watch.state', {})
    return answer.ok ? answer.value : undefined
  }
  await until('the app shows that the token of the watch is refused', async () => {
    const state = await watchState()
    return state?.kind === 'blocked' && state.obstacle === 'token'
  })
  expect(await ask('owner.takeOver', {})).toMatchObject({ ok: true, value: { owner: null, token: 'environment' } })
  await until('the app archives', async () => (await watchState())?.kind === 'idle')
})

test('the secret of a hook that was added before a take-over is known before the hook is notified', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  const { home, root, service } = archive
  const owner = await openApp(archive, false)
  const secrets: string[] = []
  const ports = hostPorts(tokenStore(service.token), { keepSecret: (text) => void secrets.push(text) })
  const beside = await createApp({ source: settingsSource(home, root, service.url), ports, mayRead: true })
  onTestFinished(() => beside.close())
  const target = { kind: 'webhook', url: 'https://hooks.example.com/', secret: 'a-canary-of-16-characters' }
  const hooks = [{ id: 'one', name: 'One', events: ['report-replaced'], target }]
  await writeFile(join(home, 'settings.json'), JSON.stringify({ hooks }))
  await owner.close()
  const ask = callOf(beside)
  await until('the owner has ended', () => beside.setupState().owner?.hasEnded === true)
  expect(await ask('owner.takeOver', {})).toMatchObject({ value: { owner: null } })
  expect(await ask('hooks.list', {})).toMatchObject({ value: { hooks: [{ id: 'one' }] } })
  expect(secrets).toContain(target.secret)
})

/** Starts a watch with an archive folder of its own environment, and resolves once it runs. */
async function watchWith(env: Readonly<Record<string, string>>) {
  const watching = startMain(['watch', '--api-rate', '0'], { env })
  onTestFinished(async () => void (await watching.stop()))
  await until('the watch runs', () => watching.printed.stderr.includes('Watching 1 project'))
  return watching
}

test('an app beside a watch shows the archive of the watch, and continues with it', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  const { home, root, service } = archive
  const env = { SOLARCHIVE_HOME: home, SOLARCHIVE_URL: service.url, SOLARCHIVE_TOKEN: service.token }
  const first = await watchWith({ ...env, SOLARCHIVE_ARCHIVE: root })
  const app = await openHost(env)
  const ask = callOf(app)
  expect(app.setupState()).toMatchObject({ archiveFolder: root, ownArchiveFolder: root })
  const isFileIn = async (folder: string) => {
    const located = await ask('files.locate', { assetId: 1 })
    return located.ok && located.value.path.startsWith(join(folder, sep))
  }
  expect(await isFileIn(root)).toBe(true)

  await first.stop()
  const moved = `${root}-moved`
  await rename(root, moved)
  await watchWith({ ...env, SOLARCHIVE_ARCHIVE: moved })
  await until('the app shows the files in their other folder', () => isFileIn(moved))

  expect(await ask('owner.takeOver', {})).toMatchObject({ value: { owner: null, archiveFolder: moved } })
  expect(JSON.parse(await readFile(join(home, 'settings.json'), 'utf8'))).toMatchObject({ archiveFolder: moved })
})

test('an app that was exploring the sample shows the archive of a watch beside it, and its own sample afterwards', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  const { home, root, service } = archive
  const env = { SOLARCHIVE_HOME: home, SOLARCHIVE_URL: service.url, SOLARCHIVE_TOKEN: service.token }
  await writeFile(join(home, 'settings.json'), JSON.stringify({ useSample: true }))
  const exploring = await createApp({ source: settingsSource(home, root, service.url), ports: hostPorts(tokenStore()) })
  await exploring.close()
  const watching = await watchWith({ ...env, SOLARCHIVE_ARCHIVE: root })
  const app = await openHost(env)
  const ask = callOf(app)
  expect(app.setupState()).toMatchObject({ usesSample: false, archiveFolder: root, serviceUrl: service.url })
  expect(await ask('projects.list', {})).toMatchObject({ value: { items: [{ id: service.projects[0]?.id }] } })
  const refused = expect.stringContaining('This app is for the sample service') as string
  expect(await ask('owner.takeOver', {})).toMatchObject({ error: { code: 'wrong-usage', message: refused } })
  await watching.stop()
  await until('the app sees it', () => app.setupState().owner?.hasEnded === true)
  expect(await ask('owner.takeOver', {})).toMatchObject({ value: { owner: null, usesSample: true } })
})

// Windows replaces no database that a reader has open.
const onPosix = test.skipIf(process.platform === 'win32')

onPosix('an app reads the database that has taken the place of the one it was opened with', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  const { home } = archive
  const owner = await openApp(archive, false)
  const beside = await openApp(archive, true)
  await owner.close()
  const database = join(home, 'solarchive.sqlite3')
  const former = quarantineDatabase(database, new Date().toISOString())
  await copyFile(join(home, former ?? ''), database)
  const next = await openApp(archive, false)
  await callOf(next)('projects.add', { projects: [{ id: 'new-project', name: 'New project' }] })
  await until('the app shows the new project', async () => {
    const listed = await callOf(beside)('projects.list', {})
    return listed.ok && listed.value.total === 2
  })
})

test('an app follows the owner again after an error', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  const { home, root, service } = archive
  const errors: string[] = []
  let checks = 0
  const opened = await openBesideOwner({
    settings: () => ({ homeFolder: home, archiveFolder: root, serviceUrl: service.url }),
    clock: { ...systemClock, sleep: (_, signal) => systemClock.sleep(5, signal) },
    logger: { ...silentLogger, error: (message) => void errors.push(message) },
    requireOwn: () => undefined,
    watchState: () => Promise.resolve({ kind: 'stopped' }),
    onCheck() {
      checks += 1
      if (checks < 3) throw new Error('Too many open files')
    },
    reopen: () => undefined,
  })
  onTestFinished(() => opened.close())
  await new Promise((resolve) => opened.engine.events.on('watch-state', resolve))
  expect(errors).toEqual(['The archive of another process could not be followed'])
})

test('an app that is set to another archive or service than the watch does not end it', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  const { home, root, service } = archive
  const env = { SOLARCHIVE_HOME: home, SOLARCHIVE_TOKEN: service.token }
  const watching = await watchWith({ ...env, SOLARCHIVE_ARCHIVE: root, SOLARCHIVE_URL: service.url })
  const app = await openHost(env)
  const ask = callOf(app)
  const refused = (text: string) => ({
    error: { code: 'wrong-usage', message: expect.stringContaining(text) as string },
  })
  expect(app.setupState()).toMatchObject({ archiveFolder: root, serviceUrl: service.url })
  expect(await ask('owner.takeOver', {})).toMatchObject(refused(`works with ${service.url}`))

  const settings = join(home, 'settings.json')
  const save = (text: Readonly<Record<string, unknown>>) => writeFile(settings, JSON.stringify(text))
  await save({ useSample: true, serviceUrl: service.url })
  expect(await ask('owner.takeOver', {})).toMatchObject(refused('This app is for the sample service'))
  expect(app.setupState()).toMatchObject({ archiveFolder: root, usesSample: false })
  await save({ archiveFolder: home, serviceUrl: service.url })
  expect(await ask('owner.takeOver', {})).toMatchObject(refused(`This app is for the archive ${home}`))
  expect(app.setupState()).toMatchObject({ archiveFolder: root, owner: { command: 'watch', hasEnded: false } })
  expect(watching.hasEnded()).toBe(false)

  await save({ archiveFolder: root, serviceUrl: service.url })
  expect(await ask('owner.takeOver', {})).toMatchObject({ value: { owner: null, archiveFolder: root } })
})

test('an app whose owner has ended waits for a person before it continues in its place', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  const owner = await openApp(archive, false)
  const beside = await openApp(archive, true)
  const ask = callOf(beside)
  await owner.close()
  await until('the app sees it', () => beside.setupState().owner?.hasEnded === true)
  const refused = await ask('watch.pause', { length: 'hour' })
  expect(refused).toMatchObject({
    error: { code: 'data-folder-locked', message: expect.stringContaining('Continue here') as string },
  })
  expect(await ask('projects.list', {})).toMatchObject({ ok: true, value: { total: 1 } })
  expect(await ask('owner.takeOver', {})).toMatchObject({ ok: true, value: { owner: null } })
  expect(await ask('watch.pause', { length: 'hour' })).toMatchObject({ ok: true })
})

/** Makes this process the owner of an archive that an earlier version wrote. Returns a function that updates it. */
async function ownEarlierDatabase({ home, root, service }: SampleArchive, version: string): Promise<() => void> {
  const file = join(home, 'solarchive.sqlite3')
  const setFormat = (format: number) => {
    const db = new Database(file)
    const before = Number(db.pragma('user_version', { simple: true }))
    db.pragma(`user_version = ${format}`)
    db.close()
    return before
  }
  const current = setFormat(10)
  const lock = lockDataFolder(home)
  onTestFinished(() => lock.release())
  const facts = { pid: process.pid, version, command: 'watch', serviceUrl: service.url, archiveFolder: root }
  const rest = { useSample: false, apiCallsPerMinute: null, concurrency: null, address: '', key: '' }
  await mkdir(join(home, 'owner'), { recursive: true })
  await writeFile(join(home, 'owner', 'owner.json'), JSON.stringify({ ...facts, ...rest }))
  return () => setFormat(current)
}

test('an app beside an owner of an earlier version says which process that is, and its version', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  await ownEarlierDatabase(archive, '0.0.1')
  await expect(openApp(archive, true, new JumpingClock(100))).rejects.toMatchObject({
    code: 'data-folder-locked',
    message: expect.stringContaining(`(process ${process.pid}) is version 0.0.1`) as string,
  })
})

test('an app waits for an owner that brings the database up to date', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  await archive.sync()
  const update = await ownEarlierDatabase(archive, packageJson.version)
  const clock: Clock = {
    ...systemClock,
    sleep(delayMs, signal) {
      update()
      return systemClock.sleep(delayMs, signal)
    },
  }
  const app = await openApp(archive, true, clock)
  expect(app.setupState()).toMatchObject({ ready: true, owner: { pid: process.pid, hasEnded: false } })
})
