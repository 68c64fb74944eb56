import fc from 'fast-check'
import { expect, test } from 'vitest'
import { calls, type CallInput } from '../../../shared/contract/calls.ts'
import { answerSchema } from '../../../shared/envelope.ts'
import { callNames, contractInputs, walkContract } from '../../support/walk-contract.ts'
import { until } from '../../support/watching.ts'
import { withServed } from './served.ts'

test('every call returns its contract shape over HTTP', async () => {
  await withServed(async ({ archive, engine, call }) => {
    await engine.sync()
    await walkContract({
      service: archive.service,
      archiveFolder: archive.root,
      call,
      cannot: ['folders.choose', 'menu.show', 'files.saveCopies', 'files.saveAs'],
    })
  })
})

test('invalid input and an unknown call return an error', async () => {
  await withServed(async ({ call, send }) => {
    for (const name of callNames) {
      const answer = await call(name, { nonsense: 'canary' } as never)
      expect(answer, name).toMatchObject({ ok: false, error: { code: 'wrong-usage' } })
      expect(JSON.stringify(answer)).not.toContain('canary')
    }
    const post = async (name: string, body: string, type = 'application/json') => {
      const reply = await send(`/api/call/${name}`, { method: 'POST', body, headers: { 'content-type': type } })
      return [reply.status, (JSON.parse(reply.body.toString()) as { ok: boolean }).ok]
    }
    expect(await post('constructor', '{}')).toEqual([200, false])
    expect(await post('overview', '')).toEqual([200, true])
    expect(await post('overview', '{')).toEqual([400, false])
    expect(await post('overview', '{}', 'text/plain')).toEqual([415, false])
    expect(await post('overview', ' '.repeat(14_000_000))).toEqual([413, false])
    expect((await send('/api/call/overview')).status).toBe(405)
    const ids = ['a/b', '', '..', 'x'.repeat(201)]
    for (const id of ids) expect(await call('projects.add', { projects: [{ id }] })).toMatchObject({ ok: false })
    expect(await call('projects.get', { projectId: 'nobody' })).toMatchObject({ error: { code: 'not-found' } })
  })
})

test('no JSON input of any shape causes an unexpected failure', async () => {
  await withServed(async ({ call }) => {
    const field = fc.constantFrom('projectId', 'checklistId', 'offset', 'limit', 'search', 'filter', 'length', 'all')
    const input = fc.oneof(fc.jsonValue(), fc.dictionary(field, fc.jsonValue(), { maxKeys: 4 }))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...callNames), input, async (name, value) => {
        const answer = await call(name, value as never)
        if (!answer.ok) expect(answer.error.code).not.toBe('internal')
      }),
      { numRuns: 300 },
    )
  })
})

/** Calls that exchange the service, the token, or the archive folder, or that try a folder of this machine. */
const exchanging = ['setup.complete', 'setup.useSample', 'token.save', 'archive.check', 'archive.move'] as const

test('no input near a valid one causes an unexpected failure, with something behind every call', async () => {
  await withServed(async ({ archive, engine, call }) => {
    await engine.sync()
    const valid = await contractInputs({ service: archive.service, archiveFolder: archive.root, call })
    const names = callNames.filter((name) => !exchanging.some((other) => other === name))
    const fields = [...new Set(Object.values(valid).flatMap((input) => Object.keys(input)))]
    const known = Object.values(valid).flatMap((input) => Object.values(input as Record<string, unknown>))
    const value = fc.oneof(
      fc.constantFrom(...known),
      fc.integer({ min: -1, max: 12 }),
      fc.constantFrom(null, true, '', ' ', '%', '..', '\0', '__proto__', "'", 'x'.repeat(3000), 2 ** 53, 1e300, -0.5),
      fc.jsonValue(),
    )
    const changes = fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 3 })
    const made = new Map<string, { calls: number; ok: number }>()
    async function make(name: (typeof names)[number], input: object): Promise<void> {
      const answer = await call(name, input as CallInput<typeof name>)
      expect(answerSchema(calls[name].output).parse(answer)).toEqual(answer)
      if (!answer.ok) expect(answer.error.code, JSON.stringify([name, input])).not.toBe('internal')
      const { calls: before, ok } = made.get(name) ?? { calls: 0, ok: 0 }
      made.set(name, { calls: before + 1, ok: ok + (answer.ok ? 1 : 0) })
    }
    // Chance alone would leave a call out now and then.
    for (const name of names) await make(name, valid[name])
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), changes, fc.boolean(), async (name, changed, isAdded) => {
        const input: Record<string, unknown> = { ...valid[name] }
        for (const [field, other] of Object.entries(changed)) if (isAdded || field in input) input[field] = other
        await make(name, input)
      }),
      // A smaller input would meet another state.
      { numRuns: 400, endOnFailure: true },
    )
    expect([...made.keys()].sort()).toEqual([...names].sort())
    for (const name of ['files.open', 'files.show', 'orders.get', 'batches.get', 'batches.review', 'batches.result']) {
      expect(made.get(name)?.ok, name).toBeGreaterThan(0)
    }
  })
})

