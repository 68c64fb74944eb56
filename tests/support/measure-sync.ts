import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Work of the process `measured-sync.ts`. */
export interface SyncTask {
  readonly url: string
  readonly folder: string
  /** Ids of projects that behave; the first one is synced before the measurement. */
  readonly ordinary: readonly string[]
  readonly hostile: readonly string[]
  /** Photos of all ordinary projects. */
  readonly filesExpected: number
  /** Ends the pass once these are archived, because the hostile projects would take minutes. */
  readonly stopsWhenComplete: boolean
}

export interface MeasuredSync {
  /** Distinct failures as `project: code`. */
  readonly failures: readonly string[]
  readonly filesArchived: number
  /** True if the ordinary projects were complete before the pass ended. */
  readonly wereOthersFirst: boolean
  /** Growth of the peak of the resident memory. */
  readonly growthMegabytes: number
  readonly cpuMs: number
  /** Longest time for which the event loop was busy, as processor time. */
  readonly longestTurnMs: number
}

/** Runs a pass in a process of its own, so that its memory is its own. */
export async function measureSync(task: Omit<SyncTask, 'folder'>): Promise<MeasuredSync> {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-hostile-'))
  const script = fileURLToPath(new URL('processes/measured-sync.ts', import.meta.url))
  const child = fork(script, { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const ended = once(child, 'exit')
  try {
    child.send({ ...task, folder } satisfies SyncTask)
    const [measured] = (await Promise.race([
      once(child, 'message'),
      ended.then(() => Promise.reject(new Error('The process ended without a result'))),
    ])) as [MeasuredSync]
    return measured
  } finally {
    child.kill()
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
}
