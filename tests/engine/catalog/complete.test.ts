import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checklistFilters, projectQuerySchema, type FailureQuery } from '../../../shared/views.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import { completenessTexts } from '../../../renderer/features/overview/completeness-labels.ts'
import { missingFiles } from '../../../renderer/labels/missing-labels.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { flipBit } from '../../support/flip-bit.ts'
import { checklistOf, readFiles, sampleArchive, sha256 } from '../../support/sample-archive.ts'

const list = (engine: Engine, query: object = {}) => engine.catalog.projects(projectQuerySchema.parse(query)).items
const ids = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id).sort()
const incomplete = (engine: Engine) => engine.catalog.checklists({ filter: 'incomplete', offset: 0, limit: 50 }).items

type Open = ReturnType<typeof incomplete>[number]
const isOf = (status: string) => (checklist: Open) => !checklist.goneUpstream && checklist.status === status
/** Filters of projects, and which of their incomplete checklists each is about. */
const byStatus = {
  drafts: isOf('draft'),
  photos: isOf('awaitingMedia'),
  'report-failed': isOf('pdfProcessingFailed'),
  archiving: isOf('completed'),
  gone: ({ goneUpstream }: Open) => goneUpstream,
}

/** Expects that lists filtered by completeness match their rows, and that the totals are the sums of the rows. */
function expectAgreement(engine: Engine): void {
  const all = list(engine)
  const isComplete = ({ checklists, completeChecklists }: (typeof all)[number]) => checklists === completeChecklists
  const synced = all.filter(({ lastSyncedAt }) => lastSyncedAt !== null)
  expect(ids(list(engine, { filter: 'complete' }))).toEqual(ids(synced.filter(isComplete)))
  expect(ids(list(engine, { filter: 'incomplete' }))).toEqual(ids(all.filter((project) => !isComplete(project))))
  // A project is counted by its rows in the database, and each of its checklists file by file.
  for (const { id, completeChecklists, expectedFiles, archivedFiles, previews } of all) {
    const { items } = engine.catalog.project(id, { offset: 0, limit: 50 }).checklists
    const add = (of: (checklist: (typeof items)[number]) => number) => items.reduce((total, one) => total + of(one), 0)
    expect({ completeChecklists, expectedFiles, archivedFiles, previews }).toEqual({
      completeChecklists: items.filter(({ complete }) => complete).length,
      expectedFiles: add((one) => one.expectedFiles),
      archivedFiles: add((one) => one.archivedFiles),
      previews: { expected: add((one) => one.previews.expected), archived: add((one) => one.previews.archived) },
    })
  }
  const sum = (of: (project: (typeof all)[number]) => number) => all.reduce((total, project) => total + of(project), 0)
  const progress = engine.catalog.progress()
  expect(progress).toEqual({
    checklists: sum(({ checklists }) => checklists),
    completeChecklists: sum(({ completeChecklists }) => completeChecklists),
    open: progress.open,
    expectedFiles: sum(({ expectedFiles }) => expectedFiles),
    archivedFiles: sum(({ archivedFiles }) => archivedFiles),
    previews: {
      expected: sum(({ previews }) => previews.expected),
      archived: sum(({ previews }) => previews.archived),
    },
    photosNotUploaded: progress.photosNotUploaded,
    filesNotChecked: progress.filesNotChecked,
    checklistsNotChecked: progress.checklistsNotChecked,
    checklistsNeverRead: progress.checklistsNeverRead,
    reportsPending: progress.reportsPending,
    removedFiles: progress.removedFiles,
  })
  expect(progress.open.reduce((total, { checklists }) => total + checklists, 0)).toBe(
    progress.checklists - progress.completeChecklists,
  )
  const open = incomplete(engine)
  for (const [filter, of] of Object.entries(byStatus)) {
    const expected = new Set(open.filter(of).map(({ projectId }) => projectId))
    expect([filter, ids(list(engine, { filter }))]).toEqual([filter, [...expected].sort()])
  }
  const partly = all.filter(({ completeChecklists }) => completeChecklists > 0)
  expect(ids(list(engine, { filter: 'some-complete' }))).toEqual(ids(partly))
  const names = engine.catalog.projectNames(projectQuerySchema.parse({ sort: 'synced', descending: true }))
  expect(names).toEqual(list(engine, { sort: 'synced', descending: true }).map(({ id, name }) => ({ id, name })))
}

