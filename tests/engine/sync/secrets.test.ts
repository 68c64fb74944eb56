import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { shapePresets } from '../../../electron/sample-service/http/response-shapes.ts'
import { checklistOf, readFiles, sampleArchive } from '../../support/sample-archive.ts'
import { sendJson, withServer } from '../../support/with-server.ts'

const token = 'canary-token/with+signs=5fb1'

it.each(Object.keys(shapePresets) as (keyof typeof shapePresets)[])(
  'neither the token nor a signature is in the data folder, the archive, the log, or a report (shape "%s")',
  async (preset) => {
    const archive = await sampleArchive({ token, shapes: shapePresets[preset], projects: 2, checklistsPerProject: 2 })
    const { service } = archive
    // Failures appear in reports, in the log, and in rows: some of each kind.
    service.faults.add({ route: 'photo', fault: { kind: 'status', status: 403 }, count: 3 })
    service.faults.add({ route: 'thumbnail', fault: { kind: 'body', body: 'No photo' }, count: 2 })
    service.faults.add({ route: 'report', fault: { kind: 'reset' }, count: 4 })
    service.faults.add({
      route: 'media',
      fault: { kind: 'body', body: `{"error":"?access_token=${token}"}` },
      count: 1,
    })
    const reports = [await archive.sync(), await archive.withEngine((engine) => engine.status()), await archive.sync()]

    const links = service.requests.records.filter(({ origin }) => origin === 'files')
    const parameters = links.flatMap(({ search }) => [...new URLSearchParams(search)])
    const signatures = new Set(parameters.filter(([name]) => name === 'Signature').map(([, value]) => value))
    expect(signatures.size).toBeGreaterThan(20)
    expect(service.requests.leaks(token)).toEqual([])

    const written = [...readFiles(dirname(archive.home))].map(([path, bytes]) => `${path}\n${bytes.toString('latin1')}`)
    const everything = [...written, ...archive.log, JSON.stringify(reports)].join('\n')
    for (const secret of [token, encodeURIComponent(token), 'access_token=', ...signatures]) {
      expect(everything.includes(secret), secret).toBe(false)
    }
  },
)

it('a token that the service repeats as the status of a checklist is stored nowhere', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, token })
  const { id } = checklistOf(archive)
  const list = [{ id, title: 'Survey', status: `completed ${token}`, updatedAt: '2026-01-01T00:00:00Z' }]
  archive.service.faults.add({ route: 'checklists', fault: { kind: 'body', body: JSON.stringify(list) } })
  for (let pass = 0; pass < 2; pass += 1) await archive.sync()
  const { projects } = await archive.withEngine((engine) => engine.status())
  expect(projects[0]?.checklists).toMatchObject([{ id }])
  const written = [...readFiles(dirname(archive.home))].filter(([, bytes]) => bytes.includes(token))
  expect(written.map(([path]) => path)).toEqual([])
})

it('texts of the service that name a token parameter are archived without its value', async () => {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1, statuses: ['completed'] })
  const checklist = checklistOf(archive)
  checklist.title = 'access_token=abc123'
  for (const question of checklist.sections.flatMap(({ questions }) => questions)) {
    Object.assign(question, { label: 'Portal: access_token=abc123 (the access_token= is on the card)' })
  }
  for (let pass = 0; pass < 2; pass += 1) expect(await archive.sync()).toMatchObject({ failures: [], filesFailed: 0 })
  expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({ missing: [], changed: [] })
  const written = [...readFiles(dirname(archive.home))].filter(([path, bytes]) =>
    `${path}${bytes.toString('latin1')}`.includes('abc123'),
  )
  expect(written.map(([path]) => path)).toEqual([])
})

it('files are downloaded without the token, a cookie, or an Authorization header, even after a redirect', async () => {
  const archive = await sampleArchive({ projects: 1, token })
  const elsewhere = await sampleArchive({ projects: 1 })
  archive.service.faults.add({
    route: 'photo',
    fault: { kind: 'redirect', to: `${elsewhere.service.filesUrl}/photo` },
    count: 2,
  })
  await archive.sync()
  expect(archive.service.requests.leaks(token)).toEqual([])
  const { requests } = elsewhere.service
  expect(requests.records.length).toBeGreaterThan(0)
  expect(requests.leaks(token)).toEqual([])
  for (const text of [token, encodeURIComponent(token)]) expect(JSON.stringify(requests.records)).not.toContain(text)
})

interface Answers {
  readonly sections: unknown
  readonly media: unknown
}

/**
 * Archives a checklist of a service with these answers; `link` returns a link that each answer signs again. Returns the
 * paths of photos, the checklist's state, and the paths of files that contain a signature.
 */
