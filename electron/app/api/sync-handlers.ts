import type { EngineHolder } from '../engine-holder.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import type { Handlers } from './create-api.ts'

type SyncCalls =
  | 'sync.now'
  | 'sync.stop'
  | 'watch.state'
  | 'watch.pause'
  | 'watch.resume'
  | 'watch.recheck'
  | 'failures.list'
  | 'failures.retry'
  | 'verify.start'
  | 'verify.stop'
  | 'verify.findings'

export interface SyncHandlersDeps {
  readonly engines: EngineHolder
  readonly tasks: BackgroundTasks
  /** Throws while the archive is being moved and may only be read. */
  readonly requireWritableArchive: () => void
}

/** Returns the handlers of the calls that sync, watch, retry, and verify. */
export function createSyncHandlers({ engines, tasks, requireWritableArchive }: SyncHandlersDeps): Handlers<SyncCalls> {
  const { sync, verify } = tasks
  return {
    'sync.now'({ projectIds = null }) {
      const { projects } = engines.require()
      requireWritableArchive()
      return sync.start({ projectIds: projectIds && projects.known(projectIds) })
    },
    'sync.stop': () => sync.stop(),
    'watch.state': () => engines.require().watch.state(),
    'watch.pause': ({ length }) => engines.require().watch.pause(length),
    'watch.resume': () => engines.require().watch.resume(),
    'watch.recheck'() {
      const { watch } = engines.require()
      watch.recheck()
      return watch.state()
    },
    'failures.list': (page) => engines.require().catalog.failures(page),
    'failures.retry': (target) => ({ queued: engines.require().retry('all' in target ? 'all' : target) }),
    'verify.start'({ repair }) {
      engines.require()
      requireWritableArchive()
      return verify.start({ repair })
    },
    'verify.stop': () => verify.stop(),
    'verify.findings': (page) => engines.require().catalog.findings(page),
  }
}