it('projects are listed as complete if their checklists are, after every kind of change', async () => {
  const archive = await sampleArchive({ projects: 3, checklistsPerProject: 2, statuses: ['completed'] })
  const [checklist, other] = [checklistOf(archive), archive.service.projects[1]?.checklists[0] ?? checklistOf(archive)]
  const steps: (() => void)[] = [
    () => undefined,
    () => archive.service.setStatus(checklist, 'awaitingMedia'),
    () => archive.service.setStatus(checklist, 'draft'),
    () => archive.service.setStatus(checklist, 'pdfProcessingFailed'),
    () => archive.service.setStatus(checklist, 'completed'),
    () => archive.service.removeChecklist(other),
    () => archive.service.addPhoto(checklist),
    () => void archive.service.faults.add({ route: 'photo', fault: { kind: 'status', status: 404 } }),
    () => archive.service.replacePhoto(photosOf(checklist)[0] ?? ''),
    () => archive.service.replaceReport(checklist),
    () => void archive.service.faults.add({ route: 'checklist', fault: { kind: 'status', status: 500 } }),
    () => archive.service.faults.clear(),
  ]
  await archive.withEngine(async (engine) => {
    expectAgreement(engine)
    for (const step of steps) {
      step()
      await engine.sync()
      expectAgreement(engine)
    }
    const photo = [...readFiles(archive.root).keys()].find((path) => path.includes('/photos/'))
    unlinkSync(join(archive.root, photo ?? ''))
    await engine.verify()
    expectAgreement(engine)
    engine.projects.remove(archive.service.projects[2]?.id ?? '')
    expectAgreement(engine)
  })
})

it('photos that are not uploaded are counted apart from those that the service was not asked for', async () => {
  const archive = await sampleArchive({
    projects: 2,
    checklistsPerProject: 2,
    statuses: ['awaitingMedia', 'completed'],
  })
  await archive.withEngine(async (engine) => {
    const counts = async () => {
      await engine.sync()
      expectAgreement(engine)
      const { expectedFiles, archivedFiles, ...progress } = engine.catalog.progress()
      const gaps = incomplete(engine).flatMap((checklist) => checklist.gaps)
      const photos = gaps.filter(({ kind, reason }) => kind === 'photos' && reason === 'not uploaded yet')
      const notUploaded = photos.reduce((total, { expected, archived }) => total + expected - archived, 0)
      expect(progress.photosNotUploaded).toBe(notUploaded)
      const { photosNotUploaded, filesNotChecked, reportsPending } = progress
      expect(expectedFiles - archivedFiles).toBe(photosNotUploaded + filesNotChecked + reportsPending)
      // The list of each count has projects if and only if there is something to count.
      const listed = {
        'not-uploaded': photosNotUploaded,
        'not-checked': filesNotChecked + progress.checklistsNotChecked,
        'report-pending': reportsPending,
      }
      for (const [filter, count] of Object.entries(listed)) {
        expect([filter, list(engine, { filter }).length > 0]).toEqual([filter, count > 0])
      }
      const lacking = new Set(
        incomplete(engine).flatMap(({ projectId, gaps }) =>
          gaps.some(({ kind, reason }) => kind === 'photos' && reason === 'not uploaded yet') ? [projectId] : [],
        ),
      )
      expect(ids(list(engine, { filter: 'not-uploaded' }))).toEqual([...lacking].sort())
      return { photosNotUploaded, filesNotChecked, reportsPending }
    }
    archive.service.faults.add({ route: 'media', fault: { kind: 'status', status: 500 } })
    const before = await counts()
    expect(before).toMatchObject({ photosNotUploaded: 0, reportsPending: 0 })
    expect(before.filesNotChecked).toBeGreaterThan(0)
    archive.service.faults.clear()
    const after = await counts()
    expect(after).toMatchObject({ filesNotChecked: 0, reportsPending: 0 })
    expect(after.photosNotUploaded).toBeGreaterThan(0)
    const [first] = archive.service.projects[0]?.checklists ?? []
    archive.service.setStatus(first ?? '', 'pdfProcessingFailed')
    expect(await counts()).toMatchObject({ reportsPending: 1 })
  })
})

