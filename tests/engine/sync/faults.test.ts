import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import type { Clock } from '../../../electron/engine/lib/ports.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import type { Fault } from '../../../electron/sample-service/http/faults.ts'
import { breakLookups } from '../../support/break-lookups.ts'
import { failCalls } from '../../support/hooks/fail-calls.ts'
import { archivedHashes, readFiles, sampleArchive, servedHashes, sha256 } from '../../support/sample-archive.ts'
import { silentLogger } from '../../support/silent-logger.ts'
import { createSkippingClock } from '../../support/skipping-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/watching.ts'

const small = {
  projects: 1,
  checklistsPerProject: 2,
  photoQuestionsPerChecklist: 2,
  photosPerQuestion: 1,
  statuses: ['completed'],
  awkwardNames: false,
} as const

/** One question with two photos: enough for a fault of every request of a kind. */
const tiny = { ...small, checklistsPerProject: 1, photoQuestionsPerChecklist: 1, photosPerQuestion: 2 } as const

/**
 * Faults of every request for one kind of file, and the error code of the failure. These depend on the kind: where a
 * new link comes from, and what the bytes have to be.
 */
const faultsOfKind: [string, Fault, string][] = [
  ['403', { kind: 'status', status: 403 }, 'link-refused'],
  ['a cut body without a length', { kind: 'truncate', framing: 'close' }, 'file-truncated'],
  ['a login page with 200', { kind: 'html' }, 'file-invalid'],
  ['an empty body', { kind: 'body', body: '' }, 'file-invalid'],
  ['JSON in place of the file', { kind: 'body', body: '{"error":"expired"}' }, 'file-invalid'],
]
/** As above, whatever the kind of file. */
const otherFaults: [string, Fault, string][] = [
  ['410', { kind: 'status', status: 410 }, 'link-refused'],
  ['404', { kind: 'status', status: 404 }, 'file-gone'],
  ['500', { kind: 'status', status: 500 }, 'service-error'],
  ['429 with Retry-After', { kind: 'status', status: 429, retryAfter: 0 }, 'rate-limited'],
  ['a reset', { kind: 'reset' }, 'unreachable-reset'],
  ['a reset in the middle', { kind: 'reset', afterBytes: 1000 }, 'unreachable-reset'],
  ['a cut body with Content-Length', { kind: 'truncate', framing: 'contentLength' }, 'unreachable-reset'],
  ['a cut chunked body', { kind: 'truncate', framing: 'chunked' }, 'unreachable-reset'],
  ['a redirect to a host that is not there', { kind: 'redirect', to: 'http://nothing.invalid/' }, 'unreachable-dns'],
  ['a redirect to a file', { kind: 'redirect', to: 'file:///etc/passwd' }, 'link-unsafe'],
]

describe.each([
  ['report', faultsOfKind],
  ['photo', [...faultsOfKind, ...otherFaults]],
  ['thumbnail', faultsOfKind],
] as const)('a %s that responds with', (route, faults) => {
  it.each(faults)('%s is reported, never stored, and archived once the fault is over', async (_name, fault, code) => {
    breakLookups()
    const archive = await sampleArchive(tiny)
    archive.service.faults.add({ route, fault })
    const report = await archive.sync()
    expect(report.filesFailed).toBeGreaterThan(0)
    expect(report.failures).toHaveLength(report.filesFailed)
    expect(new Set(report.failures.map((failure) => failure.code))).toEqual(new Set([code]))
    const served = new Set(await servedHashes(archive.service))
    expect(archivedHashes(archive.root).every((hash) => served.has(hash))).toBe(true)
    expect([...readFiles(archive.root).keys()].filter((path) => path.endsWith('.part'))).toEqual([])

    archive.service.faults.clear()
    const again = await archive.sync()
    expect(again).toMatchObject({ failures: [], filesDownloaded: report.filesFailed })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })
})

describe('a brief fault of the file host', () => {
  it.each<[string, Fault]>([
    ['503', { kind: 'status', status: 503 }],
    ['reset', { kind: 'reset', afterBytes: 100 }],
    ['cut body', { kind: 'truncate', framing: 'close' }],
    ['wrong type', { kind: 'contentType', contentType: 'text/html' }],
  ])('(%s) costs no failure', async (_name, fault) => {
    const archive = await sampleArchive(small)
    archive.service.faults.add({ route: 'files', fault, count: 1, skip: 3 })
    expect((await archive.sync()).failures).toEqual([])
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })
})

