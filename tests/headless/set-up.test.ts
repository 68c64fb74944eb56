import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { CallInput, CallName, CallOutput } from '../../shared/contract/calls.ts'
import type { Answer } from '../../shared/envelope.ts'
import { startSampleService } from '../../electron/sample-service/start-sample-service.ts'
import { readZip } from '../support/read-zip.ts'
import { archivedHashes, servedHashes } from '../support/sample-archive.ts'
import { openSession } from '../support/browser-session.ts'
import { until } from '../support/watching.ts'
import { runMain, startMain } from '../support/run-main.ts'

/** A folder for an installation without any setup, and a service. */
async function nothingYet() {
  const service = await startSampleService({
    projects: 1,
    checklistsPerProject: 1,
    photoBytes: 2000,
    reportBytes: 5000,
  })
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-set-up-'))
  onTestFinished(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { service, home: join(folder, 'home'), archive: join(folder, 'my archive') }
}

/** `serve`, and a browser's session on it. */
async function serving(home: string, env: NodeJS.ProcessEnv = {}) {
  const started = startMain(['serve', '--home', home], { env: { HOME: home, ...env } })
  const address = () => /http:\/\/[\d.]+:\d+\/open\/[\w-]+/.exec(started.printed.stdout)?.[0]
  await until('the address is printed', () => address() !== undefined || started.hasEnded())
  const origin = new URL(address() ?? '').origin
  const session = await openSession(address() ?? '')
  return {
    ...started,
    get: (path: string) => fetch(new URL(path, origin), { headers: session.headers }),
    getAsStranger: (path: string) => fetch(new URL(path, origin)),
    call: async <Name extends CallName>(name: Name, input: CallInput<Name>): Promise<Answer<CallOutput<Name>>> => {
      const headers = { ...session.headers, 'content-type': 'application/json' }
      const url = new URL(`/api/call/${name}`, origin)
      const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) })
      return (await reply.json()) as Answer<CallOutput<Name>>
    },
  }
}

it('a new installation is set up in the browser, archives, and is ready at the next start', async () => {
  const { service, home, archive } = await nothingYet()
  const { call, stop } = await serving(home)
  expect(await call('setup.state', {})).toMatchObject({ value: { ready: false, usesSample: false, token: 'none' } })
  expect(await call('overview', {})).toMatchObject({ ok: false, error: { code: 'setup-needed' } })
  expect(await call('sync.now', {})).toMatchObject({ ok: false, error: { code: 'setup-needed' } })

  const asked = { serviceUrl: `${service.url}/api/v1/`, token: service.token }
  expect(await call('connection.test', asked)).toMatchObject({ value: { outcome: 'ok', projectsFound: 1 } })
  expect(existsSync(join(home, 'token'))).toBe(false)
  expect(await call('archive.check', { folder: archive })).toMatchObject({
    value: { usable: true, exists: false, isArchive: false },
  })
  const done = await call('setup.complete', { ...asked, archiveFolder: archive })
  expect(done).toMatchObject({
    value: { ready: true, serviceUrl: service.url, archiveFolder: archive, token: 'file' },
  })
  expect(await call('projects.discover', {})).toMatchObject({ value: { found: 1 } })
  await until('its files are archived', async () => {
    const list = await call('projects.list', {})
    return list.ok && list.value.items.every(({ lastSyncedAt, waitingFiles }) => lastSyncedAt !== null && !waitingFiles)
  })
  const first = await stop()
  expect(first.exitCode).toBe(0)
  expect(archivedHashes(archive)).toEqual(await servedHashes(service))
  const saved = readFileSync(join(home, 'settings.json'), 'utf8')
  expect(JSON.parse(saved)).toEqual({ serviceUrl: service.url, archiveFolder: archive })
  for (const name of ['settings.json', 'token']) expect(statSync(join(home, name)).mode & 0o777, name).toBe(0o600)
  const log = readFileSync(join(home, 'logs', 'solarchive.log'), 'utf8')
  expect(first.stdout + first.stderr + saved + log).not.toContain(service.token)

  const again = await serving(home)
  expect(await again.call('setup.state', {})).toMatchObject({ value: { ready: true, token: 'file' } })
  expect(await again.call('projects.list', {})).toMatchObject({ value: { total: 1 } })
  expect((await again.stop()).exitCode).toBe(0)
})

