import { expect, test } from 'vitest'
import { createCatalog } from '../../../electron/engine/catalog/create-catalog.ts'
import { projectFilters, projectQuerySchema, projectSorts } from '../../../shared/views.ts'
import { storeFolder } from '../store/store-folder.ts'

const at = (day: number) => `2026-01-0${day}T00:00:00.000Z`

/** Five projects, each in a different state; a sixth was removed. */
function projectsInEveryState() {
  const store = storeFolder().open()
  const names = ['new', 'failing', 'missing', 'loading', 'settled', 'removed']
  names.forEach((name, index) => store.projects.put(`id-${name}`, `${name} 100%`, null, at(index + 1)))
  for (const [index, name] of names.slice(1).entries()) store.projects.setSynced(`id-${name}`, at(9 - index))
  store.projects.setError('id-failing', { code: 'service-error', message: 'It failed.' }, at(9))
  store.projects.remove('id-removed', at(9))
  for (const name of ['missing', 'loading']) {
    const projectId = `id-${name}`
    const entry = { projectId, id: 'c', title: 'Survey', status: 'awaitingMedia', updatedAt: at(1), fingerprint: 'f' }
    store.checklists.put({ ...entry, entryRaw: '{}' })
    const checklistKey = store.checklists.listForProject(projectId)[0]?.key ?? 0
    const file = { remoteKey: 'report', sourceHash: null, fileName: null, record: null, takenAt: null }
    const path = `${name}/report.pdf`
    const location = { latitude: null, longitude: null, path, pathKey: path }
    const assetId = store.assets.insert({ ...file, ...location, checklistKey, questionKey: null, kind: 'report' })
    store.jobs.enqueue(assetId, projectId, 'fetch')
    if (name === 'missing')
      store.jobs.fail({ assetId, code: 'file-gone', message: 'Gone.', nextTryAt: at(9), attentionAt: at(9) })
  }
  return { store, catalog: createCatalog(store, { nowMs: () => Date.parse(at(9)) + 3_600_000 }) }
}

const query = (fields: object) => projectQuerySchema.parse(fields)

test('a filter lists the projects in its state, and no removed one', () => {
  const { catalog } = projectsInEveryState()
  const listed = Object.fromEntries(
    projectFilters.map((filter) => [filter, catalog.projects(query({ filter })).items.map(({ id }) => id.slice(3))]),
  )
  expect(listed).toEqual({
    all: ['failing', 'loading', 'missing', 'new', 'settled'],
    attention: ['failing', 'missing'],
    unsynced: ['new'],
    unread: ['new'],
    working: ['loading'],
    quiet: ['settled'],
    complete: ['failing', 'settled'],
    'some-complete': [],
    incomplete: ['loading', 'missing'],
    // By the status of their open checklists; complete.test.ts has every one of them.
    drafts: [],
    submitted: [],
    report: [],
    'report-failed': [],
    archiving: [],
    gone: [],
    'not-uploaded': [],
    'report-pending': [],
    photos: ['loading', 'missing'],
    'not-checked': ['loading', 'missing'],
  })
  expect(catalog.counts()).toMatchObject({ projects: 5, unsyncedProjects: 1, projectsWithProblem: 1, filesFailed: 1 })
  expect(catalog.attention()).toMatchObject([
    { cause: 'file-gone', projects: 0, checklists: 0, files: 1, message: 'Gone.', nextTryAt: at(9), firstProjects: [] },
    { cause: 'service-error', projects: 1, checklists: 0, files: 0, firstProjects: [{ projectId: 'id-failing' }] },
  ])
  expect([catalog.attentionProjects('service-error'), catalog.attentionProjects('file-gone')]).toEqual([
    ['id-failing'],
    [],
  ])
  expect(catalog.failures({ offset: 0, limit: 10 })).toMatchObject({
    total: 1,
    items: [{ projectName: 'missing 100%', checklistTitle: 'Survey', fileName: 'report.pdf', code: 'file-gone' }],
  })
})

test('a failed file is listed until its project is removed', () => {
  const { store, catalog } = projectsInEveryState()
  const failed = () => [catalog.failures({ offset: 0, limit: 10 }).total, catalog.counts().filesFailed]
  expect(failed()).toEqual([1, 1])
  store.projects.remove('id-missing', at(9))
  expect(failed()).toEqual([0, 0])
  expect(catalog.failures({ offset: 0, limit: 10 }).items).toEqual([])
  expect(store.jobs.requeueEvery()).toEqual([])
})