async function archiveOf(answers: (link: (name: string) => string) => Answers) {
  const archive = await sampleArchive({ projects: 0 })
  let signatures = 0
  return withServer(
    ({ url: path, headers }, response) => {
      const origin = `http://${headers.host}`
      const { pathname } = new URL(path, origin)
      if (pathname.endsWith('.jpg'))
        return void response.end(Buffer.from(`\xff\xd8\xff\xe0${pathname}\xff\xd9`, 'latin1'))
      const link = (name: string) => `${origin}/f/${name}?X-Amz-Expires=60&X-Amz-Signature=CANARY${++signatures}`
      const { sections, media } = answers(link)
      const head = { id: 'c1', title: 'Survey', status: 'inProgress', updatedAt: '2026-01-01T00:00:00Z' }
      if (pathname.endsWith('/checklist/p')) return sendJson(response, [head])
      return sendJson(response, pathname.endsWith('/c1') ? { ...head, sections } : media)
    },
    async ({ url }) => {
      const checklist = await archive.withEngine(
        async (engine) => {
          engine.projects.add([{ id: 'p', name: 'P' }])
          await engine.sync()
          return (await engine.status()).projects[0]?.checklists[0]
        },
        { serviceUrl: url },
      )
      const files = [...readFiles(dirname(archive.home))]
      const leaks = files.filter(([path, bytes]) => `${path}${bytes.toString('latin1')}`.includes('CANARY'))
      const photos = files.map(([path]) => path).filter((path) => path.includes('/photos/'))
      return {
        checklist,
        photos: photos.map((path) => path.replace(/.*\/photos\//, '')).sort(),
        leaks: leaks.map(([path]) => path),
      }
    },
  )
}

it.each<[string, (links: readonly string[]) => unknown]>([
  ['a list', (links) => links],
  ['text', (links) => links.join()],
  ['the keys of an object', (links) => Object.fromEntries(links.map((link) => [link, true]))],
  ['objects', (links) => links.map((id) => ({ id }))],
])('photos that a question names by their links are its own, and no link is stored: %s', async (_, refsOf) => {
  const { checklist, photos, leaks } = await archiveOf((link) => ({
    sections: [
      {
        label: 'Roof',
        questions: [
          { label: 'Ridge', mediaCategoryId: 'm', clientRefIds: refsOf([link('a.jpg'), link('b.jpg')]) },
          { label: 'Eaves', mediaCategoryId: 'm', clientRefIds: refsOf([link('c.jpg'), link('d.jpg')]) },
        ],
      },
    ],
    media: ['d', 'c', 'b'].map((name) => ({ id: name, filename: `${name}.jpg`, imgUrl: link(`${name}.jpg`) })),
  }))
  expect(photos).toEqual(['01 Roof/01 Ridge/b.jpg', '01 Roof/02 Eaves/c.jpg', '01 Roof/02 Eaves/d.jpg'])
  expect(checklist).toMatchObject({ expectedFiles: 4, archivedFiles: 3 })
  expect(leaks).toEqual([])
})

it.each<[string, (name: string) => string]>([
  ['only its fragment differs', (name) => `https://photos.example/app#/photo/${name}`],
  ['only its signature differs', (name) => `https://photos.example/photo?Signature=CANARY${name}`],
  ['its scheme is unknown', (name) => `blob:https://photos.example/${name}`],
  ['it looks like a secret', (name) => `photo_token=CANARY${name}`],
])('photos that questions name by such a reference are their own: %s', async (_, refOf) => {
  const refsOf = (names: string) => [...names].map(refOf)
  const { checklist, photos, leaks } = await archiveOf((link) => ({
    sections: [
      {
        label: 'Roof',
        questions: [
          { label: 'Ridge', mediaCategoryId: 'm', clientRefIds: refsOf('bd') },
          { label: 'Eaves', mediaCategoryId: 'm', clientRefIds: refsOf('ac') },
        ],
      },
    ],
    media: [...'abcd'].map((name) => ({
      id: name,
      filename: `${name}.jpg`,
      imgUrl: link(`${name}.jpg`),
      clientRefId: refOf(name),
    })),
  }))
  const named = { '01 Ridge': 'bd', '02 Eaves': 'ac' }
  const paths = Object.entries(named).flatMap(([folder, names]) => [...names].map((name) => `${folder}/${name}.jpg`))
  expect(photos).toEqual(paths.map((path) => `01 Roof/${path}`).sort())
  expect(checklist).toMatchObject({ expectedFiles: 4, archivedFiles: 4 })
  expect(leaks).toEqual([])
})

it('names and answers that are links are archived without their signatures', async () => {
  const answers = ['/uploads/sig.png?md5=CANARY&expires=9', ['/uploads/1.png?md5=CANARY', '//cdn.example/CANARY']]
  const names = [
    'IMG_1.jpg?md5=CANARY&expires=9',
    'IMG_2.jpg?hdnts=exp=1~hmac=CANARY',
    '//cdn.example/CANARY/IMG_3.jpg',
  ]
  const { photos, leaks } = await archiveOf((link) => ({
    sections: [
      {
        label: 'Roof',
        questions: [
          { label: 'Ridge', mediaCategoryId: 'm' },
          ...answers.map((answer, index) => ({ label: `Signed ${index}`, answer })),
        ],
      },
    ],
    media: names.map((filename, id) => ({ id, filename, imgUrl: link(`${id}.jpg`) })),
  }))
  expect(photos).toEqual(['IMG_1.jpg', 'IMG_2.jpg', 'IMG_3.jpg'].map((name) => `01 Roof/01 Ridge/${name}`))
  expect(leaks).toEqual([])
})
