import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, expect, test } from 'vitest'
import { databaseName } from '../../electron/engine/store/database-files.ts'
import { packetResultSchema } from '../../shared/packets.ts'
import { checkSums, judge } from '../engine/export/outside-judges.ts'
import { startMain } from '../support/run-main.ts'
import { shareCommandLine } from '../support/share-command-line.ts'
import { until } from '../support/watching.ts'

const cli = shareCommandLine({
  projects: 1,
  checklistsPerProject: 1,
  statuses: ['completed'],
  token: 'canary-token',
  photosPerQuestion: 1,
  photoBytes: 2_000,
  awkwardNames: false,
})
const { run, options } = cli

beforeAll(async () => {
  await run('sync')
  const slot = { id: 'all', title: 'Everything', patterns: ['*o*'] }
  writeFileSync(join(cli.folder, 'all.json'), JSON.stringify({ id: 'all', title: 'All photos', slots: [slot] }))
  writeFileSync(
    join(cli.folder, 'wrong.json'),
    JSON.stringify({ id: 'all', title: 'All photos', slots: [{ id: 'A' }] }),
  )
  writeFileSync(join(cli.folder, 'broken.json'), '{"id": "all",')
  writeFileSync(join(cli.folder, 'large.json'), JSON.stringify({ id: 'all', title: 'x'.repeat(1_000_000) }))
  writeFileSync(join(cli.folder, 'latin1.json'), Buffer.from('{"id": "all", "title": "Übergabe"}', 'latin1'))
})

async function packed(...args: string[]) {
  const { exitCode, stdout, stderr } = await run('packet', '--json', ...args)
  return { exitCode, stderr, result: packetResultSchema.strict().parse(JSON.parse(stdout)) }
}

const projectId = () => cli.service.projects[0]?.id ?? ''
const checklistId = () => cli.service.projects[0]?.checklists[0]?.id ?? ''

test('a packet is complete with 0, lacks a required slot with 4, and says why', async () => {
  const all = await packed(
    projectId(),
    '--template',
    'all.json',
    '--to',
    'all',
    '--documents',
    'contact-sheet,certificate',
  )
  expect(all).toMatchObject({
    exitCode: 0,
    result: { template: 'all', complete: true, slots: [{ id: 'all', filled: true }] },
  })
  expect(all.result.path).toBe(join(cli.folder, 'all'))
  checkSums(all.result.path, 'SHA256SUMS')
  for (const name of ['packet.pdf', 'contact-sheet.pdf', 'certificate.pdf']) {
    judge('qpdf', ['--check', join(all.result.path, name)])
  }
  const named = ['--names', '{slotid:upper} {sequence:3} {name:lower}', '--to', 'named']
  const { result } = await packed(projectId(), '--template', 'all.json', ...named)
  checkSums(result.path, 'SHA256SUMS')
  const photos = readdirSync(join(result.path, 'photos'))
  expect(photos).toHaveLength(result.slots[0]?.photos ?? 0)
  expect(photos[0]).toMatch(/^ALL 001 [^A-Z]+\.jpg$/)
  const listed = JSON.parse(readFileSync(join(result.path, 'packet.json'), 'utf8')) as {
    slots: { files: { file: string }[] }[]
  }
  expect(listed.slots[0]?.files.map(({ file }) => file)).toEqual(photos.map((name) => `photos/${name}`))
  const claim = await packed(checklistId(), '--template', 'Warranty claim', '--to', 'claim')
  expect(claim).toMatchObject({ exitCode: 4, result: { template: 'warranty-claim', complete: false } })
  const { path, slots, complete } = JSON.parse(
    readFileSync(join(cli.folder, 'claim', 'packet.json'), 'utf8'),
  ) as never as {
    path?: string
    slots: { id: string }[]
    complete: boolean
  }
  expect([path, complete]).toEqual([undefined, false])
  expect(slots.map(({ id }) => id)).toEqual(claim.result.slots.map(({ id }) => id))

  const text = await run('packet', projectId(), '--template', 'all.json', '--to', 'text')
  expect(text.exitCode).toBe(0)
  expect(text.stdout).toMatch(
    /^All photos\n {2}1 {2}Everything: Filled, \d+ photos\nComplete: 1 of 1 required slot filled\.\nPacket: .*\/text\n$/,
  )
  const lacking = await run('packet', projectId(), '--template', 'warranty-claim', '--to', 'lacking')
  expect(lacking.exitCode).toBe(4)
  expect(lacking.stdout).toMatch(/Proof of purchase: Not part of a site survey\n/)
  expect(lacking.stdout).toMatch(/Not filled, 0 photos\n {6}no question of the checklists fills it\n/)
})

