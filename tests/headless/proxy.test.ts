import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test as base } from 'vitest'
import { startSampleService } from '../../electron/sample-service/start-sample-service.ts'
import { breakLookups } from '../support/break-lookups.ts'
import { type Certificates, createCertificates, passOn, startProxy, startTls } from '../support/connect-proxy.ts'
import { readEnd } from '../support/installation.ts'
import { readZip } from '../support/read-zip.ts'
import { runMain } from '../support/run-main.ts'
import { openssl } from '../support/time-stamp-authority.ts'
import { until } from '../support/watching.ts'

const test = base.skipIf(openssl === undefined)

let certificates: Certificates
beforeAll(() => {
  certificates = createCertificates()
})
afterAll(() => certificates.remove())

const secret = 'hunter2-CANARY'
const credentials = Buffer.from(`user:${secret}`).toString('base64')

/** A service and its file host that can be reached by their names and with TLS only, and only through a proxy. */
async function createWorld() {
  const photos = { projects: 1, checklistsPerProject: 2, photosPerChecklist: 5, photoBytes: 1700, reportBytes: 4000 }
  const service = await startSampleService({ ...photos, statuses: ['completed'] })
  const backends = { 'api.solar.test': service.url, 'files.solar.test': service.filesUrl }
  const front = await startTls(certificates, passOn(backends))
  const refusals = new Map<string, number>()
  const proxy = await startProxy({
    authorization: `Basic ${credentials}`,
    route: (target) => {
      const status = refusals.get(target)
      return status === undefined ? { port: front.port } : { status }
    },
  })
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-proxy-'))
  const [home, archive] = [join(folder, 'home'), join(folder, 'archive')]
  mkdirSync(home)
  onTestFinished(async () => {
    await proxy.close()
    await front.close()
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const env = {
    SOLARCHIVE_URL: 'https://api.solar.test',
    SOLARCHIVE_TOKEN: service.token,
    SOLARCHIVE_HOME: home,
    SOLARCHIVE_ARCHIVE: archive,
    https_proxy: `http://user:${secret}@127.0.0.1:${proxy.port}`,
    NODE_EXTRA_CA_CERTS: certificates.caFile,
  }
  const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runMain([...args, '--json'], { env: { ...env, ...more } })
  const sync = async (more?: Readonly<Record<string, string>>) => readEnd(await run(['sync', '--api-rate', '0'], more))
  const set = (settings: object) => writeFileSync(join(home, 'settings.json'), JSON.stringify(settings))
  const added = await run(['projects', 'add', ...service.projects.map(({ id }) => id)])
  expect(added.exitCode).toBe(0)
  return { service, front, proxy, refusals, home, archive, folder, set, run, sync }
}

/** Returns the text of all files below a folder. */
function textIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
}

function expectNoSecrets(text: string): void {
  expect(text).not.toContain(secret)
  expect(text).not.toContain(credentials)
}

test('a sync uses the proxy of the environment, with its certificates, and never shows its password', async () => {
  const { service, front, proxy, home, archive, folder, run, sync } = await createWorld()
  const ended = await sync({ SOLARCHIVE_LOG_LEVEL: 'debug' })
  expect([ended.exitCode, ended.report?.failures]).toEqual([0, []])
  expect(ended.report?.filesDownloaded).toBeGreaterThan(10)
  // Every request of the service came through the proxy, and the proxy saw nothing but host and port.
  expect(service.requests.records.length).toBe(front.requests.length)
  expect(new Set(proxy.targets)).toEqual(new Set(['api.solar.test:443', 'files.solar.test:443']))
  expect(proxy.otherRequests).toEqual([])
  const bundle = await run(['support-bundle', '--output', join(folder, 'bundle.zip')])
  const status = await run(['status'])
  expect([bundle.exitCode, status.exitCode]).toEqual([0, 0])
  for (const text of [ended.stdout, ended.stderr, bundle.stdout, status.stdout, textIn(home), textIn(archive)]) {
    expectNoSecrets(text)
  }
  const entries = await readZip(readFileSync(join(folder, 'bundle.zip')))
  const unzipped = [...entries.values()].map(({ bytes }) => bytes.toString()).join('\n')
  expectNoSecrets(unzipped)
  expect(unzipped).toContain('"httpsProxy": "HTTPS_PROXY"')
})

test('settings beat the environment, and NO_PROXY applies to both', async () => {
  breakLookups()
  const { proxy, sync, set } = await createWorld()
  const { caFile } = certificates
  set({ proxy: 'none', caFile })
  // Without the proxy, nobody knows the names.
  expect((await sync()).codes).toEqual(['unreachable-dns'])
  set({ proxy: 'environment', caFile })
  expect((await sync({ NO_PROXY: 'solar.test' })).codes).toEqual(['unreachable-dns'])
  expect(proxy.targets).toEqual([])
  set({ caFile })
  expect((await sync({ NODE_EXTRA_CA_CERTS: `${caFile}.missing` })).exitCode).toBe(0)
})

test('a proxy of the settings without a password, where one is required, is a clear error', async () => {
  const { service, proxy, set, run, sync } = await createWorld()
  set({ proxy: `127.0.0.1:${proxy.port}` })
  const { exitCode, stdout } = await run(['sync', '--api-rate', '0'])
  expect(exitCode).toBe(4)
  expect(stdout).toContain(`The proxy 127.0.0.1:${proxy.port} requires the user name and password.`)
  expect(service.requests.records).toEqual([])
  // What the message advises works.
  const advice =
    'Set \\"proxy\\" in the settings to \\"environment\\" (From the environment), and the environment variable'
  expect(stdout).toContain(
    `${advice} HTTPS_PROXY to the address of the proxy, with \\"user:password@\\" before the host.`,
  )
  set({ proxy: 'environment' })
  const withPassword = `http://user:${secret}@127.0.0.1:${proxy.port}`
  expect((await sync({ https_proxy: '', HTTPS_PROXY: withPassword })).exitCode).toBe(0)
  set({ proxy: `http://user:${secret}@127.0.0.1` })
  const refused = await run(['sync'])
  expect(refused.exitCode).toBe(2)
  expect(`${refused.stdout}${refused.stderr}`).toContain('HTTPS_PROXY')
  expectNoSecrets(`${refused.stdout}${refused.stderr}`)
})

test('a proxy that refuses the file host for a while is an outage: no file fails, and the pass resumes', async () => {
  const { proxy, refusals, sync, home } = await createWorld()
  refusals.set('files.solar.test:443', 403)
  const running = sync()
  await until(
    'the proxy refused some files',
    () => proxy.targets.filter((target) => target.startsWith('files.')).length > 3,
  )
  refusals.clear()
  const { exitCode, report } = await running
  expect([exitCode, report?.filesFailed, report?.failures]).toEqual([0, 0, []])
  expect(textIn(join(home, 'logs'))).not.toContain('A file could not be archived')
})
