import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createInstallation, type Installation } from '../../../electron/engine/installation/create-installation.ts'
import type { CallName } from '../../../shared/channel-names.ts'
import type { CallInput, CallOutput, EventMessage } from '../../../shared/contract.ts'
import type { Answer } from '../../../shared/envelope.ts'
import type { SampleServiceOptions } from '../../../electron/sample-service/start-sample-service.ts'
import { hostPorts, settingsSource, tokenStore } from '../../support/host-ports.ts'
import { archivedHashes, sampleArchive, type SampleArchive, servedHashes } from '../../support/sample-archive.ts'
import { until } from '../../support/watching.ts'

interface Running {
  readonly archive: SampleArchive
  readonly installation: Installation
  readonly told: readonly EventMessage[]
  readonly call: <Name extends CallName>(name: Name, input: CallInput<Name>) => Promise<Answer<CallOutput<Name>>>
}

/** An installation that watches, as a host has it. */
async function running(options: SampleServiceOptions = {}): Promise<Running> {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 2, ...options })
  mkdirSync(archive.home, { recursive: true })
  const installation = await createInstallation({
    source: settingsSource(archive.home, archive.root, archive.service.url),
    ports: hostPorts(tokenStore(archive.service.token)),
  })
  const told: EventMessage[] = []
  installation.bridge.subscribe((message) => void told.push(message))
  const stop = new AbortController()
  const watched = installation.run(stop.signal)
  onTestFinished(async () => {
    stop.abort()
    await watched
    await installation.close()
  })
  return {
    archive,
    installation,
    told,
    call: async (name, input) => (await installation.bridge.call(name, input)) as never,
  }
}

function valueOf<Value>(answer: Answer<Value>): Value {
  if (answer.ok) return answer.value
  throw new Error(answer.error.message)
}

/** How many files came so far, and whether they are all that the service has. */
async function filesOf({ call, archive }: Running) {
  const { items } = valueOf(await call('projects.list', {}))
  const archived = items.reduce((sum, { archivedFiles }) => sum + archivedFiles, 0)
  return { archived, isDone: archived === (await servedHashes(archive.service)).length }
}

const settingsIn = (home: string) => JSON.parse(readFileSync(join(home, 'settings.json'), 'utf8')) as object

async function archiveEverything(all: Running): Promise<void> {
  const { call, archive } = all
  await call('projects.add', { projects: archive.service.projects.map(({ id, name }) => ({ id, name })) })
  await until('everything is archived', async () => {
    const { isDone } = await filesOf(all)
    return isDone
  })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
}

test('settings that change while files are downloaded lose none of them, and the watch goes on by itself', async () => {
  const all = await running({ photosPerQuestion: 8 })
  const { call, archive, told } = all
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
  const revisions = told.map(({ revision }) => revision)
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b))
  expect(told.filter(({ name }) => name === 'settings-state').at(-1)?.value).toMatchObject({ concurrency: 5 })
})

test('settings.json keeps what it holds besides, is its owner alone to read, and is changed as a whole', async () => {
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

test('a settings.json that cannot be read is told and left as it is', async () => {
  const { call, archive } = await running()
  const path = join(archive.home, 'settings.json')
  for (const text of ['{"concurrency": 3,', '[]', '{"concurrency": "many"}']) {
    writeFileSync(path, text)
    expect(await call('settings.save', { appearance: 'dark' })).toMatchObject({ error: { code: 'wrong-settings' } })
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
  expect(await call('settings.get', {})).toMatchObject({ value: { appearance: 'system' } })
})

test('a wrong address of the service changes nothing, and a right one is where the engine asks from then on', async () => {
  const { call, archive } = await running()
  for (const serviceUrl of ['nonsense', 'https://a:b@example.com', 'https://example.com/?token=x']) {
    expect(await call('settings.save', { serviceUrl })).toMatchObject({ error: { code: 'wrong-settings' } })
  }
  expect(existsSync(join(archive.home, 'settings.json'))).toBe(false)
  expect(await call('settings.save', { serviceUrl: 'http://127.0.0.1:1/api/v1' })).toMatchObject({
    value: { serviceUrl: 'http://127.0.0.1:1' },
  })
  expect(await call('projects.discover', {})).toMatchObject({ error: { code: 'unreachable-refused' } })
})

test('a sync that runs when settings change is told as stopped, not as an error', async () => {
  const { call, archive, told } = await running({ photosPerQuestion: 8 })
  await call('projects.add', { projects: archive.service.projects.map(({ id, name }) => ({ id, name })) })
  await call('watch.pause', { length: 'hour' })
  await call('sync.now', {})
  await call('settings.save', { concurrency: 2 })
  const ends = () =>
    told.flatMap(({ name, value }) => (name === 'sync-state' && 'last' in value && value.last ? [value.last] : []))
  await until('its end is told', () => ends().length > 0)
  expect(ends().at(-1)).toMatchObject({ ok: false, error: { code: 'cancelled' } })
})

test.runIf(process.platform === 'linux')(
  'a folder where none can ever be made is no place for the archive',
  async () => {
    const { call } = await running()
    for (const folder of ['/proc', '/proc/solarchive/folder']) {
      const check = valueOf(await call('archive.check', { folder }))
      expect(check).toMatchObject({ usable: false, freeBytes: null })
      expect(check.problem).toContain('Solarchive may not write there.')
    }
  },
)

test('a token that is saved is used at once', async () => {
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