test('with --quiet a packet says only what is not well', async () => {
  const ends = async (template: string) => {
    const { exitCode, stdout } = await run('packet', projectId(), '--template', template, '--to', 'quiet', '--quiet')
    rmSync(join(cli.folder, 'quiet'), { recursive: true })
    return [exitCode, stdout] as const
  }
  expect(await ends('all.json')).toEqual([0, ''])
  const [exitCode, lacking] = await ends('warranty-claim')
  expect(exitCode).toBe(4)
  expect(lacking).toMatch(
    /^Warranty claim\n( +\d+ {2}.*: Not filled.*\n {6}.*\n)+Not complete: .* required slots filled\.\n$/,
  )
  expect(lacking).not.toMatch(/Optional|Not part|: Filled|Packet:/)
})

test('wrong usage ends with 2, and writes nothing', async () => {
  for (const [args, message] of [
    [['unknown', '--template', 'permit-photos', '--to', 'x'], 'no project and no checklist with the ID unknown'],
    [[projectId(), '--template', 'none', '--to', 'x'], 'no template "none"'],
    [[projectId(), '--template', 'none.json', '--to', 'x'], 'none.json does not exist'],
    [[projectId(), '--template', 'large.json', '--to', 'x'], 'large.json is too large for a template'],
    [[projectId(), '--template', 'latin1.json', '--to', 'x'], 'latin1.json is not saved as UTF-8'],
    [[projectId(), '--template', 'wrong.json', '--to', 'x'], 'is not a template at slots.0'],
    [[projectId(), '--template', 'broken.json', '--to', 'x'], 'broken.json is not a template: it is not valid JSON'],
    [[projectId(), '--template', 'permit-photos', '--to', 'archive'], 'outside'],
    [[projectId(), '--template', 'permit-photos', '--to', 'x'.repeat(250)], 'The name is too long'],
    [[projectId(), '--template', 'permit-photos', '--to', 'x', '--documents', 'film'], 'no document "film"'],
    [[projectId(), '--template', 'permit-photos', '--to', 'x', '--names', '{foto}'], 'fields are {slot}, {slotid}'],
    [[projectId(), '--template', 'permit-photos'], '--to'],
    [['--template', 'permit-photos', '--to', 'x'], 'ID'],
  ] as const) {
    const { exitCode, stderr } = await run('packet', ...args)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)])
  }
  expect(existsSync(join(cli.folder, 'x'))).toBe(false)
})

test('a packet is made beside a running watch, and changes nothing in the data folder', async () => {
  const watch = startMain(['--api-rate', '0', 'watch', '--json'], options())
  await until('the watch runs', () => watch.printed.stdout.includes('\n'))
  expect(await packed(projectId(), '--template', 'all.json', '--to', 'beside')).toMatchObject({ exitCode: 0 })
  await watch.stop()
  const before = readdirSync(join(cli.folder, 'data'))
  const database = readFileSync(join(cli.folder, 'data', 'solarchive.sqlite3'))
  expect(await packed(projectId(), '--template', 'all.json', '--to', 'alone')).toMatchObject({ exitCode: 0 })
  expect(readdirSync(join(cli.folder, 'data'))).toEqual(before)
  expect(readFileSync(join(cli.folder, 'data', 'solarchive.sqlite3'))).toEqual(database)
})

test('what a question without a name lacks is said to be of an untitled one', async () => {
  const db = new Database(join(cli.folder, 'data', databaseName))
  db.exec("UPDATE questions SET section_label = 'Roof', label = ''")
  const photo = db.prepare("SELECT path FROM assets WHERE kind = 'photo' LIMIT 1").pluck().get() as string
  db.close()
  rmSync(join(cli.folder, 'archive', photo))
  const { exitCode, stdout } = await run('packet', projectId(), '--template', 'all.json', '--to', 'untitled')
  expect(exitCode).toBe(4)
  expect(stdout).toContain('\n      Untitled question: 1 of 1 photo missing or changed on the disk\n')
})
