import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  checklistFilters,
  projectFilters,
  projectQuerySchema,
  projectSorts,
  type ProjectQuery,
} from '../../../shared/views.ts'
import type { ErrorCode } from '../../../shared/error-policy.ts'
import { createCatalog } from '../../../electron/engine/catalog/create-catalog.ts'
import { createStore, openReadOnly, type Store } from '../../../electron/engine/store/create-store.ts'
import { storeFolder } from '../store/store-folder.ts'
import { plainLists } from './plain-lists.ts'

const startMs = Date.parse('2026-01-01T00:00:00.000Z')
const minuteMs = 60_000
const names = [null, 'Alvarez 50% roof', 'bell', 'Čapek', 'BELL_2']
const statuses = ['draft', 'formSubmitted', 'awaitingMedia', 'pdfProcessing', 'pdfProcessingFailed', 'completed', 'new']
const codes: readonly ErrorCode[] = ['unreachable-dns', 'unreachable-reset', 'service-error', 'file-gone', 'not-found']
const searches = ['', 'bell', 'ELL_', '50%', 'p1', 'ČAPEK', 'elm', 'Street\u001fp1']

interface World {
  readonly store: Store
  nowMs: number
  /** Rows that exist, so that writes refer to some. */
  readonly checklists: { key: number; projectId: string }[]
  readonly questions: { key: number; checklistKey: number }[]
  readonly assets: { id: number; projectId: string }[]
}

/** One random write; `n` chooses what it is about, `value` what is written. */
interface Step {
  readonly kind: keyof typeof writes
  readonly n: number
  readonly value: number
}

const at = ({ nowMs }: World) => new Date(nowMs).toISOString()
const pick = <T>(items: readonly T[], n: number) => items[n % items.length]
const code = (value: number) => pick(codes, value) ?? 'internal'

