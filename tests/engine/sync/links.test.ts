import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createSanitizer } from '../../../electron/engine/lib/sanitizer.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { createLinkTable } from '../../../electron/engine/sync/links.ts'
import { createCategoryReader } from '../../../electron/engine/sync/read-category.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { checklistOf, sampleArchive } from '../../support/sample-archive.ts'
import { testClient } from '../service/test-client.ts'

it('a read of photos keeps the links of files that wait, and of no archived one', async () => {
  const site = { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 1, photosPerQuestion: 3 }
  const archive = await sampleArchive({ ...site, statuses: ['completed'], awkwardNames: false })
  const { service } = archive
  const [waiting] = photosOf(checklistOf(archive))
  const route = ({ path }: { readonly path: string }) => path.includes(waiting?.id ?? '')
  service.faults.add({ route, fault: { kind: 'status', status: 404 } })
  expect(await archive.sync()).toMatchObject({ filesFailed: 2 })
  const store = createStore(join(archive.home, 'solarchive.sqlite3'))
  onTestFinished(() => store.close())
  const links = createLinkTable(systemClock)
  const { client } = testClient(service.url, { token: service.token })
  const sanitizer = createSanitizer(() => [])
  const categories = createCategoryReader({ store, client, links, sanitizer, clock: systemClock })
  const [row] = store.checklists.listForProject(service.projects[0]?.id ?? '')
  const questions = store.questions
    .listForChecklist(row?.key ?? 0)
    .filter((question) => question.mediaCategoryId !== null)
  const files = questions.flatMap((question) => store.assets.listForQuestion(question))
  const withLink = () => files.filter(({ id }) => links.get(id) !== undefined).map(({ id }) => id)
  // An archived file whose job ended elsewhere.
  const [archived] = files.filter(({ sha256 }) => sha256 !== null)
  links.set(archived?.id ?? 0, 'https://files.example/photo.jpg')
  for (const { mediaCategoryId } of questions) {
    await categories.read(row?.projectId ?? '', mediaCategoryId ?? '', { priority: 'idle' })
  }
  expect(files).toHaveLength(6)
  expect(withLink()).toEqual(files.filter(({ sha256 }) => sha256 === null).map(({ id }) => id))
})

it('a link is used for 23 hours, and not with a clock that was set back', () => {
  const clock = new FakeClock()
  const links = createLinkTable(clock)
  const url = 'https://files.example/photo.jpg'
  links.set(1, url)
  clock.jump(23 * 60 * 60_000 - 1)
  expect(links.get(1)).toMatchObject({ url })
  clock.jump(1)
  expect(links.get(1)).toBeUndefined()
  links.set(1, url)
  clock.jump(-1)
  expect(links.get(1)).toBeUndefined()
})
