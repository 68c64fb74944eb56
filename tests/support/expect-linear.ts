import { expect } from 'vitest'

const growth = 8
/** Processor time below which a machine's noise says more than the work. */
const noiseMs = 60

/**
 * Expects that the work for a text of some length takes about in proportion to it: eight times the length, far less than the 64
 * times of a square. By processor time of this thread, so that what else the machine does matters little.
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
