import { codesOf } from '../../shared/attention.ts'
import type { ActivityQuery, UserAction } from '../../shared/activity.ts'
import { AppError } from '../../shared/errors.ts'
import type { SearchQuery } from '../../shared/search.ts'
import { concurrencyRange } from '../../shared/setting-names.ts'
import type { PauseLength } from '../../shared/watch.ts'
import { Analysis } from './analysis/analysis.ts'
import { createActivityLog } from './catalog/activity-log.ts'
import { createSearchIndexer } from './catalog/search/search-indexer.ts'
import { ArchiveFolders } from './archive/archive-folders.ts'
import { createDiskRoom } from './downloads/disk-room.ts'
import { pathExists } from './lib/fs/disk-error.ts'
import { createDownloadManager } from './downloads/download-manager.ts'
import { isFullPassDue } from './scheduler/poll-schedule.ts'
import { Evidence } from './evidence/evidence.ts'
import type {
  Engine,
  EngineSettings,
  ReadingOptions,
  RetryTarget,
  StatusQuery,
  VerifyQuery,
  VerifyResult,
} from './engine.ts'
import { toEngineError } from './lib/engine-error.ts'
import { HostGates } from './lib/host-gates.ts'
import { createHookOutbox } from './hooks/create-hook-outbox.ts'
import { EngineEvents, progressIntervalMs, type SyncProgress, type VerifyProgress } from './lib/events.ts'
import { installationId } from './store/meta-store.ts'
import { createBatches } from './orders/batches.ts'
import { createFollower } from './orders/follow-orders.ts'
import { createModuleNames, createPresets } from './orders/presets.ts'
import { createOrders } from './orders/create-orders.ts'
import { defaultOrderTimings } from './orders/order-deps.ts'
import { readForReview } from './orders/review-order.ts'
import type { Ports, Secrets } from './lib/ports.ts'
import { rebuildDatabase } from './recovery/rebuild-database.ts'
import { requireOwnProjects } from './recovery/require-own-projects.ts'
import { containsProjects, restoreProjects } from './recovery/restore-projects.ts'
import { chosenProjects, createProjectList } from './projects/project-list.ts'
import { archiveKey, createQueries } from './queries.ts'
import { createLinkPolicy } from './service/address-policy.ts'
import { normalizeBaseUrl } from './service/base-url.ts'
import { Outbound } from './service/outbound.ts'
import { ServiceClient } from './service/service-client.ts'
import type { CallOptions } from './service/service-types.ts'
import { askHost } from './service/try-connection.ts'
import { type ConnectionQuestion, testConnection } from './service/test-connection.ts'
import { RateBudget, defaultCallsPerMinute, createCallMemory } from './service/rate-budget.ts'
import { createDatabaseBackups } from './store/backup-database.ts'
import { lockDataFolder, type DataFolderLock } from './store/data-folder-lock.ts'
import type { Store } from './store/create-store.ts'
import { createRebuildMarker } from './store/rebuild-marker.ts'
import type { Requeued } from './store/jobs-store.ts'
import { backupsFolder, openStore } from './store/open-store.ts'
import { createLinkSource, createLinkTable } from './sync/links.ts'
import { openArchive, requireWritableNewArchive, requireKnownArchive } from './recovery/open-archive.ts'
import { createCategoryReader } from './sync/read-category.ts'
import { ProjectLocks } from './lib/project-locks.ts'
import { recordLost, recordMissing } from './integrity/record-lost.ts'
import { reportStatus } from './integrity/report-status.ts'
import { createScrub } from './integrity/scrub.ts'
import { createSanitizer } from './lib/sanitizer.ts'
import { SyncPasses } from './sync/last-sync.ts'
import { syncPass } from './sync/sync-pass.ts'
import { TimeLeftMeter } from './sync/time-left.ts'
import { verifyPass } from './integrity/verify-pass.ts'
import { throttle } from './lib/throttle.ts'
import { recordOutage } from './scheduler/blocker-activity.ts'
import { createProbes } from './scheduler/probes.ts'
import { Watch } from './scheduler/watch.ts'

