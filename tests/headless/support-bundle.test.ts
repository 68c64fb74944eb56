import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createEngine } from '../../electron/engine/create-engine.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'
import { startSampleService, type SampleService } from '../../electron/sample-service/start-sample-service.ts'
import { photosOf } from '../../electron/sample-service/site/site-types.ts'
import { readZip } from '../support/read-zip.ts'
import { runMain } from '../support/run-main.ts'

const documentSchema = z.strictObject({ file: z.string(), files: z.array(z.string()), sizeBytes: z.int().positive() })
const token = 'canary-token/with+signs=5fb1'

let folder: string
let service: SampleService | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'solarchive-bundle-'))
})

afterEach(async () => {
  await service?.close()
  service = undefined
  rmSync(folder, { recursive: true, force: true })
})

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { url } = service ?? { url: 'http://127.0.0.1:9' }
  const common = { SOLARCHIVE_HOME: 'data', SOLARCHIVE_ARCHIVE: 'archive', SOLARCHIVE_URL: url, HOME: folder }
  return runMain(['--api-rate', '0', ...args], { cwd: folder, env: { ...common, ...env } })
}

const dataFile = (...path: string[]) => join(folder, 'data', ...path)

async function bundle(env?: NodeJS.ProcessEnv, ...args: string[]) {
  const { exitCode, stdout, stderr } = await run(['support-bundle', '--json', ...args], env)
  expect([exitCode, stderr]).toEqual([0, ''])
  const document = documentSchema.parse(JSON.parse(stdout))
  const bytes = readFileSync(document.file)
  const entries = await readZip(bytes)
  expect([...entries.keys()]).toEqual(document.files)
  expect(bytes.length).toBe(document.sizeBytes)
  const text = (name: string) => entries.get(name)?.bytes.toString() ?? ''
  const json = (name: string) => JSON.parse(text(name)) as unknown
  return { document, entries, text, json }
}

/** Renames everything in the sample that a user can name, so that it is easy to find. */
async function serveCanaries(): Promise<SampleService> {
  service = await startSampleService({
    token,
    projects: 1,
    checklistsPerProject: 2,
    statuses: ['completed'],
    photoQuestionsPerChecklist: 2,
    photosPerQuestion: 2,
    photoBytes: 2000,
    reportBytes: 5000,
  })
  for (const project of service.projects) {
    Object.assign(project, { name: 'Canary project', address: 'Canary Street 12', homeownerName: 'Canary owner' })
    for (const checklist of project.checklists) {
      checklist.title = 'Canary title'
      for (const section of checklist.sections) {
        Object.assign(section, { label: 'Canary section' })
        for (const question of section.questions) Object.assign(question, { label: `Canary ${question.label}` })
      }
      photosOf(checklist).forEach((photo, index) => {
        Object.assign(photo, { filename: `Canary front ${index}.jpg` })
      })
    }
  }
  return service
}