test('failed files of one checklist are listed together, in whatever order they failed', () => {
  const { store, catalog } = projectsInEveryState()
  const projectId = 'id-settled'
  for (const id of ['roof', 'attic']) {
    const entry = { projectId, id, title: id, status: 'completed', updatedAt: at(1), fingerprint: 'f', entryRaw: '{}' }
    store.checklists.put(entry)
  }
  const keys = store.checklists.listForProject(projectId).map(({ key }) => key)
  for (const number of [1, 2, 3, 4]) {
    const path = `settled/${number}.jpg`
    const file = { remoteKey: `${number}`, sourceHash: null, fileName: null, record: null, takenAt: null }
    const location = { latitude: null, longitude: null, path, pathKey: path }
    const checklistKey = keys[number % 2] ?? 0
    const assetId = store.assets.insert({ ...file, ...location, checklistKey, questionKey: null, kind: 'photo' })
    store.jobs.enqueue(assetId, projectId, 'fetch')
    store.jobs.fail({ assetId, code: 'file-gone', message: 'Gone.', nextTryAt: at(9 - number), attentionAt: at(9) })
  }
  const pages = [0, 2].flatMap((offset) => catalog.failures({ projectId, offset, limit: 2 }).items)
  expect(pages.map(({ checklistTitle, fileName }) => `${checklistTitle} ${fileName}`)).toEqual([
    'roof 2.jpg',
    'roof 4.jpg',
    'attic 1.jpg',
    'attic 3.jpg',
  ])
})

test('in every sort order, pages neither repeat nor skip a project', () => {
  const { catalog } = projectsInEveryState()
  for (const sort of projectSorts) {
    const up = catalog.projects(query({ sort })).items.map(({ id }) => id)
    const down = catalog.projects(query({ sort, descending: true })).items.map(({ id }) => id)
    const pages = [0, 2, 4].flatMap((offset) => catalog.projects(query({ sort, offset, limit: 2 })).items)
    expect(up, sort).toHaveLength(5)
    expect(down, sort).toEqual(up.toReversed())
    expect(
      pages.map(({ id }) => id),
      sort,
    ).toEqual(up)
  }
  expect(catalog.projects(query({ sort: 'synced' })).items[0]?.id).toBe('id-new')
})

test('a search takes its text literally', () => {
  const { catalog } = projectsInEveryState()
  const found = (search: string) => catalog.projects(query({ search })).total
  expect(['100%', 'NEW', 'id-set', '%', '_', '\\', "'", ' loading '].map(found)).toEqual([5, 1, 1, 5, 0, 0, 0, 1])
})

test('a report that the service could not create needs attention until its checklist is removed', () => {
  const { store, catalog } = projectsInEveryState()
  const entry = {
    projectId: 'id-settled',
    id: 'failed',
    title: 'Roof',
    status: 'pdfProcessingFailed',
    updatedAt: at(1),
  }
  store.checklists.put({ ...entry, fingerprint: 'f', entryRaw: '{}' })
  const troubled = () => ({
    count: catalog.counts().troubledChecklists,
    listed: catalog.checklists({ filter: 'attention', offset: 0, limit: 10 }).items.map(({ id }) => id),
    projects: catalog.projects(query({ filter: 'attention' })).items.map(({ id }) => id),
    ofProject: catalog.project('id-settled', { offset: 0, limit: 1 }).project.needsAttention,
    quiet: catalog.projects(query({ filter: 'quiet' })).items.map(({ id }) => id),
  })
  expect(troubled()).toEqual({
    count: 1,
    listed: ['failed'],
    projects: ['id-failing', 'id-missing', 'id-settled'],
    ofProject: true,
    quiet: [],
  })
  expect(catalog.attentionProjects('report-failed')).toEqual(['id-settled'])
  const key = store.checklists.listForProject('id-settled')[0]?.key ?? 0
  store.checklists.markGone(key, at(2))
  const projects = ['id-failing', 'id-missing']
  expect(troubled()).toEqual({ count: 0, listed: [], projects, ofProject: false, quiet: ['id-settled'] })
})