it('an invalid setup changes nothing and says what to do', async () => {
  const { service, home, archive } = await nothingYet()
  const { call, stop } = await serving(home)
  const complete = (change: Partial<CallInput<'setup.complete'>>) =>
    call('setup.complete', { serviceUrl: service.url, token: service.token, archiveFolder: archive, ...change })
  writeFileSync(join(home, 'a file'), '')
  for (const wrong of [
    { serviceUrl: 'no address' },
    { serviceUrl: 'https://ada:secret-word@api.example.com' },
    { token: 'with a space' },
    { token: undefined },
    { archiveFolder: 'photos' },
    { archiveFolder: join(home, 'archive') },
    { archiveFolder: dirname(home) },
    { archiveFolder: join(home, 'a file') },
    { archiveFolder: '/proc/archive' },
  ]) {
    const answer = await complete(wrong)
    expect(answer, JSON.stringify(wrong)).toMatchObject({ ok: false, error: { code: 'wrong-settings' } })
    expect(JSON.stringify(answer)).not.toContain('secret-word')
  }
  expect(existsSync(join(home, 'settings.json'))).toBe(false)
  expect(await call('setup.state', {})).toMatchObject({ value: { ready: false } })
  await stop()
})

it('a refused token of the environment is replaced in the app, and archiving continues', async () => {
  const { service, home, archive } = await nothingYet()
  mkdirSync(home)
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ serviceUrl: service.url, archiveFolder: archive }))
  const { call, stop } = await serving(home, { SOLARCHIVE_TOKEN: 'refused-token' })
  expect(await call('token.save', { token: service.token })).toMatchObject({ error: { code: 'wrong-usage' } })
  await call('projects.add', { projects: service.projects.map(({ id, name }) => ({ id, name })) })
  await until('the app offers to replace it', async () => {
    const state = await call('setup.state', {})
    return state.ok && state.value.token === 'none' && !state.value.fixed.includes('token')
  })
  expect(await call('token.save', { token: service.token })).toMatchObject({ value: { token: 'file' } })
  await until('a photo is archived', async () => {
    const list = await call('projects.list', {})
    return list.ok && list.value.items.some(({ archivedFiles }) => archivedFiles > 0)
  })
  await stop()
})

it('the sample service is explored in separate folders, and left for the real one', async () => {
  const { service, home, archive } = await nothingYet()
  const { call, stop } = await serving(home)
  expect(await call('setup.useSample', {})).toMatchObject({ value: { ready: true, usesSample: true } })
  const list = await call('projects.list', {})
  expect(list.ok && list.value.total).toBeGreaterThan(0)
  await stop()
  const again = await serving(home)
  expect(await again.call('setup.state', {})).toMatchObject({
    value: { ready: true, usesSample: true, archiveFolder: join(home, 'sample', 'archive') },
  })
  const asked = { serviceUrl: service.url, token: service.token, archiveFolder: archive }
  expect(await again.call('setup.complete', asked)).toMatchObject({
    value: { usesSample: false, serviceUrl: service.url },
  })
  expect(await again.call('projects.list', {})).toMatchObject({ value: { total: 0 } })
  expect((await again.stop()).exitCode).toBe(0)
})

it('a support bundle is downloaded by the browser with access, and contains no token', async () => {
  const { service, home, archive } = await nothingYet()
  const env = { SOLARCHIVE_URL: service.url, SOLARCHIVE_TOKEN: service.token, SOLARCHIVE_ARCHIVE: archive }
  const { call, get, getAsStranger, stop } = await serving(home, env)
  expect(await call('diagnostics.bundle', {})).toMatchObject({
    value: { kind: 'download', path: '/support-bundle.zip' },
  })
  expect((await getAsStranger('/support-bundle.zip')).status).toBe(401)
  const reply = await get('/support-bundle.zip')
  expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="solarchive-support-[\w-]+\.zip"$/)
  const entries = await readZip(Buffer.from(await reply.arrayBuffer()))
  expect([...entries.keys()]).toContain('environment.json')
  expect([...entries.values()].map(({ bytes }) => bytes.toString()).join('')).not.toContain(service.token)
  await stop()
})

it('a token in the environment is enough, and settings of the environment cannot be changed in the app', async () => {
  const { service, home, archive } = await nothingYet()
  const env = { SOLARCHIVE_URL: service.url, SOLARCHIVE_TOKEN: service.token, SOLARCHIVE_ARCHIVE: archive }
  const { call, stop } = await serving(home, env)
  expect(await call('setup.state', {})).toMatchObject({
    value: { ready: true, token: 'environment', fixed: ['serviceUrl', 'archiveFolder', 'token'] },
  })
  expect(await call('token.save', { token: 'another-token' })).toMatchObject({ error: { code: 'wrong-usage' } })
  const other = { serviceUrl: 'https://api.example.com' }
  expect(await call('settings.save', other)).toMatchObject({ error: { code: 'wrong-usage' } })
  expect(await call('settings.save', { concurrency: 3 })).toMatchObject({ value: { concurrency: 3 } })
  await stop()
})

