import { expect, test } from 'vitest'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { checklistOf, sampleArchive } from '../../support/sample-archive.ts'

test('photos come with position, heading, and local time from their files, if the service sends none', async () => {
  const archive = await sampleArchive({
    projects: 1,
    checklistsPerProject: 2,
    statuses: ['completed'],
    photosPerQuestion: 3,
    shapes: { geolocationForm: 'none' },
  })
  await archive.sync()
  const [project] = archive.service.projects
  const checklist = checklistOf(archive)
  await archive.withEngine(async (engine) => {
    const query = { projectId: checklist.projectId, checklistId: checklist.id }
    let places = await engine.photoPlaces(query)
    while (places.unread > 0) places = await engine.photoPlaces(query)
    expect(places).toMatchObject({
      projectName: project?.name,
      checklistTitle: checklist.title,
      notArchived: 0,
      unread: 0,
    })
    const taken = new Map(photosOf(checklist).map((photo) => [photo.filename, photo]))
    expect(places.photos).toHaveLength(taken.size)
    for (const photo of places.photos) {
      const { place, takenAt } = taken.get(photo.fileName) ?? {}
      expect(photo.place).toBeNull()
      expect(photo.position?.latitude).toBeCloseTo(place?.latitude ?? 0, 6)
      expect(photo.position?.longitude).toBeCloseTo(place?.longitude ?? 0, 6)
      expect(photo.heading).toMatchObject({ north: 'true' })
      expect(Date.parse(`${photo.cameraTime}${photo.utcOffset}`)).toBe(Date.parse(takenAt ?? ''))
    }
    const far = places.photos.filter(({ metersFromOthers }) => (metersFromOthers ?? 0) > 150)
    expect(far.map(({ fileName }) => fileName)).toEqual([photosOf(checklist)[9]?.filename])

    const ofProject = await engine.photoPlaces({ projectId: checklist.projectId })
    expect(ofProject.checklistTitle).toBeNull()
    expect(ofProject.photos).toHaveLength(project?.checklists.flatMap(photosOf).length ?? 0)
    await expect(engine.photoPlaces({ projectId: 'unknown' })).rejects.toMatchObject({ code: 'not-found' })
    await expect(engine.photoPlaces({ ...query, checklistId: 'unknown' })).rejects.toMatchObject({ code: 'not-found' })
  })
})
