import { describe, expect, it } from 'vitest'
import { ArchiveFolders } from '../../../electron/engine/archive/archive-folders.ts'
import { createDiskRoom } from '../../../electron/engine/downloads/disk-room.ts'
import { createDownloadManager } from '../../../electron/engine/downloads/download-manager.ts'
import { createLinkPolicy } from '../../../electron/engine/service/address-policy.ts'
import { createSanitizer } from '../../../electron/engine/lib/sanitizer.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { ServiceClient } from '../../../electron/engine/service/service-client.ts'
import { Outbound } from '../../../electron/engine/service/outbound.ts'
import { RateBudget } from '../../../electron/engine/service/rate-budget.ts'
import { installationId } from '../../../electron/engine/store/meta-store.ts'
import { openStore } from '../../../electron/engine/store/open-store.ts'
import { createLinkSource, createLinkTable } from '../../../electron/engine/sync/links.ts'
import { createCategoryReader } from '../../../electron/engine/sync/read-category.ts'
import { syncProject } from '../../../electron/engine/sync/sync-project.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import {
  archivedHashes,
  checklistOf,
  sampleArchive,
  type SampleArchive,
  servedHashes,
} from '../../support/sample-archive.ts'
import { silentLogger } from '../../support/silent-logger.ts'

describe.each([
  ['has asked', false],
  ['has an answer', true],
])('if a download %s for its link before the pass reads its question,', (_name, isAnswered) => {
  it('changes of other photos are noticed', async () => {
    const { archive, removed, replaced } = await archiveWithWaitingPhotos()
    archive.service.removePhoto(removed)
    archive.service.replacePhoto(replaced)
    expect(await syncAskingForLinksFirst(archive, isAnswered)).toEqual([])
    await expectComplete(archive)
  })

  it('a doubtful answer is a failure of the checklist, and the next sync asks again', async () => {
    const { archive, replaced } = await archiveWithWaitingPhotos()
    archive.service.replacePhoto(replaced)
    const empty = archive.service.faults.add({ route: 'media', fault: { kind: 'body', body: '[]' } })
    expect(await syncAskingForLinksFirst(archive, isAnswered)).toContainEqual(['checklist', 'unreadable-answer'])
    empty.remove()
    expect(await archive.sync()).toMatchObject({ failures: [] })
    await expectComplete(archive)
  })
})

/** Returns an archive with a checklist of three photos, two of which could not be downloaded yet. */
async function archiveWithWaitingPhotos() {
  const site = { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 1, photosPerQuestion: 3 }
  const archive = await sampleArchive({ ...site, statuses: ['completed'], awkwardNames: false })
  const [waiting = '', removed = '', replaced = ''] = photosOf(checklistOf(archive)).map(({ id }) => id)
  const gone = archive.service.faults.add({
    route: ({ path }) => path.includes(waiting) || path.includes(removed),
    fault: { kind: 'status', status: 404 },
  })
  expect(await archive.sync()).toMatchObject({ filesFailed: 4 })
  gone.remove()
  return { archive, removed, replaced }
}

async function expectComplete(archive: SampleArchive): Promise<void> {
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  const { projects } = await archive.withEngine((engine) => engine.status())
  expect(projects.flatMap(({ checklists }) => checklists)).toMatchObject([{ complete: true, gaps: [] }])
}

/**
 * Runs a pass over the only project whose downloads ask for their links at once, as they do when the pass has many
 * checklists to look at first. Returns the failures, each with what failed.
 */
async function syncAskingForLinksFirst(
  { service, home, root }: SampleArchive,
  isAnswered: boolean,
): Promise<[string, string][]> {
  const clock = systemClock
  const ports = { clock, logger: silentLogger, secrets: { accessToken: () => Promise.resolve(service.token) } }
  const store = openStore({ homeFolder: home, ...ports })
  const outbound = new Outbound()
  const budget = new RateBudget({ clock, callsPerMinute: 0 })
  const client = new ServiceClient({ baseUrl: service.url, ports, budget, outbound })
  const links = createLinkTable(clock)
  const sanitizer = createSanitizer(() => [service.token])
  const categories = createCategoryReader({ store, client, links, sanitizer, clock })
  const folders = new ArchiveFolders(root, installationId(store))
  const source = createLinkSource(store, client, links, categories.read)
  const policy = createLinkPolicy(new URL(service.url))
  const room = createDiskRoom(root, clock)
  const options = { folders, store, links: source, policy, outbound, ports, concurrency: 8, room }
  const downloads = createDownloadManager({ ...options, writeMode: 'inline' })
  const failures: [string, string][] = []
  try {
    const [project] = store.projects.listActive()
    if (project === undefined) throw new Error('There is no project')
    const { signal } = new AbortController()
    const start: typeof downloads.start = (projectId, queue) => {
      const keys = store.checklists.keysForProject(projectId)
      const waiting = keys.flatMap((key) => store.jobs.openForChecklist(key))
      const asked = Promise.allSettled(waiting.map(({ assetId }) => source.ask(assetId, signal, undefined)))
      const downloading = downloads.start(projectId, queue)
      return {
        wake: () => downloading.wake(),
        room: async () => {
          if (isAnswered) await asked
          await downloading.room()
        },
        finish: () => downloading.finish(),
      }
    }
    await syncProject(
      { folders, store, client, links, categories, sanitizer, downloads: { ...downloads, start }, ports },
      project,
      {
        signal,
        priority: 'user',
        isFullPass: false,
        isUserInitiated: true,
        onFile: (outcome) => void ('error' in outcome && failures.push(['file', outcome.error.code])),
        onPlanned: () => undefined,
        onFailure: ({ code }) => void failures.push(['checklist', code]),
      },
    )
  } finally {
    await downloads.close()
    outbound.close()
    store.close()
  }
  return failures
}
