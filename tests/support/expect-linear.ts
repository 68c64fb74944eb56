import { expect } from 'vitest'

const growth = 8
/** Processor time below which noise exceeds the work. */
const noiseMs = 60

/**
 * Expects that the work for a text takes time about proportional to its length: for eight times the length, far less
 * than the 64 times of quadratic work. Measures processor time of this thread, so that other load matters little.
 */
export function expectLinear(work: (length: number) => void, length: number): void {
  work(length)
  const long = cpuMs(() => work(length * growth))
  if (long < noiseMs) return
  const short = Math.min(...Array.from({ length: 3 }, () => cpuMs(() => work(length))))
  expect(long / Math.max(short, noiseMs / growth)).toBeLessThan(growth * 4)
}

function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