const writes = {
  addProject: (world: World, n: number, value: number) =>
    world.store.projects.put(
      `p${n % 5}`,
      pick(names, value) ?? null,
      value % 2 ? `${value} Elm Street` : null,
      at(world),
    ),
  removeProject: (world: World, n: number) => void world.store.projects.remove(`p${n % 5}`, at(world)),
  failProject: (world: World, n: number, value: number) =>
    world.store.projects.setError(`p${n % 5}`, { code: code(value), message: `Error ${value % 2}` }, at(world)),
  pollProject: (world: World, n: number, value: number) =>
    world.store.projects.recordPolled({ id: `p${n % 5}`, at: at(world), changed: value % 2 === 0, isFullPass: false }),
  syncProject: (world: World, n: number) => world.store.projects.setSynced(`p${n % 5}`, at(world)),
  putChecklist: (world: World, n: number, value: number) => {
    const projectId = `p${n % 5}`
    if (world.store.projects.get(projectId) === undefined) return
    const key = world.store.checklists.put({
      projectId,
      id: `${projectId}-${n % 3}`,
      title: 'Survey',
      status: pick(statuses, value) ?? '',
      updatedAt: null,
      fingerprint: `f${value % 3}`,
      entryRaw: '{}',
    })
    if (!world.checklists.some((one) => one.key === key)) world.checklists.push({ key, projectId })
  },
  readChecklist: (world: World, n: number, value: number) =>
    onChecklist(world, n, ({ key, fingerprint }) => {
      world.store.checklists.saveDetail(key, '{}', fingerprint, at(world))
      if (value % 2) world.store.checklists.markRead(key, fingerprint)
    }),
  archiveChecklist: (world: World, n: number, _: number) =>
    onChecklist(world, n, ({ key, fingerprint }) => {
      world.store.checklists.markRead(key, fingerprint)
      world.store.checklists.markArchived(key, fingerprint)
    }),
  loseChecklist: (world: World, n: number) =>
    onChecklist(world, n, ({ key }) => world.store.checklists.markGone(key, at(world))),
  failChecklist: (world: World, n: number, value: number) =>
    onChecklist(world, n, ({ key }) =>
      value % 4 === 0
        ? world.store.checklists.clearError(key)
        : world.store.checklists.setError(key, { code: code(value), message: 'No answer' }, at(world)),
    ),
  addQuestion: (world: World, n: number, value: number) =>
    onChecklist(world, n, ({ key }) => {
      const clientRefIds = value % 4 === 0 ? null : Array.from({ length: value % 4 }, (_, index) => String(index))
      world.store.questions.insert({
        checklistKey: key,
        position: value,
        sectionLabel: 'Roof',
        label: 'Photos',
        sectionFolder: '01 Roof',
        folder: '01 Photos',
        mediaCategoryId: value % 3 === 0 ? null : 'm',
        clientRefIds,
        answer: null,
      })
      const last = world.store.questions.listForChecklist(key).reduce((max, question) => Math.max(max, question.key), 0)
      world.questions.push({ key: last, checklistKey: key })
    }),
  changeQuestion: (world: World, n: number, value: number) => {
    const question = pick(world.questions, n)
    if (question === undefined) return
    const { questions } = world.store
    const changes = [
      () => questions.markAbsent(question.key),
      () => questions.markMediaRead(question.key, at(world)),
      () => questions.recordEmptyAnswer(question.key, at(world)),
    ]
    pick(changes, value)?.()
  },
  addFile: (world: World, n: number, value: number) => {
    const question = pick(world.questions, n)
    const checklist = pick(world.checklists, n)
    const kind = pick(['report', 'photo', 'thumbnail'] as const, value) ?? 'photo'
    const of = kind === 'report' ? checklist : question && { key: question.checklistKey }
    if (of === undefined) return
    const path = `file ${world.assets.length} ${n} ${value}`
    if (world.store.assets.isPathTaken(path)) return
    const id = world.store.assets.insert({
      checklistKey: of.key,
      questionKey: kind === 'report' ? null : (question?.key ?? null),
      kind,
      path,
      remoteKey: path,
      sourceHash: null,
      fileName: null,
      pathKey: path,
      record: null,
      takenAt: null,
      latitude: null,
      longitude: null,
    })
    const projectId = world.checklists.find(({ key }) => key === of.key)?.projectId ?? ''
    world.store.jobs.enqueue(id, projectId, 'fetch')
    world.assets.push({ id, projectId })
  },
  finishFile: (world: World, n: number, value: number) =>
    onFile(world, n, ({ id, projectId }) => {
      world.store.jobs.claim(projectId, 1 + (value % 3))
      const sha256 = String(value).padStart(64, '0')
      const file = { id, sha256, sizeBytes: value, etag: null, lastModified: null, archivedAt: at(world) }
      world.store.assets.markArchived({ ...file, urlIdentity: null })
      world.store.jobs.finish(id)
    }),
  failFile: (world: World, n: number, value: number) =>
    onFile(world, n, ({ id }) =>
      world.store.jobs.fail({
        assetId: id,
        code: code(value),
        message: `Error ${value % 2}`,
        nextTryAt: at(world),
        attentionAt: new Date(world.nowMs + (value % 3) * 30 * minuteMs).toISOString(),
      }),
    ),
  retryFiles: (world: World, n: number, value: number) =>
    onFile(world, n, ({ id, projectId }) => {
      const { jobs } = world.store
      const changes = [
        () => jobs.requeue(id),
        () => jobs.requeueFailed(projectId),
        () => jobs.requeueEvery(value % 2 ? [code(value)] : null),
        () => jobs.requeueUnreachable(),
        () => jobs.claim(projectId, 2),
        () => jobs.resetRunning(),
        () => jobs.enqueueAgain(id, projectId, 'recheck'),
        () => jobs.requeueDue(projectId, at(world), at(world)),
      ]
      pick(changes, value)?.()
    }),
  changeFile: (world: World, n: number, value: number) =>
    onFile(world, n, ({ id }) => {
      const { assets } = world.store
      const sha256 = assets.get(id)?.sha256 ?? ''
      const changes = [
        () => assets.markGone(id),
        () => assets.markLost(id, at(world)),
        () => assets.markDamaged({ id, sha256, damage: 'changed', at: at(world) }),
        () => assets.confirm(id, null),
      ]
      pick(changes, value)?.()
    }),
  /** Clocks are also set back. */
  wait: (world: World, n: number, value: number) => {
    world.nowMs += (value % 5 === 0 ? -1 : 1) * n * minuteMs
  },
} as const

function onChecklist(
  { store, checklists }: World,
  n: number,
  write: (row: { readonly key: number; readonly fingerprint: string }) => void,
): void {
  const one = pick(checklists, n)
  const row = one === undefined ? undefined : store.checklists.get(one.key)
  if (row !== undefined) write(row)
}

function onFile({ assets }: World, n: number, write: (file: { id: number; projectId: string }) => unknown): void {
  const file = pick(assets, n)
  if (file !== undefined) write(file)
}

const kinds = Object.keys(writes) as (keyof typeof writes)[]
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds, 'addProject', 'putChecklist', 'addFile', 'addFile', 'failFile', 'finishFile'),
    n: fc.nat({ max: 60 }),
    value: fc.nat({ max: 60 }),
  }),
  { minLength: 1, maxLength: 3 },
)

