import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startSampleService } from '../../electron/sample-service/start-sample-service.ts'
import { archivedHashes, servedHashes } from '../support/sample-archive.ts'
import { until } from '../support/watching.ts'
import { runSolarchive, startSolarchive } from './run-solarchive.ts'

async function sampleSurroundings(token?: string) {
  const service = await startSampleService({
    projects: 2,
    checklistsPerProject: 1,
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

it.each(['SIGTERM', 'SIGINT'] as const)(
  'watch --json tells an event a line, and %s ends it cleanly with 0',
  async (signal) => {
    const { service, archive, env, ids } = await sampleSurroundings()
    expect((await runSolarchive(['projects', 'add', ...ids], { env })).exitCode).toBe(0)
    const watching = startSolarchive(['watch', '--json', '--quiet'], { env })
    const archived = () => eventsOf(watching.printed.stdout).filter(({ event }) => event === 'project')
    await until('both projects are archived', () => archived().length >= 2)
    watching.child.kill(signal)
    const { exitCode, stdout } = await watching.ended
    expect(exitCode).toBe(0)
    const events = eventsOf(stdout)
    expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['state', 'progress', 'project']))
    expect(events.every(({ at }) => !Number.isNaN(Date.parse(at)))).toBe(true)
    expect(events.at(-1)).toMatchObject({ event: 'state', kind: 'stopped' })
    expect(archivedHashes(archive)).toEqual(await servedHashes(service))
  },
)

it('watch tells a person in sentences what it does and what is in the way', async () => {
  const { env, ids } = await sampleSurroundings('a-wrong-token')
  await runSolarchive(['projects', 'add', ...ids], { env })
  const watching = startSolarchive(['watch'], { env })
  await until('the refused token is told', () => /access token/.test(watching.printed.stderr))
  watching.child.kill('SIGTERM')
  const { exitCode, stderr, stdout } = await watching.ended
  expect(exitCode).toBe(0)
  expect(stdout).toBe('')
  expect(stderr.match(/Solarchive waits/g)).toHaveLength(1)
  expect(stderr).not.toContain('Up to date')
})

it('watch without projects says how to add one, and ends with 2', async () => {
  const { env } = await sampleSurroundings()
  const { exitCode, stderr } = await runSolarchive(['watch'], { env })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('projects add')
})

it('quiet hours that make no sense are told with what is allowed', async () => {
  const { env } = await sampleSurroundings()
  await mkdir(env.SOLARCHIVE_HOME, { recursive: true })
  await writeFile(join(env.SOLARCHIVE_HOME, 'settings.json'), '{"quietHours": {"start": "25:00", "end": "06:00"}}')
  const { exitCode, stderr } = await runSolarchive(['watch'], { env })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('quietHours')
})