/** Time for a connection to a host that is down: five of them fit into what a pass waits for it. */
const probeTimeoutMs = 5_000

/** Default time to read new files: enough for a thousand reports. */
const defaultReadingMs = 30_000

/**
 * Composes the engine for one data folder and one archive. Throws `data-folder-locked` if another process owns the data
 * folder, `wrong-settings` for an invalid service address, and the errors of opening the database.
 */
export function createEngine(settings: EngineSettings, ports: Ports, before: Predecessor = {}): Engine {
  const baseUrl = normalizeBaseUrl(settings.serviceUrl)
  const lock = before.lock === undefined ? lockDataFolder(settings.homeFolder) : { release: () => undefined }
  try {
    const deps = compose(settings, baseUrl, ports, before.callsMadeAtMs ?? [])
    const { store, client, sanitizer, events, runs, orders, batches, follower, moduleNames } = deps
    const watch = composeWatch(deps)
    const projects = createProjectList(store, client, sanitizer, ports.clock, (removedId) =>
      removedId === undefined ? watch.replan() : watch.forget(removedId),
    )
    return {
      archiveKey: archiveKey(settings),
      isMadeFromArchive: deps.isMadeFromArchive,
      events,
      projects: {
        ...projects,
        preview: (list) => runs.run(undefined, () => projects.preview(list)),
        discover: (signal) => runs.run(signal, (combinedSignal) => projects.discover(combinedSignal)),
      },
      ...archiveWork(deps, watch),
      ...queries(deps),
      orders,
      batches,
      hooks: deps.hooks,
      refreshOrders: (projectId) => runs.run(undefined, (signal) => follower.refresh(projectId, signal)),
      moduleNames: (query) => runs.run(undefined, (signal) => moduleNames(signal, query)),
      async close() {
        await runs.close()
        await deps.sync.downloads.close()
        deps.analysis.close()
        deps.outbound.close()
        deps.activity.close()
        deps.indexer.close()
        try {
          store.close()
        } finally {
          lock.release()
        }
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** State that an engine takes over from the process, or from the engine before it. */
export interface Predecessor {
  /** The data folder's lock, which the caller keeps and releases. */
  readonly lock?: DataFolderLock
  /** Calls to the service that no engine made, in wall-clock milliseconds: they count in the rate budget. */
  readonly callsMadeAtMs?: readonly number[]
}

function openOwnStore(settings: EngineSettings, ports: Ports): Store {
  const store = openStore({ homeFolder: settings.homeFolder, ...ports })
  try {
    requireOwnProjects(store, settings)
    return store
  } catch (error) {
    store.close()
    throw error
  }
}

/** Everything that the engine consists of, composed once. */
type EngineDeps = ReturnType<typeof compose>

/** The settings and the open parts that the engine is composed of. */
interface BaseDeps {
  readonly settings: EngineSettings
  readonly baseUrl: string
  readonly ports: Ports
  readonly store: Store
  readonly events: EngineEvents
  readonly folders: ArchiveFolders
}

function compose(settings: EngineSettings, baseUrl: string, ports: Ports, callsMadeAtMs: readonly number[]) {
  const { clock, logger } = ports
  const { homeFolder, archiveFolder } = settings
  const store = openOwnStore(settings, ports)
  const events = new EngineEvents()
  const activity = createActivityLog(store, (news) => events.emit('activity', news))
  const folders = new ArchiveFolders(archiveFolder, installationId(store))
  const base = { settings, baseUrl, ports, store, events, folders }
  const service = composeService(base, callsMadeAtMs)
  const { client, links, categories, sanitizer, outbound, budget } = service
  const { analysis, downloads, openGates } = composeDownloads(base, service)
  const createTimeLeftMeter = () => new TimeLeftMeter(budget, settings.concurrency ?? concurrencyRange.default)
  const indexer = createSearchIndexer({ store, clock, logger })
  const locks = new ProjectLocks()
  const passes = new SyncPasses(store, clock)
  const backups = createDatabaseBackups({ store, folder: backupsFolder(homeFolder), logger })
  const runs = new Runs()
  const run = <T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>) => runs.run(signal, work)
  const orders = composeOrders(base, service, run)
  const reading = { client, links, categories, sanitizer }
  const sync = { folders, store, ...reading, downloads, ports, locks, openGates, createTimeLeftMeter }
  const restored = restoreProjects(store, archiveFolder, new Date(clock.nowMs()).toISOString())
  const isNew = createRebuildMarker(store.meta).get()?.reason === 'new'
  const isMadeFromArchive = isNew && restored > 0
  // There was another database, which had the orders, also if the projects were added before the drive was connected.
  if (isNew && containsProjects(archiveFolder)) store.orders.mayBeMissing(new Date(clock.nowMs()).toISOString())
  const rebuildIfIdle = async (signal: AbortSignal) => {
    if (locks.isIdle) await locks.runExclusive(() => rebuildDatabase({ folders, store, ports }, signal))
  }
  const open = createOpener({ ...base, locks })
  const evidence = new Evidence({
    folders,
    store,
    clock,
    logger,
    outbound,
    serviceUrl: new URL(baseUrl),
    settings: settings.evidence ?? { isDaily: false, authorities: [] },
    async requireArchive(signal) {
      try {
        folders.requireSameRoot()
        await requireKnownArchive(archiveFolder, store)
      } catch {
        await open(signal)
      }
    },
    recordMissing: (signal) => recordMissing({ store, root: archiveFolder, clock }, signal),
    onState: (state) => events.emit('evidence-state', state),
  })
  const hooks = createHookOutbox({ store, clock, outbound })
  hooks.subscribe(settings.hooks ?? [])
  return {
    ...base,
    ...service,
    ...orders,
    isMadeFromArchive,
    activity,
    analysis,
    evidence,
    hooks,
    indexer,
    sync,
    backups,
    runs,
    open,
    passes,
    rebuildIfIdle,
  }
}

/** The client of the service, with its connections and its rate budget, and what the service has reported so far. */
function composeService({ settings, baseUrl, ports, store }: BaseDeps, callsMadeAtMs: readonly number[]) {
  const { clock } = ports
  const callsPerMinute = settings.apiCallsPerMinute ?? defaultCallsPerMinute
  const budget = new RateBudget({
    clock,
    callsPerMinute,
    memory: createCallMemory(store, clock, { service: new URL(baseUrl).origin, callsMadeAtMs }),
  })
  const tokens = new Set<string>()
  const outbound = new Outbound(settings.network)
  const secrets = remember(ports.secrets, tokens)
  const client = new ServiceClient({ baseUrl, ports: { ...ports, secrets }, budget, outbound })
  const sanitizer = createSanitizer(() => [...tokens])
  const links = createLinkTable(clock)
  const categories = createCategoryReader({ store, client, links, sanitizer, clock })
  const lastToken = () => [...tokens].at(-1)
  return { client, links, categories, sanitizer, outbound, budget, callsPerMinute, lastToken }
}

type ServiceDeps = ReturnType<typeof composeService>

/** Downloads, and the analysis of what they bring. */
function composeDownloads({ settings, baseUrl, ports, store, events, folders }: BaseDeps, service: ServiceDeps) {
  const { clock, logger } = ports
  const { archiveFolder } = settings
  const { client, links, categories, sanitizer, outbound } = service
  const policy = createLinkPolicy(new URL(baseUrl))
  let isDownloading = false
  const analysis = new Analysis({
    store,
    root: archiveFolder,
    clock,
    logger,
    sanitizer,
    startProcess: ports.startProcess,
    readsPhotos: settings.readPhotos ?? false,
    isBusy: () => isDownloading,
    onRead: () => events.emit('files-read'),
  })
  const downloads = createDownloadManager({
    folders,
    store,
    links: createLinkSource(store, client, links, categories.read),
    policy,
    outbound,
    ports,
    concurrency: settings.concurrency ?? concurrencyRange.default,
    room: createDiskRoom(archiveFolder, clock),
    containsSecret: (text) => sanitizer.containsSecret(text),
    onExpected: (assets) => {
      if (assets.some(({ kind }) => kind === 'report')) analysis.expectReport()
    },
    onInFlight: (files) => {
      isDownloading = files.length > 0
      events.emit('downloads', files)
    },
    writeMode: settings.writeMode,
  })
  const openGates = () =>
    new HostGates({
      clock,
      serviceUrl: new URL(baseUrl),
      ask: (url, signal, isOfService) =>
        askHost(url, { outbound, timeoutMs: probeTimeoutMs, signal, ...(!isOfService && { lookup: policy.lookup }) }),
      onBack: (host, { code }, downMs) => recordOutage(store, { host, code, sinceMs: clock.nowMs() - downMs }, clock),
    })
  return { analysis, downloads, openGates }
}

/** Composes the watch, which works by itself. */
function composeWatch(deps: EngineDeps): Watch {
  const { settings, baseUrl, ports, events, budget, callsPerMinute, lastToken, outbound, sync } = deps
  const { analysis, evidence, follower, backups, passes, open } = deps
  const { homeFolder, archiveFolder } = settings
  const { clock, logger } = ports
  const { folders, store, locks } = sync
  return new Watch({
    ...sync,
    events,
    budget,
    callsPerMinute,
    isPassRunning: () => passes.isRunning,
    schedule: settings.schedule ?? 'automatic',
    quietHours: settings.quietHours ?? null,
    openArchive: (signal) => open(signal, { startsArchive: true }),
    scrub: createScrub({
      folders,
      store,
      clock,
      logger,
      locks,
      onFinding: (finding) => events.emit('finding', finding),
    }),
    followOrders: (signal) => follower.followDue(signal),
    stampDue: settings.evidence?.isDaily === true ? (signal) => evidence.stampDue(signal) : undefined,
    analyzeNext: ports.startProcess && ((signal) => analysis.analyzeNext(signal)),
    maintainDatabase: async () => {
      await backups.backupIfDue(clock.nowMs())
    },
    probes: createProbes({
      serviceUrl: new URL(baseUrl),
      outbound,
      archiveFolder,
      homeFolder,
      store,
      clock,
      secrets: ports.secrets,
      lastToken,
    }),
  })
}

function composeOrders(
  { settings, baseUrl, ports, store, events }: BaseDeps,
  { client, sanitizer }: ServiceDeps,
  run: Runs['run'],
) {
  const { clock, logger } = ports
  const { orders, deps } = createOrders({
    store,
    client,
    sanitizer,
    clock,
    run,
    logger,
    serviceUrl: baseUrl,
    timings: settings.orderTimings ?? defaultOrderTimings,
    onChanged: (orderId) => events.emit('orders-changed', { orderId, batchId: null }),
  })
  const batches = createBatches({
    store,
    orders,
    clock,
    run,
    logger,
    library: deps.library,
    readList: (projectId, signal) => readForReview(deps, projectId, signal),
    onChanged: (batchId) => events.emit('orders-changed', { orderId: null, batchId }),
  })
  const follower = createFollower(deps)
  return { orders, batches, follower, moduleNames: createModuleNames(deps) }
}

interface OpenOptions {
  readonly startsArchive?: boolean
  /** See `openArchive`. */
  readonly onlyReads?: boolean
}

type OpenArchive = (signal: AbortSignal, options?: OpenOptions) => Promise<void>

/** Returns a function that recovers what an ended process or a lost database left, or checks the folder during work. */
function createOpener({ folders, store, ports, locks }: BaseDeps & { readonly locks: ProjectLocks }): OpenArchive {
  return (signal, options = {}) => {
    if (!locks.isIdle) return requireKnownArchive(folders.root, store)
    return locks.runExclusive(async () => {
      await rebuildDatabase({ folders, store, ports }, signal, options)
      await openArchive(folders, store, ports, signal, options)
      if (options.startsArchive === true) await requireWritableNewArchive(folders.root, store)
    })
  }
}

/** The work that `close` has to stop and wait for. */
class Runs {
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<unknown>>()

  /**
   * Runs `work` until it ends, the signal aborts, or the engine closes. If not even a failure can be recorded, the
   * database's own error arrives here: it too becomes an AppError. So does an abort before or between the steps that
   * say how far they got.
   */
  run<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const combinedSignal = signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal])
    const promise = work(combinedSignal).catch((error: unknown) => {
      if (combinedSignal.aborted && error instanceof Error && error.name === 'AbortError') throw stopped()
      throw toEngineError(error, 'record what was done')
    })
    const settled: Promise<unknown> = promise.then(
      () => this.#running.delete(settled),
      () => this.#running.delete(settled),
    )
    this.#running.add(settled)
    return promise
  }

  async close(): Promise<void> {
    this.#closing.abort(engineClosed())
    await Promise.all(this.#running)
  }
}

const stopped = () => new AppError('cancelled', 'This was stopped. What was done until then is kept.')

const engineClosed = () =>
  new AppError(
    'cancelled',
    'Solarchive restarts with other settings or ends, so this was stopped. Try again in a moment.',
  )

type SyncOptions = NonNullable<Parameters<Engine['sync']>[0]>

/** Sync, status, verify, and the watch: everything that reads or writes the archive folder as a whole. */
function archiveWork(deps: EngineDeps, watch: Watch) {
  const { settings, ports, store, events, budget, client, links, sync, backups, runs, open, passes } = deps
  const { analysis, evidence, rebuildIfIdle } = deps
  const { clock, logger } = ports
  const { folders, locks, downloads } = sync
  const askService = (projectId: string, call: CallOptions) =>
    client.listChecklists(projectId, { ...call, priority: 'user' })
  return {
    sync: ({ projectIds, signal, onProgress: notify }: SyncOptions = {}) =>
      runs.run(signal, async (combinedSignal) => {
        const projects = chosenProjects(store.projects.listActive(), projectIds)
        await open(combinedSignal, { startsArchive: true })
        const onProgress = throttle(progressIntervalMs, clock, (progress: Omit<SyncProgress, 'budgetWaitMs'>) => {
          const current = { ...progress, budgetWaitMs: budget.waitMs() }
          events.emit('sync-progress', current)
          notify?.(current)
        })
        const isOrdered = projectIds !== undefined && projectIds.length > 0
        const options = { isOrdered, signal: combinedSignal, onProgress, isFullPassDue }
        const report = await passes.run(() => syncPass(sync, projects, options)).finally(() => watch.replan())
        await backups.backupIfDue(clock.nowMs())
        return report
      }),
    watch: {
      run: (signal: AbortSignal) => runs.run(signal, (combinedSignal) => watch.run(combinedSignal)),
      state: () => watch.state(),
      pause: (length: PauseLength) => watch.pause(length),
      resume: () => watch.resume(),
      pauseOnBattery: (isOnBattery: boolean) => watch.pauseOnBattery(isOnBattery),
      recheck: () => watch.recheck(),
    },
    readNewFiles: ({ signal, maxMs = defaultReadingMs, beside }: ReadingOptions = {}) =>
      runs.run(signal, (combinedSignal) => analysis.readDue(combinedSignal, maxMs, beside)),
    evidenceState: () => evidence.state(),
    stampEvidence: ({ authority, signal }: Parameters<Engine['stampEvidence']>[0] = {}) =>
      runs.run(signal, async (combinedSignal) => {
        await open(combinedSignal)
        return evidence.stampNow({ authority }, combinedSignal)
      }),
    retry(target: RetryTarget) {
      const queued = requeue(store, target).map(({ assetId }) => assetId)
      links.forgetSuspect(queued)
      watch.startQueued()
      return queued.length
    },
    status: ({ signal, projectIds, into }: StatusQuery = {}) =>
      runs.run(signal, async (combinedSignal) => {
        await rebuildIfIdle(combinedSignal)
        return reportStatus(store, settings.archiveFolder, { projectIds, into })
      }),
    verify: ({ projectIds, signal, repair = false, onProgress: notify }: VerifyQuery = {}) =>
      runs.run(signal, async (combinedSignal) => {
        if (await isNotBegun(store, settings.archiveFolder)) {
          chosenProjects(store.projects.listAll(), projectIds)
          return emptyVerify
        }
        await open(combinedSignal, { onlyReads: !repair })
        const onProgress = throttle(progressIntervalMs, clock, (progress: VerifyProgress) => {
          events.emit('verify-progress', progress)
          notify?.(progress)
        })
        const gates = sync.openGates()
        const verifyDeps = { folders, store, downloads, gates, clock, logger, askService, locks }
        const options = { projectIds, repair, signal: combinedSignal, onProgress }
        return verifyPass(verifyDeps, options)
          .catch((error: unknown) => {
            throw combinedSignal.aborted ? error : toEngineError(error, 'read the archive folder')
          })
          .finally(() => gates.end())
      }),
  }
}

/** Returns whether the archive folder does not exist, and never had a file: a verify does not create it. */
async function isNotBegun(store: Store, archiveFolder: string): Promise<boolean> {
  if (store.assets.foldersInUse().length > 0 || createRebuildMarker(store.meta).get()?.reason === 'damaged')
    return false
  return !(await pathExists(archiveFolder))
}

const emptyVerify: VerifyResult = {
  checked: 0,
  ok: 0,
  missing: [],
  changed: [],
  unexpected: [],
  repaired: 0,
  renamed: [],
  resumedFrom: null,
  alreadyRead: 0,
  quarantined: [],
  failures: [],
}

/** Answers from the database, from single files of the archive, and about the service. */
function queries(composed: EngineDeps) {
  const { settings, ports, store, events, activity, indexer, runs, budget, callsPerMinute, outbound } = composed
  const deps = { store, root: settings.archiveFolder, clock: ports.clock }
  const completeIndex = (signal?: AbortSignal) => runs.run(signal, (combined) => indexer.complete(combined))
  const answers = createQueries(store, settings, ports.clock, {
    recordLost: (assetIds, signal) => runs.run(signal, (combined) => recordLost(deps, assetIds, combined)),
    completeIndex,
    requireRebuilt: (signal) => runs.run(signal, composed.rebuildIfIdle),
  })
  return {
    ...answers,
    search(query: SearchQuery) {
      indexer.refresh()
      return answers.search(query)
    },
    completeIndex,
    activity: (query: ActivityQuery) => activity.list(query),
    recordAction: (action: UserAction) => activity.record(action, new Date(ports.clock.nowMs()).toISOString()),
    presets: createPresets(store, () => events.emit('orders-changed', { orderId: null, batchId: null })),
    apiBudget() {
      const free = budget.freeCalls()
      return { callsPerMinute, freeCalls: Number.isFinite(free) ? Math.max(0, free) : null, waitMs: budget.waitMs() }
    },
    testConnection: (asked: ConnectionQuestion) =>
      runs.run(undefined, (signal) =>
        testConnection(asked, { clock: ports.clock, logger: ports.logger, budget, outbound, signal }),
      ),
  }
}

function requeue(store: Store, target: RetryTarget): Requeued[] {
  if (target === 'all') return store.jobs.requeueEvery()
  if ('cause' in target) return store.jobs.requeueEvery(codesOf(target.cause))
  return 'assetId' in target ? store.jobs.requeue(target.assetId) : store.jobs.requeueFailed(target.projectId)
}

/** Collects every token that is used: they are removed from answers of the service before those are stored. */
function remember(secrets: Secrets, tokens: Set<string>): Secrets {
  return {
    whyNone: async () => (await secrets.whyNone?.()) ?? null,
    async accessToken() {
      const token = await secrets.accessToken()
      if (token === undefined) return token
      // The token used last is at the end.
      tokens.delete(token)
      tokens.add(token)
      return token
    },
  }
}