test('the bundle has the failures, no secret, and no customer data except ids', async () => {
  const { projects, faults, requests } = await serveCanaries()
  const [project] = projects
  const env = { SOLARCHIVE_TOKEN: token, SOLARCHIVE_LOG_LEVEL: 'debug' }
  const id = project?.id ?? ''
  const add = ['projects', 'add', id, '--name', 'Canary project', '--address', 'Canary Street 12']
  expect((await run(add, env)).exitCode).toBe(0)
  faults.add({ route: 'photo', fault: { kind: 'status', status: 403 }, count: 12 })
  faults.add({ route: 'report', fault: { kind: 'body', body: 'No report' }, count: 2 })
  faults.add({
    route: 'media',
    fault: { kind: 'body', body: `{"error":"Canary ?token=${token}"}`, status: 500 },
    count: 9,
  })
  expect((await run(['sync'], env)).exitCode).toBe(4)
  const inTheWay = readdirSync(join(folder, 'archive'))[0] ?? ''
  expect(inTheWay).toContain('Canary')
  // A folder blocks the checksums of the next sync: the error names the path.
  rmSync(join(folder, 'archive', inTheWay), { recursive: true })
  mkdirSync(join(folder, 'archive', inTheWay))
  mkdirSync(join(folder, 'archive', inTheWay, 'SHA256SUMS'))
  expect((await run(['sync'], env)).exitCode).not.toBe(0)
  expect(readFileSync(dataFile('logs', 'solarchive.log'), 'utf8')).toContain(inTheWay)
  writeFileSync(dataFile('settings.json'), '{"concurrency": 4, "accessToken": "canary-in-settings"}')
  // Lines that an older version, or a mistake, may have left in the log.
  const leaks = [
    `2026-05-17T00:00:00.000Z WARN A file could not be archived {"path":"Canary project [a1b2c3]/report.pdf"}`,
    JSON.stringify({
      level: 'warn',
      time: 'now',
      pid: 1,
      fields: { path: 'Canary/x', latitude: 40.7128 },
      msg: 'Canary Street 12',
    }),
    JSON.stringify({
      level: 'info',
      time: 'now',
      pid: 1,
      fields: {},
      msg: `The photo canary Front 0.jpg of Canary title, token=${token}`,
    }),
  ]
  writeFileSync(dataFile('logs', 'solarchive.1.log'), leaks.join('\n'))

  const { entries, text, json } = await bundle(env)

  const logged = readFileSync(dataFile('logs', 'solarchive.log'), 'utf8')
  expect(logged).toContain('A file could not be archived')
  const signatures = requests.records.flatMap(({ search }) => new URLSearchParams(search).getAll('Signature'))
  expect(signatures.length).toBeGreaterThan(5)
  const secrets = ['canary', token, encodeURIComponent(token), '40.7128', folder, ...signatures]
  for (const [name, { bytes, mode }] of entries) {
    const content = `${name}\n${bytes.toString('latin1')}`.toLowerCase()
    for (const secret of secrets) expect(content.includes(secret.toLowerCase()), `${secret} in ${name}`).toBe(false)
    expect(mode).toBe(0o600)
  }

  expect(json('status.json')).toMatchObject({
    database: { present: true, integrity: 'ok' },
    projects: [{ id, checklists: project?.checklists.map((checklist) => ({ id: checklist.id, status: 'completed' })) }],
    counts: { projects: 1, checklists: 2 },
  })
  expect(json('settings.json')).toMatchObject({
    settingsFile: { concurrency: 4 },
    effective: { archiveFolder: '~/archive', homeFolder: '~/data', concurrency: 4, logLevel: 'debug' },
    hasToken: true,
  })
  expect(text('logs/solarchive.log')).toContain(`"project":"${id}"`)
  expect(text('logs/solarchive.log')).toContain('"code":"link-refused"')
  expect(text('logs/solarchive.log')).toContain(`"path":"/api/v1/checklist/${id}"`)
  expect(text('logs/solarchive.1.log')).toContain('"lines":1')
})

test('the bundle is a file named by its time in the current folder, readable by its owner only', async () => {
  const { document } = await bundle()
  expect(document.file).toMatch(/[/\\]solarchive-support-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.zip$/)
  expect(document.files).toEqual(['README.txt', 'environment.json', 'settings.json', 'status.json'])
  if (process.platform !== 'win32') expect(statSync(document.file).mode & 0o777).toBe(0o600)
  // Nothing but the bundle was created.
  expect(readdirSync(folder)).toHaveLength(1)
})

test('it never replaces a file, and says how to choose another path', async () => {
  writeFileSync(join(folder, 'mine.zip'), 'mine')
  const taken = await run(['support-bundle', '--output', 'mine.zip'])
  expect(taken).toMatchObject({ exitCode: 2, stdout: '' })
  expect(taken.stderr).toContain('exists already and is not overwritten')
  expect(readFileSync(join(folder, 'mine.zip'), 'utf8')).toBe('mine')
  const nowhere = await run(['support-bundle', '--output', join('missing', 'x.zip'), '--json'])
  expect(nowhere.exitCode).toBe(2)
  expect(JSON.parse(nowhere.stdout)).toMatchObject({ error: { code: 'wrong-usage' } })
  expect(nowhere.stderr).toContain('--output')
  expect(readdirSync(folder)).toEqual(['mine.zip'])
})

test.each([
  ['no database', undefined, 'absent'],
  ['a database that is none', 'x'.repeat(10_000), 'database-damaged'],
])('with %s it says so and still has the logs', async (_what, content, unreadable) => {
  mkdirSync(dataFile('logs'), { recursive: true })
  const line = { level: 'info', time: '2026-05-17T00:00:00.000Z', pid: 1, fields: { projects: 3 }, msg: 'A pass ended' }
  writeFileSync(dataFile('logs', 'solarchive.log'), `${JSON.stringify(line)}\n`)
  if (content !== undefined) writeFileSync(dataFile('solarchive.sqlite3'), content)
  const { json } = await bundle()
  expect(json('logs/solarchive.log')).toEqual(line)
  expect(json('status.json')).toMatchObject({ database: { present: content !== undefined }, projects: { unreadable } })
})

test('a database with damaged pages is included as far as it can be read', async () => {
  mkdirSync(dataFile(), { recursive: true })
  const engine = openEngine()
  engine.projects.add(Array.from({ length: 500 }, (_, i) => ({ id: `p${i}`, name: `Canary ${i}`.repeat(20) })))
  await engine.close()
  const bytes = readFileSync(dataFile('solarchive.sqlite3'))
  bytes.fill(0xff, bytes.length - 3 * 4096)
  writeFileSync(dataFile('solarchive.sqlite3'), bytes)
  const { json, text } = await bundle()
  expect(json('status.json')).toMatchObject({
    database: { present: true, sizeBytes: bytes.length, integrity: { unreadable: 'database-damaged' } },
    counts: { projects: 500 },
    projects: expect.arrayContaining([expect.objectContaining({ id: 'p499' })]) as unknown[],
  })
  expect(text('status.json')).not.toContain('Canary')
})

