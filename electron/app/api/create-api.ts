import type { z } from 'zod'
import { mostListedPaths, type SyncState, type VerifyState } from '../../../shared/background-work.ts'
import { callNames, type CallName } from '../../../shared/channel-names.ts'
import { calls, type CallOutput, type ParsedInput } from '../../../shared/contract.ts'
import type { Answer } from '../../../shared/envelope.ts'
import { AppError, toAppError } from '../../../shared/errors.ts'
import { BackgroundWork } from './background-task.ts'
import { BridgeEvents, type States, type Subscriber } from './event-stream.ts'
import type { Handlers } from './call-handlers.ts'
import { isSafeToOpen, type Location } from '../../engine/catalog/locate-files.ts'
import type { VerifyResult } from '../../engine/engine.ts'
import { toEnvelope } from './error-envelope.ts'
import type { EngineHolder } from '../engine-holder.ts'
import { createListHandlers } from './batch-handlers.ts'
import { createOrderHandlers } from './order-handlers.ts'
import type { Clock, Desktop, Log } from '../../engine/lib/ports.ts'
import type { LastVerify } from '../../engine/integrity/last-verify.ts'

/** The calls that are not the engine's: they work without one. */
export type InstallationHandlers = Handlers<
  | 'app.info'
  | 'setup.state'
  | 'setup.complete'
  | 'setup.useSample'
  | 'connection.test'
  | 'folders.choose'
  | 'archive.check'
  | 'archive.move'
  | 'archive.stopMove'
  | 'settings.get'
  | 'settings.save'
  | 'token.save'
  | 'diagnostics.bundle'
  | 'startAtLogin.get'
  | 'startAtLogin.set'
>

type ReportOf<State> = State extends { last: infer Last }
  ? Last extends { report: infer Report }
    ? Report
    : never
  : never

/** What a host passes on to the renderer: the calls and events of `shared/contract.ts`. */
export interface Bridge {
  /** Answers a call. Takes whatever a renderer sends as name and input, and never rejects. */
  call(name: string, input: unknown): Promise<Answer<unknown>>
  /** Tells `subscriber` the present states, then everything that happens. Answers how to end that. */
  subscribe(subscriber: Subscriber): () => void
  /** How many events there were. */
  revision(): number
  /** Stops what was started by calls and waits for it. */
  close(): Promise<void>
}

export interface BridgeOptions {
  readonly engines: Pick<EngineHolder, 'present' | 'require' | 'follow'>
  readonly installation: InstallationHandlers
  readonly states: Pick<States, 'setup-state' | 'settings-state' | 'move-state'>
  /** Throws while the archive may only be read. */
  readonly requireArchiveAtRest: () => void
  readonly clock: Clock
  readonly log: Log
  /** Where a person in front of the app can be shown a folder. */
  readonly desktop?: Desktop | undefined
}

/** A bridge, and how its owner tells events that are not the engine's. */
export interface OwnedBridge {
  readonly bridge: Bridge
  readonly events: BridgeEvents
}

