import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import type { SyncProgress } from '../../../electron/engine/lib/events.ts'
import { fitParts, isLineDue, syncLineParts, verifyProgressParts } from '../../../electron/headless/output/progress.ts'

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
  test('shows counts, bytes, rate, and time left', () => {
    expect(fitParts(syncLineParts({ ...halfway, projectsDone: 5 }, meter), 200)).toBe(
      '120 of 480 files · 85.0 MB · 4.2 MB/s · 2 min left · 5 of 5 projects · 31 s',
    )
  })

  test('shows a minimum of the time left while projects are still being read', () => {
    expect(syncLineParts(halfway, meter)).toContain('over 2 min left')
    expect(syncLineParts(halfway, { ...meter, leftMs: 4_000 }).join()).not.toContain('left')
    expect(syncLineParts({ ...halfway, projectsDone: 5 }, { ...meter, leftMs: 4_000 })).toContain('less than 10 s left')
  })

  test('shows the reason for a wait', () => {
    const parts = syncLineParts({ ...halfway, budgetWaitMs: 33_200 }, meter)
    expect(parts).toContain("waiting for the service's rate limit, 34 s")
    expect(parts.join()).not.toContain('/s')
  })

  test('of a sync that waits for a host shows how long, and no rate or time left', () => {
    const hostWait = { host: 'files.example.com', waitedMs: 12_400 }
    expect(fitParts(syncLineParts({ ...halfway, hostWait }, meter), 200)).toBe(
      '120 of 480 files so far · waiting for files.example.com to come back, 12 s · 85.0 MB · 2 of 5 projects · 31 s',
    )
  })

  test('counts failures separately', () => {
    expect(syncLineParts({ ...halfway, filesFailed: 3 }, meter).slice(0, 2)).toEqual([
      '120 of 480 files so far',
      '3 failed',
    ])
  })

  test('fits the terminal, dropping the end first', () => {
    const parts = syncLineParts(halfway, meter)
    for (const columns of [10, 20, 40, 60, 80]) {
      const line = fitParts(parts, columns)
      expect(stringWidth(line)).toBeLessThanOrEqual(columns)
      expect(line.startsWith('120 of')).toBe(true)
    }
    expect(fitParts(parts, 40)).toBe('120 of 480 files so far · 85.0 MB')
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
