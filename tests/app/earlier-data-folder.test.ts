import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrations } from '../../electron/engine/store/migrate.ts'
import { readZip } from '../support/read-zip.ts'
import { runMain } from '../support/run-main.ts'
import { readFiles, sha256 } from '../support/sample-archive.ts'

/**
 * Data folders and archives, one of each version of the database, that the last program with that version made: built
 * from this repository's history, with the sample service on port 9 (discard), where nothing listens now.
 */
const fixtures = fileURLToPath(new URL('../fixtures/data-folders', import.meta.url))

const [delgado, castillo] = ['6a1dfa1b8bf778888fd389ab', '6a20c054662c13b8a811804c']
const [first, second] = ['6a206c1e01b8358c45d36d08', '6a1e177145bc24cbefedbbd3']
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'solarchive-earlier-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function unpack(schema: number): Promise<void> {
  for (const [name, { bytes }] of await readZip(readFileSync(join(fixtures, `schema-${schema}.zip`)))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, name), bytes, { mode: 0o600 })
  }
}

async function runJson(...args: string[]) {
  const env = {
    SOLARCHIVE_HOME: 'data',
    SOLARCHIVE_ARCHIVE: 'archive',
    SOLARCHIVE_URL: 'http://127.0.0.1:9',
    SOLARCHIVE_TOKEN: 'canary-token-of-the-service',
    HOME: folder,
  }
  const { exitCode, stdout, stderr } = await runMain([...args, '--json'], { cwd: folder, env })
  return { exitCode, stderr, document: JSON.parse(stdout) as unknown }
}

/** Hashes by path of the archived files, without those of the data folder. */
function archived() {
  return Object.fromEntries([...readFiles(join(folder, 'archive'))].map(([path, bytes]) => [path, sha256(bytes)]))
}

const media = () => Object.entries(archived()).filter(([path]) => /\/(report\.pdf|photos|thumbnails)/.test(path))

test('an earlier data folder and archive open unchanged, with their projects, checklists, and orders', async () => {
  await unpack(10)
  const before = archived()
  const checklist = (title: string, complete: boolean, expectedFiles: number, archivedFiles: number) =>
    expect.objectContaining({ title, complete, expectedFiles, archivedFiles }) as unknown
  expect(await runJson('status')).toMatchObject({
    exitCode: 4,
    document: {
      projects: [
        {
          id: castillo,
          name: 'Castillo residence 11.8 kW',
          folder: 'Castillo residence 11.8 kW [11804c]',
          checklists: [checklist('Roof condition report', true, 9, 9), checklist('Battery walkthrough', false, 6, 4)],
        },
        {
          id: delgado,
          name: 'Delgado residence 9.7 kW',
          folder: 'Delgado residence 9.7 kW [d389ab]',
          checklists: [checklist('Site survey', true, 9, 9), checklist('Pre-install checklist', false, 6, 4)],
        },
      ],
    },
  })
  expect(await runJson('verify')).toMatchObject({
    exitCode: 0,
    document: { checked: 32, ok: 32, missing: [], changed: [], unexpected: [], repaired: 0 },
  })
  expect(await runJson('orders', 'list')).toMatchObject({
    exitCode: 0,
    document: {
      orders: [
        { id: 2, projectId: castillo, homeownerName: 'Mary Jones', state: 'draft', status: null, serviceId: null },
        { id: 1, projectId: delgado, homeownerName: 'Priya Delgado', state: 'placed', status: 'ordered' },
      ],
    },
  })
  expect(archived()).toEqual(before)
})

test('a sync of an earlier data folder against a service that is gone deletes nothing', async () => {
  await unpack(10)
  const before = archived()
  const { document } = await runJson('sync')
  expect(document).toMatchObject({ failures: [{ code: 'unreachable-refused' }] })
  expect(archived()).toEqual(before)
  expect(await runJson('verify')).toMatchObject({ exitCode: 0, document: { checked: 32, ok: 32 } })
  expect(await runJson('status')).toMatchObject({ document: { projects: [{ id: castillo }, { id: delgado }] } })
})

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
  'a data folder and archive of database version %i open, and lose nothing',
  async (schema) => {
    await unpack(schema)
    const before = media()
    const checklist = (title: string, complete: boolean, expectedFiles: number, archivedFiles: number) =>
      expect.objectContaining({ title, complete, expectedFiles, archivedFiles }) as unknown
    const status = {
      projects: [
        {
          id: first,
          name: 'Haddad residence 4.9 kW',
          folder: 'Haddad residence 4.9 kW [d36d08]',
          checklists: [checklist('Roof condition report', true, 3, 3), checklist('Battery walkthrough', false, 1, 0)],
        },
        {
          id: second,
          name: 'Haddad residence 5.3 kW',
          folder: 'Haddad residence 5.3 kW [edbbd3]',
          checklists: [checklist('Site survey', true, 3, 3), checklist('Pre-install checklist', false, 1, 0)],
        },
      ],
    }
    expect(await runJson('status')).toMatchObject({ exitCode: 4, document: status })
    const verified = { exitCode: 0, document: { checked: 12, ok: 12, missing: [], changed: [], unexpected: [] } }
    expect(await runJson('verify')).toMatchObject(verified)
    // Orders came with version 7.
    const placed = { id: 1, projectId: second, homeownerName: 'Ann Lee', state: 'placed', status: 'ordered' }
    expect(await runJson('orders', 'list')).toMatchObject({
      exitCode: 0,
      document: { orders: schema < 7 ? [] : [placed] },
    })
    // `checklist.json` may be written again with fields that it did not have.
    expect(media()).toEqual(before)
    expect((await runJson('sync')).document).toMatchObject({ failures: [{ code: 'unreachable-refused' }] })
    expect(await runJson('status')).toMatchObject({ document: status })
    expect(await runJson('verify')).toMatchObject(verified)
  },
)

test('a data folder of a newer version is refused plainly, and stays unchanged', async () => {
  await unpack(10)
  const file = join(folder, 'data', 'solarchive.sqlite3')
  const db = new Database(file)
  const known = migrations.length
  db.pragma(`user_version = ${known + 1}`)
  db.close()
  const before = [archived(), sha256(readFileSync(file))]
  for (const command of ['status', 'sync', 'verify']) {
    expect(await runJson(command)).toMatchObject({
      exitCode: 2,
      document: {
        error: {
          code: 'database-newer',
          message:
            `The data folder was written by a newer Solarchive (format ${known + 1}, this one knows ${known}). ` +
            'Nothing was changed. Install the newer version again.',
        },
      },
    })
  }
  expect([archived(), sha256(readFileSync(file))]).toEqual(before)
})