it('a photo that the service lists without a link is not uploaded yet, and needs no attention', async () => {
  const few = { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 1 }
  const archive = await sampleArchive({ ...few, statuses: ['completed'] })
  const body = JSON.stringify([{ id: 'listed', filename: 'IMG_1.jpg' }])
  archive.service.faults.add({ route: 'media', fault: { kind: 'body', body } })
  await archive.withEngine(async (engine) => {
    await engine.sync()
    expectAgreement(engine)
    const gaps = incomplete(engine).flatMap((checklist) => checklist.gaps)
    expect(gaps).toMatchObject([{ kind: 'photos', expected: 1, archived: 0, reason: 'not uploaded yet' }])
    expect(engine.catalog.progress()).toMatchObject({ photosNotUploaded: 1 })
    expect(engine.catalog.counts()).toMatchObject({ filesFailed: 0, filesRetrying: 0 })
    expect(list(engine, { filter: 'attention' })).toEqual([])
    expect(list(engine, { filter: 'not-uploaded' })).toHaveLength(1)
  })
})

it('a report whose link is gone before it was downloaded counts as pending, and as no photo', async () => {
  const few = { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 1 }
  const archive = await sampleArchive({ ...few, statuses: ['completed'] })
  const broken = archive.service.faults.add({ route: /\.pdf$/, fault: { kind: 'status', status: 500 } })
  await archive.sync()
  broken.remove()
  Object.assign(checklistOf(archive), { report: null })
  await archive.withEngine(async (engine) => {
    await engine.sync()
    expectAgreement(engine)
    expect(engine.failures()).toEqual([])
    expect(engine.catalog.progress()).toMatchObject({ photosNotUploaded: 0, reportsPending: 1 })
    expect(list(engine, { filter: 'not-uploaded' })).toEqual([])
    expect(list(engine, { filter: 'report-pending' })).toHaveLength(1)
  })
})

it('checklists that could not be read are counted: nobody knows how many photos they have', async () => {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 2, statuses: ['completed'] })
  const refuse = () => archive.service.faults.add({ route: 'checklist', fault: { kind: 'status', status: 400 } })
  await archive.withEngine(async (engine) => {
    engine.projects.add([{ id: 'not-synced' }])
    const texts = () => completenessTexts(engine.catalog.counts(), engine.catalog.progress())
    const synced = archive.service.projects.map(({ id }) => id)
    refuse()
    await engine.sync({ projectIds: synced })
    expectAgreement(engine)
    expect(engine.catalog.progress()).toMatchObject({ checklistsNotChecked: 4, checklistsNeverRead: 4 })
    expect(ids(list(engine, { filter: 'not-checked' }))).toEqual(synced.toSorted())
    expect(ids(list(engine, { filter: 'unread' }))).toEqual(['not-synced'])
    // All reports are archived, as far as they are known.
    expect(texts()).toMatchObject({
      headline: '4 photos and reports archived so far',
      isTotalKnown: false,
      unknown: [{ text: '2 of 3 projects read' }, { text: '4 checklists not checked yet' }],
      why: '4 checklists not complete yet:',
    })
    engine.projects.remove('not-synced')
    expect(texts()).toMatchObject({ isTotalKnown: false, unknown: [{ text: '4 checklists not checked yet' }] })

    archive.service.faults.clear()
    await engine.sync()
    expect(texts()).toMatchObject({ isTotalKnown: true, isComplete: true, unknown: [], why: null })
    // Read before, and not at its current state.
    const changed = checklistOf(archive)
    archive.service.setStatus(changed, 'awaitingMedia')
    refuse()
    await engine.sync()
    expect(engine.catalog.progress()).toMatchObject({ checklistsNotChecked: 1, checklistsNeverRead: 0 })
    expect(texts()).toMatchObject({
      isTotalKnown: true,
      isComplete: false,
      unknown: [{ text: '1 checklist not checked yet' }],
      why: '1 checklist not complete yet:',
    })
    archive.service.faults.clear()
    await engine.sync()
    const everything = 'Everything that the service has is archived. 1 checklist more to be completed:'
    expect(texts()).toMatchObject({ unknown: [], why: everything })
    // Each file is archived, but the service has a newer version of one.
    archive.service.faults.add({ route: 'photo', fault: { kind: 'body', body: 'No photo' } })
    archive.service.setStatus(changed, 'completed')
    archive.service.replacePhoto(photosOf(changed)[0] ?? '')
    await engine.sync()
    const { archivedFiles, expectedFiles } = engine.catalog.progress()
    expect(archivedFiles).toBe(expectedFiles)
    expect(texts()).toMatchObject({ unknown: [], why: '1 checklist not complete yet:' })
  })
})

