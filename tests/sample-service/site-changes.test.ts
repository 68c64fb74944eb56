import { expect, test } from 'vitest'
import { photosOf } from '../../electron/sample-service/site/site-types.ts'
import type { SampleService } from '../../electron/sample-service/start-sample-service.ts'
import { call, cheapFiles, first, read, serviceForTest } from './sample-client.ts'

const statusOf = async (service: SampleService, projectId: string, checklistId: string): Promise<string> =>
  (await read<{ status: string }>(service, `checklist/${projectId}/${checklistId}`)).status

test('a checklist advances step by step from draft to completed while its media arrive', async () => {
  const service = await serviceForTest(cheapFiles)
  const checklist = first(service.projects).checklists.find(({ status }) => status === 'draft')
  if (!checklist) throw new Error('The sample has no draft')
  const seen: string[] = [checklist.status]
  const uploaded: number[] = []
  let updatedAt = checklist.updatedAt
  while (checklist.status !== 'completed') {
    service.advance(checklist.id)
    expect(checklist.updatedAt > updatedAt).toBe(true)
    updatedAt = checklist.updatedAt
    seen.push(checklist.status)
    uploaded.push(photosOf(checklist).filter(({ state }) => state === 'uploaded').length)
  }
  expect([...new Set(seen)]).toEqual(['draft', 'formSubmitted', 'awaitingMedia', 'pdfProcessing', 'completed'])
  expect(uploaded.toSorted((a, b) => a - b)).toEqual(uploaded)
  expect(await service.reportBytes(checklist)).toHaveLength(6000)
})

test('a failed PDF misses a photo and succeeds once that arrives', async () => {
  const service = await serviceForTest(cheapFiles)
  const failed = service.projects
    .flatMap(({ checklists }) => checklists)
    .find(({ status }) => status === 'pdfProcessingFailed')
  if (!failed) throw new Error('The sample has no failed checklist')
  expect(photosOf(failed).filter(({ state }) => state !== 'uploaded')).toHaveLength(1)
  service.advance(failed)
  service.advance(failed)
  expect(failed.status).toBe('completed')
})

test('sites advance by themselves as time passes, if configured', async () => {
  let now = Date.UTC(2027, 0, 1)
  const service = await serviceForTest({ ...cheapFiles, lifeSpeed: 1, nowMs: () => now })
  const project = first(service.projects)
  const draft = project.checklists.find(({ status }) => status === 'draft')
  if (!draft) throw new Error('The sample has no draft')
  expect(await statusOf(service, project.id, draft.id)).toBe('draft')
  now += 80_000
  expect(await statusOf(service, project.id, draft.id)).toBe('formSubmitted')
  now += 15 * 60_000
  expect(await statusOf(service, project.id, draft.id)).toBe('completed')
  expect(Date.parse(draft.updatedAt)).toBeLessThanOrEqual(now)
})

test('changes appear in the next response', async () => {
  const service = await serviceForTest(cheapFiles)
  const project = first(service.projects)
  const [one, other] = project.checklists
  if (!one || !other) throw new Error('The sample has too few checklists')
  service.renameChecklist(one, 'Another title')
  service.setStatus(other.id, 'pdfProcessing')
  const heads = await read<{ title: string; status: string; pdfUrl?: string }[]>(service, `checklist/${project.id}`)
  expect(heads[0]).toMatchObject({ title: 'Another title' })
  expect(heads[1]).toMatchObject({ status: 'pdfProcessing' })
  expect(heads[1]).not.toHaveProperty('pdfUrl')
  service.removeChecklist(one)
  expect(await read(service, `checklist/${project.id}`)).toHaveLength(3)
  expect((await call(service, `checklist/${project.id}/${one.id}`)).status).toBe(404)
})

test('photos can be added, and projects come and go', async () => {
  const service = await serviceForTest(cheapFiles)
  const project = first(service.projects)
  const checklist = first(project.checklists)
  const photo = service.addPhoto(checklist.id, { question: 1, filename: 'late.jpg' })
  const category = first(checklist.sections).questions.filter(({ kind }) => kind === 'photo')[1]?.mediaCategoryId
  const records = await read<{ filename: string; clientRefId: string }[]>(service, `media/${project.id}/${category}`)
  expect(records.at(-1)).toMatchObject({ filename: 'late.jpg', clientRefId: photo.clientRefId })
  const added = service.addProject()
  service.renameProject(added, 'New project')
  expect(await read(service, `projects/${added.id}`)).toMatchObject({ name: 'New project' })
  service.removeProject(project.id)
  expect((await call(service, `checklist/${project.id}`)).status).toBe(404)
  expect(service.projects).toHaveLength(3)
})

test('a change to something that does not exist is refused', async () => {
  const service = await serviceForTest(cheapFiles)
  expect(() => service.advance('0'.repeat(24))).toThrow(RangeError)
  expect(() => service.replacePhoto('0'.repeat(24))).toThrow(RangeError)
  expect(() => service.setOrderStatus('none', 'completed')).toThrow(RangeError)
})
