import { expect, it } from 'vitest'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { changingPaths, versionPaths } from '../../support/changing-paths.ts'
import { archivedHashes, checklistOf, sampleArchive, servedHashes } from '../../support/sample-archive.ts'

const site = {
  projects: 1,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 2,
  photosPerQuestion: 6,
  statuses: ['completed'],
  awkwardNames: false,
} as const

it('if every response has new paths, a refused link costs one more call and no second download', async () => {
  const archive = await sampleArchive(site)
  const service = await changingPaths(archive.service.url, archive.service.filesUrl)
  archive.service.faults.add({ route: /photo/, fault: { kind: 'status', status: 403 }, skip: 3, count: 1 })
  const report = await archive.sync({ serviceUrl: service.url })
  expect(report.failures).toEqual([])
  const hashes = await servedHashes(archive.service)
  expect(archivedHashes(archive.root)).toEqual(hashes)
  expect(service.requests).toEqual({ media: 3, files: hashes.length + 1 })
})

it('if every response has new paths, a retry after a restart downloads only the missing file', async () => {
  const archive = await sampleArchive(site)
  const service = await changingPaths(archive.service.url, archive.service.filesUrl)
  archive.service.faults.add({ route: /photo/, fault: { kind: 'status', status: 404 }, count: 1 })
  expect(await archive.sync({ serviceUrl: service.url })).toMatchObject({ filesFailed: 1 })
  const before = { ...service.requests }
  await archive.sync({ serviceUrl: service.url })
  const hashes = await servedHashes(archive.service)
  expect(archivedHashes(archive.root)).toEqual(hashes)
  // The category is read for changes, and its files at new paths are requested once.
  expect(service.requests.media - before.media).toBe(1)
  expect(service.requests.files - before.files).toBeLessThanOrEqual(hashes.length)
})

it('if every version has its own path, a file that failed is downloaded in its new version', async () => {
  const archive = await sampleArchive(site)
  const { service } = archive
  const paths = await versionPaths(service.url, service.filesUrl)
  service.faults.add({ route: 'report', fault: { kind: 'status', status: 500 } })
  service.faults.add({ route: 'photo', fault: { kind: 'status', status: 500 } })
  await archive.withEngine(
    async (engine) => {
      const { filesFailed, apiCalls } = await engine.sync()
      expect(filesFailed).toBeGreaterThan(1)
      service.faults.clear()
      await paths.keepVersions()
      for (const photo of photosOf(checklistOf(archive))) service.replacePhoto(photo)
      service.replaceReport(checklistOf(archive))
      expect(await engine.sync()).toMatchObject({ failures: [], apiCalls })
      const { projects } = await engine.status()
      expect(projects[0]?.checklists).toMatchObject([{ complete: true, gaps: [] }])
    },
    { serviceUrl: paths.url },
  )
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(service))
})

it('a report that failed is not downloaded for a checklist that was reopened', async () => {
  const archive = await sampleArchive(site)
  const { service } = archive
  service.faults.add({ route: 'report', fault: { kind: 'status', status: 500 } })
  await archive.withEngine(async (engine) => {
    expect(await engine.sync()).toMatchObject({ filesFailed: 1 })
    service.setStatus(checklistOf(archive), 'awaitingMedia')
    service.faults.clear()
    const reads = service.requests.count('checklists') + service.requests.count('checklist')
    expect(await engine.sync()).toMatchObject({ failures: [], filesDownloaded: 0 })
    expect(service.requests.count('checklists') + service.requests.count('checklist')).toBe(2 * reads)
  })
})
