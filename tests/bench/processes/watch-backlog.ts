import { join } from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEngine } from '../../../electron/engine/create-engine.ts'
import type { BacklogFigures, BacklogTask } from './messages.ts'
import { silentPorts } from '../../support/silent-logger.ts'

/** The watch over a database full of failed files. */
process.once('message', (task: BacklogTask) => void watch(task))

/** The timer's resolution: the histogram records it as part of every delay. */
const resolutionMs = 5

/** Number of times each call of the bridge is made. */
const callRounds = 10

async function watch(task: BacklogTask): Promise<void> {
  const engine = createEngine(
    {
      serviceUrl: task.url,
      homeFolder: join(task.folder, 'home'),
      archiveFolder: join(task.folder, 'archive'),
      // No limit, so that the engine is busy with its own work instead of waiting for calls.
      apiCallsPerMinute: 0,
    },
    silentPorts(task.token),
  )
  let triedAgain = 0
  engine.events.on('sync-failure', () => {
    triedAgain += 1
  })
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  const stop = new AbortController()
  const utilization = performance.eventLoopUtilization()
  delay.enable()
  const watching = engine.watch.run(stop.signal)
  await sleep(task.watchMs)
  delay.disable()
  const busyShare = performance.eventLoopUtilization(utilization).utilization
  const beyond = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - resolutionMs)
  const figures: BacklogFigures = {
    triedAgain,
    delayMs: { p50: beyond(delay.percentile(50)), p99: beyond(delay.percentile(99)), max: beyond(delay.max) },
    busyShare,
    bridge: await askCatalog(),
  }
  stop.abort()
  await watching
  await engine.close()
  process.send?.(figures)
  process.disconnect()

  /** The calls of the app's first pages, while the watch runs. */
  async function askCatalog(): Promise<BacklogFigures['bridge']> {
    const { catalog } = engine
    const page = { offset: 0, limit: 50 }
    const calls: readonly (readonly [string, () => unknown])[] = [
      ['overview', () => [catalog.counts(), catalog.attention()]],
      [
        'projects.list',
        () => catalog.projects({ ...page, search: '', filter: 'all', sort: 'name', descending: false }),
      ],
      ['projects.get', () => catalog.project(task.projectIds[0] ?? '', page)],
      ['failures.list', () => catalog.failures(page)],
    ]
    const slowest = new Map<string, number>()
    for (let round = 0; round < callRounds; round++) {
      for (const [name, ask] of calls) {
        await sleep(50)
        const startMs = performance.now()
        ask()
        slowest.set(name, Math.max(slowest.get(name) ?? 0, performance.now() - startMs))
      }
    }
    return [...slowest].map(([call, slowestMs]) => ({ call, slowestMs }))
  }
}
