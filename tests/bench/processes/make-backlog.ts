import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ArchiveFolders } from '../../../electron/engine/archive/archive-folders.ts'
import type { DownloadManager } from '../../../electron/engine/downloads/download-manager.ts'
import type { Ports } from '../../../electron/engine/lib/ports.ts'
import { ServiceClient } from '../../../electron/engine/service/service-client.ts'
import { RateBudget } from '../../../electron/engine/service/rate-budget.ts'
import { openStore } from '../../../electron/engine/store/open-store.ts'
import { createRebuildMarker } from '../../../electron/engine/store/rebuild-marker.ts'
import { createLinkTable } from '../../../electron/engine/sync/links.ts'
import { createCategoryReader } from '../../../electron/engine/sync/read-category.ts'
import { createSanitizer } from '../../../electron/engine/lib/sanitizer.ts'
import { syncProject } from '../../../electron/engine/sync/sync-project.ts'
import type { BacklogMade, BacklogTask } from './messages.ts'
import { silentPorts } from '../../support/silent-logger.ts'

/** Fills a data folder in a process of its own, so that what it holds and warms is not the watch's. */
process.once('message', (task: BacklogTask) => void make(task))

const dayMs = 24 * 60 * 60_000

/** The longest pause between two tries. */
const maxPauseMs = 6 * 60 * 60_000

/** Failed files whose next try came while nothing was running. */
const overdueMs = 5 * 60_000

/** Download manager that downloads nothing. */
const noDownloads: DownloadManager = {
  start: () => ({ wake: () => undefined, room: () => Promise.resolve(), finish: () => Promise.resolve() }),
  processQueue: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

/**
 * Fills a data folder as the engine itself reads the service, with the clock a day back so that every project is to be
 * polled again, and makes every file one that failed: their next tries are spread over the hours to come.
 */
async function make(task: BacklogTask): Promise<void> {
  const ports = silentPorts(task.token)
  const { clock } = ports
  const homeFolder = join(task.folder, 'home')
  const root = join(task.folder, 'archive')
  mkdirSync(root, { recursive: true })
  mkdirSync(homeFolder, { recursive: true })
  const yesterday: Ports = { ...ports, clock: { ...clock, nowMs: () => clock.nowMs() - dayMs } }
  const store = openStore({ homeFolder, ...yesterday })
  const client = new ServiceClient({
    baseUrl: task.url,
    ports: yesterday,
    budget: new RateBudget({ clock, callsPerMinute: 0 }),
  })
  const folders = new ArchiveFolders(root)
  const sanitizer = createSanitizer(() => [task.token])
  const links = createLinkTable(clock)
  const parts = {
    folders,
    store,
    client,
    links,
    categories: createCategoryReader({ store, client, links, sanitizer, clock }),
    sanitizer,
    downloads: noDownloads,
    ports: yesterday,
  }
  const { signal } = new AbortController()
  // A database without a single archived file would be looked for in the archive folder at every start.
  createRebuildMarker(store.meta).clear()
  for (const id of task.projectIds) {
    store.projects.put(id, `Project ${id}`, null, new Date(yesterday.clock.nowMs()).toISOString())
    const project = store.projects.get(id)
    if (project === undefined) throw new Error('A project was not added')
    await syncProject(parts, project, {
      priority: 'user',
      isFullPass: true,
      isUserInitiated: false,
      signal,
      onFile: () => undefined,
      onPlanned: () => undefined,
      onFailure: (failure) => {
        throw new Error(failure.message)
      },
    })
  }
  const keys = task.projectIds.flatMap((id) => store.checklists.keysForProject(id))
  const jobs = keys.flatMap((key) => store.jobs.openForChecklist(key))
  store.transaction(() => {
    for (const { assetId } of jobs) {
      const inMs = Math.random() * maxPauseMs - overdueMs
      const nextTryAt = new Date(clock.nowMs() + inMs).toISOString()
      const message = 'The download server refused the link, also a fresh one. The file is tried again later.'
      const attentionAt = new Date(clock.nowMs()).toISOString()
      store.jobs.fail({ assetId, code: 'link-refused', message, nextTryAt, attentionAt })
    }
  })
  store.close()
  const made: BacklogMade = { failedFiles: jobs.length }
  process.send?.(made)
  process.disconnect()
}