describe('a file host that limits requests', () => {
  const inMs = (delayMs: number) => (nowMs: number) => new Date(nowMs + delayMs).toUTCString()
  it.each<[string, (nowMs: number) => number | string | undefined, [number, number]]>([
    ['without a time', () => undefined, [250, 750]],
    ['for 0 seconds', () => 0, [250, 750]],
    ['for some seconds', () => 20, [20_000, 20_000]],
    ['until a time', inMs(55_000), [40_000, 55_000]],
    ['until a time that has passed', inMs(-60_000), [250, 750]],
    ['for hours', inMs(3_600_000), [60_000, 60_000]],
  ])('(%s) is not called again immediately', async (_name, retryAfterAt, [minMs, maxMs]) => {
    const pausesMs: number[] = []
    const skipping = createSkippingClock()
    const sleep: Clock['sleep'] = (delayMs, signal) => {
      pausesMs.push(delayMs)
      return skipping.sleep(delayMs, signal)
    }
    const archive = await sampleArchive(small, { ...skipping, sleep })
    const retryAfter = retryAfterAt(skipping.nowMs())
    const asked = retryAfter === undefined ? {} : { retryAfter }
    archive.service.faults.add({ route: 'report', fault: { kind: 'status', status: 429, ...asked }, count: 1 })
    expect((await archive.sync()).failures).toEqual([])
    expect(pausesMs.filter((pauseMs) => pauseMs >= minMs && pauseMs <= maxMs)).toHaveLength(1)
  })
})

describe('an API call that returns', () => {
  const unreadable: [string, Fault, string][] = [
    ['a login page with 200', { kind: 'html' }, 'unreadable-answer'],
    ['half a body, until the end of the connection', { kind: 'truncate', framing: 'close' }, 'unreadable-answer'],
    ['an error object with 200', { kind: 'body', body: '{"error":"maintenance"}' }, 'unreadable-answer'],
  ]
  const others: [string, Fault, string][] = [
    ['403', { kind: 'status', status: 403 }, 'no-permission'],
    ['404', { kind: 'status', status: 404 }, 'not-found'],
    ['500', { kind: 'status', status: 500 }, 'service-error'],
    ['half a body with Content-Length', { kind: 'truncate', framing: 'contentLength' }, 'unreachable-reset'],
    ['half a body, chunked', { kind: 'truncate', framing: 'chunked' }, 'unreachable-reset'],
    ['a redirect elsewhere', { kind: 'redirect', to: 'http://nothing.invalid/' }, 'service-error'],
  ]
  // Each call has a reader of its own; the rest is the same for all of them.
  const faults = { checklists: unreadable, checklist: unreadable, media: [...unreadable, ...others] }
  const calls = (['checklists', 'checklist', 'media'] as const).flatMap((route) =>
    faults[route].map(([name, fault, code]) => [route, name, fault, code] as const),
  )
  it.each(calls)('(%s) %s is reported, and the next pass completes', async (route, _name, fault, code) => {
    const archive = await sampleArchive(tiny)
    archive.service.faults.add({ route, fault })
    const report = await archive.sync()
    expect(report.failures.length).toBeGreaterThan(0)
    expect(new Set(report.failures.map((failure) => failure.code))).toEqual(new Set([code]))
    archive.service.faults.clear()
    expect((await archive.sync()).failures).toEqual([])
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })

  it('an unreadable checklist in the weekly full pass is read again by the next one, and complete', async () => {
    let laterMs = 0
    const archive = await sampleArchive(tiny, { ...systemClock, nowMs: () => systemClock.nowMs() + laterMs })
    await archive.sync()
    laterMs = 8 * 24 * 3_600_000
    archive.service.faults.add({ route: 'checklist', fault: { kind: 'html' } })
    expect((await archive.sync()).failures).toMatchObject([{ code: 'unreadable-answer' }])
    archive.service.faults.clear()
    await archive.withEngine(async (engine) => {
      expect(await engine.sync()).toMatchObject({ failures: [], filesDownloaded: 0 })
      const { projects } = await engine.status()
      expect(projects[0]?.checklists).toMatchObject([{ complete: true, gaps: [] }])
    })
    archive.service.requests.clear()
    await archive.sync()
    expect(archive.service.requests.count('checklist')).toBe(0)
  })

  it('401 ends the pass immediately, keeps the archive, and is reported once', async () => {
    const archive = await sampleArchive(small)
    archive.service.faults.add({ route: 'media', fault: { kind: 'status', status: 401 }, skip: 2 })
    const report = await archive.sync()
    expect(report.failures.map(({ code }) => code)).toEqual(['token-refused'])
    archive.service.faults.clear()
    await archive.sync()
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })
})

