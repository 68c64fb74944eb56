import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { exportResultSchema } from '../../shared/export.ts'
import { until } from '../support/watching.ts'
import { startMain } from '../support/run-main.ts'
import { shareCommandLine } from '../support/share-command-line.ts'

const cli = shareCommandLine({
  projects: 2,
  checklistsPerProject: 2,
  statuses: ['completed', 'awaitingMedia'],
  token: 'canary-token',
  photoQuestionsPerChecklist: 2,
  photosPerQuestion: 2,
  photoBytes: 2_000,
  awkwardNames: false,
})
const { run, options } = cli

beforeAll(async () => {
  await run('sync')
})

async function exported(...args: string[]) {
  const { exitCode, stdout, stderr } = await run('export', '--json', ...args)
  return { exitCode, stderr, result: exportResultSchema.strict().parse(JSON.parse(stdout)) }
}

const checklists = () => cli.service.projects.flatMap((project) => project.checklists)
const complete = () => checklists().find(({ status }) => status === 'completed')
const open = () => checklists().find(({ status }) => status !== 'completed')

test('a complete checklist is exported with exit code 0, one with gaps with 4, and all without ids', async () => {
  const one = await exported(complete()?.id ?? '', '--to', 'one', '--include', 'reports,photos,tables,geo,xmp')
  expect(one).toMatchObject({
    exitCode: 0,
    result: { format: 'folder', projects: 1, checklists: 1, files: 5, gaps: [] },
  })
  expect(one.result.path).toMatch(/\/one$/)
  expect(readdirSync(join(cli.folder, 'one'))).toEqual(expect.arrayContaining(['SHA256SUMS', 'geo', 'tables']))

  const gaps = await exported(open()?.id ?? '', '--to', 'gaps.zip', '--format', 'zip')
  expect(gaps).toMatchObject({ exitCode: 4, result: { format: 'zip', checklists: 1 } })
  expect(gaps.result.gaps[0]).toMatchObject({ checklistId: open()?.id, reason: 'not uploaded yet' })
  const all = await exported('--to', 'all', '--format', 'bagit')
  expect(all).toMatchObject({ exitCode: 4, result: { projects: 2, checklists: 4, leftOut: 0 } })
  expect(await exported('--to', 'complete', '--only-complete')).toMatchObject({
    exitCode: 0,
    result: { checklists: 2, leftOut: 2, gaps: [] },
  })

  const text = await run(
    'export',
    cli.service.projects[0]?.id ?? '',
    '--to',
    'text',
    '--names',
    '{project}/{sequence:3} {question}',
  )
  expect(text.exitCode).toBe(4)
  expect(text.stdout).toMatch(
    /^Exported \d+ files \([\d.]+ KB\) of 2 checklists in 1 project\.\n1 checklist is not completed yet: .*\nExport: .*\/text\nMissing in the export \(\d+\):/,
  )
  expect(text.stdout).toMatch(/not uploaded from the phone yet/)
})

test('what is left out, documents alone, and a zip by its name', async () => {
  const { stdout } = await run('export', '--to', 'whole.ZIP', '--only-complete', '--include', 'tables,certificate')
  expect(stdout).toMatch(
    /^Exported tables, certificate of 2 checklists in 2 projects\.\nLeft out: 2 checklists that are not complete\.\nExport: .*\/whole\.ZIP\n$/,
  )
  expect(readFileSync(join(cli.folder, 'whole.ZIP')).toString('latin1', 0, 2)).toBe('PK')
})

