import { createActivityLog } from './catalog/activity-log.ts'
import { ArchiveFolders } from './archive/archive-folders.ts'
import { createDiskRoom } from './downloads/disk-room.ts'
import { createSpaceGuard } from './lib/fs/free-space.ts'
import { createCatalog } from './catalog/create-catalog.ts'
import { locateFiles } from './catalog/locate-files.ts'
import { openAsset } from './catalog/open-asset.ts'
import { photoFacts } from './catalog/photo-facts.ts'
import { createDownloadManager } from './downloads/download-manager.ts'
import { createLinkPolicy } from './downloads/link-policy.ts'
import type { Engine, EngineSettings, RetryTarget } from './engine.ts'
import { toEngineError } from './lib/engine-error.ts'
import { EngineEvents, type SyncProgress, type VerifyProgress } from './lib/events.ts'
import { installationId } from './store/installation-id.ts'
import { createBatches } from './orders/batches.ts'
import { createFollower } from './orders/follow-orders.ts'
import { createModuleNames, createPresets } from './orders/presets.ts'
import { createOrders } from './orders/create-orders.ts'
import { defaultOrderTimings } from './orders/order-deps.ts'
import type { Ports, Secrets } from './lib/ports.ts'
import { rebuildDatabase } from './recovery/rebuild-database.ts'
import { restoreProjects } from './recovery/restore-projects.ts'
import { chosenProjects, createProjectList, isUnsynced, toProject } from './projects/project-list.ts'
import { normalizeBaseUrl } from './service/base-url.ts'
import { createCallMemory } from './service/call-memory.ts'
import { createServiceClient } from './service/create-service-client.ts'
import { testConnection } from './service/test-connection.ts'
import { createRateBudget, defaultCallsPerMinute } from './service/rate-budget.ts'
import { createDatabaseBackups } from './store/backup-database.ts'
import { lockDataFolder, type DataFolderLock } from './store/data-folder-lock.ts'
import type { Store } from './store/create-store.ts'
import type { Requeued } from './store/jobs-store.ts'
import { backupsFolder, openStore } from './store/open-store.ts'
import { createLinkSource } from './sync/link-source.ts'
import { createLinkTable } from './sync/link-table.ts'
import { readLastVerify } from './integrity/last-verify.ts'
import { openArchive, requireBeginning, requireRightFolder } from './recovery/open-archive.ts'
import { createCategoryReader } from './sync/read-category.ts'
import { ProjectLocks } from './lib/project-locks.ts'
import { reportStatus } from './checklists/report-status.ts'
import { recordedFiles } from './checklists/held-files.ts'
import { createRollingVerify } from './integrity/scrub.ts'
import { createSanitizer } from './lib/sanitizer.ts'
import { syncPass } from './sync/sync-pass.ts'
import { verifyPass } from './integrity/verify-pass.ts'
import { throttle } from './lib/throttle.ts'
import { createProbes } from './scheduler/probes.ts'
import { createWatch } from './scheduler/create-watch.ts'

/** Progress is sent at most five times a second: a public promise (docs/json.md, "Events"). */
const progressIntervalMs = 200

/** More than anybody reads; they come back as the first ones are mended. */
const mostFailures = 1000

/** Files downloaded at the same time, unless a setting says otherwise. */
export const defaultConcurrency = 8

/**
 * Puts the engine together on one data folder and one archive. Throws `data-folder-locked` when another process owns the
 * data folder, `wrong-settings` for a service address that is none, and the errors of opening the database.
 */
export function createEngine(settings: EngineSettings, ports: Ports, before: Predecessor = {}): Engine {
  const baseUrl = normalizeBaseUrl(settings.serviceUrl)
  const lock = before.lock === undefined ? lockDataFolder(settings.homeFolder) : { release: () => undefined }
  try {
    return assemble(settings, baseUrl, ports, { lock, callsMadeAtMs: before.callsMadeAtMs ?? [] })
  } catch (error) {
    lock.release()
    throw error
  }
}

/** What an engine finds that follows another one, or none yet, in the same process. */
export interface Predecessor {
  /** The data folder's lock, which stays the giver's. */
  readonly lock?: DataFolderLock
  /** Calls to the service that no engine made: they count in the rate budget. */
  readonly callsMadeAtMs?: readonly number[]
}

