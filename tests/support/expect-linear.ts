import { expect } from 'vitest'

const growth = 8
/** Processor time below which noise exceeds the work. */
const noiseMs = 60

/** Measurements after the first one, whose garbage of earlier work may be collected meanwhile. */
const maxRepetitions = 4

/**
 * Expects that the work for a text takes time about proportional to its length: for eight times the length, far less
 * than the 64 times of quadratic work, which no repetition makes faster. Measures processor time of this thread, so
 * that other load matters little.
 */
export function expectLinear(work: (length: number) => void, length: number): void {
  work(length)
  let ratio = measureGrowth(work, length)
  for (let count = 0; ratio >= growth * 4 && count < maxRepetitions; count++) {
    ratio = Math.min(ratio, measureGrowth(work, length))
  }
  expect(ratio).toBeLessThan(growth * 4)
}

/** Returns how many times the work for eight times the length takes; 1 if that is too short to measure. */
function measureGrowth(work: (length: number) => void, length: number): number {
  const long = cpuMs(() => work(length * growth))
  if (long < noiseMs) return 1
  const short = Math.min(...Array.from({ length: 3 }, () => cpuMs(() => work(length))))
  return long / Math.max(short, noiseMs / growth)
}

function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