it('a lost preview is no missing photo, and not everything is archived', async () => {
  const archive = await sampleArchive({
    projects: 1,
    checklistsPerProject: 2,
    statuses: ['completed', 'awaitingMedia'],
  })
  await archive.sync()
  await archive.withEngine(async (engine) => {
    const overview = () => ({
      counts: engine.catalog.counts(),
      progress: engine.catalog.progress(),
      damagedFiles: engine.catalog.damagedFiles(),
    })
    const why = () => completenessTexts(engine.catalog.counts(), engine.catalog.progress()).why
    const missing = missingFiles(overview()).total
    const [preview] = [...readFiles(archive.root).keys()].filter((path) => path.includes('/thumbnails/'))
    unlinkSync(join(archive.root, preview ?? ''))
    await engine.verify()
    expect(overview()).toMatchObject({ damagedFiles: 1 })
    expect(missingFiles(overview())).toMatchObject({ total: missing, failed: 0 })
    expect(why()).toContain('not complete yet:')
  })
})

it('files of a checklist that is no longer listed do not wait', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 2, statuses: ['completed'] })
  archive.service.faults.add({ route: 'photo', fault: { kind: 'hang' } })
  await archive.withEngine(async (engine) => {
    const stop = new AbortController()
    const syncing = engine.sync({ signal: stop.signal }).catch(() => undefined)
    await expect.poll(() => archive.service.requests.count('photo')).toBeGreaterThan(0)
    stop.abort()
    await syncing
    archive.service.faults.clear()
    expect(engine.catalog.counts().filesWaiting).toBeGreaterThan(0)
    archive.service.removeChecklist(checklistOf(archive))
    await engine.sync()
    expectAgreement(engine)
    expect(engine.catalog.counts().filesWaiting).toBe(0)
    expect(list(engine, { filter: 'working' })).toEqual([])
  })
})

