import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { SampleServiceOptions } from '../../electron/sample-service/options.ts'
import { startSampleService } from '../../electron/sample-service/start-sample-service.ts'
import {
  lastSyncSchema,
  projectSchema,
  statusReportSchema,
  syncReportSchema,
  verifyReportSchema,
} from '../../shared/domain.ts'
import { type MainOptions, runMain, startMain } from '../support/run-main.ts'
import { closedPort, sendJson, withServer } from '../support/with-server.ts'
import { entry, longLimits, startSolarchive } from './run-solarchive.ts'

const projectsDocument = z.strictObject({ projects: z.array(projectSchema) })
const discovered = projectsDocument.extend({ found: z.int(), added: z.int(), isPartial: z.boolean() })
const statusDocument = statusReportSchema.extend({
  unsynced: z.array(
    z.strictObject({ id: z.string(), name: z.string(), code: z.string().nullable(), message: z.string().nullable() }),
  ),
  lastSync: lastSyncSchema.nullable(),
  lastCheckAt: z.iso.datetime().nullable(),
})
const errorDocument = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) })

let folder: string
let service: Awaited<ReturnType<typeof startSampleService>> | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'solarchive-commands-'))
})

afterEach(async () => {
  await service?.close()
  service = undefined
  await rm(folder, { recursive: true, force: true })
})

/** A small service whose `completed` checklists have all their files. */
async function serve(options: SampleServiceOptions = {}) {
  service = await startSampleService({
    token: 'canary-token-of-the-service',
    projects: 2,
    checklistsPerProject: 2,
    statuses: ['completed'],
    photoQuestionsPerChecklist: 2,
    photosPerQuestion: 2,
    photoBytes: 2_000,
    ...options,
  })
  return service
}

function settings(env: NodeJS.ProcessEnv = {}): MainOptions {
  return {
    cwd: folder,
    env: {
      SOLARCHIVE_HOME: 'data',
      SOLARCHIVE_ARCHIVE: 'archive',
      SOLARCHIVE_URL: service?.url,
      SOLARCHIVE_TOKEN: service?.token,
      ...env,
    },
  }
}

const run = (...args: string[]) => runMain(['--api-rate', '0', ...args], settings())

type Waiting = Pick<ReturnType<typeof startSolarchive>, 'child' | 'ended'>

/** Runs a command with --json and reads its one document. */
async function runJson<T>(schema: z.ZodType<T>, ...args: string[]) {
  const { exitCode, stdout, stderr } = await run(...args, '--json')
  expect(stdout + stderr).not.toContain('canary')
  return { exitCode, stderr, document: schema.parse(JSON.parse(stdout)) }
}

async function addAll() {
  const { projects } = service!
  expect((await run('projects', 'add', ...projects.map(({ id }) => id))).exitCode).toBe(0)
  return projects.map(({ id }) => id)
}

