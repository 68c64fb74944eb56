import type { Handlers, HandlersDeps } from './handlers.ts'

/** Returns the handlers of the calls that sync, watch, retry, verify, and stamp. */
export function createSyncHandlers({ engines, tasks, requireWritableArchive, signal }: HandlersDeps) {
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
    'evidence.state': () => engines.require().evidenceState(),
    'evidence.stampNow'() {
      const engine = engines.require()
      requireWritableArchive()
      return engine.stampEvidence({ signal })
    },
  } satisfies Partial<Handlers>
}
