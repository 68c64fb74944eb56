import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Time between two measurements; each collects garbage. */
const intervalMs = 2000

/** Returns the memory in use after a garbage collection, in MB. */
function liveMegabytes(collect: () => void): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}

/**
 * Returns by how many MB the memory in use grew at most during `work`, without garbage. Other code in this process
 * counts too, such as a sample service: build what it keeps before.
 */
export async function peakGrowthMegabytes(work: () => Promise<unknown>): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const before = liveMegabytes(collect)
  let peak = before
  const measure = () => (peak = Math.max(peak, liveMegabytes(collect)))
  const timer = setInterval(measure, intervalMs)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return measure() - before
}
