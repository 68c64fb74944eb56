import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startSampleService } from '../../electron/sample-service/start-sample-service.ts'
import { archivedHashes, servedHashes } from '../support/sample-archive.ts'
import { openSession } from '../support/browser-session.ts'
import { until } from '../support/watching.ts'
import { runMain, startMain } from '../support/run-main.ts'
import { longLimits, startSolarchive } from './run-solarchive.ts'

async function surroundings() {
  const service = await startSampleService({
    projects: 1,
    checklistsPerProject: 1,
    photoBytes: 2000,
    reportBytes: 5000,
  })
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-serve-'))
  onTestFinished(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const env = {
    SOLARCHIVE_URL: service.url,
    SOLARCHIVE_TOKEN: service.token,
    SOLARCHIVE_HOME: join(folder, 'home'),
    SOLARCHIVE_ARCHIVE: join(folder, 'archive'),
  }
  return { service, env }
}

const addressIn = (stdout: string) => /http:\/\/[\d.]+:\d+\/open\/[\w-]+/.exec(stdout)?.[0]

it('serve prints an address with access for a browser, archives projects added there, and ends with 0', async () => {
  const { service, env } = await surroundings()
  const serving = startSolarchive(['serve'], { env, nodeArgs: ['-r', longLimits] })
  await until('the address is printed', () => addressIn(serving.printed.stdout) !== undefined)
  const address = addressIn(serving.printed.stdout) ?? ''
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:/)
  const session = await openSession(address)
  const call = async (name: string, input: object) => {
    const headers = { ...session.headers, 'content-type': 'application/json' }
    const url = new URL(`/api/call/${name}`, address)
    return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) })).json()
  }
  const projects = service.projects.map(({ id, name }) => ({ id, name }))
  expect(await call('projects.add', { projects })).toMatchObject({ ok: true })
  await until('its files are archived', async () => {
    const { value } = (await call('projects.list', {})) as {
      value: { items: { archivedFiles: number; waitingFiles: number; lastSyncedAt: string | null }[] }
    }
    return value.items.every(({ lastSyncedAt, waitingFiles }) => lastSyncedAt !== null && waitingFiles === 0)
  })
  // A browser that follows the events must not keep the process from ending.
  const events = await fetch(new URL('/api/events', address), { headers: session.headers })
  serving.child.kill('SIGTERM')
  const { exitCode, stdout, stderr } = await serving.ended
  expect(exitCode).toBe(0)
  expect(stdout.trim().split('\n')).toHaveLength(2)
  const time = String.raw`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  `
  expect(stderr.match(/.*works once:$/gm)).toEqual([
    expect.stringMatching(new RegExp(`${time}Open this address in a browser; it works once:$`)),
    expect.stringMatching(new RegExp(`${time}The app is open. For another browser, this address works once:$`)),
  ])
  expect(
    stderr
      .trim()
      .split('\n')
      .filter((line) => !new RegExp(time).test(line)),
  ).toEqual([])
  expect(stdout + stderr).not.toContain(service.token)
  expect(archivedHashes(env.SOLARCHIVE_ARCHIVE)).toEqual(await servedHashes(service))
  await events.body?.cancel().catch(() => undefined)
})

it('logging out everywhere prints a new address', async () => {
  const { env } = await surroundings()
  const serving = startMain(['serve'], { env })
  await until('the address is printed', () => addressIn(serving.printed.stdout) !== undefined)
  const address = addressIn(serving.printed.stdout) ?? ''
  const { headers } = await openSession(address)
  expect((await fetch(new URL('/api/log-out', address), { method: 'POST', headers })).status).toBe(200)
  const { stdout, stderr } = await serving.stop('SIGTERM')
  expect(stdout.trim().split('\n')).toHaveLength(3)
  expect(stderr).toContain('All browsers are logged out. To open the app again, this address works once:')
})

it('serve --json prints the address as an event', async () => {
  const { env } = await surroundings()
  const serving = startMain(['serve', '--json', '--quiet'], { env })
  await until('the address is printed', () => serving.printed.stdout.includes('"address"'))
  const { exitCode, stdout } = await serving.stop('SIGINT')
  expect(exitCode).toBe(0)
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; at: string; url?: string })
  expect(addressIn(events.find(({ event }) => event === 'address')?.url ?? '')).toBeDefined()
  expect(events.every(({ at }) => !Number.isNaN(Date.parse(at)))).toBe(true)
})

it('a port that is taken or invalid ends with 2 and a message', async () => {
  const { env } = await surroundings()
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const { exitCode, stderr } = await runMain(['serve', '--port', String(port)], { env })
  taken.close()
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`cannot listen on port ${port}`)])
  const wrong = await runMain(['serve', '--port', '70000'], { env })
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('--port must be a whole number')])
})

it.each([
  ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+\/open\//],
  ['0', /^http:\/\/127\.0\.0\.1:\d+\/open\//],
  ['::', /^http:\/\/\[::1\]:\d+\/open\//],
])('serve --host %s prints an address that can be opened, and warns of what others can do', async (host, shape) => {
  const { env } = await surroundings()
  const serving = startMain(['serve', '--host', host], { env })
  await until('the address is printed', () => serving.printed.stdout !== '' || serving.hasEnded())
  if (serving.hasEnded() && /EAFNOSUPPORT|EADDRNOTAVAIL/.test(serving.printed.stderr)) return
  const address = serving.printed.stdout.trim()
  expect(address).toMatch(shape)
  expect((await fetch(new URL('/', address))).status).toBe(401)
  const own = Object.values(networkInterfaces()).flatMap((found) =>
    (found ?? []).filter(({ internal, family }) => !internal && family === 'IPv4').map((each) => each.address),
  )
  const elsewhere = () => /^http:.*$/m.exec(serving.printed.stderr)?.[0]
  if (own[0] !== undefined) expect(elsewhere()).toBe(address.replace(/127\.0\.0\.1|\[::1\]/, own[0]))
  await openSession(elsewhere() ?? address)
  const { stderr } = await serving.stop('SIGTERM')
  expect(stderr).toContain('Solarchive listens on all addresses of this machine, and the connection is not encrypted')
  if (own[0] !== undefined) expect(stderr).toContain(own[0])
})