test('what a search finds is exported', async () => {
  const { exitCode, result } = await exported('--search', 'kind:photo IMG', '--to', 'found', '--include', 'photos')
  expect([exitCode, result.files]).toEqual([
    0,
    readdirSync(join(cli.folder, 'found'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.jpg'),
    ).length,
  ])
  expect(result.files).toBeGreaterThan(4)
})

test('wrong usage ends with 2, and writes nothing', async () => {
  for (const [args, message] of [
    [['unknown', '--to', 'x'], 'no project and no checklist with the ID unknown'],
    [['--to', 'x', '--include', 'photos,films'], 'no part "films"'],
    [['--to', 'x', '--include', 'reports,xmp'], 'need photos as well'],
    [['--to', 'x', '--include', 'tables,geo'], 'need photos as well'],
    [['--to', 'x', '--format', 'rar'], 'Allowed choices are folder, zip, bagit'],
    [['--to', 'x', '--names', '{foto}'], 'unknown field {foto}'],
    [['--to', 'x', '--names', 'x'.repeat(501)], '--names has at most 500 characters'],
    [['--to', 'archive'], 'outside'],
    [['--to', 'missing/x'], 'does not exist'],
    [['--to', 'x'.repeat(250)], 'The name is too long'],
    [['a', '--search', 'b', '--to', 'x'], 'not both'],
    [['--search', 'nothingofthiskind', '--to', 'x'], 'found nothing'],
    [[], '--to'],
  ] as const) {
    const { exitCode, stderr } = await run('export', ...args)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
  }
  expect(existsSync(join(cli.folder, 'x'))).toBe(false)
})

test.each([
  ['export', ['--include', 'photos,contact-sheet']],
  ['packet', ['--template', 'permit-photos', '--documents', 'contact-sheet']],
])('an %s during which a move of the archive begins gets no name', async (command, flags) => {
  const to = `moving-${command}`
  const record = { from: join(cli.folder, 'archive'), to: '/theirs', folders: [], renamed: [], phase: 'copying' }
  const recorded = join(cli.folder, 'data', 'archive-move.json')
  const args = [command, complete()?.id ?? '', '--to', to, ...flags]
  const started = startMain(args, options())
  await until('something is written', () => readdirSync(cli.folder).some((name) => name.startsWith(`.${to}.`)))
  writeFileSync(recorded, JSON.stringify(record))
  const { exitCode, stderr } = await started.ended
  rmSync(recorded)
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('is being moved')])
  expect(existsSync(join(cli.folder, to))).toBe(false)
  expect((await run(...args)).exitCode).not.toBe(2)
  expect(existsSync(join(cli.folder, to))).toBe(true)
})

test('an export works beside a running watch, and changes nothing in the data folder', async () => {
  const watch = startMain(['--api-rate', '0', 'watch', '--json'], options())
  await until('the watch runs', () => watch.printed.stdout.includes('\n'))
  const { exitCode, result } = await exported(complete()?.id ?? '', '--to', 'beside')
  expect([exitCode, result.files]).toEqual([0, 5])
  await watch.stop()
  const before = readdirSync(join(cli.folder, 'data'))
  const database = readFileSync(join(cli.folder, 'data', 'solarchive.sqlite3'))
  expect(await exported(complete()?.id ?? '', '--to', 'alone')).toMatchObject({ exitCode: 0 })
  expect(readdirSync(join(cli.folder, 'data'))).toEqual(before)
  expect(readFileSync(join(cli.folder, 'data', 'solarchive.sqlite3'))).toEqual(database)
})

test('a stopped export leaves nothing', async () => {
  // A contact sheet takes a second or so, the start of its process included.
  const command = startMain(['export', '--to', 'stopped', '--include', 'contact-sheet'], options())
  await until('something is written', () => readdirSync(cli.folder).some((name) => /stopped.*\.partial$/.test(name)))
  const ended = await command.stop('SIGINT')
  expect(ended.exitCode).toBe(130)
  expect(readdirSync(cli.folder).filter((name) => name.includes('stopped'))).toEqual([])
})

test('a project that was never synced is named as left out', async () => {
  await run('projects', 'add', '64b5f0c2a1d3e4f5a6b7c8d9')
  const { stdout } = await run('export', '--to', 'with-new', '--only-complete', '--include', 'tables')
  expect(stdout).toContain('\nLeft out: 1 project with no known checklists yet.\n')
})