/** A small archive to start from: some of its files are archived, and one checklist is complete. */
function begin(world: World): void {
  for (let n = 0; n < 5; n++) {
    writes.addProject(world, n, n)
    if (n < 4) writes.syncProject(world, n)
    writes.putChecklist(world, n, 5)
    writes.addQuestion(world, n, n + 1)
    for (const value of [0, 1, 2]) writes.addFile(world, n, value)
  }
  world.assets.forEach((_, index) => {
    if (index % 4 === 3) writes.failFile(world, index, index)
    else if (index % 4 > 0) writes.finishFile(world, index, index)
  })
  writes.archiveChecklist(world, 0, 0)
  for (const n of [0, 1, 2]) writes.finishFile(world, n, n)
}

/** Expects that every list and count of a store says what the plain queries say. */
function expectTruth(store: Store, db: Database.Database, { nowMs }: World, query: ProjectQuery): void {
  const catalog = createCatalog(store, { nowMs: () => nowMs })
  const plain = plainLists(db, new Date(nowMs).toISOString())
  expect(catalog.counts()).toEqual(plain.counts())
  const all = catalog.projects(projectQuerySchema.parse({}))
  const sum = (of: (project: (typeof all.items)[number]) => number) =>
    all.items.reduce((total, project) => total + of(project), 0)
  const progress = catalog.progress()
  expect(progress).toMatchObject({
    ...plain.progress(),
    expectedFiles: sum(({ expectedFiles }) => expectedFiles),
    archivedFiles: sum(({ archivedFiles }) => archivedFiles),
  })
  for (const filter of projectFilters) {
    const expected = plain.projects({ ...query, filter })
    const { total, items } = catalog.projects({ ...query, filter })
    expect([filter, total]).toEqual([filter, expected.length])
    expect([filter, items.map(({ id }) => id)]).toEqual([
      filter,
      expected.slice(query.offset, query.offset + query.limit),
    ])
    expect(catalog.projectNames({ ...query, filter }).map(({ id }) => id)).toEqual(items.map(({ id }) => id))
  }
  const page = { offset: 1, limit: 3 }
  const cut = <T>(items: readonly T[]) => ({ total: items.length, items: items.slice(1, 4) })
  const causes = plain.causes()
  expect(catalog.attention().map(({ firstProjects: _, ...group }) => group)).toEqual(causes)
  for (const filter of checklistFilters) {
    for (const cause of filter === 'attention' ? [undefined, ...causes.map((group) => group.cause)] : [undefined]) {
      const { total, items } = catalog.checklists({ ...page, filter, cause })
      expect({ filter, total, items: items.map(({ id }) => id) }).toEqual({
        filter,
        ...cut(plain.checklists({ filter, cause })),
      })
      for (const { projectId, projectName: _, ...row } of items) {
        const { isRetrying, ...detail } = catalog.checklist(projectId, row.id).checklist
        expect(row).toEqual({ ...detail, isRetrying })
      }
    }
  }
  for (const cause of [null, ...causes.map((group) => group.cause)]) {
    const { total, items } = catalog.failures({ ...page, ...(cause !== null && { cause }) })
    expect({ cause, total, items: items.map(({ assetId }) => assetId) }).toEqual({
      cause,
      ...cut(plain.failures(cause)),
    })
  }
}

test('every list and count says what the rows say, after any writes, and beside the process that writes', () => {
  const query = fc.record({
    search: fc.constantFrom(...searches),
    sort: fc.constantFrom(...projectSorts),
    descending: fc.boolean(),
    offset: fc.nat({ max: 2 }),
    limit: fc.integer({ min: 1, max: 5 }),
  })
  fc.assert(
    fc.property(fc.array(fc.tuple(steps, query, fc.nat({ max: 3 })), { minLength: 4, maxLength: 10 }), (rounds) => {
      const { file } = storeFolder()
      const store = createStore(file)
      const reader = openReadOnly(file)
      const db = new Database(file, { readonly: true })
      const world: World = { store, nowMs: startMs, checklists: [], questions: [], assets: [] }
      try {
        begin(world)
        for (const [round, filters, who] of rounds) {
          for (const { kind, n, value } of round) writes[kind](world, n, value)
          expectTruth(who === 0 ? reader : store, db, world, { ...projectQuerySchema.parse({}), ...filters })
        }
      } finally {
        db.close()
        reader.close()
        store.close()
      }
    }),
    { numRuns: 20 },
  )
})
