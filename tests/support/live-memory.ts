import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Time between two measurements. */
const intervalMs = 2000

let collect: (() => void) | undefined

/** Returns the memory in use, in MB, with the garbage that is not yet collected. */
function usedMegabytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1e6
}

/** Returns the memory in use after a garbage collection, in MB. */
function liveMegabytes(): number {
  setFlagsFromString('--expose-gc')
  collect ??= runInNewContext('gc') as () => void
  collect()
  return usedMegabytes()
}

/**
 * Starts to measure by how many MB the memory in use grows at most, without garbage. `end` returns it. What stays below
 * the limit, garbage included, is only measured at the end, because each collection takes a tenth of a second.
 */
export function measureGrowth(limitMegabytes: number): { readonly end: () => number } {
  const before = liveMegabytes()
  let peak = before
  const measure = () => (peak = Math.max(peak, liveMegabytes()))
  const timer = setInterval(() => usedMegabytes() - before >= limitMegabytes && measure(), intervalMs)
  return {
    end() {
      clearInterval(timer)
      return measure() - before
    },
  }
}

/**
 * Returns by how many MB the memory in use grew at most during `work`, as `measureGrowth` does. Other code in this
 * process counts too, such as a sample service: build what it keeps before.
 */
export async function peakGrowthMegabytes(limitMegabytes: number, work: () => Promise<unknown>): Promise<number> {
  const growth = measureGrowth(limitMegabytes)
  try {
    await work()
  } catch (error) {
    growth.end()
    throw error
  }
  return growth.end()
}
