import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Time between two measurements; each collects garbage. */
const intervalMs = 2000

let collect: (() => void) | undefined

/** Returns the memory in use after a garbage collection, in MB. */
function liveMegabytes(): number {
  setFlagsFromString('--expose-gc')
  collect ??= runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}

/** Starts to measure by how many MB the memory in use grows at most, without garbage. `end` returns it. */
export function measureGrowth(): { readonly end: () => number } {
  const before = liveMegabytes()
  let peak = before
  const measure = () => (peak = Math.max(peak, liveMegabytes()))
  const timer = setInterval(measure, intervalMs)
  return {
    end() {
      clearInterval(timer)
      return measure() - before
    },
  }
}

/**
 * Returns by how many MB the memory in use grew at most during `work`, without garbage. Other code in this process
 * counts too, such as a sample service: build what it keeps before.
 */
export async function peakGrowthMegabytes(work: () => Promise<unknown>): Promise<number> {
  const growth = measureGrowth()
  try {
    await work()
  } catch (error) {
    growth.end()
    throw error
  }
  return growth.end()
}
