import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ArchiveFolders } from '../../../electron/engine/archive/archive-folders.ts'
import type { Engine, EngineSettings } from '../../../electron/engine/engine.ts'
import { Evidence, type EvidenceSettings } from '../../../electron/engine/evidence/evidence.ts'
import { verifyEvidence } from '../../../electron/engine/evidence/verify-evidence.ts'
import type { Clock } from '../../../electron/engine/lib/ports.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { Outbound } from '../../../electron/engine/service/outbound.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { databaseName } from '../../../electron/engine/store/database-files.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import { recordSnapshots, takeSnapshot } from '../../support/record-snapshots.ts'
import { hashFiles, readFiles, sampleArchive, shareArchive } from '../../support/sample-archive.ts'
import { silentLogger } from '../../support/silent-logger.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import {
  type Authority,
  openssl,
  replaceBytes,
  setTime,
  startAuthority,
  type TestAuthority,
} from '../../support/time-stamp-authority.ts'
import { startWatching, until } from '../../support/watching.ts'
import { closedPort } from '../../support/with-server.ts'
import { withoutPrivileges } from '../archive/folder-test.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs
/** Noon of tomorrow: certificates of the tests are valid then. */
const noonMs = (Math.floor(Date.now() / dayMs) + 1.5) * dayMs
const noon: Clock = { ...systemClock, nowMs: () => noonMs }
const ports = { clock: noon }
const signal = new AbortController().signal
/** Name of the folder of a day after `noon`. */
const dayAfter = (days: number) => new Date(noonMs + days * dayMs).toISOString().slice(0, 10)
const today = `.evidence/${dayAfter(0)}`

