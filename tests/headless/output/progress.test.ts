import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import type { SyncProgress } from '../../../electron/engine/lib/events.ts'
import { fitParts, isLineDue, syncLineParts, verifyProgressParts } from '../../../electron/headless/output/progress.ts'

const halfway: SyncProgress = {
  projectsDone: 2,
  projectsRead: 5,
  projectsTotal: 5,
  filesDone: 120,
  filesFailed: 0,
  filesTotal: 480,
  bytesDownloaded: 85_000_000,
  elapsedMs: 31_400,
  budgetWaitMs: 0,
  timeLeft: { leftMs: 95_000, callsPerMinute: null },
}
const reading = {
  ...halfway,
  projectsRead: 4,
  projectsTotal: 2000,
  timeLeft: { leftMs: 32_000_000, callsPerMinute: 60 },
}
const meter = { bytesPerSecond: 4_200_000 }

describe('the progress line of a pass', () => {
  test('shows counts, bytes, rate, and time left', () => {
    expect(fitParts(syncLineParts(halfway, meter), 200)).toBe(
      '120 of 480 files · about 1 min 40 s left · 85.0 MB · 4.2 MB/s · 31 s',
    )
  })

  test('is about the projects while they are read, and says how long the limit of the service makes it', () => {
    expect(fitParts(syncLineParts({ ...reading, budgetWaitMs: 33_200 }, meter), 200)).toBe(
      'Reading projects: 4 of 2,000 · about 8 h 50 min left at 60 calls a minute · next call in 34 s · 120 files · ' +
        '85.0 MB · 31 s',
    )
  })

  test('shows the reason for a wait', () => {
    const parts = syncLineParts({ ...halfway, timeLeft: null, budgetWaitMs: 33_200 }, meter)
    expect(parts[1]).toBe("waiting for the service's rate limit, 34 s")
    expect(parts.join()).not.toContain('/s')
  })

  test('of a sync that waits for a host shows how long, and no rate or time left', () => {
    const hostWait = { host: 'files.example.com', waitedMs: 12_400 }
    expect(fitParts(syncLineParts({ ...halfway, hostWait }, meter), 200)).toBe(
      '120 of 480 files · waiting for files.example.com to come back, 12 s · 85.0 MB · 31 s',
    )
  })

  test('counts failures separately', () => {
    expect(syncLineParts({ ...halfway, filesFailed: 3 }, meter)).toContain('3 failed')
  })

  test('fits the terminal, dropping the end first', () => {
    const parts = syncLineParts(halfway, meter)
    for (const columns of [10, 20, 40, 60, 80]) {
      const line = fitParts(parts, columns)
      expect(stringWidth(line)).toBeLessThanOrEqual(columns)
      expect(line.startsWith('120 of')).toBe(true)
    }
    expect(fitParts(parts, 40)).toBe('120 of 480 files · about 1 min 40 s left')
  })

  test('of a verify shows counts and percent', () => {
    expect(verifyProgressParts({ filesDone: 1234, filesTotal: 5000 })).toEqual(['1,234 of 5,000 files checked', '24 %'])
    expect(verifyProgressParts({ filesDone: 0, filesTotal: 0 })).toEqual(['0 of 0 files checked', '100 %'])
  })
})

describe('a plain progress line', () => {
  test.each([
    ['at once', 500, 5, false],
    ['after another tenth of the work', 1500, 1, true],
    ['in between', 4000, 0, false],
    ['after five seconds', 5000, 0, true],
  ])('%s: %d ms later and %d tenths further, due: %s', (_, atMs, tenths, due) => {
    expect(isLineDue({ atMs: 0, tenths: 0 }, { atMs, tenths })).toBe(due)
  })
})