it('a file that is damaged or gone everywhere is still expected and never counted as archived', async () => {
  const few = { projects: 2, checklistsPerProject: 2, photoQuestionsPerChecklist: 2, photosPerQuestion: 2 }
  const archive = await sampleArchive({ ...few, statuses: ['completed'] })
  await archive.sync()
  const checklist = checklistOf(archive)
  const [removed, deleted, changed] = photosOf(checklist)
  const files = readFiles(archive.root)
  const fileOf = async (photo: typeof removed) => {
    const hash = sha256(await archive.service.photoBytes(photo!))
    return join(archive.root, [...files].find(([, bytes]) => sha256(bytes) === hash)?.[0] ?? '')
  }
  const paths = { removed: await fileOf(removed), deleted: await fileOf(deleted), changed: await fileOf(changed) }
  /** In a new engine: expected files that are not archived, the reasons, and how many files are damaged. */
  const stateAfter = (work: (engine: Engine) => Promise<unknown> = () => Promise.resolve()) =>
    archive.withEngine(async (engine) => {
      await work(engine)
      expectAgreement(engine)
      const { checklist: view, sections } = engine.catalog.checklist(checklist.projectId, checklist.id)
      const reported = (await engine.status()).projects.flatMap((project) => project.checklists)
      expect(reported.find(({ id }) => id === checklist.id)).toMatchObject({
        complete: view.complete,
        expectedFiles: view.expectedFiles,
        archivedFiles: view.archivedFiles,
        gaps: view.gaps.map(({ reason }) => ({ reason })),
      })
      const progress = engine.catalog.progress()
      expect([view.complete, incomplete(engine).length]).toEqual(view.gaps.length === 0 ? [true, 0] : [false, 1])
      const photos = sections.flatMap(({ questions }) => questions.flatMap((question) => question.photos))
      return {
        expected: progress.expectedFiles,
        missing: progress.expectedFiles - progress.archivedFiles,
        reasons: [...new Set(view.gaps.map(({ reason }) => reason))].sort(),
        unseen: photos.filter(({ archived }) => !archived).map(({ absence }) => absence),
        damaged: engine.catalog.damagedFiles(),
      }
    })
  const { expected } = await stateAfter()
  const complete = { expected, missing: 0, reasons: [], unseen: [], damaged: 0 }
  const lost = { expected, missing: 1, reasons: ['gone'], unseen: ['gone'], damaged: 1 }

  unlinkSync(paths.deleted)
  flipBit(paths.changed)
  const damaged = { ...complete, missing: 2, reasons: ['damaged'], unseen: ['damaged', 'damaged'], damaged: 2 }
  expect(await stateAfter((engine) => engine.verify())).toEqual(damaged)
  expect(await stateAfter()).toEqual(damaged)
  expect(await stateAfter((engine) => engine.sync())).toEqual({
    ...damaged,
    missing: 1,
    unseen: ['damaged'],
    damaged: 1,
  })
  expect(await stateAfter((engine) => engine.verify({ repair: true }))).toEqual(complete)
  expect(await stateAfter((engine) => engine.verify())).toEqual(complete)

  archive.service.removePhoto(removed ?? '')
  expect(await stateAfter((engine) => engine.sync())).toEqual(complete)
  unlinkSync(paths.removed)
  expect(await stateAfter((engine) => engine.verify())).toEqual(lost)
  expect(await stateAfter((engine) => engine.sync())).toEqual(lost)
  expect(await stateAfter((engine) => engine.verify({ repair: true }))).toEqual(lost)

  // A file that was never downloaded is not damaged.
  archive.service.faults.add({ route: 'photo', fault: { kind: 'status', status: 404 } })
  const added = archive.service.addPhoto(checklist)
  await archive.sync()
  archive.service.removePhoto(added)
  archive.service.faults.clear()
  expect(await stateAfter((engine) => engine.sync())).toMatchObject({ missing: 1, reasons: ['gone'] })
})

it('a project waits while the field or the service is not done, and is incomplete if files are missing', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 3, statuses: ['completed', 'draft'] })
  const [first, second] = archive.service.projects[0]?.checklists ?? []
  await archive.withEngine(async (engine) => {
    const stateAfter = async () => {
      await engine.sync()
      const [project] = list(engine)
      return [project?.checklists, project?.completeChecklists, project?.waitingChecklists]
    }
    expect(await stateAfter()).toEqual([3, 2, 1])
    archive.service.setStatus(first ?? '', 'awaitingMedia')
    expect(await stateAfter()).toEqual([3, 1, 2])
    archive.service.faults.add({ route: 'report', fault: { kind: 'status', status: 404 } })
    archive.service.setStatus(first ?? '', 'completed')
    archive.service.replaceReport(first ?? '')
    archive.service.removeChecklist(second ?? '')
    expect(await stateAfter()).toEqual([3, 1, 0])
  })
})