describe.skipIf(openssl === undefined)('evidence of an archive', () => {
  const share = shareArchive(async (onDone) => {
    const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1 }, undefined, onDone)
    await archive.sync()
    return archive
  })
  let archive: ReturnType<typeof share>
  let authority: TestAuthority
  let settings: Partial<EngineSettings>
  beforeAll(async () => {
    authority = await startAuthority()
    settings = { evidence: { isDaily: false, authorities: [authority.url] } }
  })
  afterAll(() => authority.close())
  beforeEach(() => {
    authority.answerWith()
    authority.useClock(noon)
    archive = share()
  })
  const stamp = (more: Partial<EngineSettings> = {}) =>
    archive.withEngine((engine) => engine.stampEvidence(), { ...settings, ...more }, ports)
  const inToday = (...names: string[]) => join(archive.root, today, ...names)
  const projectFolders = () => readdirSync(archive.root).filter((name) => !name.startsWith('.'))

  /** Checks a folder without Solarchive. */
  function checkWithTools(folder = join(archive.root, today)): void {
    const script = `set -e
      sha256sum --check --strict --quiet SHA256SUMS
      openssl ts -verify -data SHA256SUMS -in SHA256SUMS.tsr -CAfile "$0"
      for project in projects/*; do
        (cd "../../\${project#projects/}"; sha256sum --check --strict --quiet "$OLDPWD/$project/SHA256SUMS")
      done`
    const printed = execFileSync('sh', ['-c', script, authority.caFile], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(printed).toContain('Verification: OK')
  }

  test('can be checked with sha256sum and openssl, and covers every archived file', async () => {
    const stamped = await stamp()
    expect(stamped).toMatchObject({ folder: today, projects: 2, created: true, signedBy: 'Example time stamps' })
    checkWithTools()
    for (const project of projectFolders()) {
      const copy = readFileSync(inToday('projects', project, 'SHA256SUMS'), 'utf8')
      expect(copy).toBe(readFileSync(join(archive.root, project, 'SHA256SUMS'), 'utf8'))
    }
    const archived = [...readFiles(archive.root).keys()].filter((path) => !/^\.evidence|\/SHA256SUMS$/.test(path))
    expect(stamped.files).toBe(archived.length)
    const report = await verifyEvidence(archive.root, signal)
    expect(report).toMatchObject({ ok: true, folders: [{ state: 'stamped', files: stamped.files, problems: [] }] })
    expect(readFileSync(inToday('README.txt'), 'utf8')).toMatch(/^[\x20-\x7e\n]+$/)
  })

  test('can be checked as of the time of the stamp once its certificates have expired, as README.txt says', async () => {
    const { stampedAt } = await stamp()
    const readme = readFileSync(inToday('README.txt'), 'utf8')
    const [command = ''] = /openssl ts -verify .+/.exec(readme) ?? []
    const [option = ''] = /-attime <seconds>/.exec(readme) ?? []
    const script = `${command.replace('authority.pem', '"$0"')} ${option.replace('<seconds>', '"$1"')}`
    const cwd = join(archive.root, today)
    const checkAt = (ms: number) =>
      spawnSync('sh', ['-c', script, authority.caFile, `${Math.floor(ms / 1000)}`], { cwd, encoding: 'utf8' })
    expect(checkAt(noonMs + 10 * 365 * dayMs).stderr).toContain('certificate has expired')
    expect(checkAt(Date.parse(stampedAt ?? ''))).toMatchObject({ status: 0, stdout: 'Verification: OK\n' })
  })

  test('proves the files of one project without the copies of others, as README.txt says', async () => {
    await stamp()
    const [folder = '', other = ''] = projectFolders()
    const part = join(temporaryFolder(), 'evidence')
    for (const name of ['SHA256SUMS', 'SHA256SUMS.tsr', 'README.txt', join('projects', folder)]) {
      cpSync(inToday(name), join(part, name), { recursive: true })
    }
    const readme = readFileSync(join(part, 'README.txt'), 'utf8')
    const [check = ''] = /sha256sum --ignore-missing .+/.exec(readme) ?? []
    const [search = ''] = /cut .+<its checksum>.+/.exec(readme) ?? []
    const runIn = (script: string) => spawnSync('sh', ['-c', script], { cwd: part, encoding: 'utf8' })
    expect(runIn(check)).toMatchObject({ status: 0, stdout: `projects/${folder}/SHA256SUMS: OK\n` })
    const copy = join('projects', folder, 'SHA256SUMS')
    const [line = ''] = readFileSync(join(part, copy), 'utf8').split('\n')
    const found = runIn(search.replace('<its checksum>', line.slice(0, 64)))
    expect(found.stdout).toBe(`projects/${folder}/SHA256SUMS:${line}\n`)
    expect(found.stderr).toContain(other)
    expect(await verifyEvidence(part, signal)).toMatchObject({ ok: false, folders: [{ state: 'damaged' }] })
    appendFileSync(join(part, copy), line)
    expect(runIn(check).status).toBe(1)
  })

  test('only a hash leaves the machine', async () => {
    const before = authority.queries.length
    await stamp()
    const [query, ...others] = authority.queries.slice(before)
    expect(others).toEqual([])
    expect(query?.byteLength).toBeLessThan(100)
  })

  test('that has not changed is not stamped again on the same day; changed evidence gets its own folder', async () => {
    const first = await stamp()
    const files = hashFiles(archive.root)
    const asked = authority.queries.length
    expect(await stamp()).toEqual({ ...first, created: false })
    expect(hashFiles(archive.root)).toEqual(files)
    expect(authority.queries).toHaveLength(asked)

    const [checklist] = archive.service.projects[0]?.checklists ?? []
    Object.assign(checklist ?? {}, { title: 'Another title', updatedAt: '2026-06-30T08:00:00.000Z' })
    await archive.sync()
    const second = await stamp()
    expect(second).toMatchObject({ folder: `${today}T12-00-00Z`, created: true })
    expect(await stamp()).toEqual({ ...second, created: false })
    expect(await verifyEvidence(join(archive.root, '.evidence'), signal)).toMatchObject({ ok: true })
    expect([...hashFiles(archive.root)].filter(([path]) => path.startsWith(`${today}/`))).toEqual(
      [...files].filter(([path]) => path.startsWith(`${today}/`)),
    )
  })

  test('whose stamp is no stamp any more is stamped again', async () => {
    await stamp()
    for (const bytes of [200_000, 0]) {
      writeFileSync(inToday('SHA256SUMS.tsr'), Buffer.alloc(bytes))
      expect(await stamp()).toMatchObject({ signedBy: 'Example time stamps' })
    }
    expect(await verifyEvidence(archive.root, signal)).toMatchObject({ ok: true })
  })

  test('is part of the archive: no verify, rebuild, or status takes it for something else', async () => {
    await stamp()
    const before = hashFiles(archive.root)
    const verified = await archive.withEngine((engine) => engine.verify({ repair: true }))
    expect(verified).toMatchObject({ missing: [], changed: [], unexpected: [] })
    rmSync(archive.home, { recursive: true })
    const rebuilt = await archive.withEngine(async (engine) => {
      await engine.status()
      return engine.projects.list().map(({ folder }) => folder)
    })
    expect(rebuilt.toSorted()).toEqual(projectFolders().toSorted())
    expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({ unexpected: [], missing: [] })
    const evidence = (hashes: ReadonlyMap<string, string>) =>
      [...hashes].filter(([path]) => path.startsWith('.evidence'))
    expect(evidence(hashFiles(archive.root))).toEqual(evidence(before))
  })

  test('that somebody changed is found, and so is a stamp of something else', async () => {
    await stamp()
    const [project = ''] = projectFolders()
    const copy = inToday('projects', project, 'SHA256SUMS')
    const text = readFileSync(copy, 'utf8')
    const stateAfter = async (change: () => void) => {
      const before = takeSnapshot([archive.root], 'before')
      change()
      const { ok, folders } = await verifyEvidence(archive.root, signal)
      before.restore()
      expect(ok).toBe(false)
      return folders[0]
    }
    const damaged = { state: 'damaged' }
    expect(
      await stateAfter(() =>
        writeFileSync(
          copy,
          text.replace(/^./, (digit) => (digit === 'f' ? '0' : 'f')),
        ),
      ),
    ).toMatchObject({
      ...damaged,
      problems: [`projects/${project}/SHA256SUMS is missing or changed.`],
    })
    expect(await stateAfter(() => rmSync(copy))).toMatchObject(damaged)
    expect(await stateAfter(() => writeFileSync(inToday('SHA256SUMS'), ''))).toMatchObject(damaged)
    const tooLarge = await stateAfter(() => truncateSync(inToday('SHA256SUMS'), 2 ** 28 + 1))
    expect(tooLarge).toMatchObject({
      ...damaged,
      problems: ['SHA256SUMS is not a list of checksums.', expect.stringContaining('time stamp of something else')],
    })
    expect(await stateAfter(() => writeFileSync(inToday('SHA256SUMS.tsr'), Buffer.alloc(200_000)))).toMatchObject(
      damaged,
    )
    expect(await stateAfter(() => rmSync(inToday('SHA256SUMS.tsr')))).toMatchObject({ state: 'not-stamped' })
    // The same bytes, but not in the archive.
    const elsewhere = `${archive.root}-elsewhere`
    mkdirSync(elsewhere)
    writeFileSync(join(elsewhere, 'SHA256SUMS'), text)
    const linked = await stateAfter(() => {
      rmSync(inToday('projects', project), { recursive: true })
      symlinkSync(elsewhere, inToday('projects', project))
    })
    expect(linked).toMatchObject(damaged)
    rmSync(elsewhere, { recursive: true })
  })

  test.each(['a folder', 'a link'])('to which a copy was added as %s is damaged', async (kind) => {
    await stamp()
    const added = inToday('projects', 'Added')
    const folder = kind === 'a link' ? `${archive.root}-elsewhere` : added
    mkdirSync(folder)
    if (folder !== added) symlinkSync(folder, added)
    writeFileSync(join(folder, 'notes.txt'), '')
    if (folder === added) expect(await verifyEvidence(archive.root, signal)).toMatchObject({ ok: true })
    writeFileSync(join(folder, 'SHA256SUMS'), `${'0'.repeat(64)}  photos/roof.jpg\n`)
    expect(await verifyEvidence(archive.root, signal)).toMatchObject({
      ok: false,
      folders: [
        { state: 'damaged', problems: [expect.stringContaining('projects/Added/SHA256SUMS is not in SHA256SUMS')] },
      ],
    })
  })

  test.runIf(process.platform !== 'win32')(
    'that may not be read is neither intact, nor damaged, nor none',
    async () => {
      await stamp()
      const evidence = join(archive.root, '.evidence')
      const [copy = ''] = [...readFiles(inToday('projects')).keys()]
      const files = [inToday('SHA256SUMS'), inToday('SHA256SUMS.tsr'), inToday('projects', copy)]
      // A folder whose names may be listed, but which may not be entered, as well.
      const folders = [archive.root, evidence, inToday()].flatMap((path) =>
        [0, 0o600].map((mode) => [path, mode] as const),
      )
      for (const [path, refusing] of [...folders, ...files.map((file) => [file, 0] as const)]) {
        const { mode } = statSync(path)
        chmodSync(path, refusing)
        await withoutPrivileges(temporaryFolder(), async () => {
          const error = {
            code: 'disk-error',
            message: expect.stringContaining(`no permission to read ${path}, so`) as string,
          }
          await expect(verifyEvidence(archive.root, signal)).rejects.toMatchObject(error)
        })
        chmodSync(path, mode)
      }
      expect(await verifyEvidence(archive.root, signal)).toMatchObject({ ok: true })
    },
  )

  test('is never written through a link', async () => {
    const elsewhere = `${archive.root}-elsewhere`
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, join(archive.root, '.evidence'))
    await expect(stamp()).rejects.toMatchObject({ code: 'disk-error' })
    await expect(verifyEvidence(archive.root, signal)).rejects.toMatchObject({ code: 'disk-error' })
    expect(readdirSync(elsewhere)).toEqual([])
    rmSync(elsewhere, { recursive: true })
  })

  const hostile: Readonly<Record<string, { readonly answer: Authority; readonly code: string }>> = {
    'a huge body': {
      code: 'unreadable-answer',
      answer: (_, response) => {
        const send = () => {
          while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
        }
        response.writeHead(200).on('drain', send)
        send()
      },
    },
    'a time stamp for another request': {
      code: 'stamp-refused',
      answer: async (query, response, reply) => {
        const other = Buffer.from(query)
        // The last bytes are the nonce and "certReq: true".
        other[other.length - 6] = (other[other.length - 6] ?? 0) ^ 1
        response.end(await reply(other))
      },
    },
    'a time stamp of another hash': {
      code: 'stamp-refused',
      answer: async (query, response, reply) => {
        const other = Buffer.from(query)
        other[40] = (other[40] ?? 0) ^ 1
        response.end(await reply(other))
      },
    },
    // PKIStatusInfo with status 2, rejection.
    'a rejection': {
      code: 'stamp-refused',
      answer: (_, response) => void response.end(Buffer.from('30053003020102', 'hex')),
    },
    'a page': { code: 'stamp-refused', answer: (_, response) => void response.end('<html>Sign in</html>') },
    'an error': { code: 'stamp-refused', answer: (_, response) => void response.writeHead(500).end('no') },
    'a redirect': {
      code: 'stamp-refused',
      answer: (_, response) => void response.writeHead(307, { location: authority.url }).end(),
    },
    'a broken connection': { code: 'unreachable-reset', answer: (_, response) => void response.destroy() },
  }

  test.each(Object.entries(hostile))(
    'is not stamped by an authority that answers with %s',
    async (_, { answer, code }) => {
      authority.answerWith(answer)
      await expect(stamp()).rejects.toMatchObject({ code })
      expect(existsSync(inToday('SHA256SUMS.tsr'))).toBe(false)
      expect(existsSync(inToday('SHA256SUMS'))).toBe(true)
      // The evidence waits for an authority.
      authority.answerWith()
      expect(await stamp()).toMatchObject({ folder: today, created: true })
      checkWithTools()
    },
  )

  test('an authority that does not answer keeps nothing from ending', async () => {
    authority.answerWith(() => undefined)
    const stopped = new AbortController()
    const asked = authority.queries.length
    const stamping = archive.withEngine((engine) => engine.stampEvidence({ signal: stopped.signal }), settings, ports)
    const outcome = stamping.catch((error: unknown) => error)
    await expect.poll(() => authority.queries.length).toBe(asked + 1)
    stopped.abort()
    expect(await outcome).toBeInstanceOf(Error)
  })

  test('is stamped by the second authority if the first one cannot be reached', async () => {
    const first = `http://127.0.0.1:${closedPort}/`
    expect(await stamp({ evidence: { isDaily: false, authorities: [first, authority.url] } })).toMatchObject({
      created: true,
    })
    checkWithTools()
  })

  test('an authority in a private network is only asked if the service is there too or a user typed it', async () => {
    const store = createStore(join(archive.home, databaseName))
    const evidence = evidenceOn(store, noon, { serviceUrl: 'https://api.example.com' })
    await expect(evidence.stampNow({}, signal)).rejects.toMatchObject({ code: 'link-unsafe' })
    expect(await evidence.stampNow({ authority: authority.url }, signal)).toMatchObject({ created: true })
    store.close()
  })

  test('after a kill at any step, the next run completes the evidence', async () => {
    const folders = [archive.home, archive.root]
    const before = takeSnapshot(folders, 'before')
    const snapshots = await recordSnapshots(folders, () => stamp({ writeMode: 'inline' }))
    before.restore()
    expect(snapshots.length).toBeGreaterThan(20)
    for (const { name, restore } of snapshots) {
      restore()
      expect((await stamp()).folder, name).toBe(today)
      expect(readdirSync(join(archive.root, '.evidence')), name).toEqual([dayAfter(0)])
      expect(readdirSync(inToday()).toSorted(), name).toEqual([
        'README.txt',
        'SHA256SUMS',
        'SHA256SUMS.tsr',
        'projects',
      ])
      expect(await verifyEvidence(archive.root, signal), name).toMatchObject({ ok: true })
    }
    checkWithTools()
  })

  test('copies that a kill has left, of projects that are not stamped on that day, are no addition', async () => {
    mkdirSync(inToday('projects', 'Maple'), { recursive: true })
    for (const name of ['README.txt', 'projects/Maple/SHA256SUMS']) writeFileSync(inToday(name), 'x')
    await stamp()
    expect(await verifyEvidence(archive.root, signal)).toMatchObject({ ok: true, folders: [{ problems: [] }] })
    expect(readdirSync(inToday('projects')).toSorted()).toEqual(projectFolders().toSorted())
    checkWithTools()
  })

  test('a failed manual stamp and a kill are made up for by the next one; evidence can be verified again', async () => {
    const store = createStore(join(archive.home, databaseName))
    const now = { ms: noonMs }
    const clock: Clock = { ...systemClock, nowMs: () => now.ms, sleep: () => Promise.resolve() }
    authority.useClock(clock)
    const evidence = evidenceOn(store, clock, { isDaily: false })
    const verify = async () => {
      const { ok, folders } = await verifyEvidence(archive.root, signal)
      return { ok, states: Object.fromEntries(folders.map(({ folder, state }) => [folder, state])) }
    }
    const inFolder = (day: number, ...names: string[]) => join(archive.root, '.evidence', dayAfter(day), ...names)
    // Day 0: the authority fails. Day 1: killed before the root manifest; somebody has put a file there on day 2.
    authority.answerWith((_, response) => void response.writeHead(503).end())
    await expect(evidence.stampNow({}, signal)).rejects.toMatchObject({
      code: 'stamp-refused',
      message: expect.stringMatching(
        / is kept in \.evidence\/\S+, and is stamped with the next time stamp\.$/,
      ) as string,
    })
    for (const day of [1, 2]) {
      mkdirSync(inFolder(day, 'projects', 'Maple'), { recursive: true })
      for (const name of ['README.txt', 'projects/Maple/SHA256SUMS', '.SHA256SUMS.0123456789ab.part']) {
        writeFileSync(inFolder(day, name), 'x')
      }
    }
    writeFileSync(inFolder(2, 'notes.txt'), 'mine')
    expect(await verify()).toMatchObject({ ok: false, states: { [dayAfter(0)]: 'not-stamped' } })
    authority.answerWith()
    now.ms += 3 * dayMs
    const stamped = await evidence.stampNow({}, signal)
    expect(stamped).toMatchObject({ folder: `.evidence/${dayAfter(3)}`, created: true })
    expect(evidence.state().last).toMatchObject({ folder: stamped.folder })
    checkWithTools(inFolder(0))
    expect(await verify()).toEqual({
      ok: true,
      states: { [dayAfter(0)]: 'stamped', [dayAfter(2)]: 'incomplete', [dayAfter(3)]: 'stamped' },
    })
    expect(readdirSync(inFolder(2))).toEqual(['notes.txt'])
    // A root manifest that is gone is no kill.
    rmSync(inFolder(0, 'SHA256SUMS'))
    await evidence.stampNow({}, signal)
    expect(await verify()).toMatchObject({ ok: false, states: { [dayAfter(0)]: 'damaged' } })
    store.close()
  })

  const unusable: Readonly<Record<string, (bytes: Buffer) => void>> = {
    'names no certificate': (bytes) => replaceBytes(bytes, '060b2a864886f70d010910022f', '060b2a864886f70d010910027f'),
    'has a certificate that is not only for time stamps': (bytes) =>
      replaceBytes(bytes, '0603551d250101ff', '0603551d25010100'),
    'states the time of next week': (bytes) => setTime(bytes, noonMs + 7 * dayMs),
  }
  test.each(Object.entries(unusable))('the second authority is asked if the stamp of the first %s', async (_, edit) => {
    const first = authority.queries.length
    authority.answerWith(async (query, response, stamp) => {
      const answer = await stamp(query)
      response.end(authority.queries.length === first + 1 ? authority.change(answer, edit) : answer)
    })
    const authorities = [authority.url, authority.url]
    expect(await stamp({ evidence: { isDaily: false, authorities } })).toMatchObject({ created: true })
    expect(authority.queries).toHaveLength(first + 2)
    checkWithTools()
    expect(await verifyEvidence(archive.root, signal)).toMatchObject({ ok: true })
  })

  test('is stamped daily by a watch, also once the drive was mounted again', async () => {
    const clock = new JumpingClock(60)
    const toNoon = noonMs - clock.nowMs()
    clock.jump(toNoon)
    authority.useClock(clock)
    const work = async (engine: Engine) => {
      const watching = startWatching(engine)
      const isStamped = (day: number) => () => engine.evidenceState().last?.folder === `.evidence/${dayAfter(day)}`
      await until('the first day is stamped', isStamped(0))
      // A folder of its own for the file system, with the same files.
      renameSync(archive.root, `${archive.root} before`)
      cpSync(`${archive.root} before`, archive.root, { recursive: true, preserveTimestamps: true })
      clock.jump(dayMs)
      await until('the next day is stamped', isStamped(1))
      await watching.stop()
    }
    const daily = { evidence: { isDaily: true, authorities: [authority.url] }, schedule: 'manual' } as const
    await archive.withEngine(work, daily, { clock })
  })

  function evidenceOn(
    store: ReturnType<typeof createStore>,
    clock: Clock,
    { serviceUrl = archive.service.url, ...given }: Partial<EvidenceSettings> & { serviceUrl?: string } = {},
  ) {
    const folders = new ArchiveFolders(archive.root)
    return new Evidence({
      store,
      clock,
      folders,
      logger: silentLogger,
      outbound: new Outbound(),
      serviceUrl: new URL(serviceUrl),
      settings: { isDaily: true, authorities: [authority.url], ...given },
      requireArchive: () => Promise.resolve(),
      recordMissing: () => Promise.resolve(),
      onState: () => undefined,
    })
  }

  test('is stamped once a day, and failures are shown and tried again for days, also after a restart', async () => {
    const store = createStore(join(archive.home, databaseName))
    const clock = new FakeClock(noonMs)
    authority.useClock(clock)
    const evidence = evidenceOn(store, clock)
    const stamps = () =>
      readdirSync(join(archive.root, '.evidence')).map((day) =>
        existsSync(join(archive.root, '.evidence', day, 'SHA256SUMS.tsr')),
      )
    const asked = authority.queries.length
    await evidence.stampDue(signal)
    await evidence.stampDue(signal)
    expect(authority.queries).toHaveLength(asked + 1)
    expect(evidence.state()).toMatchObject({ last: { folder: today }, problem: null })

    authority.answerWith((_, response) => void response.writeHead(503).end())
    let tries = 0
    for (let hours = 0; hours < 48; hours += 1) {
      await clock.advance(60 * 60_000)
      // A restart in between asks no sooner.
      const before = authority.queries.length
      const waitMs = await evidenceOn(store, clock).stampDue(signal)
      expect(waitMs).toBeGreaterThan(0)
      tries += authority.queries.length - before
    }
    expect(tries).toBeGreaterThan(5)
    expect(tries).toBeLessThan(40)
    expect(evidence.state().problem).toMatchObject({ error: { code: 'stamp-refused' }, attention: true })
    expect(stamps()).toEqual([true, false, false])
    const kinds = store.activity.list({
      before: null,
      after: null,
      projectId: null,
      limit: 50,
      kinds: ['evidence-failed'],
    })
    expect(kinds).toHaveLength(1)

    authority.answerWith()
    await clock.advance(7 * 60 * 60_000)
    const stamping = evidence.stampDue(signal)
    await expect.poll(() => clock.sleeping).toBe(1)
    // Two days are stamped, with a rest between them.
    await clock.advance(15_000)
    await stamping
    expect(stamps()).toEqual([true, true, true])
    // The older one was stamped after it.
    expect(evidence.state()).toMatchObject({ problem: null, last: { folder: `.evidence/${dayAfter(2)}` } })
    // The day is done, also without the database.
    const stamped = authority.queries.length
    await clock.advance(15_000)
    expect(await evidence.stampDue(signal)).toBe(hourMs)
    store.meta.remove('evidence')
    await evidence.stampDue(signal)
    expect(evidence.state()).toMatchObject({ problem: null, last: { folder: `.evidence/${dayAfter(2)}` } })
    await clock.advance(15_000)
    expect(await evidence.stampDue(signal)).toBe(hourMs)
    expect(authority.queries).toHaveLength(stamped)
    store.close()
  })

  test('has a new failure, not an old one, after daily time stamps were turned off and on again', async () => {
    const store = createStore(join(archive.home, databaseName))
    const clock = new FakeClock(noonMs)
    authority.answerWith((_, response) => void response.writeHead(503).end())
    await evidenceOn(store, clock).stampDue(signal)
    await clock.advance(dayMs)
    const problem = () => evidenceOn(store, clock).state().problem
    expect(problem()).toMatchObject({ error: { code: 'stamp-refused' }, attention: true })
    evidenceOn(store, clock, { isDaily: false })
    expect(problem()).toBeNull()
    await evidenceOn(store, clock).stampDue(signal)
    expect(problem()).toMatchObject({ since: new Date(clock.nowMs()).toISOString(), attention: false })
    store.close()
  })
})
