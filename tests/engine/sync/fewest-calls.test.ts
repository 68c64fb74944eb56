import { expect, it } from 'vitest'
import { archivedHashes, sampleArchive, servedHashes } from '../../support/sample-archive.ts'

const site = {
  projects: 4,
  checklistsPerProject: 3,
  photoQuestionsPerChecklist: 2,
  photosPerQuestion: 1,
  statuses: ['completed'],
  awkwardNames: false,
} as const

/** 250 photos and their thumbnails, in one category. */
const oneCategory = {
  ...site,
  projects: 1,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 1,
  photosPerQuestion: 250,
}

it('a project that gained one photo costs the calls of that checklist alone; an unchanged one costs one', async () => {
  const archive = await sampleArchive(site)
  await archive.sync()
  const { projects, requests } = archive.service
  const changed = projects.slice(0, 3).map(({ checklists }) => archive.service.addPhoto(checklists[1] ?? ''))
  requests.clear()
  const report = await archive.sync()
  expect(report).toMatchObject({ failures: [], filesDownloaded: 2 * changed.length })
  // Per project its list; per changed checklist its detail and the media of both questions.
  const calls = { lists: projects.length, details: changed.length, media: 2 * changed.length }
  expect({
    lists: requests.count('checklists'),
    details: requests.count('checklist'),
    media: requests.count('media'),
  }).toEqual(calls)
  expect(report.apiCalls).toBe(calls.lists + calls.details + calls.media)
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it('the links of 500 waiting files of one category are refreshed with one call, also if all expired', async () => {
  let nowMs = Date.now()
  const archive = await sampleArchive({ ...oneCategory, linkLifetimeMs: 60_000, nowMs: () => nowMs })
  const { requests, faults } = archive.service
  const route = ({ route: name }: { readonly route: string }) => name === 'photo' || name === 'thumbnail'
  faults.add({ route, fault: { kind: 'status', status: 404 } })
  expect((await archive.sync()).filesFailed).toBe(500)
  faults.clear()
  requests.clear()
  // A new engine has no links. Those of its first answer have expired by their first use.
  faults.add({
    route: (request) => {
      if (request.origin === 'files' && requests.count('files') === 1) nowMs += 3_600_000
      return false
    },
    fault: { kind: 'reset' },
  })
  expect(await archive.sync()).toMatchObject({ failures: [], filesDownloaded: 500 })
  expect([requests.count('checklists'), requests.count('checklist'), requests.count('media')]).toEqual([1, 0, 2])
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})
