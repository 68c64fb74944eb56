import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { lockDataFolder } from '../../electron/engine/store/data-folder-lock.ts'
import { startSampleService } from '../../electron/sample-service/start-sample-service.ts'
import { archivedHashes, servedHashes } from '../support/sample-archive.ts'
import { until } from '../support/watching.ts'
import { runMain, startMain } from '../support/run-main.ts'
import { longLimits, startSolarchive } from './run-solarchive.ts'

async function sampleSurroundings(token?: string) {
  const service = await startSampleService({
    token: 'canary-token-of-the-service',
    projects: 2,
    checklistsPerProject: 1,
    photoQuestionsPerChecklist: 1,
    photosPerQuestion: 2,
    photoBytes: 2000,
    reportBytes: 5000,
  })
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-watch-'))
  onTestFinished(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const archive = join(folder, 'archive')
  const env = {
    SOLARCHIVE_URL: service.url,
    SOLARCHIVE_TOKEN: token ?? service.token,
    SOLARCHIVE_HOME: join(folder, 'home'),
    SOLARCHIVE_ARCHIVE: archive,
  }
  return { service, archive, env, ids: service.projects.map(({ id }) => id) }
}

const eventsOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { event: string; at: string; kind?: string; projectId?: string })

it('watch --json prints one event per line, and SIGTERM ends it cleanly with 0', async () => {
  const { service, archive, env, ids } = await sampleSurroundings()
  expect((await runMain(['projects', 'add', ...ids], { env })).exitCode).toBe(0)
  const watching = startSolarchive(['watch', '--json', '--quiet'], { env, nodeArgs: ['-r', longLimits] })
  const archived = () => eventsOf(watching.printed.stdout).filter(({ event }) => event === 'project')
  await until('both projects are archived', () => archived().length >= 2)
  watching.child.kill('SIGTERM')
  const { exitCode, stdout } = await watching.ended
  expect(exitCode).toBe(0)
  const events = eventsOf(stdout)
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['state', 'progress', 'project']))
  expect(events.every(({ at }) => !Number.isNaN(Date.parse(at)))).toBe(true)
  expect(events.at(-1)).toMatchObject({ event: 'state', kind: 'stopped' })
  expect(archivedHashes(archive)).toEqual(await servedHashes(service))
})

it('watch that is stopped while it waits for the end of another command ends cleanly with 0', async () => {
  const { env, ids } = await sampleSurroundings()
  expect((await runMain(['projects', 'add', ...ids], { env })).exitCode).toBe(0)
  const lock = lockDataFolder(env.SOLARCHIVE_HOME)
  onTestFinished(() => lock.release())
  for (const json of [[], ['--json']]) {
    const waiting = startMain(['watch', ...json], { env })
    expect(await waiting.stop('SIGTERM')).toEqual({ exitCode: 0, stdout: '', stderr: '' })
  }
  const adding = startMain(['projects', 'add', 'another'], { env })
  expect(await adding.stop('SIGTERM'), 'meant to end by itself').toMatchObject({ exitCode: 143 })
})

it('watch prints its activity and its blockers in sentences', async () => {
  const { env, ids } = await sampleSurroundings('a-wrong-token')
  await runMain(['projects', 'add', ...ids], { env })
  const watching = startMain(['watch'], { env })
  await until('the refused token is reported', () => /access token/.test(watching.printed.stderr))
  const { exitCode, stderr, stdout } = await watching.stop('SIGTERM')
  expect(exitCode).toBe(0)
  expect(stdout).toBe('')
  expect(stderr.match(/Solarchive waits/g)).toHaveLength(1)
  expect(stderr).not.toContain('Up to date')
})

it('invalid quiet hours are reported with the allowed values', async () => {
  const { env } = await sampleSurroundings()
  await mkdir(env.SOLARCHIVE_HOME, { recursive: true })
  await writeFile(join(env.SOLARCHIVE_HOME, 'settings.json'), '{"quietHours": {"start": "25:00", "end": "06:00"}}')
  const { exitCode, stderr } = await runMain(['watch'], { env })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('quietHours')
})

/** Writes the token file atomically, as an editor or a script does. */
async function putToken(home: string, token: string, mode = 0o600) {
  const written = join(home, 'token.new')
  await writeFile(written, token, { mode })
  await chmod(written, mode)
  await rename(written, join(home, 'token'))
}

it.each([
  ['in the token file', undefined, 'canary-refused'],
  ['in SOLARCHIVE_TOKEN', 'canary-refused', undefined],
])(
  'a token refused %s blocks a running watch until another one is in the token file',
  async (_where, environmentToken, fileToken) => {
    const { service, archive, env, ids } = await sampleSurroundings()
    const home = env.SOLARCHIVE_HOME
    await runMain(['projects', 'add', ...ids], { env })
    if (fileToken !== undefined) await putToken(home, `${fileToken}\n`)
    const surroundings = { ...env, SOLARCHIVE_TOKEN: environmentToken, SOLARCHIVE_LOG_LEVEL: 'debug' }
    const watching = startMain(['watch'], { env: surroundings })
    await until('the refusal is printed', () => watching.printed.stderr.includes(join(home, 'token')))
    expect(watching.printed.stderr).toContain('The service refuses the access token')
    expect(existsSync(archive) ? archivedHashes(archive) : []).toEqual([])

    await putToken(home, `${service.token}\n`)
    const isPrinted = ({ name }: { readonly name: string }) => watching.printed.stderr.includes(`${name}: `)
    await until('both projects are archived', () => service.projects.every(isPrinted))
    expect(watching.hasEnded()).toBe(false)
    const { exitCode, stdout, stderr } = await watching.stop('SIGTERM')
    expect(exitCode).toBe(0)
    expect(archivedHashes(archive)).toEqual(await servedHashes(service))
    expect(stderr.match(/Solarchive waits/g)).toHaveLength(1)
    expect(stderr).toContain('Resolved; Solarchive resumes.')
    const log = await readFile(join(home, 'logs', 'solarchive.log'), 'utf8')
    expect(log).not.toContain(home)
    expect(stdout + stderr + log).not.toContain('canary')
  },
)

it.skipIf(process.platform === 'win32')(
  'a token file that others can read is reported by a running watch, and used once it is private',
  async () => {
    const { service, env, ids } = await sampleSurroundings()
    const home = env.SOLARCHIVE_HOME
    await runMain(['projects', 'add', ...ids], { env })
    await putToken(home, service.token, 0o644)
    const watching = startMain(['watch', '--json'], { env: { ...env, SOLARCHIVE_TOKEN: undefined } })
    const states = () => eventsOf(watching.printed.stdout).filter(({ event }) => event === 'state')
    await until('it waits', () => states().some(({ kind }) => kind === 'blocked'))
    await until('the instructions are printed', () => watching.printed.stderr.includes('chmod 600'))
    expect(service.requests.count('api')).toBe(0)
    await chmod(join(home, 'token'), 0o600)
    await until('both projects are archived', () => {
      return eventsOf(watching.printed.stdout).filter(({ event }) => event === 'project').length >= 2
    })
    const { exitCode, stdout, stderr } = await watching.stop('SIGTERM')
    expect(exitCode).toBe(0)
    expect(stderr.match(/is not used/g)).toHaveLength(1)
    expect(stdout).not.toContain(join(home, 'token'))
    expect(stdout + stderr).not.toContain('canary')
  },
)
