import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryPath } from '../../../electron/engine/lib/fs/side-files.ts'
import { createKeychainTokens, type Keychain } from '../../../electron/app/token/keychain-tokens.ts'
import { createTokenStore, TokenReader } from '../../../electron/app/token/token-reader.ts'
import { Configuration } from '../../../electron/app/settings/configuration.ts'
import { writeSettingsFile } from '../../../electron/app/settings/settings-file.ts'
import { createApp, type App } from '../../../electron/app/create-app.ts'
import { createRedactor } from '../../../electron/engine/lib/redact.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { lockDataFolder } from '../../../electron/engine/store/data-folder-lock.ts'
import { AppError } from '../../../shared/errors.ts'
import type { CallInput, CallName, CallOutput } from '../../../shared/contract/calls.ts'
import type { EventMessage, EventValue } from '../../../shared/contract/events.ts'
import type { Answer } from '../../../shared/envelope.ts'
import type { SampleServiceOptions } from '../../../electron/sample-service/start-sample-service.ts'
import { hostPorts, settingsSource, tokenStore } from '../../support/host-ports.ts'
import {
  archivedHashes,
  readFiles,
  sampleArchive,
  type SampleArchive,
  servedHashes,
} from '../../support/sample-archive.ts'
import { silentLogger } from '../../support/silent-logger.ts'
import { recordSnapshots } from '../../support/record-snapshots.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/watching.ts'
import { withServer } from '../../support/with-server.ts'

interface Running {
  readonly archive: SampleArchive
  readonly app: App
  readonly events: readonly EventMessage[]
  readonly call: <Name extends CallName>(name: Name, input: CallInput<Name>) => Promise<Answer<CallOutput<Name>>>
}

/** A watching app, as in a host. */
async function running(
  options: SampleServiceOptions = {},
  tokensOf = ({ service }: SampleArchive) => tokenStore(service.token),
): Promise<Running> {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 2, ...options })
  mkdirSync(archive.home, { recursive: true })
  const app = await createApp({
    source: settingsSource(archive.home, archive.root, archive.service.url),
    ports: hostPorts(tokensOf(archive)),
  })
  const events: EventMessage[] = []
  app.api.subscribe((message) => void events.push(message))
  const stop = new AbortController()
  const watched = app.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await watched
    await app.close()
  })
  return {
    archive,
    app,
    events,
    call: async (name, input) => (await app.api.call(name, input)) as never,
  }
}

function valueOf<Value>(answer: Answer<Value>): Value {
  if (answer.ok) return answer.value
  throw new Error(answer.error.message)
}

/** Number of files archived so far, and if these are all files of the service. */
async function filesOf({ call, archive }: Running) {
  const { items } = valueOf(await call('projects.list', {}))
  const archived = items.reduce((sum, { archivedFiles }) => sum + archivedFiles, 0)
  return { archived, isDone: archived === (await servedHashes(archive.service)).length }
}

const settingsIn = (home: string) => JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')) as object

/** Returns a store of tokens in the private file of a data folder. */
function fileTokens(homeFolder: string) {
  const from = { homeFolder, environmentToken: undefined, platform: process.platform }
  const silent = { redactor: createRedactor(), showMessage: () => undefined }
  return createTokenStore(homeFolder, new TokenReader({ ...from, ...silent }))
}

/** The address and the tokens that a data folder has after a kill. */
function keptIn(home: string) {
  const { serviceUrl } = settingsIn(home) as { serviceUrl?: string }
  const tokens = ['token', 'token.encrypted'].map((name) => join(home, name)).filter((path) => existsSync(path))
  return [serviceUrl, ...tokens.map((path) => readFileSync(path, 'utf8').trim())]
}

async function archiveEverything(all: Running): Promise<void> {
  const { call, archive } = all
  await call('projects.add', { projects: archive.service.projects.map(({ id, name }) => ({ id, name })) })
  await until('everything is archived', async () => {
    const { isDone } = await filesOf(all)
    return isDone
  })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
}

test('changing settings during downloads loses no file, and the watch continues by itself', async () => {
  const all = await running({ photosPerQuestion: 4 })
  const { call, archive, events } = all
  const projects = archive.service.projects.map(({ id, name }) => ({ id, name }))
  await call('projects.add', { projects })
  for (const concurrency of [1, 2, 3, 4, 5]) {
    const before = await filesOf(all)
    await until('files came', async () => {
      const now = await filesOf(all)
      return now.archived > before.archived || now.isDone
    })
    expect(await call('settings.save', { concurrency })).toMatchObject({ ok: true, value: { concurrency } })
    expect(valueOf(await call('overview', {})).counts.projects).toBe(2)
  }
  await archiveEverything(all)
  const revisions = events.map(({ revision }) => revision)
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
  expect(events.filter(({ name }) => name === 'settings-state').at(-1)?.value).toMatchObject({ concurrency: 5 })
})