function assemble(
  settings: EngineSettings,
  baseUrl: string,
  ports: Ports,
  { lock, callsMadeAtMs }: Required<Predecessor>,
): Engine {
  const { clock } = ports
  const store = openStore({ homeFolder: settings.homeFolder, ...ports })
  const events = new EngineEvents()
  const activity = createActivityLog(store, (news) => events.emit('activity', news))
  const folders = new ArchiveFolders(settings.archiveFolder, installationId(store))
  const callsPerMinute = settings.apiCallsPerMinute ?? defaultCallsPerMinute
  const budget = createRateBudget({
    clock,
    callsPerMinute,
    memory: createCallMemory(store, clock, callsMadeAtMs),
  })
  const tokens = new Set<string>()
  const client = createServiceClient({ baseUrl, ports: { ...ports, secrets: remember(ports.secrets, tokens) }, budget })
  const sanitizer = createSanitizer(() => [...tokens])
  const links = createLinkTable(clock)
  const categories = createCategoryReader({ store, client, links, sanitizer, clock })
  const downloads = createDownloadManager({
    folders,
    store,
    links: createLinkSource(store, client, links, categories),
    policy: createLinkPolicy(new URL(baseUrl)),
    ports,
    concurrency: settings.concurrency ?? defaultConcurrency,
    requireSpace: createSpaceGuard(settings.archiveFolder, clock),
    roomFor: createDiskRoom(settings.archiveFolder),
    containsSecret: (text) => sanitizer.containsSecret(text),
    onInFlight: (files) => events.emit('downloads', files),
  })
  const locks = new ProjectLocks()
  const parts = { folders, store, client, links, categories, sanitizer, downloads, ports, locks }
  const backups = createDatabaseBackups({ store, folder: backupsFolder(settings.homeFolder), logger: ports.logger })
  restoreProjects(store, settings.archiveFolder, new Date(clock.nowMs()).toISOString())
  /** What an ended process or a lost database left is put right while nothing is under way; later the folder is looked at. */
  const open = (signal: AbortSignal, options: { readonly startsArchive?: boolean } = {}) =>
    locks.isIdle
      ? locks.runAlone(async () => {
          await rebuildDatabase({ folders, store, ports }, signal, options)
          await openArchive(folders, store, ports)
          if (options.startsArchive === true) await requireBeginning(settings.archiveFolder, store)
        })
      : requireRightFolder(settings.archiveFolder, store)
  const watch = createWatch({
    ...parts,
    events,
    budget,
    callsPerMinute,
    schedule: settings.schedule ?? 'automatic',
    quietHours: settings.quietHours ?? null,
    openArchive: (signal) => open(signal, { startsArchive: true }),
    rollingVerify: createRollingVerify({
      folders,
      store,
      clock,
      logger: ports.logger,
      isBusy: (projectId) => locks.isBusy(projectId),
      onFinding: (finding) => events.emit('finding', finding),
    }),
    followOrders: (signal) => follower.followDue(signal),
    tendDatabase: async () => {
      await backups.backupIfDue(clock.nowMs())
    },
    probes: createProbes({
      serviceUrl: new URL(baseUrl),
      archiveFolder: settings.archiveFolder,
      homeFolder: settings.homeFolder,
      store,
      secrets: ports.secrets,
      lastToken: () => [...tokens].at(-1),
      clock,
    }),
  })
  const askService = (projectId: string, signal: AbortSignal) =>
    client.listChecklists(projectId, { priority: 'user', signal })
  const repairParts = { folders, store, downloads, clock, logger: ports.logger, askService, locks }
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()

  /**
   * Runs what `close` has to stop and wait for. Where not even a failure can be recorded, the database's own error comes
   * this far: it too is told as what it means for the archive.
   */
  function run<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const either = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal])
    const promise = work(either).catch((error: unknown) => {
      throw toEngineError(error, 'record what was done')
    })
    const settled: Promise<unknown> = promise.then(
      () => running.delete(settled),
      () => running.delete(settled),
    )
    running.add(settled)
    return promise
  }

  const { orders, deps: orderDeps } = createOrders({
    ...{ store, client, sanitizer, clock, run, logger: ports.logger },
    serviceUrl: baseUrl,
    timings: settings.orderTimings ?? defaultOrderTimings,
    onChanged: (orderId) => events.emit('orders-changed', { orderId, batchId: null }),
  })
  const follower = createFollower(orderDeps, (signal) => orders.resolveWaiting(signal))
  const moduleNames = createModuleNames(orderDeps)
  const batches = createBatches({
    ...{ store, orders, clock, run, logger: ports.logger },
    onChanged: (batchId) => events.emit('orders-changed', { orderId: null, batchId }),
  })

  return {
    place: JSON.stringify([settings.homeFolder, settings.archiveFolder]),
    events,
    projects: createProjectList(store, client, sanitizer, clock, watch.replan),

    sync: ({ projectIds, signal } = {}) =>
      run(signal, async (either) => {
        const projects = chosenProjects(store.projects.listActive(), projectIds)
        await open(either, { startsArchive: true })
        const tell = throttle(progressIntervalMs, clock, (progress: Omit<SyncProgress, 'budgetWaitMs'>) => {
          events.emit('sync-progress', { ...progress, budgetWaitMs: budget.waitMs() })
        })
        const report = await syncPass(parts, projects, { signal: either, onProgress: tell }).finally(watch.replan)
        await backups.backupIfDue(clock.nowMs())
        return report
      }),

    watch: { ...watch, run: (signal) => run(signal, watch.run) },

    failures: () => store.jobs.listFailed(mostFailures),

    retry(target) {
      const queued = requeue(store, target).map(({ assetId }) => assetId)
      links.forgetSuspect(queued)
      watch.replan()
      return queued.length
    },

    status: ({ signal } = {}) =>
      run(signal, async (either) => {
        if (locks.isIdle) await locks.runAlone(() => rebuildDatabase({ folders, store, ports }, either))
        return reportStatus(store, settings.archiveFolder)
      }),

    unsynced: () =>
      store.projects
        .listActive()
        .filter(isUnsynced)
        .map((row) => ({ name: toProject(row).name, why: row.errorMessage })),

    rebuilt: () => store.checklists.unread(),

    verify: ({ signal, repair = false } = {}) =>
      run(signal, async (either) => {
        await open(either)
        const onProgress = throttle(progressIntervalMs, clock, (progress: VerifyProgress) => {
          events.emit('verify-progress', progress)
        })
        return verifyPass(repairParts, { repair, signal: either, onProgress })
      }),

    lastVerify: () => readLastVerify(store),

    catalog: createCatalog(store),

    activity: (query) => activity.list(query),

    photoFacts: (assetId) => photoFacts(store, settings.archiveFolder, assetId),
    locate: (target) => locateFiles(store, settings.archiveFolder, target),

    openAsset: (assetId) => openAsset(store, settings.archiveFolder, assetId),

    orders,
    presets: createPresets(store),
    batches,
    refreshOrders: (projectId, signal) => run(signal, (either) => follower.refresh(projectId, either)),
    moduleNames: (signal) => run(signal, moduleNames),

    apiBudget() {
      const free = budget.freeCalls()
      return { callsPerMinute, freeCalls: Number.isFinite(free) ? Math.max(0, free) : null, waitMs: budget.waitMs() }
    },

    testConnection: (asked) => testConnection(asked, { clock, logger: ports.logger, budget }),

    archivedFolders: () => store.assets.foldersInUse(),

    projectFolders: () => store.projects.listAll().flatMap(({ folder }) => folder ?? []),

    recordedFiles: () => recordedFiles(store),

    async close() {
      closing.abort()
      await Promise.all(running)
      activity.close()
      try {
        store.close()
      } finally {
        lock.release()
      }
    },
  }
}

function requeue(store: Store, target: RetryTarget): Requeued[] {
  if (target === 'all') return store.jobs.requeueEvery()
  return 'assetId' in target ? store.jobs.requeue(target.assetId) : store.jobs.requeueFailed(target.projectId)
}

/** Every token that was ever used is removed from what the service says before that is stored. */
function remember(secrets: Secrets, tokens: Set<string>): Secrets {
  return {
    whyNone: async () => (await secrets.whyNone?.()) ?? null,
    async accessToken() {
      const token = await secrets.accessToken()
      if (token === undefined) return token
      // The one used last stands at the end.
      tokens.delete(token)
      tokens.add(token)
      return token
    },
  }
}
