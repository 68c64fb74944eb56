import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEngine } from '../../../electron/engine/create-engine.ts'
import type { MeasuredSync, SyncTask } from '../measure-sync.ts'
import { silentPorts } from '../silent-logger.ts'

/** So that a pass that never ends fails a test instead of blocking it. */
const maxWaitMs = 600_000

/** Syncs an ordinary project, then hostile ones beside ordinary ones, and measures what the second pass took. */
process.once('message', (task: SyncTask) => void run(task))

async function run({ url, folder, ordinary, hostile, filesExpected, stopsWhenComplete }: SyncTask): Promise<void> {
  const archive = join(folder, 'archive')
  const engine = createEngine(
    {
      serviceUrl: url,
      homeFolder: join(folder, 'home'),
      archiveFolder: archive,
      apiCallsPerMinute: 0,
      concurrency: 8,
    },
    silentPorts('tok-CANARY-123'),
  )
  const add = (ids: readonly string[]) => engine.projects.add(ids.map((id) => ({ id, name: id })))
  const [first = '', ...others] = ordinary
  add([first])
  await engine.sync()

  const before = process.resourceUsage().maxRSS
  const cpuBefore = process.cpuUsage()
  const longestTurn = watchTurns()
  add([...hostile, ...others])
  const stop = new AbortController()
  const synced = engine.sync({ signal: stop.signal }).then(
    ({ failures }) => failures.map(({ code, projectId }) => `${projectId}: ${code}`),
    () => ['stopped'],
  )
  const isPhoto = new RegExp(`^(${ordinary.join('|')}) .*/photos/.*\\.jpg$`)
  const countArchived = () =>
    readdirSync(archive, { recursive: true, encoding: 'utf8' }).filter((path) => isPhoto.test(path)).length
  let isOver = false
  void synced.finally(() => {
    isOver = true
  })
  const deadlineMs = performance.now() + maxWaitMs
  while (!isOver && countArchived() < filesExpected && performance.now() < deadlineMs) await sleep(20)
  const wereOthersFirst = !isOver && countArchived() === filesExpected
  if (stopsWhenComplete) stop.abort()
  const failures = await synced
  const { user, system } = process.cpuUsage(cpuBefore)
  const measured: MeasuredSync = {
    failures: [...new Set(failures)].sort(),
    filesArchived: countArchived(),
    wereOthersFirst,
    growthMegabytes: (process.resourceUsage().maxRSS - before) / 1024,
    cpuMs: (user + system) / 1000,
    longestTurnMs: longestTurn(),
  }
  await engine.close()
  process.send?.(measured)
  process.disconnect()
}

/**
 * Measures how long the event loop is busy without a break. Returns a function that ends it and returns the longest.
 */
function watchTurns(): () => number {
  let [before, longestMs] = [process.threadCpuUsage(), 0]
  const measure = () => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longestMs = Math.max(longestMs, (user + system) / 1000)
  }
  const timer = setInterval(measure, 5)
  return () => {
    clearInterval(timer)
    measure()
    return longestMs
  }
}
