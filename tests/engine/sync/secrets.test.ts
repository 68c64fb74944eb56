import { dirname } from 'node:path'
import { expect, it } from 'vitest'
import { shapePresets } from '../../../electron/sample-service/http/response-shapes.ts'
import { checklistOf, readFiles, sampleArchive } from '../../support/sample-archive.ts'

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
  const redirected = elsewhere.service.requests.records
  expect(redirected.length).toBeGreaterThan(0)
  expect(JSON.stringify(redirected)).not.toContain(token)
})