test('activity recorded just before a setting replaces the engine is still sent', async () => {
  const { call, archive, events } = await running()
  await call('projects.add', { projects: archive.service.projects.map(({ id, name }) => ({ id, name })) })
  await call('settings.save', { concurrency: 2 })
  const sent = events.filter(({ name }) => name === 'activity').map(({ value }) => value as EventValue<'activity'>)
  expect(sent.flatMap(({ items }) => items.map(({ kind }) => kind))).toContain('projects-added')
})

test('changed settings and tokens are listed in the activity, without the token, unless nothing changed', async () => {
  const { call, archive } = await running()
  const { token } = archive.service
  await call('settings.save', { appearance: 'dark', quietHours: { start: '22:00', end: '06:00' } })
  await call('settings.save', { appearance: 'dark', notifications: { attention: true } })
  await call('settings.save', { concurrency: 3, notifications: { attention: false } })
  expect(await call('settings.save', { concurrency: 0 })).toMatchObject({ ok: false })
  await call('token.save', { token, inFile: true })
  const { items } = valueOf(await call('activity.list', { groups: ['yours'] }))
  expect(items.map(({ kind, facts }) => [kind, facts]).toReversed()).toEqual([
    [
      'settings-changed',
      {
        changes: [
          { setting: 'quietHours', from: null, to: '22:00–06:00' },
          { setting: 'appearance', from: 'system', to: 'dark' },
        ],
      },
    ],
    [
      'settings-changed',
      {
        changes: [
          { setting: 'concurrency', from: 8, to: 3 },
          { setting: 'attention', from: true, to: false },
        ],
      },
    ],
    ['token-changed', { keptIn: 'file' }],
  ])
  expect(JSON.stringify(items)).not.toContain(token)
})

