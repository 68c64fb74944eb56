import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { archivedHashes, readFiles, sampleArchive, servedHashes } from '../../support/sample-archive.ts'

const entry = fileURLToPath(new URL('../../../electron/headless/solarchive.mjs', import.meta.url))

it('a pass that is killed again and again goes on where it was, and loses and repeats nothing', async () => {
  const archive = await sampleArchive({
    projects: 2,
    checklistsPerProject: 2,
    photoQuestionsPerChecklist: 4,
    photosPerQuestion: 40,
    statuses: ['completed'],
    awkwardNames: false,
    requestLogLimit: 1_000_000,
  })
  const { service } = archive
  await archive.withEngine(() => Promise.resolve())

  /** Kills the process when the file host has been asked for so many more files. */
  async function syncUntil(fileRequests: number): Promise<number | null> {
    const child = spawn(process.execPath, [entry, 'sync', '--quiet', '--api-rate', '0'], {
      env: {
        ...process.env,
        SOLARCHIVE_URL: service.url,
        SOLARCHIVE_TOKEN: service.token,
        SOLARCHIVE_HOME: archive.home,
        SOLARCHIVE_ARCHIVE: archive.root,
      },
      stdio: 'ignore',
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const target = service.requests.count('files') + fileRequests
    const watch = setInterval(() => {
      if (service.requests.count('files') >= target) child.kill('SIGKILL')
    }, 2)
    const [code] = (await once(child, 'exit')) as [number | null]
    clearInterval(watch)
    return code
  }

  for (const fileRequests of [1, 37, 90, 8, 140, 203]) {
    expect(await syncUntil(fileRequests)).toBeNull()
    const committed = await archive.withEngine((engine) => engine.verify())
    expect(committed).toMatchObject({ missing: [], changed: [] })
    // At most what was under way has its name without being recorded yet.
    expect(committed.unexpected.length).toBeLessThan(80)
  }
  expect(await syncUntil(Infinity)).toBe(0)

  expect(archivedHashes(archive.root)).toEqual(await servedHashes(service))
  expect([...readFiles(archive.root).keys()].filter((path) => path.endsWith('.part'))).toEqual([])
  expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({
    missing: [],
    changed: [],
    unexpected: [],
  })
  // 4 checklists of 160 photos, a thumbnail each, and a report; what a kill cut off is asked for twice.
  const files = 4 * 160 * 2 + 4
  expect(service.requests.count('files')).toBeLessThan(files + 6 * 80)
})