test('a project with a damaged file needs attention until the file is intact', () => {
  const { store, catalog } = projectsInEveryState()
  const projectId = 'id-settled'
  const entry = { projectId, id: 'c', title: 'Roof', status: 'completed', updatedAt: at(1), fingerprint: 'f' }
  const checklistKey = store.checklists.put({ ...entry, entryRaw: '{}' })
  const file = { remoteKey: 'report', sourceHash: null, fileName: null, record: null, takenAt: null }
  const location = { latitude: null, longitude: null, path: 'settled/report.pdf', pathKey: 'settled/report.pdf' }
  const id = store.assets.insert({ ...file, ...location, checklistKey, questionKey: null, kind: 'report' })
  const archive = (sha256: string) => {
    const headers = { etag: null, lastModified: null, urlIdentity: null }
    store.assets.markArchived({ id, sha256, sizeBytes: 1, archivedAt: at(1), ...headers })
  }
  archive('one')
  store.checklists.markArchived(checklistKey, 'f')
  const seen = () => ({
    needsAttention: catalog.project(projectId, { offset: 0, limit: 1 }).project.needsAttention,
    filters: (['attention', 'quiet'] as const).filter((filter) =>
      catalog.projects(query({ filter })).items.some((project) => project.id === projectId),
    ),
  })
  const intact = { needsAttention: false, filters: ['quiet'] }
  expect(seen()).toEqual(intact)
  store.assets.markDamaged({ id, sha256: 'one', damage: 'changed', at: at(2) })
  expect(seen()).toEqual({ needsAttention: true, filters: ['attention'] })
  archive('two')
  expect(seen()).toEqual(intact)
})

test('a failure that retries may fix needs attention from its third time or after an hour, and others at once', () => {
  const store = storeFolder().open()
  let nowMs = Date.parse(at(1))
  const pass = (minutes: number) => {
    nowMs += minutes * 60_000
  }
  const catalog = createCatalog(store, { nowMs: () => nowMs })
  const codes = { busy: 'service-error', slow: 'unreachable-timeout', unknown: 'not-found' } as const
  for (const id of Object.keys(codes)) store.projects.put(id, id, null, at(1))
  const fail = (id: keyof typeof codes) =>
    store.projects.setError(id, { code: codes[id], message: id }, new Date(nowMs).toISOString())
  const seen = () => ({
    causes: catalog.attention().map(({ cause }) => cause),
    count: catalog.counts().projectsWithProblem,
    retrying: catalog.counts().projectsRetrying,
    listed: catalog.projects(query({ filter: 'attention' })).items.map(({ id }) => id),
  })
  for (const id of ['busy', 'slow', 'unknown'] as const) fail(id)
  expect(seen()).toEqual({ causes: ['not-found'], count: 1, retrying: 2, listed: ['unknown'] })
  pass(1)
  fail('busy')
  expect(seen().count).toBe(1)
  pass(1)
  fail('busy')
  expect(seen()).toMatchObject({ causes: ['not-found', 'service-error'], count: 2, retrying: 1 })
  // Nothing is written, and the hour is over.
  pass(57)
  expect(seen().count).toBe(2)
  pass(1)
  expect(seen()).toEqual({
    causes: ['not-found', 'service-error', 'unreachable'],
    count: 3,
    retrying: 0,
    listed: ['busy', 'slow', 'unknown'],
  })
  store.projects.setSynced('slow', at(2))
  fail('slow')
  expect(seen()).toMatchObject({ count: 2, retrying: 1 })
})

test('a checklist is retrying beside photos that are only not uploaded yet, and while its file is tried again', () => {
  const { store, catalog } = projectsInEveryState()
  const projectId = 'id-loading'
  const checklistKey = store.checklists.listForProject(projectId)[0]?.key ?? 0
  const addPhoto = (path: string) => {
    const file = { remoteKey: path, sourceHash: null, fileName: null, record: null, takenAt: null }
    const location = { latitude: null, longitude: null, path, pathKey: path }
    const assetId = store.assets.insert({ ...file, ...location, checklistKey, questionKey: null, kind: 'photo' })
    store.jobs.enqueue(assetId, projectId, 'fetch')
    return assetId
  }
  const failing = addPhoto('busy.jpg')
  const fail = (assetId: number, code: 'link-missing' | 'service-error', attentionAt: string) =>
    store.jobs.fail({ assetId, code, message: 'No.', nextTryAt: null, attentionAt })
  const later = '2026-01-09T02:00:00.000Z'
  const seen = () => [
    catalog.checklist(projectId, 'c').checklist.isRetrying,
    catalog.checklists({ filter: 'incomplete', offset: 0, limit: 1 }).items[0]?.isRetrying,
  ]
  fail(addPhoto('unlinked.jpg'), 'link-missing', at(9))
  expect(seen()).toEqual([false, false])
  fail(failing, 'service-error', later)
  expect(seen()).toEqual([true, true])
  store.jobs.requeueFailed(projectId)
  expect(seen(), 'queued').toEqual([true, true])
  store.jobs.claim(projectId, 9)
  expect(seen(), 'in flight').toEqual([true, true])
  fail(failing, 'service-error', at(9))
  expect(seen(), 'it needs attention').toEqual([false, false])
  store.jobs.requeueFailed(projectId)
  store.checklists.markGone(checklistKey, at(9))
  expect(seen(), 'nothing is tried').toEqual([false, false])
})