test('settings.json keeps unknown keys, is readable by its owner only, and is replaced as a whole', async () => {
  const { call, archive } = await running()
  const path = join(archive.home, 'settings.json')
  writeFileSync(path, '{"mine": {"a": null}, "concurrency": 3, "quietHours": {"start": "01:00", "end": "02:00"}}')
  const patch = { quietHours: null, appearance: 'dark', notifications: { attention: false } } as const
  expect(await call('settings.save', patch)).toMatchObject({
    value: {
      concurrency: 3,
      quietHours: null,
      appearance: 'dark',
      notifications: { attention: false, damagedFile: true },
    },
  })
  expect(settingsIn(archive.home)).toMatchObject({ mine: { a: null }, concurrency: 3, appearance: 'dark' })
  expect(settingsIn(archive.home)).not.toHaveProperty('quietHours')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('searches that were added to settings.json by hand are not overwritten', async () => {
  const { call, archive } = await running()
  const search = { name: 'Roofs', query: 'roof' }
  expect(await call('settings.save', { savedSearches: [search] })).toMatchObject({ ok: true })
  const savedSearches = [search, { name: 'By hand', query: 'panel' }]
  writeFileSync(join(archive.home, 'settings.json'), JSON.stringify({ savedSearches }))
  expect(await call('settings.save', { savedSearches: [] })).toMatchObject({ error: { code: 'wrong-settings' } })
  expect(settingsIn(archive.home)).toEqual({ savedSearches })
  expect(await call('settings.save', { concurrency: 3 })).toMatchObject({ value: { savedSearches: [search] } })
  expect(await call('settings.save', { savedSearches: [] })).toMatchObject({ error: { code: 'wrong-settings' } })
  expect(settingsIn(archive.home)).toEqual({ savedSearches, concurrency: 3 })
})

test('simultaneous changes of the settings are all kept', async () => {
  const archive = await sampleArchive({ projects: 1 })
  mkdirSync(archive.home)
  const source = settingsSource(archive.home, archive.root, archive.service.url)
  const configuration = await Configuration.read(source, tokenStore(archive.service.token))
  await Promise.all([
    configuration.change({ appearance: 'dark' }),
    configuration.change({ archiveFolder: '/elsewhere' }),
    configuration.change({ concurrency: 3 }),
  ])
  expect(settingsIn(archive.home)).toEqual({ appearance: 'dark', archiveFolder: '/elsewhere', concurrency: 3 })
  expect(configuration.engineSettings.archiveFolder).toBe('/elsewhere')
})

test('a settings.json with a notification of another version is read, and the known ones apply', async () => {
  const archive = await sampleArchive({ projects: 1 })
  mkdirSync(archive.home)
  const text = '{"notifications": {"projectComplete": true, "damagedFile": false}}'
  writeFileSync(join(archive.home, 'settings.json'), text)
  const source = settingsSource(archive.home, archive.root, archive.service.url)
  const { settings } = await Configuration.read(source, tokenStore(archive.service.token))
  expect(settings.notifications).toEqual({
    checklistArchived: true,
    attention: true,
    damagedFile: false,
    orderChanged: true,
  })
})

test('a host that cannot start at login says so, and changes nothing', async () => {
  const { call } = await running()
  const off = { ok: true, value: { canChange: false, isOn: false } }
  expect(await call('startAtLogin.get', {})).toEqual(off)
  expect(await call('startAtLogin.set', { isOn: false })).toEqual(off)
  expect(await call('startAtLogin.set', { isOn: true })).toMatchObject({ error: { code: 'wrong-usage' } })
})

test('an unreadable settings.json is reported and left unchanged', async () => {
  const { call, archive } = await running()
  const path = join(archive.home, 'settings.json')
  for (const text of ['{"concurrency": 3,', '[]', '{"concurrency": "many"}']) {
    writeFileSync(path, text)
    expect(await call('settings.save', { appearance: 'dark' })).toMatchObject({ error: { code: 'wrong-settings' } })
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
  expect(await call('settings.get', {})).toMatchObject({ value: { appearance: 'system' } })
})

test.runIf(process.platform !== 'win32')(
  'a settings.json that is a link to a disk that is away is not taken for no settings',
  async () => {
    const { home, root, service } = await sampleArchive({ projects: 1 })
    const disk = temporaryFolder()
    const [path, target] = [join(home, 'settings.json'), join(disk, 'solarchive.json')]
    mkdirSync(home)
    symlinkSync(target, path)
    const source = settingsSource(home, root, service.url)
    const error = { code: 'wrong-settings', message: expect.stringContaining(`${path} cannot be read`) as string }
    await expect(Configuration.read(source, tokenStore(service.token))).rejects.toMatchObject(error)
    await expect(writeSettingsFile(home, { concurrency: 3 })).rejects.toMatchObject(error)
    writeFileSync(target, '{"appearance": "dark"}')
    await writeSettingsFile(home, { concurrency: 3 })
    expect(JSON.parse(readFileSync(target, 'utf8'))).toEqual({ appearance: 'dark', concurrency: 3 })
    expect(readlinkSync(path)).toBe(target)
  },
)

test('a wrong service address changes nothing, and a correct one is used from then on', async () => {
  const { call, archive } = await running()
  for (const serviceUrl of ['nonsense', 'https://a:b@example.com', 'https://example.com/?token=x']) {
    expect(await call('settings.save', { serviceUrl })).toMatchObject({ error: { code: 'wrong-settings' } })
  }
  expect(existsSync(join(archive.home, 'settings.json'))).toBe(false)
  const moved = { serviceUrl: 'http://127.0.0.1:1/api/v1', token: 'its-own-token' }
  expect(await call('settings.save', moved)).toMatchObject({ value: { serviceUrl: 'http://127.0.0.1:1' } })
  expect(await call('projects.discover', {})).toMatchObject({ error: { code: 'unreachable-refused' } })
})

test('an import of all projects during a change of the settings is reported as stopped, and adds nothing', async () => {
  const gate = Promise.withResolvers<void>()
  const isAsked = Promise.withResolvers<void>()
  await withServer(
    async (request, response) => {
      if (!request.url.includes('/projects')) return void response.writeHead(404).end()
      isAsked.resolve()
      await gate.promise
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify([{ id: 'late-1', name: 'Late' }]))
    },
    async ({ url }) => {
      const { call } = await running()
      await call('settings.save', { serviceUrl: url, token: 'its-own-token' })
      const discovering = call('projects.discover', {})
      await isAsked.promise
      expect(await call('settings.save', { concurrency: 3 })).toMatchObject({ ok: true })
      gate.resolve()
      expect(await discovering).toMatchObject({ ok: false, error: { code: 'cancelled' } })
      expect(valueOf(await call('projects.names', {})).items).toEqual([])
      expect(await call('projects.discover', {})).toMatchObject({ value: { found: 1 } })
    },
  )
})

test('the access token is refused in texts of projects and orders, and stored nowhere', async () => {
  const { call, archive } = await running()
  const { token } = archive.service
  const csv = `id,name\n${token},Miller`
  const webToken = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`
  const draft = valueOf(await call('orders.create', { projectId: 'good' }))
  const answers = [
    await call('projects.add', { projects: [{ id: token }] }),
    await call('projects.add', { projects: [{ id: 'good' }, { id: token.toUpperCase() }] }),
    await call('projects.add', { projects: [{ id: webToken }] }),
    await call('projects.preview', { text: csv }),
    await call('projects.preview', { base64: Buffer.from(csv).toString('base64') }),
    await call('orders.create', { projectId: token }),
    await call('orders.refresh', { projectId: token }),
    await call('orders.saveDraft', { orderId: draft.orderId, revision: 0, texts: { projectId: token }, region: null }),
    await call('presets.save', {
      name: 'Usual',
      kind: 'company',
      texts: { homeownerName: `Use ${token}` },
      region: null,
      isDefault: false,
    }),
    await call('orders.settle', { orderId: draft.orderId, decision: 'placed', serviceId: token }),
  ]
  for (const answer of answers) {
    expect(answer).toMatchObject({ ok: false, error: { code: 'wrong-usage' } })
    expect(answer.ok ? '' : answer.error.message).toMatch(/^The access token was entered where another text belongs/)
    expect(JSON.stringify(answer)).not.toContain(token)
  }
  expect(valueOf(await call('projects.names', {})).items).toEqual([])
  expect(valueOf(await call('orders.list', {})).total).toBe(1)
  expect(valueOf(await call('orders.get', { orderId: draft.orderId })).texts).toEqual(draft.texts)
})

test('a sync that runs when settings change is reported as stopped, not as an error', async () => {
  const { call, archive, events } = await running({ photosPerQuestion: 4 })
  await call('projects.add', { projects: archive.service.projects.map(({ id, name }) => ({ id, name })) })
  await call('watch.pause', { length: 'hour' })
  await call('sync.now', {})
  await call('settings.save', { concurrency: 2 })
  const ends = () =>
    events.flatMap(({ name, value }) => (name === 'sync-state' && 'last' in value && value.last ? [value.last] : []))
  await until('its end is reported', () => ends().length > 0)
  expect(ends().at(-1)).toMatchObject({ ok: false, error: { code: 'cancelled' } })
})

test('results of the verify and the sync of one archive are not shown for another', async () => {
  const all = await running()
  const { call, archive } = all
  await archiveEverything(all)
  await call('watch.pause', { length: 'hour' })
  const [report = ''] = [...readFiles(archive.root).keys()].filter((path) => path.endsWith('/report.pdf'))
  const overview = async () => valueOf(await call('overview', {}))
  const lasts = async () => {
    const { sync, verify, damagedFiles } = await overview()
    return [sync.kind === 'idle' && sync.last !== null, verify.kind === 'idle' && verify.last !== null, damagedFiles]
  }
  await call('sync.now', { projectIds: [archive.service.projects[1]?.id ?? ''] })
  await until('the sync has ended', async () => (await overview()).sync.kind === 'idle')
  unlinkSync(join(archive.root, report))
  await call('verify.start', {})
  await until('the verify has ended', async () => (await overview()).verify.kind === 'idle')
  expect(await lasts()).toEqual([true, true, 1])
  valueOf(await call('settings.save', { concurrency: 2 }))
  expect(await lasts()).toEqual([true, true, 1])

  valueOf(await call('setup.useSample', {}))
  expect(await lasts()).toEqual([false, false, 0])
  expect(valueOf(await call('verify.findings', {}))).toMatchObject({ total: 0 })
  const { service, root } = archive
  const own = { serviceUrl: service.url, token: service.token, archiveFolder: root, adopt: true }
  valueOf(await call('setup.complete', own))
  // The result of the verify of this archive is known, as after a restart.
  expect(await lasts()).toEqual([false, true, 1])
  const counts = { missing: 1, changed: 0, unexpected: 0 }
  expect(await overview()).toMatchObject({ verify: { last: { ok: true, report: { counts } } } })
  expect(valueOf(await call('verify.findings', {})).items).toMatchObject([{ path: report, state: 'missing' }])
})

test.runIf(process.platform === 'linux')('a folder that can never be created is refused for the archive', async () => {
  const { call } = await running()
  for (const folder of ['/proc', '/proc/solarchive/folder']) {
    const check = valueOf(await call('archive.check', { folder }))
    expect(check).toMatchObject({ usable: false, freeBytes: null })
    expect(check.problem).toContain('Solarchive may not write there.')
  }
})

test.runIf(process.platform !== 'win32')(
  'a token file that others may read is reported as the problem, and is used once it is private',
  async () => {
    const { call, archive } = await running({}, ({ home: homeFolder, service }) => {
      const file = join(homeFolder, 'token')
      writeFileSync(file, service.token)
      chmodSync(file, 0o644)
      writeFileSync(join(homeFolder, 'settings.json'), JSON.stringify({ apiCallsPerMinute: 0 }))
      const redactor = createRedactor()
      const from = {
        homeFolder,
        environmentToken: undefined,
        platform: process.platform,
        redactor,
        showMessage: () => undefined,
      }
      return createTokenStore(homeFolder, new TokenReader(from))
    })
    const reason = expect.stringMatching(/token is not used: other users of this machine may access it/) as string
    expect(valueOf(await call('setup.state', {}))).toMatchObject({ token: 'none', tokenProblem: reason })
    const { serviceUrl } = valueOf(await call('settings.get', {}))
    expect(await call('connection.test', { serviceUrl })).toMatchObject({
      value: { outcome: 'no-token', message: reason },
    })
    const state = async () => valueOf(await call('watch.state', {}))
    await until('the problem is reported', async () => (await state()).kind === 'blocked')
    expect(await state()).toMatchObject({ obstacle: 'token', code: 'token-missing', message: reason })
    expect(archive.service.requests.count('api')).toBe(0)
    // It belongs to this address, also while it cannot be read.
    expect(await call('settings.save', { serviceUrl: 'https://other.invalid' })).toMatchObject({
      error: {
        code: 'wrong-settings',
        message: expect.stringContaining('Paste the token for this address') as string,
      },
    })
    expect(valueOf(await call('settings.get', {})).serviceUrl).toBe(serviceUrl)
    chmodSync(join(archive.home, 'token'), 0o600)
    await call('watch.recheck', {})
    await until('the watch continues', async () => (await state()).kind === 'idle')
    await until('the settings say so', async () => valueOf(await call('setup.state', {})).token === 'file')
    expect(valueOf(await call('setup.state', {}))).toMatchObject({ tokenProblem: null })
  },
)

test('a saved token is used immediately', async () => {
  const all = await running()
  all.archive.service.setToken('another-token-5678')
  await all.call('projects.add', { projects: all.archive.service.projects.map(({ id, name }) => ({ id, name })) })
  await until('the old one is refused', async () => {
    const state = await all.call('watch.state', {})
    return state.ok && state.value.kind === 'blocked' && state.value.obstacle === 'token'
  })
  expect(await all.call('token.save', { token: 'another-token-5678' })).toMatchObject({ value: { token: 'file' } })
  await archiveEverything(all)
})

test('a refused token does not replace the stored one, but one that cannot be tested does', async () => {
  const { call, archive } = await running()
  const stored = archive.service.token
  expect(await call('token.save', { token: 'mistyped-token-1234' })).toMatchObject({
    error: { code: 'token-refused', message: 'The service refuses this token. The stored one was kept.' },
  })
  const test = () => call('connection.test', { serviceUrl: archive.service.url })
  expect(await test()).toMatchObject({ value: { outcome: 'ok' } })
  archive.service.setToken('another-token-5678')
  archive.service.faults.add({ route: 'api', fault: { kind: 'reset' } })
  expect(await call('token.save', { token: 'another-token-5678' })).toMatchObject({ value: { token: 'file' } })
  archive.service.faults.clear()
  expect(stored).not.toBe('another-token-5678')
  expect(await test()).toMatchObject({ value: { outcome: 'ok' } })
})

test('a test of the connection while settings are saved reports what the service answers', async () => {
  let isAsked = Promise.withResolvers<void>()
  let gate = Promise.withResolvers<void>()
  await withServer(
    async ({ url }, response) => {
      isAsked.resolve()
      await gate.promise
      const status = url.includes('mistyped-token-1234') ? 401 : 200
      response.writeHead(status, { 'content-type': 'application/json' }).end('[]')
    },
    async ({ url }) => {
      const { home, root } = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
      mkdirSync(home)
      const app = await createApp({ source: settingsSource(home, root, url), ports: hostPorts(tokenStore('right')) })
      onTestFinished(() => app.close())
      const saveDuring = async (testing: Promise<unknown>, concurrency: number) => {
        await isAsked.promise
        expect(await app.api.call('settings.save', { concurrency })).toMatchObject({ ok: true })
        gate.resolve()
        const answer = await testing
        isAsked = Promise.withResolvers()
        gate = Promise.withResolvers()
        return answer
      }
      const tested = await saveDuring(app.api.call('connection.test', { serviceUrl: url }), 3)
      expect(tested).toMatchObject({ value: { outcome: 'ok' } })
      const saved = await saveDuring(app.api.call('token.save', { token: 'mistyped-token-1234' }), 4)
      expect(saved).toMatchObject({ error: { code: 'token-refused' } })
    },
  )
})

test('a token that was tested with another address than the current one is not stored', async () => {
  const tested = Promise.withResolvers<void>()
  const isAsked = Promise.withResolvers<void>()
  await withServer(
    (_, response) => {
      isAsked.resolve()
      void tested.promise.then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('[]'))
    },
    async ({ url }) => {
      const { home, service, root } = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
      mkdirSync(home)
      const app = await createApp({ source: settingsSource(home, root, url), ports: hostPorts(fileTokens(home)) })
      onTestFinished(() => app.close())
      const saving = app.api.call('token.save', { token: 'token-of-the-first', inFile: true })
      await isAsked.promise
      const other = { serviceUrl: service.url, token: service.token }
      expect(await app.api.call('settings.save', other)).toMatchObject({ ok: true })
      tested.resolve()
      const message = expect.stringContaining('The address was changed meanwhile. Nothing was changed.') as string
      expect(await saving).toMatchObject({ error: { code: 'wrong-settings', message } })
      expect(keptIn(home)).toEqual([service.url, service.token])
    },
  )
})

test('an archive folder that was moved is located without a token, but the setup needs one', async () => {
  const all = await running({ projects: 1, checklistsPerProject: 1 }, ({ home }) => fileTokens(home))
  const { call, archive, app } = all
  const { home, root, service } = archive
  const own = { serviceUrl: service.url, archiveFolder: root }
  const missing = { error: { message: expect.stringContaining('The access token is missing') as string } }
  expect(await call('setup.complete', own)).toMatchObject(missing)
  expect(await call('setup.complete', { ...own, token: service.token })).toMatchObject({ ok: true })
  await archiveEverything(all)
  rmSync(join(home, 'token'))
  const archiveFolder = `${root} moved`
  renameSync(root, archiveFolder)
  expect(await call('setup.complete', { ...own, archiveFolder, adopt: true })).toMatchObject({ ok: true })
  expect(app.setupState()).toMatchObject({ ready: true, archiveFolder, token: 'none' })
  expect(archivedHashes(archiveFolder)).toEqual(await servedHashes(service))

  expect(await call('setup.useSample', {})).toMatchObject({ ok: true })
  expect(await call('setup.complete', { ...own, archiveFolder, adopt: true })).toMatchObject(missing)
})

test.each([
  ['an app that is set up', ({ service }: SampleArchive) => tokenStore(service.token), true],
  ['the first setup', () => tokenStore(), false],
])('a sample that another process is exploring leaves %s as it was', async (_, tokensOf, ready) => {
  const { call, app, archive } = await running({}, tokensOf)
  const before = [app.setupState(), await call('projects.add', { projects: [{ id: 'own' }] })]
  expect(before).toMatchObject([{ ready, usesSample: false }, { ok: ready }])
  const lock = lockDataFolder(join(archive.home, 'sample', 'data'))
  onTestFinished(() => lock.release())
  for (const count of [1, 2]) {
    expect(await call('setup.useSample', {}), `${count}`).toMatchObject({ error: { code: 'data-folder-locked' } })
    expect(app.setupState()).toEqual(before[0])
    expect(settingsIn(archive.home)).toEqual({})
  }
  expect((await call('projects.names', {})).ok).toBe(ready)
  lock.release()
  expect(await call('setup.useSample', {})).toMatchObject({ ok: true })
  expect(settingsIn(archive.home)).toEqual({ useSample: true })
})

test('a token is stored with the address of an option, unless the settings have another one', async () => {
  const { home, service, root } = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  mkdirSync(home)
  const resolving = settingsSource(home, root, service.url)
  const source = {
    ...resolving,
    fixed: ['serviceUrl' as const],
    resolve: () => resolving.resolve({ serviceUrl: service.url }),
  }
  const { token } = service
  const refused = { error: { code: 'wrong-usage', message: expect.stringContaining('SOLARCHIVE_TOKEN') as string } }
  const serviceUrl = 'https://other.invalid'
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ serviceUrl }))
  const app = await createApp({ source, ports: hostPorts(fileTokens(home)) })
  onTestFinished(() => app.close())
  const { api } = app
  expect(await api.call('token.save', { token, inFile: true })).toMatchObject(refused)
  expect(await api.call('settings.save', { token, tokenInFile: true })).toMatchObject(refused)
  expect(keptIn(home)).toEqual([serviceUrl])
  // A setup without a token leaves the address to its own token.
  const ownSetUp = { serviceUrl: service.url, archiveFolder: root }
  writeFileSync(join(home, 'token'), 'of-the-other-service')
  expect(await api.call('setup.complete', ownSetUp)).toMatchObject({ ok: true })
  expect(keptIn(home)).toEqual([serviceUrl, 'of-the-other-service'])
  // The setup stores the address of the option with its token.
  const setUp = { serviceUrl: service.url, token, tokenInFile: true, archiveFolder: root }
  expect(await api.call('setup.complete', setUp)).toMatchObject({ ok: true })
  expect(await api.call('token.save', { token, inFile: true })).toMatchObject({ ok: true })
  expect(keptIn(home)).toEqual([service.url, token])

  writeFileSync(join(home, 'settings.json'), '{}')
  await app.close()
  const next = await createApp({ source, ports: hostPorts(fileTokens(home)) })
  onTestFinished(() => next.close())
  expect(await next.api.call('token.save', { token, inFile: true })).toMatchObject({ ok: true })
  expect(keptIn(home)).toEqual([service.url, token])
})

test('the token of one service is never sent to another address, in a test or by new settings', async () => {
  await withServer(
    (_, response) =>
      void response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not found"}'),
    async ({ url, requests }) => {
      const { call, archive } = await running()
      const pasted = {
        outcome: 'no-token',
        message: expect.stringContaining('Paste the token for this address') as string,
      }
      expect(await call('connection.test', { serviceUrl: url })).toMatchObject({ value: pasted })
      const folder = { archiveFolder: archive.root }
      for (const serviceUrl of [url, archive.service.url.replace('127.0.0.1', 'localhost')]) {
        const refused = {
          error: {
            code: 'wrong-settings',
            message: expect.stringContaining('Paste the token for this address') as string,
          },
        }
        expect(await call('settings.save', { serviceUrl })).toMatchObject(refused)
        expect(await call('settings.save', { serviceUrl, token: ' ' })).toMatchObject(refused)
        expect(await call('setup.complete', { serviceUrl, ...folder })).toMatchObject(refused)
      }
      expect(requests).toHaveLength(0)
      expect(await call('settings.get', {})).toMatchObject({ value: { serviceUrl: archive.service.url } })
      const own = { serviceUrl: `${archive.service.url}/api/v1/` }
      expect(await call('connection.test', own)).toMatchObject({ value: { outcome: 'ok' } })
      expect(await call('settings.save', own)).toMatchObject({ ok: true })

      await call('projects.add', { projects: archive.service.projects.map(({ id, name }) => ({ id, name })) })
      expect(await call('settings.save', { serviceUrl: url, token: 'its-own-token' })).toMatchObject({ ok: true })
      await until('the new service is asked', () => requests.length > 0)
      const tokens = new Set(requests.map((request) => new URL(request.url, url).searchParams.get('access_token')))
      expect([...tokens]).toEqual(['its-own-token'])
      expect(archive.service.requests.records.every(({ status }) => status !== 401)).toBe(true)
      expect(JSON.stringify(settingsIn(archive.home))).not.toContain('its-own-token')
    },
  )
})

test('a new address without encryption is asked and stored only after a yes, for this address alone', async () => {
  const { call, archive } = await running()
  const serviceUrl = 'http://nas.invalid:8080'
  const own = { serviceUrl, token: 'its-own-token' }
  const refused = { error: { code: 'wrong-settings', message: expect.stringContaining('is not encrypted') as string } }
  expect(await call('connection.test', own)).toMatchObject({ value: { outcome: 'unencrypted' } })
  expect(await call('settings.save', own)).toMatchObject(refused)
  expect(await call('setup.complete', { ...own, archiveFolder: archive.root })).toMatchObject(refused)
  expect(existsSync(join(archive.home, 'settings.json'))).toBe(false)

  expect(await call('connection.test', { ...own, allowHttp: true })).toMatchObject({
    value: { outcome: 'unreachable' },
  })
  expect(await call('settings.save', { ...own, allowHttp: true })).toMatchObject({ value: { serviceUrl } })
  expect(settingsIn(archive.home)).toEqual({ serviceUrl, allowHttp: true })
  // The stored address needs no second yes; another one does.
  expect(await call('settings.save', { serviceUrl: `${serviceUrl}/api/v1` })).toMatchObject({ ok: true })
  expect(await call('settings.save', { ...own, serviceUrl: 'http://other.invalid' })).toMatchObject(refused)
  expect(await call('settings.save', { ...own, serviceUrl: archive.service.url })).toMatchObject({ ok: true })
  expect(settingsIn(archive.home)).toEqual({ serviceUrl: archive.service.url })
})

test('killed before any call, a change of the address leaves no token of the other service', async () => {
  const { home, service, root } = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  mkdirSync(home)
  const app = await createApp({ source: settingsSource(home, root, service.url), ports: hostPorts(fileTokens(home)) })
  const first = { serviceUrl: service.url, token: service.token, archiveFolder: root }
  expect(await app.api.call('setup.complete', first)).toMatchObject({ ok: true })
  // As left by the app beside the token of a browser.
  writeFileSync(join(home, 'token.encrypted'), service.token)
  const other = { serviceUrl: 'http://127.0.0.1:1', token: 'its-own-token' }
  const snapshots = await recordSnapshots([home], async () => {
    expect(await app.api.call('settings.save', other)).toMatchObject({ ok: true })
  })
  await app.close()
  const moments = snapshots.map(({ restore }) => {
    restore()
    return keptIn(home)
  })
  const possible = [
    [service.url, service.token, service.token],
    [service.url, service.token],
    [service.url],
    [other.serviceUrl],
    [other.serviceUrl, other.token],
  ]
  for (const moment of moments) expect(possible).toContainEqual(moment)
  for (const expected of [possible.at(0), possible.at(-1)]) expect(moments).toContainEqual(expected)
})

test('another address saved without a token leaves none that only the installed app can read', async () => {
  const { home, service, root } = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  mkdirSync(home)
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ serviceUrl: service.url, archiveFolder: root }))
  writeFileSync(join(home, 'token.encrypted'), service.token)
  const app = await createApp({ source: settingsSource(home, root, service.url), ports: hostPorts(fileTokens(home)) })
  onTestFinished(() => app.close())
  expect(await app.api.call('settings.save', { serviceUrl: `${service.url}/` })).toMatchObject({ ok: true })
  expect(existsSync(join(home, 'token.encrypted'))).toBe(true)
  expect(await app.api.call('settings.save', { serviceUrl: 'http://127.0.0.1:1' })).toMatchObject({ ok: true })
  expect(keptIn(home)).toEqual(['http://127.0.0.1:1'])
})

test('a token that only the installed app can read is called that in a browser', async () => {
  const { home, service, root } = await sampleArchive({ projects: 1 })
  mkdirSync(home)
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ serviceUrl: service.url, archiveFolder: root }))
  writeFileSync(join(home, 'token.encrypted'), service.token)
  const app = await createApp({ source: settingsSource(home, root, service.url), ports: hostPorts(fileTokens(home)) })
  onTestFinished(() => app.close())
  const why = expect.stringContaining('The access token is in the keychain, which only the installed app') as string
  expect(await app.api.call('setup.state', {})).toMatchObject({ value: { token: 'none', tokenProblem: why } })
  const discovered = await app.api.call('projects.discover', {})
  expect(discovered).toMatchObject({ error: { code: 'token-missing', message: why } })
  const tested = await app.api.call('connection.test', { serviceUrl: service.url })
  expect(tested).toMatchObject({ value: { outcome: 'no-token', message: why } })
})

test('the installed app never names itself as the one that reads the token', async () => {
  const { home, service, root } = await sampleArchive({ projects: 1 })
  mkdirSync(home)
  const keychain: Keychain = {
    isAvailable: () => Promise.resolve(true),
    encrypt: (text) => Promise.resolve(Buffer.from(text)),
    decrypt: (bytes) => Promise.resolve(bytes.toString()),
  }
  const tokens = createKeychainTokens({
    file: fileTokens(home),
    keychain,
    homeFolder: home,
    keepSecret: () => undefined,
    log: silentLogger,
    clock: systemClock,
  })
  await tokens.save(service.token, { inFile: false })
  const configuration = await Configuration.read(settingsSource(home, root, service.url), tokens)
  expect(configuration.tokenSource).toBe('keychain')
  // As after a call that found the keyring locked, which was opened since.
  expect(await configuration.whyNoToken()).toBeNull()
})

test('a token that cannot be stored leaves the former address with its token, or else runs no engine', async () => {
  const { home, service, root } = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  mkdirSync(home)
  const tokens = fileTokens(home)
  const settings = join(home, 'settings.json')
  let blocksUndo = false
  const failing = {
    ...tokens,
    save(token: string, choice: { readonly inFile: boolean }) {
      if (token === service.token) return tokens.save(token, choice)
      if (blocksUndo) mkdirSync(temporaryPath(settings))
      return Promise.reject(new AppError('wrong-settings', 'The disk is full. Nothing was changed.'))
    },
  }
  const app = await createApp({ source: settingsSource(home, root, service.url), ports: hostPorts(failing) })
  onTestFinished(() => app.close())
  const first = { serviceUrl: service.url, token: service.token, archiveFolder: root }
  expect(await app.api.call('setup.complete', first)).toMatchObject({ ok: true })
  const other = { serviceUrl: 'http://127.0.0.1:1', token: 'its-own-token' }
  const full = { error: { message: 'The disk is full. Nothing was changed.' } }
  expect(await app.api.call('settings.save', other)).toMatchObject(full)
  expect(keptIn(home)).toEqual([service.url, service.token])
  expect(app.setupState()).toMatchObject({ ready: true, token: 'file' })

  blocksUndo = true
  const half = { error: { message: expect.stringContaining('The settings were saved, but') as string } }
  expect(await app.api.call('settings.save', other)).toMatchObject(half)
  expect(keptIn(home)).toEqual([other.serviceUrl])
  expect(app.setupState()).toMatchObject({ ready: false, token: 'none' })
  expect(await app.api.call('connection.test', { serviceUrl: other.serviceUrl })).toMatchObject({
    value: { outcome: 'no-token' },
  })
})

test('a setup that can only be written in part changes neither the settings nor the token', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1 })
  mkdirSync(archive.home)
  const { home, service, root } = archive
  const app = await createApp({ source: settingsSource(home, root, service.url), ports: hostPorts(fileTokens(home)) })
  onTestFinished(() => app.close())
  const complete = async (token: string, archiveFolder: string) =>
    app.api.call('setup.complete', { serviceUrl: service.url, token, archiveFolder })
  const nothingChanged = { ok: false, error: { message: expect.stringContaining('Nothing was changed') as string } }
  const [settings, token] = [join(home, 'settings.json'), join(home, 'token')]

  mkdirSync(temporaryPath(token))
  expect(await complete(service.token, root)).toMatchObject(nothingChanged)
  expect(app.setupState()).toMatchObject({ ready: false, token: 'none' })
  rmdirSync(temporaryPath(token))
  expect(await complete(service.token, root)).toMatchObject({ ok: true })
  const setUp = { kind: 'set-up', facts: { serviceUrl: service.url, archiveFolder: root } }
  expect(await app.api.call('activity.list', {})).toMatchObject({ value: { items: [setUp] } })
  const before = readFileSync(settings, 'utf8')

  for (const path of [settings, token]) {
    mkdirSync(temporaryPath(path))
    expect(await complete('another-token', `${root} 2`)).toMatchObject(nothingChanged)
    rmdirSync(temporaryPath(path))
    expect(readFileSync(settings, 'utf8')).toBe(before)
    expect(readFileSync(token, 'utf8').trim()).toBe(service.token)
    expect(app.setupState()).toMatchObject({ ready: true, archiveFolder: root })
    expect(await app.api.call('projects.discover', {})).toMatchObject({ ok: true })
  }
})
