import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEngine } from '../../../electron/engine/create-engine.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import { archivedHashes } from '../../support/sample-archive.ts'
import type { SoakEnd, SoakSample, SoakTask } from './messages.ts'
import { silentPorts } from '../../support/silent-logger.ts'

/** Runs the real engine's watch on a faster clock until a second message arrives. */
process.once('message', (task: SoakTask) => void watch(task))

const sampleEveryMs = 5000

/** Maximum recovery time after the last fault: a few of the longest pauses. */
const recoveryMs = 5 * 60_000

async function watch(task: SoakTask): Promise<void> {
  const archiveFolder = join(task.folder, 'archive')
  const engine = createEngine(
    { serviceUrl: task.url, homeFolder: join(task.folder, 'home'), archiveFolder },
    silentPorts(task.token, new JumpingClock(task.speed)),
  )
  engine.projects.add(task.projectIds.map((id) => ({ id, name: `Project ${id}` })))
  let failures: Record<string, number> = {}
  engine.events.on('sync-failure', ({ code }) => {
    failures[code] = (failures[code] ?? 0) + 1
  })
  const timer = setInterval(() => {
    const sample: SoakSample = { kind: 'sample', rssMegabytes: process.memoryUsage.rss() / 2 ** 20, failures }
    failures = {}
    process.send?.(sample)
  }, sampleEveryMs)
  const stop = new AbortController()
  const watching = engine.watch.run(stop.signal)
  process.once('message', () => {
    void recover(engine).then(async () => {
      clearInterval(timer)
      stop.abort()
      await watching
      const end = await inspect(engine, archiveFolder)
      await engine.close()
      process.send?.(end)
      process.disconnect()
    })
  })
  await watching
}

/** Waits until nothing fails and nothing is incomplete. */
async function recover(engine: Engine): Promise<void> {
  const endMs = performance.now() + recoveryMs
  while (performance.now() < endMs) {
    await sleep(1000)
    if (engine.failures().length === 0 && engine.unsynced().length === 0 && (await incompleteOf(engine)).length === 0)
      return
    engine.watch.recheck()
  }
}

async function inspect(engine: Engine, archiveFolder: string): Promise<SoakEnd> {
  const failing: Record<string, number> = {}
  for (const { code } of engine.failures()) failing[code] = (failing[code] ?? 0) + 1
  const { missing, changed } = await engine.verify()
  return {
    kind: 'end',
    failing,
    gaps: await incompleteOf(engine),
    missing: missing.length,
    changed: changed.length,
    hashes: archivedHashes(archiveFolder),
  }
}

/** Returns the status and the gap reasons of each incomplete checklist. */
async function incompleteOf(engine: Engine): Promise<string[]> {
  const { projects } = await engine.status()
  const incomplete = projects.flatMap(({ checklists }) => checklists.filter(({ complete }) => !complete))
  return incomplete.map(({ status, gaps }) => `${status}: ${gaps.map(({ reason }) => reason).join(', ')}`)
}
