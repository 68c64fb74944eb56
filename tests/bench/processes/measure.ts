import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { DownloadFigures } from './messages.ts'

/** The timer's resolution: the histogram records it as part of every delay. */
const resolutionMs = 5

/** Measures wall time, peak memory and event-loop delay of the work, in a process that does nothing else. */
export async function measure(work: () => Promise<{ files: number; bytes: number }>): Promise<DownloadFigures> {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  const startMs = performance.now()
  const { files, bytes } = await work()
  const wallMs = performance.now() - startMs
  delay.disable()
  return {
    wallMs,
    files,
    bytes,
    peakMegabytes: process.resourceUsage().maxRSS / 1024,
    loopDelayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - resolutionMs),
  }
}
