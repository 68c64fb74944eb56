import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkedEvidenceSchema, evidenceReportSchema, stampedEvidenceSchema } from '../../shared/evidence.ts'
import { runMain, startMain } from '../support/run-main.ts'
import { shareCommandLine } from '../support/share-command-line.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { openssl, startAuthority, type TestAuthority, verifyWithOpenssl } from '../support/time-stamp-authority.ts'
import { closedPort } from '../support/with-server.ts'
import { until } from '../support/watching.ts'

describe.skipIf(openssl === undefined)('evidence on the command line', () => {
  const cli = shareCommandLine({
    projects: 1,
    checklistsPerProject: 1,
    statuses: ['completed'],
    photoBytes: 2_000,
  })
  const { run, options } = cli
  let authority: TestAuthority
  beforeAll(async () => {
    authority = await startAuthority()
    expect(await run('evidence', 'stamp', '--authority', authority.url)).toMatchObject({ exitCode: 2 })
    expect(await run('evidence', 'verify')).toMatchObject({ exitCode: 2 })
    expect(await run('sync')).toMatchObject({ exitCode: 0 })
  })
  afterAll(() => authority.close())

  async function stamp(...args: string[]) {
    const { stdout, exitCode } = await run('evidence', 'stamp', '--json', ...args)
    expect(exitCode).toBe(0)
    return stampedEvidenceSchema.strict().parse(JSON.parse(stdout))
  }

  test('an authority that cannot be reached is said once', async () => {
    const { exitCode, stderr } = await run('evidence', 'stamp', '--authority', `http://127.0.0.1:${closedPort}`)
    expect([exitCode, stderr.match(/no time stamp/g)]).toEqual([4, ['no time stamp']])
  })

  test('stamp and verify, in this process and in that of the owner', async () => {
    const stamped = await stamp('--authority', authority.url)
    expect(stamped).toMatchObject({ created: true, projects: 1 })
    const path = (name: string) => join(cli.folder, 'archive', name)
    expect(verifyWithOpenssl(path(stamped.manifest), path(stamped.stamp), authority.caFile)).toContain('OK')
    const checked = await run('evidence', 'verify', '--json')
    const report = evidenceReportSchema.strict().parse(JSON.parse(checked.stdout))
    expect(checked.exitCode).toBe(0)
    expect(checkedEvidenceSchema.strict().parse(report.folders[0])).toMatchObject({ files: stamped.files })

    writeFileSync(join(cli.folder, 'data', 'settings.json'), JSON.stringify({ schedule: 'manual' }))
    const watching = startMain(['watch', '--json', '--quiet'], options())
    onTestFinished(() => void watching.stop())
    await until('the watch is idle', () => watching.printed.stdout.includes('"kind":"idle"'))
    expect(await stamp('--authority', authority.url)).toEqual({ ...stamped, created: false })
    expect((await run('evidence', 'verify', '--json')).stdout).toBe(checked.stdout)
    await watching.stop()
  })

  test('an exported file is proven by a copy of the evidence without the archive, as docs/export.md says', async () => {
    const { folder } = await stamp('--authority', authority.url)
    const above = temporaryFolder()
    const handed = join(above, 'hand-over')
    const text = readFileSync(new URL('../../docs/export.md', import.meta.url), 'utf8')
    const lines = [...(text.split('## For a court')[1]?.split('\n## ')[0] ?? '').matchAll(/^ {4}(.+)$/gm)].map(
      ([, line = '']) => line,
    )
    for (const line of lines.filter((command) => /^(mkdir|cp) /.test(command))) {
      const command = line.replace(/\/path\/to\/archive\/\S+/, join(cli.folder, 'archive', folder))
      expect([line, spawnSync('sh', ['-c', command], { cwd: above }).status]).toEqual([line, 0])
    }
    const order = ['--to', join(handed, 'export'), '--names', '{sequence:3} {question}', '--include']
    expect(await run('export', ...order, 'reports,photos,certificate')).toMatchObject({ exitCode: 0 })
    copyFileSync(authority.caFile, join(handed, 'authority.pem'))
    // Nobody stamped what was added to the evidence, or is in the name of a file.
    const sums = readFileSync(join(handed, 'export', 'SHA256SUMS'), 'utf8')
    mkdirSync(join(handed, 'evidence', 'projects', 'Added'))
    writeFileSync(join(handed, 'evidence', 'projects', 'Added', 'SHA256SUMS'), sums)
    const added = `${sums.slice(0, 64)}.txt`
    writeFileSync(join(handed, 'export', added), 'added')
    appendFileSync(join(handed, 'export', 'SHA256SUMS'), `${hash('sha256', 'added')}  ${added}\n`)
    const commands = lines.filter((line) => !/^(solarchive|mkdir|cp) /.test(line))
    expect(commands.length).toBeGreaterThan(5)
    const [photo = ''] = readdirSync(join(handed, 'export')).filter((name) => /^\d{3} .*\.jpg$/.test(name))
    const printed = commands.map((line) => {
      const command = line.replace('"<file>"', `"${photo}"`)
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: handed, encoding: 'utf8' })
      expect([line, status], stderr).toEqual([line, 0])
      return stdout
    })
    expect(printed.join('')).toMatch(/ [^\n]+\/photos\/[^\n]+\.jpg\n/)
    // Only what the export itself has written is in no manifest.
    expect(printed.at(-1)).toMatch(/^[\da-f]{64} {2}certificate\.pdf\n[\da-f]{64} {2}[\da-f]{64}\.txt\n$/)

    const readme = readFileSync(join(handed, 'evidence', 'README.txt'), 'utf8')
    const search = /^ +(cut .*<its checksum>.*)$/m.exec(readme)?.[1] ?? ''
    const found = (name: string) => {
      const sum = hash('sha256', readFileSync(join(handed, 'export', name)))
      const command = search.replace('<its checksum>', sum)
      return spawnSync('sh', ['-c', command], { cwd: join(handed, 'evidence'), encoding: 'utf8' }).stdout
    }
    expect(found(photo)).toMatch(/^projects\/.+\/photos\/.+\.jpg\n$/)
    expect(found('certificate.pdf')).toBe('')
  })

  test('verify reads a single folder, needs no data folder, and ends with 4 for what is damaged', async () => {
    const { folder: today, manifest } = await stamp('--authority', authority.url)
    const verify = () => runMain(['evidence', 'verify', join('archive', today)], { cwd: cli.folder, env: {} })
    expect(await verify()).toMatchObject({ exitCode: 0 })
    const file = join(cli.folder, 'archive', manifest)
    const text = readFileSync(file)
    writeFileSync(file, text.toString().replace(/^./, 'g'))
    const { exitCode, stdout } = await verify()
    expect([exitCode, stdout]).toEqual([4, expect.stringContaining('missing or changed since')])
    expect(stdout).toContain('is a time stamp of something else')
    rmSync(file)
    expect(await verify()).toMatchObject({
      exitCode: 4,
      stdout: expect.stringContaining('SHA256SUMS is missing') as string,
    })
    writeFileSync(file, text)
    for (const [path, problem] of [
      ['data', `There is no evidence in ${join(cli.folder, 'data')}.`],
      ['nope', `There is no folder ${join(cli.folder, 'nope')}. Name the folder of an archive,`],
      [join('nope', 'below'), 'There is no folder '],
      [join('data', 'solarchive.sqlite3'), 'solarchive.sqlite3 is not a folder. Name'],
    ] as const) {
      const { exitCode, stderr } = await runMain(['evidence', 'verify', path], { cwd: cli.folder, env: {} })
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(problem)])
    }
  })

  test('verify reads an archive, its evidence, and a folder of that through a link to it', async () => {
    const { folder: today } = await stamp('--authority', authority.url)
    const links = temporaryFolder()
    const verify = (to: string) => {
      const link = join(links, `link ${readdirSync(links).length}`)
      symlinkSync(join(cli.folder, to), link, 'junction')
      return runMain(['evidence', 'verify', link], { cwd: cli.folder, env: {} })
    }
    for (const to of ['archive', join('archive', '.evidence'), join('archive', today)]) {
      const { exitCode, stdout, stderr } = await verify(to)
      expect([exitCode, stdout, stderr], to).toEqual([0, expect.stringContaining('stamped at'), ''])
    }
    for (const [to, problem] of [
      ['data', 'There is no evidence in '],
      ['nope', 'There is no folder '],
    ] as const) {
      const { exitCode, stderr } = await verify(to)
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining(problem)])
    }
  })

  test('a stamp says how many files are known to be missing or changed', async () => {
    const archive = join(cli.folder, 'archive')
    const photos = readdirSync(archive, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jpg'))
    rmSync(join(archive, photos[0] ?? ''))
    // No check has found it before.
    expect(await run('status', '--json')).toMatchObject({ exitCode: 4 })
    expect(await stamp('--authority', authority.url)).toMatchObject({ damaged: 1 })
    const { stdout, exitCode } = await run('evidence', 'stamp', '--authority', authority.url)
    expect(exitCode).toBe(0)
    expect(stdout).toContain('1 archived file is missing or changed on the disk: the time stamp proves only')
    expect(await run('verify', '--repair')).toMatchObject({ exitCode: 0 })
    expect(await stamp('--authority', authority.url)).toMatchObject({ damaged: 0 })
  })

  test('without an authority, or with an address that is none, nothing is stamped', async () => {
    const unset = await run('evidence', 'stamp')
    expect(unset.exitCode).toBe(2)
    expect(unset.stderr).toContain('stampAuthority')
    for (const address of ['tsa.example.com', 'ftp://tsa.example.com', 'https://user:secret@tsa.example.com/']) {
      const refused = await run('evidence', 'stamp', '--authority', address)
      expect(refused).toMatchObject({ exitCode: 2 })
      expect(refused.stderr).not.toContain('secret')
    }
    authority.answerWith((_, response) => void response.writeHead(503).end())
    onTestFinished(() => authority.answerWith())
    rmSync(join(cli.folder, 'archive', '.evidence'), { recursive: true })
    const refused = await run('evidence', 'stamp', '--json', '--authority', authority.url)
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'stamp-refused' } })
    expect(refused.exitCode).toBe(4)
  })
})