it('a pass that cannot record a failure ends only once no other project works any more', async () => {
  const archive = await sampleArchive({ ...tiny, projects: 2 })
  const [failing, other] = archive.service.projects.map(({ id }) => id)
  const isFull = join(temporaryFolder(), 'full')
  const free = await failCalls({ below: ['database'], calls: ['run'], from: 1, what: 'SQLITE_FULL', while: isFull })
  onTestFinished(() => void free())
  // The data folder's disk becomes full right before the failure of a project is recorded.
  const logger = { ...silentLogger, error: () => writeFileSync(isFull, '') }
  const work = async (engine: Engine) => {
    const inFlight: number[] = []
    engine.events.on('downloads', (files) => void inFlight.push(files.length))
    const { faults, requests } = archive.service
    const list = new RegExp(`/checklist/${failing}$`)
    faults.add({ route: list, fault: { kind: 'hang' }, count: 1 })
    faults.add({ route: list, fault: { kind: 'status', status: 403 } })
    faults.add({ route: 'files', fault: { kind: 'hang' } })
    // Keeps the project that fails from its turn until files of the other one are in flight.
    const before = new AbortController()
    const earlier = engine.sync({ projectIds: [failing ?? ''], signal: before.signal })
    await until('the service is asked', () => requests.count('checklists') === 1)
    const pass = engine.sync({ projectIds: [failing ?? '', other ?? ''] })
    await until('files are in flight', () => (inFlight.at(-1) ?? 0) > 0)
    before.abort()
    await expect(earlier).rejects.toMatchObject({ code: 'cancelled' })
    await expect(pass).rejects.toMatchObject({ code: 'disk-full' })
    const ended = inFlight.length
    await until('that none are in flight is told', () => inFlight.at(-1) === 0)
    expect(inFlight.slice(ended).filter((files) => files > 0)).toEqual([])
    free()
  }
  await archive.withEngine(work, {}, { logger })
  archive.service.faults.clear()
  expect(await archive.sync()).toMatchObject({ failures: [] })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it('links of one category are refreshed with one call if all are refused', async () => {
  const archive = await sampleArchive({
    ...small,
    checklistsPerProject: 1,
    photoQuestionsPerChecklist: 1,
    photosPerQuestion: 30,
  })
  // Each photo once: the new link of the first one can be used before the eighth is asked for.
  const refused = new Set<string>()
  const refuses = ({ route, path }: { readonly route: string; readonly path: string }) =>
    route === 'photo' && refused.size < 8 && refused.size < refused.add(path).size
  archive.service.faults.add({ route: refuses, fault: { kind: 'status', status: 403 } })
  expect((await archive.sync()).failures).toEqual([])
  expect(archive.service.requests.count('media')).toBe(2)
})

describe('an endless file', () => {
  it('is aborted at the size limit and not stored', async () => {
    const archive = await sampleArchive({ ...small, checklistsPerProject: 1 })
    archive.service.faults.add({ route: 'thumbnail', fault: { kind: 'endless' }, count: 1 })
    const report = await archive.sync()
    expect(report.failures.map(({ code }) => code)).toEqual(['file-too-large'])
    const served = new Set(await servedHashes(archive.service))
    const hashes = [...readFiles(archive.root)]
      .filter(([path]) => path.includes('/thumbnails/'))
      .map(([, bytes]) => sha256(bytes))
    expect(hashes.every((hash) => served.has(hash))).toBe(true)
  })
})