it('a configured archive folder that contains the data folder causes a warning, and can be set up', async () => {
  const { service, home } = await nothingYet()
  const archiveFolder = dirname(home)
  const { call, stop } = await serving(home, { SOLARCHIVE_ARCHIVE: archiveFolder })
  const asked = { serviceUrl: service.url, token: service.token, archiveFolder }
  expect(await call('setup.complete', asked)).toMatchObject({ value: { ready: true, archiveFolder } })
  const warning = `The archive folder ${archiveFolder} contains the data folder ${home}.`
  expect((await stop()).stderr.split(warning)).toHaveLength(2)
  const again = await serving(home)
  expect(await again.call('setup.state', {})).toMatchObject({ value: { ready: true, archiveFolder } })
  expect((await again.stop()).stderr).toContain(warning)
})

it('an existing archive is adopted on request, and nothing is downloaded again', async () => {
  const { service, home, archive } = await nothingYet()
  const env = { SOLARCHIVE_URL: service.url, SOLARCHIVE_TOKEN: service.token, SOLARCHIVE_ARCHIVE: archive }
  const run = (...args: string[]) =>
    runMain([...args, '--home', `${home} before`, '--api-rate', '0', '--quiet'], { env })
  await run('projects', 'discover')
  await run('sync')
  const { call, stop } = await serving(home)
  expect(await call('archive.check', { folder: archive })).toMatchObject({ value: { usable: true, isArchive: true } })
  const asked = { serviceUrl: service.url, token: service.token, archiveFolder: archive }
  expect(await call('setup.complete', asked)).toMatchObject({
    error: { code: 'wrong-settings', details: { isArchive: true } },
  })
  service.requests.clear()
  expect(await call('setup.complete', { ...asked, adopt: true })).toMatchObject({ value: { ready: true } })
  await until('the project is synced', async () => {
    const list = await call('projects.list', {})
    return list.ok && list.value.items.some(({ lastSyncedAt }) => lastSyncedAt !== null)
  })
  const files = service.requests.records.filter(({ origin }) => origin === 'files')
  expect(files.every(({ status }) => status === 304)).toBe(true)
  await stop()
  expect(archivedHashes(archive)).toEqual(await servedHashes(service))
})

it('the command line refuses to work during an unfinished move of the archive', async () => {
  const { home, archive } = await nothingYet()
  mkdirSync(home)
  const record = { from: archive, to: `${archive} 2`, folders: ['a'], renamed: [], phase: 'renaming' }
  writeFileSync(join(home, 'archive-move.json'), JSON.stringify(record))
  const status = (folder: string) => runMain(['status', '--home', home, '--archive', folder])
  const { exitCode, stderr } = await status(archive)
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`is being moved from ${archive} to`)])
  const another = await status(`${archive} 3`)
  expect(another.exitCode).toBe(2)
  expect(another.stderr).toContain(`To finish the move, set "archiveFolder": "${archive}" in ${home}/settings.json`)
  expect(another.stderr).toContain(
    `If your archive is complete in ${archive} 3, delete ${home}/archive-move.json instead.`,
  )
  writeFileSync(join(home, 'archive-move.json'), JSON.stringify({ ...record, phase: 'removing' }))
  const emptied = await status(archive)
  expect([emptied.exitCode, emptied.stderr]).toEqual([2, expect.stringContaining(`complete in ${archive} 2`)])
  expect((await status(`${archive} 2`)).stderr).not.toContain('move')
  rmSync(join(home, 'archive-move.json'))
  expect((await status(`${archive} 3`)).stderr).not.toContain('move')
})

it('the command line recognizes the folders of an unfinished move through links', async () => {
  const { home, archive } = await nothingYet()
  for (const folder of [home, archive, `${archive} 2`]) mkdirSync(folder)
  const link = `${archive} link`
  symlinkSync(archive, link, 'junction')
  const record = { from: archive, to: `${archive} 2`, folders: ['a'], renamed: [], phase: 'renaming' }
  writeFileSync(join(home, 'archive-move.json'), JSON.stringify(record))
  const status = (folder: string) => runMain(['status', '--home', home, '--archive', folder])
  const moving = await status(link)
  expect([moving.exitCode, moving.stderr]).toEqual([2, expect.stringContaining(`is being moved from ${archive} to`)])
  writeFileSync(join(home, 'archive-move.json'), JSON.stringify({ ...record, phase: 'removing' }))
  const emptied = await status(link)
  expect([emptied.exitCode, emptied.stderr]).toEqual([2, expect.stringContaining(`complete in ${archive} 2`)])
  // Its user linked the old folder to the new one.
  rmSync(archive, { recursive: true })
  symlinkSync(`${archive} 2`, archive, 'junction')
  for (const folder of [archive, link]) expect((await status(folder)).stderr).not.toContain('move')
})
