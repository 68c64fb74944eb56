import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readZip } from '../support/read-zip.ts'
import { runMain } from '../support/run-main.ts'
import { readFiles, sha256 } from '../support/sample-archive.ts'

/**
 * A data folder and an archive that version 0.1.0 made with the sample service on port 9 (discard), where nothing
 * listens now: a complete and an incomplete checklist in each of two projects, one placed order, one draft.
 */
const fixture = fileURLToPath(new URL('../fixtures/data-folders/schema-10.zip', import.meta.url))

const [delgado, castillo] = ['6a1dfa1b8bf778888fd389ab', '6a20c054662c13b8a811804c']

let folder: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'solarchive-earlier-'))
  for (const [name, { bytes }] of await readZip(readFileSync(fixture))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, name), bytes, { mode: 0o600 })
  }
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

async function runJson(...args: string[]) {
  const env = { SOLARCHIVE_HOME: 'data', SOLARCHIVE_TOKEN: 'canary-token-of-the-service', HOME: folder }
  const { exitCode, stdout, stderr } = await runMain([...args, '--json'], { cwd: folder, env })
  return { exitCode, stderr, document: JSON.parse(stdout) as unknown }
}

/** Hashes by path of the archived files, without those of the data folder. */
function archived() {
  return Object.fromEntries([...readFiles(join(folder, 'archive'))].map(([path, bytes]) => [path, sha256(bytes)]))
}

test('an earlier data folder and archive open unchanged, with their projects, checklists, and orders', async () => {
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
  const before = archived()
  const { document } = await runJson('sync')
  expect(document).toMatchObject({ failures: [{ code: 'unreachable-refused' }] })
  expect(archived()).toEqual(before)
  expect(await runJson('verify')).toMatchObject({ exitCode: 0, document: { checked: 32, ok: 32 } })
  expect(await runJson('status')).toMatchObject({ document: { projects: [{ id: castillo }, { id: delgado }] } })
})
