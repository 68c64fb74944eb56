import { describe, expect, it } from 'vitest'
import type { Fault, FaultRule, FaultSubject } from '../../electron/sample-service/http/faults.ts'
import type { SampleServiceOptions } from '../../electron/sample-service/start-sample-service.ts'
import { SeededRandom } from '../../electron/sample-service/site/seeded-random.ts'
import type { SyncReport } from '../../shared/domain.ts'
import { breakLookups } from '../support/break-lookups.ts'
import {
  archivedHashes,
  readFiles,
  type SampleArchive,
  sampleArchive,
  servedHashes,
} from '../support/sample-archive.ts'
import { createSkippingClock } from '../support/skipping-clock.ts'

/** 2 projects of 2 checklists of 4 photos with a thumbnail each, and a report: 36 files. */
const site: SampleServiceOptions = {
  projects: 2,
  checklistsPerProject: 2,
  photoQuestionsPerChecklist: 2,
  photosPerQuestion: 2,
  statuses: ['completed'],
  awkwardNames: false,
}
const files = 36

/** The same with 12 photos for each checklist: 100 files. */
const largeSite = { ...site, photoQuestionsPerChecklist: 4, photosPerQuestion: 3 } as const

/** Expects that the archive equals the service, with no partial file and no work left. */
async function expectEqualsService(archive: SampleArchive, count = files): Promise<void> {
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  expect([...readFiles(archive.root).keys()].filter((path) => path.endsWith('.part'))).toEqual([])
  archive.service.requests.clear()
  expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, filesUnchanged: count, failures: [] })
  expect(archive.service.requests.count('files')).toBe(0)
  expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({
    // Plus a document for each of four checklists and the checksums of two projects.
    ok: count + 4 + 2,
    missing: [],
    changed: [],
    unexpected: [],
  })
}

/** Syncs until a pass has no failure, and returns the number of passes. Expects failures with these codes only. */
async function syncUntilComplete(archive: SampleArchive, codes: readonly string[]): Promise<number> {
  for (let passes = 1; passes <= 30; passes++) {
    const report = await archive.sync()
    if (report.failures.length === 0) return passes
    expect(codes).toEqual(expect.arrayContaining(codesOf(report)))
  }
  throw new Error('30 passes did not complete the archive')
}

const codesOf = (report: SyncReport) => [...new Set(report.failures.map(({ code }) => code))]

describe('links that expire in the queue', () => {
  it('repeatedly are refreshed, and no file fails', async () => {
    let nowMs = Date.now()
    const archive = await sampleArchive({ ...largeSite, linkLifetimeMs: 60_000, nowMs: () => nowMs })
    const { faults, requests } = archive.service
    // With every 16th file an hour passes at the service, so all earlier links expire: twice as many as are downloaded
    // at once, or no file might arrive.
    let deaths = 0
    const jump = ({ origin }: FaultSubject) => {
      if (origin === 'files' && requests.count('files') % 16 === 0) {
        nowMs += 3_600_000
        deaths += 1
      }
      return false
    }
    faults.add({ route: jump, fault: { kind: 'reset' } })
    // A file whose refreshed link expires as well is reported, and is due in the next pass.
    await syncUntilComplete(archive, ['link-refused'])
    expect(deaths).toBeGreaterThan(5)
    // Each of 16 categories and 2 lists is requested at most once per expiry, never once per file.
    expect(requests.count('media')).toBeLessThan(16 * (deaths + 1))
    faults.clear()
    await expectEqualsService(archive, 100)
  })

  it.each([400, 401, 403, 410])('for a single file (%i) are refreshed, and no file fails', async (status) => {
    let nowMs = Date.now()
    // Links expire at a full second: with each second there is another.
    const archive = await sampleArchive({ ...site, nowMs: () => (nowMs += 1000) })
    const { faults, requests } = archive.service
    faults.add({ route: 'files', fault: { kind: 'status', status }, count: 1, skip: 18 })
    expect((await archive.sync()).failures).toEqual([])
    expect(requests.count('files')).toBe(files + 1)
    const refused = requests.records.find((record) => record.status === status)
    const asked = requests.records.filter(({ path }) => path === refused?.path)
    expect(new Set(asked.map(({ search }) => search)).size).toBe(2)
    await expectEqualsService(archive)
  })
})