test('settings that cannot be read are named, not copied', async () => {
  mkdirSync(dataFile())
  writeFileSync(dataFile('settings.json'), '{"archiveFolder": "canary')
  const { json, text } = await bundle({ SOLARCHIVE_TOKEN: undefined })
  expect(json('settings.json')).toMatchObject({ settingsFile: null, hasToken: false })
  expect(text('settings.json')).toContain('is not valid JSON')
  expect(text('settings.json')).not.toContain('canary')
})

test('the token file is reported to exist, and its content is not in the bundle', async () => {
  mkdirSync(dataFile('logs'), { recursive: true })
  writeFileSync(dataFile('token'), `${token}\n`, { mode: 0o600 })
  const line = {
    level: 'info',
    time: '2026-05-17T00:00:00.000Z',
    pid: 1,
    fields: {},
    msg: `A call with ${token} ended`,
  }
  writeFileSync(dataFile('logs', 'solarchive.log'), `${JSON.stringify(line)}\n`)
  const { document, json, entries } = await bundle()
  expect(json('settings.json')).toMatchObject({ hasToken: true })
  expect(document.files.some((name) => name.includes('token'))).toBe(false)
  for (const { bytes } of entries.values()) expect(bytes.toString()).not.toContain('canary')
  expect(json('environment.json')).toMatchObject({ dataFolder: { files: { others: 1 } } })
})

test('own files in the data folder are listed, other files are only counted', async () => {
  mkdirSync(dataFile('logs'), { recursive: true })
  const damaged = 'solarchive.sqlite3.damaged-2026-05-17T00-00-00Z'
  const own = ['lock.sqlite3', 'lock.sqlite3-journal', 'settings.json', damaged, `${damaged}-2-wal`, 'window.json']
  const others = [
    'logs-Canary',
    'settings-Canary.json',
    'solarchive-Canary.sqlite3',
    'solarchive.sqlite3.Canary',
    'window',
  ]
  for (const name of [...own, ...others]) writeFileSync(dataFile(name), '{}')
  const { json, text } = await bundle()
  const names = [...own, 'logs'].sort()
  expect(json('environment.json')).toMatchObject({
    dataFolder: { files: { own: names.map((name) => ({ name })), others: others.length } },
  })
  expect(text('environment.json')).not.toContain('Canary')
})

test('a token in the keychain is reported to exist', async () => {
  mkdirSync(dataFile())
  writeFileSync(dataFile('token.encrypted'), 'djExY2FuYXJ5\n', { mode: 0o600 })
  const { json, text } = await bundle({ SOLARCHIVE_TOKEN: undefined })
  expect(json('settings.json')).toMatchObject({ hasToken: true })
  expect(text('settings.json')).not.toContain('djExY2FuYXJ5')
})

test('it is created while Solarchive runs, and the second process writes nothing to the log', async () => {
  const engine = openEngine()
  try {
    engine.projects.add([{ id: 'p1', name: 'Canary' }])
    mkdirSync(dataFile('logs'))
    writeFileSync(dataFile('logs', 'solarchive.log'), '')
    const { json } = await bundle()
    expect(json('status.json')).toMatchObject({
      projects: [{ id: 'p1', checklists: [] }],
      database: { integrity: 'ok' },
    })
    expect(json('environment.json')).toMatchObject({ dataFolder: { owner: { pid: process.pid, isRunning: true } } })
    expect((await run(['sync'], { SOLARCHIVE_LOG_LEVEL: 'debug' })).exitCode).toBe(5)
    expect((await run(['sync', '--url', 'https://x.test/?a'])).exitCode).toBe(2)
    expect(statSync(dataFile('logs', 'solarchive.log')).size).toBe(0)
    engine.projects.add([{ id: 'p2' }])
  } finally {
    await engine.close()
  }
  expect(existsSync(dataFile('solarchive.sqlite3-wal'))).toBe(false)
})

test('the help shows its usage', async () => {
  const { exitCode, stdout } = await run(['support-bundle', '--help'])
  expect(exitCode).toBe(0)
  expect(stdout).toContain('solarchive support-bundle --output')
})

function openEngine() {
  return createEngine(
    { serviceUrl: 'http://127.0.0.1:9', homeFolder: dataFile(), archiveFolder: join(folder, 'archive') },
    {
      clock: systemClock,
      logger: { debug() {}, info() {}, warn() {}, error() {}, showMessage() {} },
      secrets: { accessToken: () => Promise.resolve(undefined) },
    },
  )
}