test('lists, a project, and a checklist match the archive and the status', async () => {
  await withServed(
    async ({ engine, call, archive }) => {
      await engine.sync()
      const status = await engine.status()
      const list = await call('projects.list', {})
      if (!list.ok) throw new Error(list.error.message)
      expect(list.value.total).toBe(status.projects.length)
      for (const { id, checklists } of status.projects) {
        const detail = await call('projects.get', { projectId: id })
        if (!detail.ok) throw new Error(detail.error.message)
        const shown = detail.value.checklists.items
        expect(
          shown.map(({ id, complete, expectedFiles, archivedFiles, gaps }) => [
            id,
            complete,
            expectedFiles,
            archivedFiles,
            gaps.map(({ kind: _, ...reported }) => reported),
          ]),
        ).toEqual(
          checklists.map(({ id, complete, expectedFiles, archivedFiles, gaps }) => [
            id,
            complete,
            expectedFiles,
            archivedFiles,
            gaps,
          ]),
        )
        expect(list.value.items.find((item) => item.id === id)).toEqual(detail.value.project)
        for (const checklist of shown) {
          const view = await call('checklists.get', { projectId: id, checklistId: checklist.id })
          if (!view.ok) throw new Error(view.error.message)
          const questions = view.value.sections.flatMap((section) => section.questions)
          const photos = questions.flatMap((question) => question.photos)
          expect(questions.reduce((sum, question) => sum + question.archivedPhotos, 0)).toBe(
            photos.filter((photo) => photo.archived).length,
          )
        }
      }
      const found = await call('projects.list', { search: archive.service.projects[0]?.name ?? '' })
      expect(found.ok && found.value.items.map((item) => item.id)).toEqual([archive.service.projects[0]?.id])
      expect(await call('projects.list', { search: '%' })).toMatchObject({ value: { total: 0 } })
      const pages = await Promise.all([0, 1].map((offset) => call('projects.list', { offset, limit: 1 })))
      expect(pages.flatMap((page) => (page.ok ? page.value.items : []))).toEqual(list.value.items)
    },
    { awkwardNames: false },
  )
})

test('one sync and one verify run at a time, and their states have the results', async () => {
  await withServed(async ({ call }) => {
    const overview = async () => {
      const answer = await call('overview', {})
      if (!answer.ok) throw new Error(answer.error.message)
      return answer.value
    }
    expect(await call('sync.now', {})).toMatchObject({ ok: true, value: { kind: 'running' } })
    expect(await call('sync.now', {})).toMatchObject({ ok: false, error: { code: 'wrong-usage' } })
    await until('the sync has ended', async () => (await overview()).sync.kind === 'idle')
    expect((await overview()).sync).toMatchObject({ last: { ok: true, report: { projects: 2 } } })
    await call('verify.start', {})
    await until('the verify has ended', async () => (await overview()).verify.kind === 'idle')
    expect((await overview()).verify).toMatchObject({ last: { ok: true, report: { counts: { missing: 0 } } } })
  })
})

test('a project removed meanwhile does not prevent the sync of the others', async () => {
  await withServed(async ({ call }) => {
    const list = await call('projects.list', {})
    const [kept = '', removed = ''] = list.ok ? list.value.items.map(({ id }) => id) : []
    await call('projects.remove', { projectId: removed })
    expect(await call('sync.now', { projectIds: [removed, kept] })).toMatchObject({
      value: { kind: 'running', order: { projectIds: [kept] } },
    })
    await until('the sync has ended', async () => {
      const answer = await call('overview', {})
      return answer.ok && answer.value.sync.kind === 'idle'
    })
    expect(await call('overview', {})).toMatchObject({
      value: { sync: { last: { ok: true, report: { projects: 1 } } } },
    })
    for (const projectIds of [[removed], [removed, 'nobody']]) {
      expect(await call('sync.now', { projectIds })).toMatchObject({
        error: { code: 'not-found', message: expect.stringMatching(/Add (it|them) again/) as string },
      })
    }
  })
})