it('incomplete checklists and failures are listed for all projects except removed ones', async () => {
  const few = { projects: 2, checklistsPerProject: 2, photoQuestionsPerChecklist: 2, photosPerQuestion: 2 }
  const archive = await sampleArchive({ ...few, statuses: ['completed'] })
  archive.service.setStatus(checklistOf(archive), 'awaitingMedia')
  archive.service.faults.add({ route: 'photo', fault: { kind: 'status', status: 404 } })
  await archive.withEngine(async (engine) => {
    await engine.sync()
    const projects = archive.service.projects
    const checklists = projects.flatMap((project) => project.checklists)
    expect(ids(incomplete(engine))).toEqual(ids(checklists))
    expect(incomplete(engine).every(({ complete }) => !complete)).toBe(true)
    const [waiting] = checklistFilters
      .map((filter) => engine.catalog.checklists({ filter, offset: 0, limit: 50 }))
      .slice(1)
    expect(waiting?.items).toMatchObject([{ id: checklistOf(archive).id, projectName: projects[0]?.name }])

    const failed = (query: Partial<FailureQuery>) => engine.catalog.failures({ offset: 0, limit: 50, ...query })
    const [first = '', second = ''] = projects.map(({ id }) => id)
    const all = failed({})
    const ofFirst = failed({ projectId: first })
    const ofChecklist = failed({ projectId: first, checklistId: checklistOf(archive).id })
    expect(ofFirst.items).toEqual(all.items.filter(({ projectId }) => projectId === first))
    expect(ofChecklist.items).toEqual(
      ofFirst.items.filter(({ checklistId }) => checklistId === checklistOf(archive).id),
    )
    expect([all.total, ofFirst.total, ofChecklist.total]).toEqual(
      [all, ofFirst, ofChecklist].map(({ items }) => items.length),
    )
    expect(ofChecklist.total).toBeGreaterThan(0)
    const inFolder = list(engine, {}).find(({ id }) => id === first)?.archivedFiles
    expect(engine.catalog.progress().removedFiles).toBe(0)
    engine.projects.remove(first)
    expect(engine.catalog.progress().removedFiles).toBe(inFolder)
    expectAgreement(engine)
    expect(failed({}).items).toEqual(all.items.filter(({ projectId }) => projectId === second))
    expect(failed({}).total).toBe(failed({}).items.length)
    const { filesFailed, previewsFailed } = engine.catalog.counts()
    expect(filesFailed + previewsFailed).toBe(failed({}).total)
    expect(incomplete(engine).every(({ projectId }) => projectId === second)).toBe(true)
  })
})

it('a withdrawn photo does not count as one that is announced now', async () => {
  const few = { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 1, photosPerQuestion: 2 }
  const archive = await sampleArchive({ ...few, statuses: ['completed'] })
  await archive.sync()
  const checklist = checklistOf(archive)
  archive.service.removePhoto(photosOf(checklist)[0]!)
  const announced = archive.service.addPhoto(checklist, { state: 'taken' })
  await archive.sync()
  const seen = () =>
    archive.withEngine(async (engine) => {
      const state = (await engine.status()).projects[0]?.checklists[0]
      const { completeChecklists, expectedFiles, archivedFiles } = engine.catalog.progress()
      return { state, completeChecklists, missing: expectedFiles - archivedFiles }
    })
  const waiting = { reason: 'not uploaded yet' }
  expect(await seen()).toMatchObject({ completeChecklists: 0, missing: 1, state: { complete: false, gaps: [waiting] } })

  archive.service.setPhotoState(announced, 'uploaded')
  await archive.sync()
  expect(await seen()).toMatchObject({ completeChecklists: 1, missing: 0, state: { complete: true, gaps: [] } })
})

it('a checklist keeps its own error code while the service cannot be reached', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 2, statuses: ['completed'] })
  const { id } = checklistOf(archive)
  const of = ({ path }: { readonly path: string }) => path.endsWith(`/${id}`)
  archive.service.faults.add({ route: of, fault: { kind: 'status', status: 404 } })
  await archive.withEngine(async (engine) => {
    const codes = () => incomplete(engine).map(({ problem }) => problem?.code)
    await engine.sync()
    expect(codes()).toEqual(['not-found'])
    archive.service.faults.clear()
    archive.service.faults.add({ route: of, fault: { kind: 'status', status: 503 } })
    expect((await engine.sync()).failures).toMatchObject([{ code: 'service-error' }])
    expect(codes()).toEqual(['not-found'])
    archive.service.faults.clear()
    expect((await engine.sync()).failures).toEqual([])
    expect(codes()).toEqual([])
    // Without an error of its own, the outage is the reason.
    archive.service.setStatus(checklistOf(archive), 'awaitingMedia')
    archive.service.faults.add({ route: of, fault: { kind: 'status', status: 503 } })
    await engine.sync()
    expect(codes()).toEqual(['service-error'])
  })
})
