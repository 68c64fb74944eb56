import { describe, expect, test } from 'vitest'
import type { SyncProgress } from '../../../electron/engine/lib/events.ts'
import { displayWidth } from '../../../electron/headless/format/display-width.ts'
import { fitParts, syncProgressParts, verifyProgressParts } from '../../../electron/headless/format/progress-line.ts'
import { advanceMeter, idleMeter } from '../../../shared/progress-meter.ts'
import { isLineDue } from '../../../electron/headless/output/line-pace.ts'

const halfway: SyncProgress = {
  projectsDone: 2,
  projectsTotal: 5,
  filesDone: 120,
  filesFailed: 0,
  filesTotal: 480,
  bytesDownloaded: 85_000_000,
  elapsedMs: 31_400,
  budgetWaitMs: 0,
}
const meter = { bytesPerSecond: 4_200_000, leftMs: 95_000, samples: [] }

describe('the progress line of a pass', () => {
  test('tells counts, bytes, rate and time left', () => {
    expect(fitParts(syncProgressParts({ ...halfway, projectsDone: 5 }, meter), 200)).toBe(
      '120 of 480 files · 85 MB · 4.2 MB/s · 2 min left · 5 of 5 projects · 31 s',
    )
  })

  test('says that the time left is the least while projects are still being read', () => {
    expect(syncProgressParts(halfway, meter)).toContain('over 2 min left')
    expect(syncProgressParts(halfway, { ...meter, leftMs: 4_000 }).join()).not.toContain('left')
    expect(syncProgressParts({ ...halfway, projectsDone: 5 }, { ...meter, leftMs: 4_000 })).toContain(
      'less than 10 s left',
    )
  })

  test('says what it waits for', () => {
    const parts = syncProgressParts({ ...halfway, budgetWaitMs: 33_200 }, meter)
    expect(parts).toContain("waiting for the service's rate limit, 34 s")
    expect(parts.join()).not.toContain('/s')
  })

  test('counts failures apart', () => {
    expect(syncProgressParts({ ...halfway, filesFailed: 3 }, meter).slice(0, 2)).toEqual([
      '120 of 480 files',
      '3 failed',
    ])
  })

  test('fits the terminal, leaving out the end first', () => {
    const parts = syncProgressParts(halfway, meter)
    for (const columns of [10, 20, 40, 60, 80]) {
      const line = fitParts(parts, columns)
      expect(displayWidth(line)).toBeLessThanOrEqual(columns)
      expect(line.startsWith('120 of')).toBe(true)
    }
    expect(fitParts(parts, 40)).toBe('120 of 480 files · 85 MB · 4.2 MB/s')
  })

  test('of a re-hash tells counts and percent', () => {
    expect(verifyProgressParts({ filesDone: 1234, filesTotal: 5000 })).toEqual(['1,234 of 5,000 files checked', '24 %'])
    expect(verifyProgressParts({ filesDone: 0, filesTotal: 0 })).toEqual(['0 of 0 files checked', '100 %'])
  })
})

describe('the rate', () => {
  const at = (elapsedMs: number, filesDone: number, bytesDownloaded: number) => ({
    ...halfway,
    elapsedMs,
    filesDone,
    bytesDownloaded,
  })

  test('is not guessed from the first moments', () => {
    const started = advanceMeter(advanceMeter(idleMeter, at(0, 0, 0)), at(1000, 10, 1_000_000))
    expect(started).toMatchObject({ bytesPerSecond: 0, leftMs: null })
  })

  test('is that of the last seconds, and the time left follows it', () => {
    let meter = idleMeter
    for (let second = 0; second <= 40; second += 1)
      meter = advanceMeter(meter, at(second * 1000, second * 2, second * 1e6))
    expect(meter.bytesPerSecond).toBeCloseTo(1e6)
    expect(meter.leftMs).toBeCloseTo(((480 - 80) / 2) * 1000)
    for (let second = 41; second <= 60; second += 1) meter = advanceMeter(meter, at(second * 1000, 80, 40e6))
    expect(meter).toMatchObject({ bytesPerSecond: 0, leftMs: null })
  })

  test('begins anew with the next pass', () => {
    let meter = idleMeter
    for (let second = 0; second <= 10; second += 1)
      meter = advanceMeter(meter, at(second * 1000, second * 2, second * 1e6))
    expect(advanceMeter(meter, at(0, 0, 0))).toMatchObject({ bytesPerSecond: 0, leftMs: null })
  })

  test('keeps no more than the events of its window', () => {
    let meter = idleMeter
    for (let tick = 0; tick < 1000; tick += 1) meter = advanceMeter(meter, at(tick * 200, tick, tick))
    expect(meter.samples.length).toBeLessThan(100)
  })
})

describe('a plain progress line', () => {
  test.each([
    ['at once', 500, 5, false],
    ['after another tenth of the work', 1500, 1, true],
    ['in between', 4000, 0, false],
    ['after five seconds', 5000, 0, true],
  ])('%s: %d ms later and %d tenths further, due is %s', (_, atMs, tenths, due) => {
    expect(isLineDue({ atMs: 0, tenths: 0 }, { atMs, tenths })).toBe(due)
  })
})
