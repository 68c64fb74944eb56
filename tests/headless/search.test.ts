import Database from 'better-sqlite3'
import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { lockDataFolder } from '../../electron/engine/store/data-folder-lock.ts'
import { searchHitSchema } from '../../shared/search.ts'
import { shareCommandLine } from '../support/share-command-line.ts'

const text = z.string().nullable()
const documentSchema = z.strictObject({
  query: z.string(),
  total: z.int(),
  hits: z.array(
    z.strictObject({
      kind: searchHitSchema.shape.kind,
      projectId: z.string(),
      projectName: z.string(),
      snippet: z.string(),
      checklistId: text,
      checklistTitle: text,
      section: text,
      question: text,
      path: text,
      status: text,
      page: z.int().nullable(),
      state: text,
      takenAt: text,
      orderId: z.int().nullable(),
    }),
  ),
  isCapped: z.boolean(),
  indexing: z.boolean(),
})

const cli = shareCommandLine({
  projects: 2,
  checklistsPerProject: 1,
  statuses: ['completed'],
  token: 'canary-token',
  photoQuestionsPerChecklist: 2,
  photosPerQuestion: 2,
  photoBytes: 2_000,
})
const { run } = cli

beforeAll(async () => {
  expect(await run('sync')).toMatchObject({ exitCode: 0 })
  // Nothing reads the reports here.
  expect(await find('zzzz')).toMatchObject({ indexing: true, total: 0 })
  expect((await run('search', 'zzzz')).stdout).toContain('Some archived files were not read for their text yet')
  const db = new Database(join(cli.folder, 'data', 'solarchive.sqlite3'))
  db.exec(`DELETE FROM analysis_queue; UPDATE analysis_jobs SET state = 'failed'`)
  db.close()
})

async function find(...args: string[]) {
  const { stdout, exitCode } = await run('search', '--json', ...args)
  expect(exitCode).toBe(0)
  return documentSchema.parse(JSON.parse(stdout))
}

/** Returns a photo of the archive with all that the search knows about it. */
async function aPhoto() {
  const { hits } = await find('kind:photo', '--limit', '1')
  const [photo] = hits
  if (photo?.path == null || photo.question === null) throw new Error('no photo')
  return { ...photo, path: photo.path, question: photo.question }
}

test('a photo is found by its question, its project, and the middle of its name', async () => {
  const photo = await aPhoto()
  expect(photo).toMatchObject({ kind: 'photo', state: 'archived', page: null })
  const byWords = await find(photo.projectName, photo.question, '--kind', 'photo', '--project', photo.projectId)
  expect(byWords.hits.map(({ path }) => path)).toContain(photo.path)
  const middle = basename(photo.path).slice(1, -4)
  const byName = await find(middle, '--limit', '10000')
  expect(byName).toMatchObject({ query: middle, total: byName.hits.length, isCapped: false, indexing: false })
  expect(byName.hits.map(({ path }) => path)).toContain(photo.path)
  const { stdout } = await run('search', photo.question, '--kind', 'photo')
  expect(stdout).toContain(`${photo.projectName} › ${photo.checklistTitle} › ${photo.section} › ${photo.question}`)
  expect(stdout).toContain(photo.path)
  expect(stdout).not.toContain('canary')
})

test('after the database was lost, everything is found again', async () => {
  const before = await find('kind:photo,answer,question,checklist', '--limit', '10000')
  expect(new Set(before.hits.map(({ kind }) => kind))).toContain('checklist')
  await rm(join(cli.folder, 'data'), { recursive: true })
  for (const { id } of cli.service.projects) await run('projects', 'add', id)
  await run('status')
  const after = await find('kind:photo,answer,question,checklist', '--limit', '10000')
  const names = ({ hits }: typeof after) => hits.map(({ path, snippet }) => path ?? snippet).toSorted()
  expect(names(after)).toEqual(names(before))
})

test('beside an owner that indexes the archive, no command says that it does so itself', async () => {
  const home = join(cli.folder, 'data')
  const db = new Database(join(home, 'solarchive.sqlite3'))
  db.exec('UPDATE search_state SET version = 0, checklist_key = 0')
  db.close()
  const lock = lockDataFolder(home)
  onTestFinished(() => lock.release())
  const [archiveFolder, serviceUrl] = [join(cli.folder, 'archive'), cli.service.url]
  const limits = { apiCallsPerMinute: null, concurrency: null }
  const owner = { pid: process.pid, version: '1', command: 'watch', useSample: false, address: '', key: '' }
  writeFileSync(join(home, 'owner', 'owner.json'), JSON.stringify({ ...owner, ...limits, archiveFolder, serviceUrl }))
  const beside = await run('search', 'roof')
  expect(beside).toMatchObject({ exitCode: 0, stderr: '' })
  expect(beside.stdout).toContain('The running Solarchive is still indexing the archive')
  const exported = await run('export', '--search', 'roof', '--to', join(cli.folder, 'out'))
  expect([exported.exitCode, exported.stderr]).toEqual([5, expect.not.stringContaining('This may take a minute')])
})

test('nothing found is no error, and wrong options say what is possible', async () => {
  const nothing = await run('search', 'zzzz')
  expect([nothing.exitCode, nothing.stdout.split('\n')[0]]).toEqual([0, 'Nothing was found.'])
  expect(await run('search', '--', '-zzzz main')).toMatchObject({ exitCode: 0 })
  const refused = [
    [['main', 'before:2026-02-30'], '"2026-02-30" is not a date'],
    [['main', 'status:bogus'], 'There is no status "bogus"'],
    [['--', 'main '.repeat(32), '-roof'], 'A search has at most 32 words, and the rest starts at -roof.'],
    [['main', '--kind', 'video'], 'There is no kind "video". Use project, order,'],
    [['main', '--limit', '0'], '--limit is a whole number from 1 to 10,000'],
    [['main', '--project', 'unknown'], 'in the list'],
    [[' '], 'Enter a search query.'],
    [['x'.repeat(501)], 'at most 500 characters'],
  ] as const
  for (const [args, message] of refused) {
    const { exitCode, stderr } = await run('search', ...args)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
  }
})
