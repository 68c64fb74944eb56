import { expect, it } from 'vitest'
import type { FaultSubject } from '../../../electron/sample-service/http/faults.ts'
import type { RequestRecord } from '../../../electron/sample-service/http/request-log.ts'
import { archivedHashes, checklistOf, sampleArchive, servedHashes } from '../../support/sample-archive.ts'

const site = {
  projects: 1,
  checklistsPerProject: 2,
  photoQuestionsPerChecklist: 4,
  statuses: ['completed'],
  awkwardNames: false,
} as const

const isMedia = ({ route }: RequestRecord) => route === 'media'
const isPhoto = ({ route }: FaultSubject) => route === 'photo'
const isFile = ({ origin }: RequestRecord) => origin === 'files'

it('photos of the first questions are downloaded while links of later ones are still requested', async () => {
  const archive = await sampleArchive({ ...site, photosPerQuestion: 2 })
  // The other answers wait for the first photo.
  const { promise: until, resolve: release } = Promise.withResolvers<void>()
  const isReleased = (request: FaultSubject) => {
    if (isPhoto(request)) release()
    return false
  }
  archive.service.faults.add({ route: isReleased, fault: { kind: 'reset' } })
  archive.service.faults.add({ route: 'media', skip: 1, fault: { kind: 'hold', until } })
  expect(await archive.sync()).toMatchObject({ failures: [] })
  const { records } = archive.service.requests
  expect(records.findIndex(isPhoto)).toBeLessThan(records.findLastIndex(isMedia))
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it('links of a project with thousands of photos are requested a few hundred at a time', async () => {
  const archive = await sampleArchive({ ...site, checklistsPerProject: 1, photosPerQuestion: 150, photoBytes: 1700 })
  // The request for the last question is the one that has to wait: its photos do not matter.
  const last = checklistOf(archive)
    .sections.flatMap(({ questions }) => questions)
    .at(-1)
  for (const photo of last?.photos.slice(1) ?? []) archive.service.removePhoto(photo)
  const report = await archive.sync()
  expect(report.failures).toEqual([])
  const { records } = archive.service.requests
  const asked = records.flatMap((record, index) => (isMedia(record) ? [index] : []))
  const files = records.flatMap((record, index) => (isFile(record) ? [index] : []))
  // Each question but the last has 300 files. When its links are requested, at most 500 known files wait, and some are
  // in flight.
  for (const [questions, index] of asked.entries()) {
    const begun = files.filter((file) => file < index).length
    expect(questions * 300 - begun).toBeLessThanOrEqual(500 + 128)
  }
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})
