import {
  type ExportState,
  maxListedGaps,
  maxListedPaths,
  type OrderOf,
  type PacketState,
  type ReportOf,
  syncCountsSchema,
  type SyncState,
  type VerifyState,
} from '../../../shared/background-tasks.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { ExportProgress } from '../../../shared/export.ts'
import type { PacketProgress } from '../../../shared/packets.ts'
import type { Engine, VerifyResult } from '../../engine/engine.ts'
import type { LastVerify } from '../../engine/integrity/verify-run.ts'
import { progressIntervalMs } from '../../engine/lib/events.ts'
import type { Clock, Log } from '../../engine/lib/ports.ts'
import { throttle } from '../../engine/lib/throttle.ts'
import type { EngineHolder } from '../engine-holder.ts'
import { LastWritten } from '../last-written.ts'
import { BackgroundTask } from './background-task.ts'
import { logUnexpected } from './error-envelope.ts'
import type { EventStream } from './event-stream.ts'

export interface BackgroundTasksDeps {
  readonly clock: Clock
  readonly log: Log
  readonly events: EventStream
  /** Returns the current engine. Throws `setup-needed` while there is none. */
  readonly engine: () => Engine
}

/** An export that a user starts. */
type ExportTask = Pick<Parameters<Engine['exports']['write']>[0], 'selection' | 'options' | 'to'>

/** A packet that a user starts. */
interface PacketTask extends Omit<Parameters<Engine['packets']['write']>[0], 'signal' | 'onProgress'> {
  readonly template: string
}

/** The sync, the verification, the export, and the packet that a user starts and stops from the app. */
export type BackgroundTasks = ReturnType<typeof createBackgroundTasks>

export function createBackgroundTasks({ clock, log, events, engine }: BackgroundTasksDeps) {
  const onUnexpected = (error: AppError) => logUnexpected(log, error)
  const written = new LastWritten()
  const sync = new BackgroundTask<{ projectIds: string[] | null }, ReportOf<SyncState>>({
    clock,
    alreadyRunning: 'A sync is already running. Wait until it finishes, or stop it first.',
    orderOf: (task) => task,
    async work({ projectIds }, signal) {
      const result = await engine().sync({ signal, ...(projectIds !== null && { projectIds }) })
      return { ...syncCountsSchema.parse(result), problems: result.failures.length, downloads: result.downloads }
    },
    onState: (state) => events.publish('sync-state', state),
    onUnexpected,
  })
  const verify = new BackgroundTask<{ repair: boolean }, ReportOf<VerifyState>>({
    clock,
    alreadyRunning: 'A verification is already running. Wait until it finishes, or stop it first.',
    orderOf: (task) => task,
    work: async ({ repair }, signal) => summarizeVerify(await engine().verify({ repair, signal })),
    onState: (state) => events.publish('verify-state', state),
    onUnexpected,
  })
  const exporting = new BackgroundTask<ExportTask, ReportOf<ExportState>, OrderOf<ExportState>>({
    clock,
    alreadyRunning: 'An export is already running. Wait until it finishes, or stop it first.',
    // The selection may have thousands of photos.
    orderOf: ({ to, options }) => ({ to, format: options.format }),
    async work({ selection, options, to }, signal) {
      const onProgress = (progress: ExportProgress) => events.publish('export-progress', progress)
      written.forget('export')
      const result = await engine().exports.write({ selection, options, to, signal, onProgress })
      await written.record('export', result.path)
      return { ...result, gaps: result.gaps.slice(0, maxListedGaps), gapCount: result.gaps.length }
    },
    onState: () => events.publishState('export-state'),
    onUnexpected,
  })
  const packing = new BackgroundTask<PacketTask, ReportOf<PacketState>, OrderOf<PacketState>>({
    clock,
    alreadyRunning: 'A packet is being written already. Wait until it is finished, or stop it first.',
    orderOf: ({ to, template }) => ({ to, template }),
    async work(task, signal) {
      written.forget('packet')
      const onProgress = throttle(progressIntervalMs, clock, (progress: PacketProgress) =>
        events.publish('packet-progress', progress),
      )
      const result = await engine().packets.write({ ...task, signal, onProgress })
      await written.record('packet', result.path)
      return result
    },
    onState: () => events.publishState('packet-state'),
    onUnexpected,
  })
  return {
    sync,
    verify,
    written,
    exporting,
    packing,
    /**
     * Follows the current engine, for its events and the result of its last verify. Returns a function that stops
     * following.
     */
    follow(engines: EngineHolder): () => void {
      let archiveKey: string | undefined
      return engines.follow((present) => {
        // They read from the engine that closes now.
        if (present === undefined) {
          exporting.stop()
          packing.stop()
        }
        // The results of runs on one archive do not describe another.
        if (present !== undefined && archiveKey !== undefined && archiveKey !== present.archiveKey) {
          sync.forget()
          verify.forget()
          exporting.forget()
          packing.forget()
          written.forget('export')
          written.forget('packet')
        }
        const lastVerify = present?.lastVerify() ?? null
        if (lastVerify !== null) verify.recall(recalled(lastVerify))
        archiveKey = present?.archiveKey ?? archiveKey
        events.follow(present)
      })
    },
    /** Stops all tasks and waits for their end. */
    async close(): Promise<void> {
      await Promise.all([sync.close(), verify.close(), exporting.close(), packing.close()])
    },
  }
}

/** Returns the result without paths: `verify.findings` lists those that are not repaired yet. */
function recalled({ endedAt, checked, ok, repaired, missing, changed, unexpected, renamed }: LastVerify) {
  const counts = { missing, changed, unexpected, renamed }
  const noPaths = { missing: [], changed: [], unexpected: [], renamed: [] }
  return { ok: true as const, endedAt, report: { checked, ok, repaired, counts, ...noPaths } }
}

function summarizeVerify(result: VerifyResult): ReportOf<VerifyState> {
  const { checked, ok, repaired, missing, changed, unexpected, renamed } = result
  const stillRenamed = renamed.filter(({ restored }) => !restored).length
  const some = (paths: readonly string[]) => paths.slice(0, maxListedPaths)
  return {
    checked,
    ok,
    repaired,
    counts: {
      missing: missing.length,
      changed: changed.length,
      unexpected: unexpected.length,
      renamed: stillRenamed,
    },
    missing: some(missing),
    changed: some(changed),
    unexpected: some(unexpected),
    renamed: renamed.slice(0, maxListedPaths),
  }
}