/** The one set of handlers that both hosts use. Every call asks for the engine that is there at that moment. */
export function createBridge(options: BridgeOptions): OwnedBridge {
  const { engines, clock, log, desktop, requireArchiveAtRest } = options
  const present = () => engines.require()
  const onUnforeseen = (error: AppError) => {
    log.error('Something that was asked for in the app ended with an error', { code: error.code, cause: error.cause })
  }
  const closing = new AbortController()
  const sync = new BackgroundWork<{ projectIds: string[] | null }, ReportOf<SyncState>>({
    clock,
    alreadyRunning: 'A sync is running already. Wait for its end, or stop it first.',
    async work({ projectIds }, signal) {
      const {
        failures,
        notSynced: _,
        ...report
      } = await present().sync({ signal, ...(projectIds !== null && { projectIds }) })
      return { ...report, problems: failures.length }
    },
    onState: (state) => events.publish('sync-state', state),
    onUnforeseen,
  })
  const verify = new BackgroundWork<{ repair: boolean }, ReportOf<VerifyState>>({
    clock,
    alreadyRunning: 'A verify is running already. Wait for its end, or stop it first.',
    async work({ repair }, signal) {
      return summarizeVerify(await present().verify({ repair, signal }))
    },
    onState: (state) => events.publish('verify-state', state),
    onUnforeseen,
  })
  const events = new BridgeEvents({
    ...options.states,
    'watch-state': () => engines.present?.watch.state() ?? { kind: 'stopped' },
    'sync-state': () => sync.state,
    'verify-state': () => verify.state,
  })
  let place: string | undefined
  const stopFollowing = engines.follow((engine) => {
    // How the work on one archive ended says nothing of another.
    if (engine !== undefined && place !== undefined && place !== engine.place) {
      sync.forget()
      verify.forget()
    }
    const ended = engine?.lastVerify() ?? null
    if (ended !== null) verify.recall(recalled(ended))
    place = engine?.place ?? place
    events.follow(engine)
  })

  const handlers: Handlers = {
    ...options.installation,
    ...createOrderHandlers(present),
    ...createListHandlers(present),
    overview() {
      const engine = present()
      return {
        watch: engine.watch.state(),
        sync: sync.state,
        verify: verify.state,
        counts: engine.catalog.counts(),
        progress: engine.catalog.progress(),
        attention: engine.catalog.attention(),
        damagedFiles: engine.catalog.damagedFiles(),
        api: engine.apiBudget(),
      }
    },
    'projects.list': (query) => present().catalog.projects(query),
    'projects.names': (query) => ({ items: present().catalog.projectNames(query) }),
    'projects.get': ({ projectId, ...page }) => present().catalog.project(projectId, page),
    'projects.add': ({ projects }) => ({ projects: present().projects.add(projects) }),
    'projects.preview': (list) => present().projects.preview(list),
    'projects.remove': ({ projectId }) => ({ project: present().projects.remove(projectId) }),
    'projects.discover': () => present().projects.discover(closing.signal),
    'checklists.get': ({ projectId, checklistId }) => present().catalog.checklist(projectId, checklistId),
    'checklists.list': (query) => present().catalog.checklists(query),
    'sync.now'({ projectIds = null }) {
      const { projects } = present()
      requireArchiveAtRest()
      return sync.start({ projectIds: projectIds && projects.known(projectIds) })
    },
    'sync.stop': () => sync.stop(),
    'watch.state': () => present().watch.state(),
    'watch.pause': ({ length }) => present().watch.pause(length),
    'watch.resume': () => present().watch.resume(),
    'watch.nudge'() {
      const { watch } = present()
      watch.nudge()
      return watch.state()
    },
    'failures.list': (page) => present().catalog.failures(page),
    'failures.retry': (target) => ({ queued: present().retry('all' in target ? 'all' : target) }),
    'verify.start'({ repair }) {
      present()
      requireArchiveAtRest()
      return verify.start({ repair })
    },
    'verify.stop': () => verify.stop(),
    'verify.findings': (page) => present().catalog.findings(page),
    'activity.list': (query) => present().activity(query),
    'photos.facts': ({ assetId }) => present().photoFacts(assetId),
    'files.locate': async (target) => located(await present().locate(target)),
    'files.show': async (target) => {
      if (desktop === undefined) throw cannotShow()
      const location = await present().locate(target)
      await (location.isFile ? desktop.showInFolder(location.path) : desktop.openFolder(location.path))
      return located(location)
    },
    'files.open': async (target) => {
      if (desktop === undefined) throw cannotShow()
      const location = await present().locate(target)
      if (!isSafeToOpen(location.path)) throw cannotOpen()
      await desktop.openFile(location.path)
      return located(location)
    },
  }

  const located = ({ path, relativePath }: Location) => ({ path, relativePath, canShow: desktop !== undefined })

  async function answer<Name extends CallName>(name: Name, input: unknown): Promise<CallOutput<Name>> {
    const parsed = calls[name].input.safeParse(input)
    if (!parsed.success) throw wrongInput(parsed.error)
    return handlers[name](parsed.data as ParsedInput<Name>)
  }

  const bridge: Bridge = {
    async call(name, input) {
      try {
        const known = callNames.find((callName) => callName === name)
        if (known === undefined) throw new AppError('wrong-usage', 'Solarchive has no call of this name.')
        return { ok: true, value: await answer(known, input) }
      } catch (thrown) {
        const error = toAppError(thrown)
        if (error.code === 'internal') onUnforeseen(error)
        return { ok: false, error: toEnvelope(error) }
      }
    },
    subscribe: (subscriber) => events.subscribe(subscriber),
    revision: () => events.revision,
    async close() {
      closing.abort()
      await Promise.all([sync.close(), verify.close()])
      stopFollowing()
      events.close()
    },
  }
  return { bridge, events }
}

function cannotShow(): AppError {
  return new AppError('wrong-usage', 'Solarchive cannot open folders on your machine from here. Copy the path instead.')
}

function cannotOpen(): AppError {
  return new AppError('wrong-usage', 'Solarchive opens reports and photos only. Show this file in its folder instead.')
}

/** The paths stand in `verify.findings`, as far as they are not put right since. */
function recalled({ endedAt, checked, ok, repaired, ...counts }: LastVerify) {
  const noPaths = { missing: [], changed: [], unexpected: [] }
  return { ok: true as const, endedAt, report: { checked, ok, repaired, counts, ...noPaths } }
}

function summarizeVerify(result: VerifyResult): ReportOf<VerifyState> {
  const { checked, ok, repaired, missing, changed, unexpected } = result
  const some = (paths: readonly string[]) => paths.slice(0, mostListedPaths)
  return {
    checked,
    ok,
    repaired,
    counts: { missing: missing.length, changed: changed.length, unexpected: unexpected.length },
    missing: some(missing),
    changed: some(changed),
    unexpected: some(unexpected),
  }
}

/** More would tell nobody more; a list of thousands of projects can have thousands. */
const mostIssues = 20

/** Where and why, never what was sent: that may be anything. */
function wrongInput(error: z.ZodError): AppError {
  const issues = error.issues.slice(0, mostIssues).map(({ path, code, message }) => ({
    path: path.map((key) => (typeof key === 'number' ? key : String(key).slice(0, 100))),
    // zod names keys that it does not know, and those were sent.
    problem: code === 'unrecognized_keys' ? 'has fields that are not known' : message,
  }))
  return new AppError('wrong-usage', 'Solarchive does not understand what it was asked. Nothing was changed.', {
    details: { issues },
  })
}
