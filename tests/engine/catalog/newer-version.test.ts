import { expect, it } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { checklistOf, sampleArchive } from '../../support/sample-archive.ts'

const small = {
  projects: 1,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 1,
  photosPerQuestion: 3,
  statuses: ['completed'],
  awkwardNames: false,
} as const

it('a checklist names a photo whose newer version fails, and is incomplete until the service drops it', async () => {
  const archive = await sampleArchive(small)
  await archive.sync()
  const checklist = checklistOf(archive)
  const { projectId, id: checklistId } = checklist
  const [photo] = photosOf(checklist)
  if (photo === undefined) throw new Error('The sample has no photo')
  archive.service.replacePhoto(photo)
  archive.service.faults.add({ route: 'photo', fault: { kind: 'body', body: 'No photo' } })
  const failures = (engine: Engine) => engine.catalog.failures({ offset: 0, limit: 10 })
  await archive.withEngine(async (engine) => {
    await engine.sync()
    const shown = engine.catalog.checklist(projectId, checklistId)
    expect(shown.checklist).toMatchObject({ complete: false, archivedFiles: 7, expectedFiles: 7 })
    const photos = shown.sections.flatMap(({ questions }) => questions).flatMap((question) => question.photos)
    const { total, items } = failures(engine)
    expect(total).toBeGreaterThan(0)
    // The service's support finds a photo by the ID of its record.
    expect(items.map(({ mediaId }) => mediaId)).toContain(photo.id)
    expect(photos.filter(({ problem }) => problem !== null)).toHaveLength(total)
    expect(photos.every(({ archived }) => archived)).toBe(true)
    const { filesFailed, previewsFailed } = engine.catalog.counts()
    expect(filesFailed + previewsFailed).toBe(total)

    // Archived files of a checklist that the service no longer lists need nothing.
    archive.service.removeChecklist(checklist)
    await engine.sync()
    expect(failures(engine)).toMatchObject({ total: 0, items: [] })
    expect(engine.catalog.counts().filesFailed).toBe(0)
    expect(engine.catalog.project(projectId, { offset: 0, limit: 1 }).project.failedFiles).toBe(0)
  })
})
