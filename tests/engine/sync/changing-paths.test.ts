import { expect, it } from 'vitest'
import { changingPaths } from '../../support/changing-paths.ts'
import { archivedHashes, sampleArchive, servedHashes } from '../../support/sample-archive.ts'

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