async function until(holds: () => boolean) {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('archiving', () => {
  test('from the first project to a successful verify', async () => {
    await serve()
    const ids = await addAll()

    const first = await runJson(syncReportSchema, 'sync')
    expect(first).toMatchObject({ exitCode: 0, document: { projects: 2, checklists: 4, filesFailed: 0, failures: [] } })
    expect(first.document.filesDownloaded).toBeGreaterThan(10)

    const second = await runJson(syncReportSchema, 'sync')
    expect(second).toMatchObject({ exitCode: 0, document: { apiCalls: 2, filesDownloaded: 0, bytesDownloaded: 0 } })

    const status = await runJson(statusReportSchema, 'status')
    expect(status.exitCode).toBe(0)
    expect(status.document.projects.map(({ id }) => id).sort()).toEqual([...ids].sort())
    expect(status.document.projects.flatMap(({ checklists }) => checklists).every(({ complete }) => complete)).toBe(
      true,
    )

    const verified = await runJson(verifyReportSchema, 'verify')
    expect(verified).toMatchObject({ exitCode: 0, document: { missing: [], changed: [], unexpected: [], repaired: 0 } })
    expect(verified.document.ok).toBe(verified.document.checked)
    expect(verified.document.checked).toBeGreaterThanOrEqual(first.document.filesDownloaded)
  })

  test('a renamed project folder is reported by status and verify, and has its name back after a repair', async () => {
    await serve()
    await addAll()
    await run('sync')
    const [project = ''] = await readdir(join(folder, 'archive'))
    await rename(join(folder, 'archive', project), join(folder, 'archive', 'Paid'))
    const status = await run('status')
    expect(status).toMatchObject({ exitCode: 4, stderr: '' })
    expect(status.stdout).toContain(
      `  Folder renamed: "${project}" is now "Paid". "sync" or "verify --repair" restores its name.\n`,
    )
    expect(status.stdout).not.toContain('missing or changed on the disk')
    const found = await run('verify')
    expect(found.exitCode).toBe(4)
    expect(found.stdout).toContain(
      `1 folder renamed.\nArchive: ${join(folder, 'archive')}\nRenamed folders:\n  Paid: renamed from ${project}\n` +
        '  Their files were read there. "verify --repair" restores their names without downloading anything again.\n',
    )
    service!.requests.clear()
    const repaired = await runJson(verifyReportSchema, 'verify', '--repair')
    expect(repaired).toMatchObject({
      exitCode: 0,
      document: { missing: [], repaired: 0, renamed: [{ from: project, to: 'Paid', restored: true }] },
    })
    expect(service!.requests.records).toEqual([])
    expect((await runJson(verifyReportSchema, 'verify')).document.renamed).toEqual([])

    await rename(join(folder, 'archive', project), join(folder, 'archive', 'Paid'))
    const synced = await run('sync', '--quiet')
    expect(synced).toMatchObject({
      exitCode: 0,
      stdout: `Renamed folders that have their names back:\n  Paid: renamed from ${project}\n`,
    })
  })

  test('prints readable text without --json', async () => {
    await serve()
    await addAll()
    const sync = await run('sync')
    expect(sync.exitCode).toBe(0)
    expect(sync.stdout).toMatch(/^2 projects, 4 checklists checked in .*\.\n\d+ files downloaded \(.*\n/)
    expect(sync.stdout).toContain(`Archive: ${join(folder, 'archive')}\n`)
    expect((await run('status')).stdout).toContain('4 of 4 checklists complete.')
    expect((await run('verify')).stdout).toContain('nothing is missing or changed')
    expect((await run('sync', '--quiet')).stdout).toBe('')
  })

  test('a project that could not be read is reported with the reason', async () => {
    await serve()
    await run('projects', 'add', '6a231c3feb274fbeb038e000')
    expect((await run('sync')).exitCode).toBe(4)
    const { exitCode, stdout } = await run('status')
    expect(exitCode).toBe(4)
    expect(stdout).toContain('  6a231c3feb274fbeb038e000: The service does not know this project.')
  })

  test('what failed is said once, with project and checklist by name; --json lists every failed project', async () => {
    await serve({ projects: 3 })
    await addAll()
    await run('projects', 'add', '6a231c3feb274fbeb038e000')
    const [first, second] = service!.projects
    const [checklist] = first!.checklists
    service!.faults.add({
      route: new RegExp(`checklist/${first!.id}/${checklist!.id}`),
      fault: { kind: 'status', status: 500 },
    })
    service!.faults.add({ route: new RegExp(`checklist/${second!.id}$`), fault: { kind: 'status', status: 500 } })
    service!.faults.add({ route: 'thumbnail', fault: { kind: 'status', status: 404 } })
    const { exitCode, stdout, stderr } = await run('sync')
    expect(exitCode).toBe(4)
    const lines = stdout.split('\n')
    const says = (what: string) => lines.filter((line) => line.startsWith(`  ${what}: The service failed to answer`))
    expect(says(`${first!.name} / ${checklist!.title}`)).toHaveLength(1)
    // Its name could not be read either.
    expect(says(second!.id)).toHaveLength(1)
    expect(lines.filter((line) => line.includes('The download server no longer has the file'))).toHaveLength(1)
    expect(lines.filter((line) => line.startsWith('    '))).toHaveLength(9)
    // Progress only: the failures are in the summary.
    const isProgress = (line: string) => /^(Reading projects: |[\d,]+ of [\d,]+ files?)/.test(line)
    expect(stderr.split('\n').filter((line) => line !== '' && !isProgress(line))).toEqual([])

    const { document } = await runJson(syncReportSchema, 'sync')
    expect(document.failedProjects.map(({ id, name, code }) => [id, name, code]).sort()).toEqual([
      [second!.id, second!.id, 'service-error'],
      ['6a231c3feb274fbeb038e000', '6a231c3feb274fbeb038e000', 'not-found'],
    ])
    expect(document.failures.find(({ checklistId, path }) => checklistId !== null && path === null)).toMatchObject({
      checklistTitle: checklist!.title,
    })
  })

  test('is limited to named projects', async () => {
    await serve()
    const [id = '', other = ''] = await addAll()
    expect((await runJson(syncReportSchema, 'sync', id)).document).toMatchObject({ projects: 1, checklists: 2 })
    const status = await runJson(statusReportSchema, 'status', id)
    expect(status).toMatchObject({ exitCode: 0, document: { projects: [{ id }] } })
    expect((await run('status', other)).exitCode).toBe(4)
    const verified = await runJson(verifyReportSchema, 'verify', id)
    expect(verified).toMatchObject({ exitCode: 0, document: { missing: [], unexpected: [] } })
    expect(verified.document.checked).toBeGreaterThan(10)
    for (const command of ['sync', 'status', 'verify']) {
      const unknown = await run(command, id, 'unknown')
      expect(unknown, command).toMatchObject({ exitCode: 2, stdout: '' })
      expect(unknown.stderr).toContain('The project unknown is not in the list of projects.')
    }
  })

  test('status says when the last sync ended and how', async () => {
    await serve()
    await addAll()
    expect((await run('status')).stdout).not.toContain('Last sync')
    await run('sync')
    expect((await run('status')).stdout).toMatch(
      /\nLast sync: \w+ \d+, \d{4}, [\d:]+ [AP]M: 2 projects, \d+ files downloaded, no failures\.\n$/,
    )
    // A port that was closed a moment ago may be another test's by now.
    await runMain(['sync'], settings({ SOLARCHIVE_URL: `http://127.0.0.1:${closedPort}` }))
    const status = await run('status')
    expect(status.stdout).toMatch(
      /Last sync: .*, with failures: 0 of 2 projects, 0 files downloaded\. The service 127\.0\.0\.1:\d+ does not accept connections\./,
    )
    const { document } = await runJson(statusDocument, 'status')
    expect(document.lastSync).toMatchObject({ outcome: 'failures', projects: 2, notSynced: 2, filesDownloaded: 0 })
    expect(document.lastCheckAt! < document.lastSync!.startedAt).toBe(true)
    const reason = { code: 'unreachable-refused', message: expect.stringContaining('does not accept') as string }
    expect(document.unsynced).toMatchObject([reason])
  })

  test('ends with 4 for photos not uploaded yet, and lists them', async () => {
    await serve({ statuses: ['completed', 'awaitingMedia'], photosPerQuestion: 4 })
    await addAll()
    const sync = await runJson(syncReportSchema, 'sync')
    expect(sync).toMatchObject({ exitCode: 4, document: { failures: [] } })
    expect(sync.stderr).toMatch(/Not complete yet \(\d checklists?\):\n.*not uploaded from the phone yet:\n.* files?\n/)
    const status = await run('status')
    expect(status.exitCode).toBe(4)
    expect(status.stdout).toMatch(/\d+ missing\n {6}".*files? missing, not uploaded from the phone yet/)
  })

  test('a photo that the service lists without a link is not uploaded yet, no failure, and hides none', async () => {
    const checklist = { id: 'c', title: 'Survey', status: 'awaitingMedia', updatedAt: '2026-01-01T00:00:00Z' }
    const questions = [{ label: 'Ridge', mediaCategoryId: 'm' }]
    const unlinked = { id: 'a', filename: 'IMG_1.jpg' }
    let photos: object[] = [unlinked]
    const answers = (path: string): unknown => {
      if (path.endsWith('/checklist/p')) return [checklist]
      if (path.endsWith('/checklist/p/c')) return { ...checklist, sections: [{ label: 'Roof', questions }] }
      return path.endsWith('/media/p/m') ? photos : undefined
    }
    await withServer(
      (request, response) => {
        const { pathname: path } = new URL(request.url, 'http://localhost')
        if (path === '/photo') response.end(Buffer.from('\xff\xd8\xff\xe0photo\xff\xd9', 'latin1'))
        else sendJson(response, answers(path) ?? {}, answers(path) === undefined ? 404 : 200)
      },
      async ({ url }) => {
        const env = settings({ SOLARCHIVE_URL: url, SOLARCHIVE_TOKEN: 'token' })
        const json = async (...args: string[]) => {
          const { exitCode, stdout } = await runMain([...args, '--fail-on', 'errors', '--json', '--api-rate', '0'], env)
          return { exitCode, document: JSON.parse(stdout) as unknown }
        }
        await runMain(['projects', 'add', 'p'], env)
        const none = { filesFailed: 0, failures: [], waiting: 1 }
        expect(await json('sync')).toMatchObject({ exitCode: 0, document: none })
        const gaps = [{ question: 'Ridge', expected: 1, archived: 0, reason: 'not uploaded yet' }]
        expect(await json('status')).toMatchObject({
          exitCode: 0,
          document: { waiting: 1, lastSync: { outcome: 'done' }, projects: [{ checklists: [{ gaps }] }] },
        })
        expect((await runMain(['status'], env)).stdout).not.toContain('Failed files')
        const linked = { id: 'b', filename: 'IMG_2.jpg', imgUrl: `${url}/photo` }
        photos = [unlinked, linked]
        expect(await json('sync')).toMatchObject({ exitCode: 0, document: { filesDownloaded: 1, waiting: 1 } })
        const files = await readdir(join(folder, 'archive'), { recursive: true })
        await rm(
          join(
            folder,
            'archive',
            files.find((name) => name.endsWith('IMG_2.jpg'))!,
          ),
        )
        // The lost photo counts, also behind one that only waits.
        const lost = [{ question: 'Ridge', expected: 2, archived: 0, reason: 'damaged' }]
        expect(await json('status')).toMatchObject({
          exitCode: 4,
          document: { waiting: 0, projects: [{ checklists: [{ gaps: lost }] }] },
        })
        photos = [unlinked, { id: linked.id, filename: linked.filename }]
        expect(await json('sync')).toMatchObject({ exitCode: 4, document: { waiting: 0 } })
        expect(await json('status')).toMatchObject({
          exitCode: 4,
          document: { waiting: 0, projects: [{ checklists: [{ gaps: lost }] }] },
        })
        photos = [{ ...unlinked, imgUrl: `${url}/photo` }, linked]
        expect(await json('sync')).toMatchObject({ exitCode: 0, document: { filesDownloaded: 2, waiting: 0 } })
      },
    )
  })

  test('--fail-on errors ends with 0 for what only the crew can upload, and with 4 for what failed', async () => {
    await serve({ statuses: ['completed', 'awaitingMedia'], photosPerQuestion: 4 })
    await addAll()
    const sync = await run('sync', '--fail-on', 'errors')
    expect(sync.exitCode).toBe(0)
    expect(sync.stdout).toMatch(
      /Waiting for the service or the crew \(2 checklists\):\n {2}\d+ files missing, not uploaded/,
    )
    // cron sends no mail.
    expect(await run('sync', '--quiet', '--fail-on', 'errors')).toEqual({ exitCode: 0, stdout: '', stderr: '' })
    const waiting = z.object({ waiting: z.number() })
    const counted = [await runJson(waiting, 'sync'), await runJson(waiting, 'status', '--fail-on', 'errors')]
    expect(counted).toMatchObject([
      { exitCode: 4, document: { waiting: 8 } },
      { exitCode: 0, document: { waiting: 8 } },
    ])
    for (const name of await readdir(join(folder, 'archive'))) {
      await rm(join(folder, 'archive', name, 'SHA256SUMS'), { force: true })
      for (const checklist of await readdir(join(folder, 'archive', name))) {
        await rm(join(folder, 'archive', name, checklist, 'report.pdf'), { force: true })
      }
    }
    expect((await run('status', '--fail-on', 'errors')).exitCode).toBe(4)
    service!.faults.add({ route: 'report', fault: { kind: 'status', status: 404 } })
    const failed = await run('sync', '--quiet', '--fail-on', 'errors')
    expect([failed.exitCode, failed.stdout.includes('Waiting for')]).toEqual([4, false])
    expect((await run('sync', '--fail-on', 'nothing')).exitCode).toBe(2)
  })

  test('without projects names the data folder and where it comes from, and how to add projects', async () => {
    await serve()
    const hint = (home: string, source: string) =>
      `There are no projects in the data folder ${join(folder, home)} (${source}), so nothing is archived. If your ` +
      'projects are in another data folder, name it with --home or SOLARCHIVE_HOME. To add projects:\n' +
      '  solarchive projects discover    adds all that the service lists\n' +
      '  solarchive projects add ID      adds one by its ID\n'
    for (const command of [['sync'], ['watch']]) {
      const ended = await run(...command)
      expect(ended, command.join(' ')).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: hint('data', 'set by SOLARCHIVE_HOME'),
      })
    }
    for (const command of [['status'], ['projects', 'list']]) {
      const { exitCode, stdout } = await run(...command, '--home', 'other')
      expect([exitCode, stdout]).toEqual([0, hint('other', 'set by --home')])
    }
    const byDefault = await runMain(['sync'], settings({ SOLARCHIVE_HOME: '', XDG_DATA_HOME: folder, HOME: folder }))
    expect(byDefault.exitCode).toBe(2)
    expect(byDefault.stderr).toContain('(the default, because neither --home nor SOLARCHIVE_HOME is set)')
    const { exitCode, document } = await runJson(errorDocument, 'sync')
    expect([exitCode, document.error.code]).toEqual([2, 'wrong-usage'])
    expect(`${document.error.message}\n`).toBe(hint('data', 'set by SOLARCHIVE_HOME'))
    expect(await readdir(folder), 'no archive is begun').not.toContain('archive')
  })
})

describe('the list of projects', () => {
  test('accepts ids with a name and an address, and is emptied without losing files', async () => {
    await serve()
    const [project] = service!.projects
    const id = project!.id
    const added = await runJson(
      projectsDocument,
      'projects',
      'add',
      id,
      '--name',
      ' Maple 12 ',
      '--address',
      '12 Maple St',
    )
    expect(added.document.projects).toMatchObject([{ id, name: 'Maple 12', address: '12 Maple St' }])
    await run('sync')
    const [listed] = (await runJson(projectsDocument, 'projects', 'list')).document.projects
    expect(listed?.folder).toMatch(/^Maple 12 \[.{6}\]$/)

    const removed = await runJson(projectsDocument, 'projects', 'remove', id)
    expect(removed).toMatchObject({ exitCode: 0, document: { projects: [{ id }] } })
    expect((await runJson(projectsDocument, 'projects', 'list')).document.projects).toEqual([])
    expect(await readdir(join(folder, 'archive', listed!.folder!))).toContain('SHA256SUMS')
  })

  test('is imported from a file completely, or not at all', async () => {
    await serve()
    await writeFile(
      join(folder, 'list.csv'),
      '\uFEFFProject ID;Name;Address\r\np-1;Elm;"1 Elm St; Ithaca"\r\np-2;;\r\n',
    )
    const { document } = await runJson(projectsDocument, 'projects', 'add', '--file', 'list.csv')
    expect(document.projects).toMatchObject([{ id: 'p-1', name: 'Elm', address: '1 Elm St; Ithaca' }, { id: 'p-2' }])

    await writeFile(join(folder, 'bad.csv'), 'id\np-3\np 4\n')
    const bad = await runJson(errorDocument, 'projects', 'add', '--file', 'bad.csv')
    expect(bad.exitCode).toBe(2)
    expect(bad.document.error.message).toContain('line 3: the ID has a space in it')
    expect((await runJson(projectsDocument, 'projects', 'list')).document.projects).toHaveLength(2)
  })

  test('imports all projects of the service', async () => {
    await serve()
    const [all, none] = [await runJson(discovered, 'projects', 'discover'), await run('projects', 'discover')]
    expect(all).toMatchObject({ exitCode: 0, document: { found: 2, added: 2, isPartial: false } })
    expect(none).toMatchObject({ exitCode: 0, stdout: 'The service lists 2 projects, all of them already known.\n' })
  })

  test('says that it waits for the rate limit', async () => {
    await serve()
    const discover = ['projects', 'discover', '--api-rate', '1']
    expect(await runMain(discover, settings())).toMatchObject({ exitCode: 0 })
    const waiting = startMain(discover, settings())
    await until(() => /Waiting for the service's rate limit, about (\d\d s|1 min)/.test(waiting.printed.stderr))
    expect(await waiting.stop('SIGINT')).toMatchObject({ exitCode: 130 })
  })

  test('does not wait for a service that asked an earlier command to wait for an hour', async () => {
    const { faults, requests } = await serve()
    faults.add({ route: 'projects', fault: { kind: 'status', status: 429, retryAfter: 3600 } })
    for (let command = 1; command <= 2; command++) {
      const { exitCode, document } = await runJson(errorDocument, 'projects', 'discover')
      expect([exitCode, document.error]).toMatchObject([
        4,
        { code: 'rate-limited', message: expect.stringContaining('Nothing was changed') as string },
      ])
    }
    expect(requests.count('api')).toBe(1)
  })

  test.each<[string, object, Record<string, string>]>([
    ['total', { total: 120 }, {}],
    ['Link', {}, { link: '</api/v1/projects?page=2>; rel="next"' }],
    ['X-Total-Count', {}, { 'x-total-count': '120' }],
  ])('imports a page of a longer list, and says that projects are missing: %s', async (_, fields, headers) => {
    const page = JSON.stringify({ data: [{ id: 'listed-1', name: 'One' }], ...fields })
    await withServer(
      (_request, response) => void response.writeHead(200, headers).end(page),
      async ({ url }) => {
        const discover = (...args: string[]) =>
          runMain(['projects', 'discover', ...args], settings({ SOLARCHIVE_URL: url, SOLARCHIVE_TOKEN: 'canary' }))
        const { exitCode, stdout } = await discover('--json')
        expect(exitCode).toBe(4)
        expect(discovered.parse(JSON.parse(stdout))).toMatchObject({
          found: 1,
          added: 1,
          isPartial: true,
          projects: [{ id: 'listed-1' }],
        })
        const again = await discover('--quiet')
        expect(again.exitCode).toBe(4)
        expect(again.stdout).toMatch(/^The service said that it listed only a part of the projects\./)
      },
    )
  })

  test.each([
    ['sync', 'unknown-id'],
    ['projects', 'remove', 'unknown-id'],
  ])('reports an unknown id: %s %s', async (...args) => {
    await serve()
    expect(await runJson(errorDocument, ...args)).toMatchObject({
      exitCode: 2,
      document: { error: { code: 'not-found' } },
    })
  })
})

test('after a rebuild of the database, status says that a sync has to check first, until one did', async () => {
  await serve()
  await addAll()
  await run('sync')
  for (const name of await readdir(join(folder, 'data'))) {
    if (name !== 'logs') await rm(join(folder, 'data', name), { recursive: true })
  }
  const rebuilt = await run('status')
  expect(rebuilt.exitCode).toBe(4)
  expect(rebuilt.stdout).toContain('0 of 4 checklists complete, 4 not checked yet (run "sync").')
  expect(rebuilt.stdout).not.toContain('uncertain')
  expect(rebuilt.stdout.match(/not checked since the database was rebuilt; run "sync"/g)).toHaveLength(4)
  expect(rebuilt.stdout).not.toContain('could not be read;')
  const { document } = await runJson(statusReportSchema, 'status')
  const gaps = document.projects.flatMap(({ checklists }) => checklists.flatMap((checklist) => checklist.gaps))
  expect(new Set(gaps.map(({ reason }) => reason))).toEqual(new Set(['not read yet']))
  const printed = (await run('status', '--json')).stdout
  const fields = [...printed.matchAll(/\{[^{}]*"reason":[^{}]*\}/g)].map(([gap]) =>
    Object.keys(JSON.parse(gap) as object).join(),
  )
  expect(new Set(fields)).toEqual(new Set(['question,expected,archived,reason']))
  expect((await run('sync')).exitCode).toBe(0)
  expect((await run('status')).stdout).toContain('4 of 4 checklists complete.')
})

test('a new data folder for an archive is named, with the archive and where both come from', async () => {
  await serve()
  await addAll()
  await run('sync')
  const named =
    `There was no database of this archive in the data folder ${join(folder, 'other')} (set by --home): a new one is ` +
    `made from the projects in the archive folder ${join(folder, 'archive')} (set by SOLARCHIVE_ARCHIVE).`
  const verified = await run('verify', '--quiet', '--home', 'other')
  expect(verified).toMatchObject({ exitCode: 0, stdout: '' })
  expect(verified.stderr).toContain(named)
  expect((await run('status', '--home', 'other')).stderr).toBe('')
  expect((await run('projects', 'list', '--quiet', '--home', 'third')).stderr).toContain('a new one is made from the ')
  expect((await run('status', '--home', 'third')).stderr).toMatch(
    /^The new database was made from the projects in the archive folder: 2 projects, /,
  )
  expect((await run('verify', '--quiet')).exitCode).toBe(0)
})

describe('a refused token', () => {
  test.each([undefined, 'canary-wrong-token'])('(%s) ends with 3 and says where to put a new one', async (token) => {
    await serve()
    await addAll()
    const { exitCode, stdout, stderr } = await runMain(['sync'], settings({ SOLARCHIVE_TOKEN: token }))
    expect(exitCode).toBe(3)
    expect(stdout + stderr).toContain('SOLARCHIVE_TOKEN')
    expect(stdout + stderr).toContain(join(folder, 'data', 'token'))
    expect(stdout + stderr).not.toContain('canary')
  })

  test('is reported once for all projects', async () => {
    await serve()
    await addAll()
    const { stdout } = await runMain(['sync'], settings({ SOLARCHIVE_TOKEN: 'canary-wrong-token' }))
    expect(stdout.match(/2 projects were not synced\./g)).toHaveLength(1)
    expect(stdout.match(/The service refuses the access token/g)).toHaveLength(1)
    for (const { id } of service!.projects) expect(stdout).not.toContain(id)
  })

  test('is reported, with where to put a new one, by a command that needs a token too', async () => {
    await serve()
    const refused = await runMain(['projects', 'discover'], settings({ SOLARCHIVE_TOKEN: 'canary-wrong-token' }))
    expect(refused).toMatchObject({ exitCode: 3, stdout: '' })
    expect(refused.stderr).toContain(join(folder, 'data', 'token'))
    expect(refused.stderr).not.toContain('canary')
  })
})

test('an archive folder nested with the data folder works, with one warning beside the document', async () => {
  await serve({ projects: 1, checklistsPerProject: 1 })
  const inside = { SOLARCHIVE_ARCHIVE: join('data', 'archive') }
  const nested = (...args: string[]) => runMain(['--api-rate', '0', '--json', '--quiet', ...args], settings(inside))
  const warning = /^The archive folder .* is inside the data folder .*access token and the database.*\n$/
  const added = await nested('projects', 'add', service!.projects[0]!.id)
  expect([added.exitCode, added.stderr]).toEqual([0, expect.stringMatching(warning)])
  const synced = await nested('sync')
  expect([synced.exitCode, synced.stderr]).toEqual([0, expect.stringMatching(warning)])
  expect(syncReportSchema.parse(JSON.parse(synced.stdout))).toMatchObject({ filesFailed: 0, failures: [] })
})

describe('the token file', () => {
  const withFile = (...args: string[]) => runMain(args, settings({ SOLARCHIVE_TOKEN: undefined }))
  const put = async (token: string) => {
    await mkdir(join(folder, 'data'), { recursive: true })
    await writeFile(join(folder, 'data', 'token'), `${token}\n`, { mode: 0o600 })
  }

  test('provides the token if the environment has none', async () => {
    await serve()
    await put(service!.token)
    expect((await withFile('projects', 'discover')).exitCode).toBe(0)
    const { exitCode, stderr } = await withFile('sync', '--json')
    expect(exitCode).toBe(0)
    expect(stderr).not.toContain('token')
  })

  test('is searched for an id, a name, or an address that is the token, which is refused and not shown', async () => {
    await serve()
    await put('canary-access-token')
    const list = join(folder, 'list.csv')
    await writeFile(list, 'id,name\ncanary-access-token,Miller\n')
    const names = join(folder, 'names.csv')
    await writeFile(names, 'id,name,address\ngood-id,Miller,1 canary-access-token St\n')
    for (const args of [
      ['canary-access-token'],
      ['good-id', 'Canary-Access-Token'],
      ['good-id', '--name', 'canary-access-token'],
      ['good-id', '--address', '1 canary-access-token St'],
      ['--file', list],
      ['--file', names],
    ]) {
      const { exitCode, stdout, stderr } = await withFile('projects', 'add', ...args)
      expect([exitCode, stdout], args.join(' ')).toEqual([2, ''])
      expect(stderr).toContain('The access token was entered where another text belongs')
      expect(stderr.toLowerCase()).not.toContain('canary')
    }
    expect((await withFile('projects', 'list', '--json')).stdout).toContain('"projects": []')
  })

  test('is not read if the environment has one', async () => {
    await serve()
    await put('two lines\nin it')
    expect(await run('projects', 'discover')).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test.skipIf(process.platform === 'win32')(
    'that others can read is refused with instructions, and not shown',
    async () => {
      await serve()
      await put(service!.token)
      await addAll()
      await chmod(join(folder, 'data', 'token'), 0o640)
      const { exitCode, stdout, stderr } = await withFile('sync', '--json')
      expect([exitCode, service!.requests.count('api')]).toEqual([3, 0])
      expect(syncReportSchema.parse(JSON.parse(stdout)).failures).toMatchObject([{ code: 'token-missing' }])
      expect(stderr).toContain(`${join(folder, 'data', 'token')} is not used: other users`)
      expect(stderr).toContain(`Restrict it: chmod 600 ${join(folder, 'data', 'token')}\n`)
      expect(stdout + stderr).not.toMatch(/No access token|administrator|SOLARCHIVE_TOKEN/)
      expect(await readFile(join(folder, 'data', 'logs', 'solarchive.log'), 'utf8')).not.toContain(folder)
      expect(stdout + stderr).not.toContain('canary')
      expect((await withFile('status')).stderr).toBe('')
    },
  )
})

test('a token that only the installed app can read is not called missing, and the ways out are said', async () => {
  await serve()
  await addAll()
  await writeFile(join(folder, 'data', 'token.encrypted'), 'canary\n', { mode: 0o600 })
  const { exitCode, stdout, stderr } = await runMain(['sync'], settings({ SOLARCHIVE_TOKEN: undefined }))
  expect([exitCode, service!.requests.count('api')]).toEqual([3, 0])
  expect(stdout).toContain(
    'The access token is in the keychain, which only the installed app reads. Start that app, or',
  )
  expect(stdout + stderr).toContain(`or write it into ${join(folder, 'data', 'token')}`)
  expect(stdout + stderr).not.toMatch(/No access token is stored|canary/)
})

describe('verify', () => {
  test('reports missing and changed files with 4, and unexpected files with 0', async () => {
    await serve({ projects: 1, checklistsPerProject: 1 })
    await addAll()
    await run('sync')
    const [{ folder: checklist } = {}] = (await runJson(statusReportSchema, 'status')).document.projects[0]!.checklists
    await writeFile(join(folder, 'archive', checklist!, 'notes.txt'), 'of the crew')
    const unexpected = await runJson(verifyReportSchema, 'verify')
    expect(unexpected).toMatchObject({ exitCode: 0, document: { unexpected: [`${checklist}/notes.txt`] } })

    await appendFile(join(folder, 'archive', checklist!, 'report.pdf'), 'x')
    const changed = await runJson(verifyReportSchema, 'verify')
    expect(changed).toMatchObject({ exitCode: 4, document: { changed: [`${checklist}/report.pdf`], missing: [] } })

    await rm(join(folder, 'archive', checklist!, 'report.pdf'))
    const missing = await run('verify')
    expect(missing.exitCode).toBe(4)
    expect(missing.stdout).toContain(`Missing:\n  ${checklist}/report.pdf\n`)
  })

  test('lists a folder beside the projects once, and repeats nothing of its document on stderr', async () => {
    await serve({ projects: 1, checklistsPerProject: 1 })
    await addAll()
    await run('sync')
    const [project = ''] = await readdir(join(folder, 'archive'))
    await cp(join(folder, 'archive', project), join(folder, 'archive', 'A copy'), { recursive: true })
    const printed = await run('verify', '--quiet')
    expect(printed.stdout).toBe('Not put there by Solarchive, left untouched:\n  A copy (folder)\n')
    await appendFile(join(folder, 'archive', project, 'SHA256SUMS'), 'x')
    const found = await runJson(verifyReportSchema, 'verify', '--quiet')
    expect(found).toMatchObject({ exitCode: 4, stderr: '', document: { unexpected: ['A copy'] } })
    expect(found.document.changed).toHaveLength(1)
  })

  test('with nothing to verify ends with 2, names both folders, and creates neither', async () => {
    const nothing = await runJson(errorDocument, 'verify')
    expect([nothing.exitCode, nothing.document.error.code]).toEqual([2, 'wrong-usage'])
    const home = `the data folder ${join(folder, 'data')} (set by SOLARCHIVE_HOME)`
    const archive = `the archive folder ${join(folder, 'archive')} (set by SOLARCHIVE_ARCHIVE)`
    expect(nothing.document.error.message).toContain(
      `no projects are in ${home}, and no archived project is in ${archive}.`,
    )
    for (const command of [['status'], ['projects', 'list'], ['orders', 'list']]) {
      expect((await run(...command)).exitCode, command.join(' ')).toBe(0)
    }
    // A command that calls no service needs no yes to an address without encryption.
    expect(await run('orders', 'list', '--url', 'http://192.168.7.7:8451')).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await readdir(folder)).toEqual([])

    await serve()
    await addAll()
    expect(await run('verify')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Nothing is archived yet.') as string,
    })
    expect(await readdir(folder)).not.toContain('archive')
  })

  /** Archives one checklist, deletes its report and appends to its document. */
  async function damagedArchive() {
    await serve({ projects: 1, checklistsPerProject: 1 })
    await addAll()
    await run('sync')
    const [{ folder: checklist } = {}] = (await runJson(statusReportSchema, 'status')).document.projects[0]!.checklists
    await rm(join(folder, 'archive', checklist!, 'report.pdf'))
    await appendFile(join(folder, 'archive', checklist!, 'checklist.json'), ' ')
    return { report: `${checklist}/report.pdf`, document: `${checklist}/checklist.json` }
  }

  test('--repair restores the files and reports how many, in one strict document', async () => {
    await damagedArchive()
    const repaired = await runJson(verifyReportSchema.strict(), 'verify', '--repair')
    expect(repaired).toMatchObject({ exitCode: 0, document: { missing: [], changed: [], repaired: 2 } })
    expect(repaired.document.unexpected).toEqual([expect.stringMatching(/\/checklist \(edited .*\)\.json$/)])
    expect(repaired.document.ok).toBe(repaired.document.checked)
    const after = await runJson(verifyReportSchema, 'verify')
    expect(after).toMatchObject({ exitCode: 0, document: { ...repaired.document, repaired: 0 } })
  })

  test('--repair prints readable text without --json', async () => {
    await damagedArchive()
    const { exitCode, stdout } = await run('verify', '--repair')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/files checked, 2 of them repaired: nothing is missing or changed now\./)
    expect(stdout).toMatch(/Changed files, kept beside the originals:\n {2}.*\/checklist \(edited .*\)\.json\n/)
  })

  test.each([
    ['with a refused token ends with 3', { SOLARCHIVE_TOKEN: 'canary-wrong-token' }, 3, 'SOLARCHIVE_TOKEN'],
    ['without the service ends with 4', { SOLARCHIVE_URL: 'http://127.0.0.1:9' }, 4, 'Not repaired:'],
  ])('--repair %s lists what is left and says why', async (_name, env, exitCode, sentence) => {
    const { report } = await damagedArchive()
    const failed = await runMain(['verify', '--repair', '--json'], settings(env))
    expect(failed.exitCode).toBe(exitCode)
    expect(verifyReportSchema.strict().parse(JSON.parse(failed.stdout))).toMatchObject({
      missing: [report],
      repaired: 1,
    })
    expect(failed.stderr).toContain(sentence)
    expect(failed.stdout + failed.stderr).not.toContain('canary')
    expect(await runJson(verifyReportSchema, 'verify')).toMatchObject({ exitCode: 4, document: { missing: [report] } })
    expect(await runJson(verifyReportSchema, 'verify', '--repair')).toMatchObject({
      exitCode: 0,
      document: { missing: [], repaired: 1 },
    })
  })

  test('explains in its help how a stopped verify resumes and what --repair does', async () => {
    const { exitCode, stdout } = await run('verify', '--help')
    expect(exitCode).toBe(0)
    expect(stdout).toContain('--repair')
    expect(stdout).toContain('stopped verification resumes for up to 7 days')
  })
})

describe('while a pass waits for the rate limit', () => {
  /** Two projects need more than two calls, so the pass waits most of a minute. */
  async function startWaiting(): Promise<Waiting> {
    await serve()
    await addAll()
    const options = { ...settings(), nodeArgs: ['-r', longLimits] }
    const started = startSolarchive(['sync', '--json', '--api-rate', '2'], options)
    await until(() => service!.requests.count('api') === 2)
    return started
  }

  /** Stops the pass, which ends before its wait does; the next pass resumes. */
  async function expectStop(signal: 'SIGINT' | 'SIGTERM', code: number, { child, ended }: Waiting) {
    child.kill(signal)
    const { exitCode, stdout, stderr } = await ended
    expect(service!.requests.count('api')).toBe(2)
    expect(exitCode).toBe(code)
    expect(() => JSON.parse(stdout) as unknown).not.toThrow()
    expect(stderr).toContain('stopped')
    expect((await run('sync')).exitCode).toBe(0)
  }

  test('other processes read and change the archive meanwhile, and SIGTERM stops it', async () => {
    const { child, ended } = await startWaiting()
    expect(await run('projects', 'remove', service!.projects[0]!.id)).toMatchObject({ exitCode: 0 })
    expect(await run('status')).toMatchObject({ exitCode: 4, stderr: '' })
    await expectStop('SIGTERM', 143, { child, ended })
  })

  test('SIGINT stops it too', async () => {
    await expectStop('SIGINT', 130, await startWaiting())
  })

  test('three signals of one keystroke count as one', async () => {
    const { child, ended } = await startWaiting()
    for (let i = 0; i < 3; i += 1) child.kill('SIGINT')
    const { exitCode, stderr } = await ended
    expect(exitCode).toBe(130)
    expect(stderr).toContain('stopped')
  })

  test('the end of the launcher process stops it too', async () => {
    await serve()
    await addAll()
    const { cwd, env } = settings()
    const child = spawn(process.execPath, [entry, 'sync', '--api-rate', '2'], {
      cwd,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    await until(() => service!.requests.count('api') === 2)
    child.disconnect()
    expect((await once(child, 'exit'))[0]).toBe(143)
    expect((await run('sync')).exitCode).toBe(0)
  })
})

test('a reader that closes the pipe early is not an error', async () => {
  await serve()
  await addAll()
  const { child, ended } = startSolarchive(['projects', 'list'], settings())
  child.stdout?.destroy()
  expect(await ended).toMatchObject({ exitCode: 0, stderr: '' })
})

describe('the embedded sample', () => {
  test('is used with --sample, in separate folders, with its projects added', async () => {
    const env = { SOLARCHIVE_HOME: undefined, SOLARCHIVE_ARCHIVE: undefined, HOME: folder }
    const { exitCode, stdout } = await runMain(['--sample', 'projects', 'list', '--json'], settings(env))
    expect(exitCode).toBe(0)
    expect(projectsDocument.parse(JSON.parse(stdout)).projects.length).toBeGreaterThan(0)
  })
})

describe('the sample and other projects do not mix:', () => {
  const code = (ended: { readonly exitCode: number | null; readonly document: { error: { code: string } } }) =>
    [ended.exitCode, ended.document.error.code] as const

  test('--sample refuses a data folder and an archive with other projects', async () => {
    await serve({ projects: 1, checklistsPerProject: 1 })
    const [id = ''] = await addAll()
    for (const command of [['status'], ['projects', 'list'], ['sync']]) {
      const refused = await runJson(errorDocument, '--sample', ...command)
      expect(code(refused), command.join(' ')).toEqual([2, 'wrong-settings'])
      expect(refused.document.error.message).toContain(
        `The data folder ${join(folder, 'data')} holds projects that are not the sample's`,
      )
    }
    await run('sync')
    const before = await readdir(join(folder, 'archive'), { recursive: true })
    const document = join(folder, 'archive', before.find((path) => path.endsWith('checklist.json')) ?? '')
    // Without this it would count as a project of the sample.
    await writeFile(document, (await readFile(document, 'utf8')).replaceAll(id, '64b5f0c2a1d3e4f5a6b7c8d9'))
    expect(code(await runJson(errorDocument, '--sample', 'projects', 'list'))).toEqual([2, 'wrong-settings'])
    const refused = await runJson(errorDocument, '--sample', '--home', 'new', 'sync')
    expect(code(refused)).toEqual([2, 'wrong-settings'])
    expect(refused.document.error.message).toContain(`The archive folder ${join(folder, 'archive')} holds projects`)
    expect(await readdir(join(folder, 'archive'), { recursive: true })).toEqual(before)
    expect((await runJson(projectsDocument, 'projects', 'list')).document.projects).toHaveLength(1)
  })

  test('a data folder of --sample is for --sample only, except to look at it', async () => {
    const listed = await runJson(projectsDocument, '--sample', 'projects', 'list')
    expect(listed.document.projects.length).toBeGreaterThan(1)
    await serve()
    expect((await run('--sample', 'status')).stderr).toContain('SOLARCHIVE_URL has no effect with --sample')
    expect((await runJson(projectsDocument, 'projects', 'list')).document).toEqual(listed.document)
    for (const command of [['sync'], ['projects', 'add', 'p1'], ['watch'], ['verify', '--repair']]) {
      const refused = await runJson(errorDocument, ...command)
      expect(code(refused), command.join(' ')).toEqual([2, 'wrong-settings'])
      expect(refused.document.error.message).toContain('holds the made-up projects of the sample')
    }
    expect(service!.requests.records).toEqual([])
  })
})

test('the log has the passes, and no secret', async () => {
  await serve()
  await addAll()
  await run('sync')
  const log = await readFile(join(folder, 'data', 'logs', 'solarchive.log'), 'utf8')
  expect(JSON.parse(log)).toMatchObject({ level: 'info', fields: { projects: 2 }, msg: 'A pass ended' })
  expect(log).not.toContain('canary')
})