describe('429', () => {
  it.each<[string, Fault]>([
    ['with Retry-After', { kind: 'status', status: 429, retryAfter: 1 }],
    ['with a date as Retry-After', { kind: 'status', status: 429, retryAfter: new Date(0).toUTCString() }],
    ['without Retry-After', { kind: 'status', status: 429 }],
  ])('of the service (%s) pauses the calls and costs no failure', async (_name, fault) => {
    const archive = await sampleArchive(site, createSkippingClock())
    const waits = await countWaits(archive, { route: 'api', fault, count: 4, skip: 5 })
    expect(waits).toBeGreaterThan(0)
    await expectEqualsService(archive)
  })

  it.each<[string, Fault]>([
    ['with Retry-After', { kind: 'status', status: 429, retryAfter: 1 }],
    ['without Retry-After', { kind: 'status', status: 429 }],
  ])('of the file host (%s) for a while is waited out or reported, and the archive completes', async (_name, fault) => {
    const archive = await sampleArchive(site, createSkippingClock())
    archive.service.faults.add({ route: 'files', fault, count: 20, skip: 6 })
    await syncUntilComplete(archive, ['rate-limited'])
    archive.service.faults.clear()
    await expectEqualsService(archive)
  })

  it('of the service permanently ends the pass, and the next one completes', async () => {
    const archive = await sampleArchive(site, createSkippingClock())
    archive.service.faults.add({ route: 'api', fault: { kind: 'status', status: 429 }, skip: 6 })
    expect(codesOf(await archive.sync())).toEqual(['rate-limited'])
    archive.service.faults.clear()
    expect(codesOf(await archive.sync())).toEqual([])
    await expectEqualsService(archive)
  })

  /** Runs a pass without failure under the rule. Returns the number of waits for the service. */
  async function countWaits(archive: SampleArchive, rule: FaultRule): Promise<number> {
    archive.service.faults.add(rule)
    expect((await archive.sync()).failures).toEqual([])
    archive.service.faults.clear()
    return archive.log.filter((line) => line.includes('The service is limiting requests')).length
  }
})

describe('bursts', () => {
  const troubles: [string, Fault, readonly string[]][] = [
    ['500', { kind: 'status', status: 500 }, ['service-error']],
    ['502', { kind: 'status', status: 502 }, ['service-error']],
    ['503 with Retry-After', { kind: 'status', status: 503, retryAfter: 1 }, ['service-error']],
    ['resets', { kind: 'reset' }, ['unreachable-reset']],
    ['resets after some bytes', { kind: 'reset', afterBytes: 300 }, ['unreachable-reset']],
    ['cut answers', { kind: 'truncate', framing: 'close' }, ['file-truncated', 'unreadable-answer']],
  ]
  it.each(troubles)(
    'of %s from both hosts are retried or reported, and the archive completes',
    async (name, fault, codes) => {
      const archive = await sampleArchive(site)
      const random = new SeededRandom(name)
      // Bursts of up to 8 failing requests, with up to 8 good ones in between.
      let left = 0
      let isBad = false
      const inBurst = () => {
        if (left-- <= 0) {
          isBad = !isBad
          left = random.whole(1, 8)
        }
        return isBad
      }
      archive.service.faults.add({ route: inBurst, fault })
      await syncUntilComplete(archive, codes)
      archive.service.faults.clear()
      await expectEqualsService(archive)
    },
  )
})

describe('DNS failures', () => {
  it.each(['ENOTFOUND', 'EAI_AGAIN'])(
    '(%s) from the start are reported once, and the next pass completes',
    async (code) => {
      // A new service: no connection to it is open yet.
      const archive = await sampleArchive(site)
      let isDown = true
      breakLookups(code, () => isDown)
      const serviceUrl = archive.service.url.replace('127.0.0.1', 'localhost')
      const report = await archive.sync({ serviceUrl })
      expect(codesOf(report)).toEqual(['unreachable-dns'])
      expect(archive.service.requests.count('api')).toBe(0)
      isDown = false
      expect(codesOf(await archive.sync({ serviceUrl }))).toEqual([])
      await expectEqualsService(archive)
    },
  )

  it('during a pass end it, and the next pass completes', async () => {
    const archive = await sampleArchive(site)
    breakLookups('ENOTFOUND', () => archive.service.requests.count('api') >= 8)
    // Open connections need no lookup: they are closed with the last successful call.
    archive.service.faults.add({ route: 'api', fault: { kind: 'reset' }, skip: 7 })
    const serviceUrl = archive.service.url.replace('127.0.0.1', 'localhost')
    expect(codesOf(await archive.sync({ serviceUrl }))).toEqual(['unreachable-dns'])
    archive.service.requests.clear()
    archive.service.faults.clear()
    breakLookups('ENOTFOUND', () => false)
    await archive.sync()
    await expectEqualsService(archive)
  })
})
