import { describe, expect, test } from 'vitest'
import { advanceMeter, idleMeter } from '../../shared/progress-meter.ts'

const halfway = {
  projectsDone: 2,
  projectsRead: 5,
  projectsTotal: 5,
  filesDone: 120,
  filesFailed: 0,
  filesTotal: 480,
  bytesDownloaded: 85_000_000,
  elapsedMs: 31_400,
  budgetWaitMs: 0,
  timeLeft: null,
}

describe('the rate', () => {
  const at = (elapsedMs: number, filesDone: number, bytesDownloaded: number) => ({
    ...halfway,
    elapsedMs,
    filesDone,
    bytesDownloaded,
  })

  test('is unknown at first', () => {
    const started = advanceMeter(advanceMeter(idleMeter, at(0, 0, 0)), at(1000, 10, 1_000_000))
    expect(started).toMatchObject({ bytesPerSecond: 0 })
  })

  test('is that of the last seconds', () => {
    let meter = idleMeter
    for (let second = 0; second <= 40; second += 1)
      meter = advanceMeter(meter, at(second * 1000, second * 2, second * 1e6))
    expect(meter.bytesPerSecond).toBeCloseTo(1e6)
    for (let second = 41; second <= 60; second += 1) meter = advanceMeter(meter, at(second * 1000, 80, 40e6))
    expect(meter).toMatchObject({ bytesPerSecond: 0 })
  })

  test('starts over with the next sync', () => {
    let meter = idleMeter
    for (let second = 0; second <= 10; second += 1)
      meter = advanceMeter(meter, at(second * 1000, second * 2, second * 1e6))
    expect(advanceMeter(meter, at(0, 0, 0))).toMatchObject({ bytesPerSecond: 0 })
  })

  test('keeps no more than the events of its window', () => {
    let meter = idleMeter
    for (let tick = 0; tick < 1000; tick += 1) meter = advanceMeter(meter, at(tick * 200, tick, tick))
    expect(meter.samples.length).toBeLessThan(100)
  })
})
