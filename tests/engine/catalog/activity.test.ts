import { renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { activityQuerySchema, type Activity } from '../../../shared/activity.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import { checklistOf, readFiles, sampleArchive, type SampleArchive } from '../../support/sample-archive.ts'
import { createSkippingClock } from '../../support/skipping-clock.ts'
import { startWatching, until } from '../../support/watching.ts'

const small = {
  projects: 1,
  checklistsPerProject: 2,
  photoQuestionsPerChecklist: 2,
  statuses: ['completed'],
  awkwardNames: false,
} as const

const list = (engine: Engine, query: object = {}) => engine.activity(activityQuerySchema.parse(query)).items

/** Returns the recorded entries, oldest first. */
const recorded = (engine: Engine, query: object = {}) =>
  list(engine, query)
    .toReversed()
    .map(({ kind, facts }) => [kind, facts] as const)

const kinds = (rows: readonly (readonly [string, unknown])[]) => rows.map(([kind]) => kind)

/** The entries that `work` adds. */
async function news(archive: SampleArchive, work: (engine: Engine) => Promise<unknown>): Promise<Activity[]> {
  return archive.withEngine(async (engine) => {
    const after = list(engine)[0]?.id ?? 0
    await work(engine)
    return list(engine, { after }).toReversed()
  })
}

const sync = (engine: Engine) => engine.sync()

describe('the activity', () => {
  it('lists a project that is added, found, archived, and removed, and nothing without a change', async () => {
    const archive = await sampleArchive(small)
    const project = archive.service.projects[0]
    const [first, second] = project?.checklists ?? []
    // The report and the photos, as people count them, without previews.
    const count = (checklist = first) =>
      expect.objectContaining({ count: 1 + (checklist === undefined ? 0 : photosOf(checklist).length) }) as unknown
    await archive.withEngine(async (engine) => {
      await engine.sync()
      expect(recorded(engine)).toEqual([
        ['projects-added', { count: 1, by: 'person' }],
        ['checklists-new', { count: 2 }],
        ['checklist-archived', count(first)],
        ['checklist-archived', count(second)],
      ])
      const archived = list(engine, { groups: ['archived'] })
      expect(archived.map(({ checklist }) => checklist?.id).sort()).toEqual([first?.id, second?.id].sort())
      expect(archived[0]).toMatchObject({ project: { id: project?.id, name: project?.name }, group: 'archived' })
    })
    expect(await news(archive, sync)).toEqual([])
    const removed = await news(archive, async (engine) => Promise.resolve(engine.projects.remove(project?.id ?? '')))
    expect(removed).toMatchObject([{ kind: 'project-removed', project: { name: project?.name }, group: 'yours' }])
  })

  it('lists what changes upstream: status, incomplete, archived again, replaced, gone, and back', async () => {
    const archive = await sampleArchive(small)
    await archive.sync()
    const checklist = checklistOf(archive)
    const [photo] = photosOf(checklist)
    archive.service.setStatus(checklist, 'awaitingMedia')
    const reopened = await news(archive, sync)
    expect(reopened).toMatchObject([
      { kind: 'checklist-status', facts: { from: 'completed', to: 'awaitingMedia' }, checklist: { id: checklist.id } },
      { kind: 'checklist-incomplete', facts: { missing: 0 } },
    ])
    archive.service.setStatus(checklist, 'completed')
    archive.service.replaceReport(checklist)
    if (photo !== undefined) archive.service.replacePhoto(photo)
    const again = await news(archive, sync)
    expect(again.map(({ kind }) => kind).sort()).toEqual([
      'checklist-archived',
      'checklist-status',
      'files-replaced',
      'files-replaced',
      'files-replaced',
    ])
    const replaced = again.filter(({ kind }) => kind === 'files-replaced')
    expect(replaced).toEqual(
      expect.arrayContaining([expect.objectContaining({ facts: { count: 1, fileKind: 'report' } })]),
    )
    archive.service.faults.add({ route: 'checklists', fault: { kind: 'body', body: '[]' }, count: 1 })
    expect(await news(archive, sync)).toMatchObject([{ kind: 'checklists-gone', facts: { count: 2 }, checklist: null }])
    expect(await news(archive, sync)).toMatchObject([{ kind: 'checklists-back', facts: { count: 2 } }])
  })

  it('lists failing files once per checklist and reason, however many and however often', async () => {
    const archive = await sampleArchive({ ...small, photosPerQuestion: 3 })
    archive.service.faults.add({ route: 'photo', fault: { kind: 'status', status: 404 } })
    const failed = await news(archive, sync)
    const rows = failed.filter(({ kind }) => kind === 'files-failed')
    expect(rows).toHaveLength(2)
    const files = archive.service.projects.flatMap(({ checklists }) => checklists).flatMap((each) => photosOf(each))
    expect(rows.reduce((sum, { facts }) => sum + ('count' in facts ? facts.count : 0), 0)).toBe(files.length)
    expect(rows[0]).toMatchObject({ facts: { code: 'file-gone' }, file: { kind: 'photo' } })
    expect(await news(archive, sync)).toEqual([])
    archive.service.faults.clear()
    archive.service.faults.add({ route: 'photo', fault: { kind: 'body', body: 'No photo' } })
    expect(await news(archive, sync)).toMatchObject([
      { kind: 'files-failed', facts: { code: 'file-invalid' } },
      { kind: 'files-failed', facts: { code: 'file-invalid' } },
    ])
    archive.service.faults.clear()
    expect((await news(archive, sync)).map(({ kind }) => kind)).toEqual(['checklist-archived', 'checklist-archived'])
  })

  it('lists what verify found, quarantined, and repaired, and a rebuilt database', async () => {
    const archive = await sampleArchive(small)
    await archive.sync()
    const paths = [...readFiles(archive.root).keys()].filter((path) => path.includes('/photos/'))
    unlinkSync(join(archive.root, paths[0] ?? ''))
    writeFileSync(join(archive.root, paths[1] ?? ''), 'edited')
    const repaired = await news(archive, (engine) => engine.verify({ repair: true }))
    expect(repaired.map(({ kind }) => kind).sort()).toEqual([
      'files-missing',
      'files-repaired',
      'files-set-aside',
      'verify-findings',
    ])
    expect(repaired.at(-1)).toMatchObject({ facts: { missing: 0, changed: 0, unexpected: 1, repaired: 2 } })
    // The edited file was reported before: it is not damage.
    const files = [...readFiles(archive.root).keys()].filter((path) => !path.includes('(edited'))
    expect(await news(archive, (engine) => engine.verify())).toMatchObject([
      { kind: 'verified', group: 'verify', facts: { count: files.length } },
    ])
    const stopped = { signal: AbortSignal.abort() }
    expect(await news(archive, (engine) => engine.verify(stopped).catch(() => undefined))).toEqual([])

    rmSync(archive.home, { recursive: true })
    await archive.withEngine(async (engine) => {
      await engine.sync()
      const rows = recorded(engine).filter(([kind]) => kind !== 'projects-added')
      expect(rows).toEqual([['database-rebuilt', expect.objectContaining({ from: 'archive', checklists: 2 })]])
    })
  })

  it('lists a refused token, its later acceptance, and a pause, once each', async () => {
    const archive = await sampleArchive(small)
    archive.service.faults.add({ route: 'api', fault: { kind: 'status', status: 401 } })
    const work = async (engine: Engine) => {
      const watching = startWatching(engine)
      await until('it is blocked', () => watching.states.some(({ kind }) => kind === 'blocked'))
      const calls = () => archive.service.requests.count('checklists')
      const before = calls()
      await until('the token was tried again', () => calls() > before + 2)
      archive.service.faults.clear()
      await until('all is synced', () => watching.synced.length > 0)
      engine.watch.pause('resumed')
      engine.watch.resume()
      await watching.stop()
      const rows = recorded(engine, { groups: ['problems', 'yours'] })
      expect(kinds(rows)).toEqual(['projects-added', 'obstacle', 'obstacle-gone', 'paused', 'resumed'])
      expect(rows[1]?.[1]).toMatchObject({ obstacle: 'token', code: 'token-refused' })
    }
    await archive.withEngine(work, {}, { clock: new JumpingClock(600) })
  })

  it('lists that a missing drive is back, also if nobody watched when it came back', async () => {
    const archive = await sampleArchive(small)
    await archive.sync()
    const watchUntil = (kind: string) =>
      news(archive, async (engine) => {
        const watching = startWatching(engine)
        await until(`it is ${kind}`, () => watching.states.at(-1)?.kind === kind)
        await watching.stop()
      })
    const obstacle = { kind: 'obstacle', facts: { obstacle: 'disk', code: 'archive-unavailable' } }
    renameSync(archive.root, `${archive.root}-unplugged`)
    expect(await watchUntil('blocked')).toMatchObject([obstacle])
    expect(await watchUntil('blocked')).toEqual([])
    renameSync(`${archive.root}-unplugged`, archive.root)
    expect(await watchUntil('idle')).toMatchObject([{ kind: 'obstacle-gone', facts: { obstacle: 'disk' } }])
    renameSync(archive.root, `${archive.root}-unplugged`)
    expect(await watchUntil('blocked')).toMatchObject([obstacle])
  })

  it('lists once that the service fails, with the time, and once that it responds again', async () => {
    const archive = await sampleArchive({ ...small, projects: 4 })
    archive.service.faults.add({ route: 'api', fault: { kind: 'status', status: 503 } })
    const work = async (engine: Engine) => {
      const watching = startWatching(engine)
      const problems = () => recorded(engine, { groups: ['problems'] })
      await until('the problem is listed', () => problems().length > 0)
      const asked = () => archive.service.requests.count('api')
      const before = asked()
      await until('it was asked again', () => asked() > before + 2)
      expect(kinds(problems())).toEqual(['obstacle'])
      archive.service.faults.clear()
      await until('all is synced', () => watching.synced.length >= 4)
      await watching.stop()
      const begun = watching.states.find((state) => state.kind === 'blocked')?.since
      expect(problems()).toEqual([
        ['obstacle', { obstacle: 'service', code: 'service-error', since: begun }],
        ['obstacle-gone', { obstacle: 'service', since: begun }],
      ])
      const rests = watching.states.flatMap((state) => (state.kind === 'blocked' ? [state.since] : []))
      expect(new Set(rests)).toEqual(new Set([begun]))
    }
    await archive.withEngine(work, {}, { clock: createSkippingClock() })
  })

  it('lists a short outage once, among the problems, when it is over', async () => {
    const archive = await sampleArchive({ ...small, projects: 4 })
    archive.service.faults.add({ route: 'api', fault: { kind: 'status', status: 503 } })
    const work = async (engine: Engine) => {
      const watching = startWatching(engine)
      engine.events.on('watch-state', ({ kind }) => {
        if (kind === 'blocked') archive.service.faults.clear()
      })
      await until('all is synced', () => watching.synced.length >= 4)
      await watching.stop()
      const since = watching.states.find((state) => state.kind === 'blocked')?.since
      expect(recorded(engine, { groups: ['problems'] })).toEqual([
        ['outage', { host: null, code: 'service-error', since }],
      ])
    }
    // No faster: outages of five minutes are listed as problems, and a slow machine takes seconds for this one.
    await archive.withEngine(work, {}, { clock: new JumpingClock(15) })
  })

  it('is emitted when added, and read in pages, by group and by project', async () => {
    const archive = await sampleArchive({ ...small, projects: 3, checklistsPerProject: 3 })
    await archive.withEngine(async (engine) => {
      const seen = new Map<number, Activity>()
      engine.events.on('activity', ({ items }) => items.forEach((item) => seen.set(item.id, item)))
      await engine.sync()
      const all = list(engine)
      await until('every entry is emitted', () => seen.size === all.length)
      expect([...seen.values()].sort((a, b) => b.id - a.id)).toEqual(all)
      const first = engine.activity({ limit: 4 })
      expect(first).toEqual({ items: all.slice(0, 4), hasMore: true })
      expect(list(engine, { before: first.items.at(-1)?.id })).toEqual(all.slice(4))
      expect(list(engine, { after: all[2]?.id })).toEqual(all.slice(0, 2))
      const projectId = archive.service.projects[1]?.id ?? ''
      expect(list(engine, { projectId, groups: ['archived', 'changes'] })).toHaveLength(4)
      expect(list(engine, { projectId }).every(({ project }) => project?.id === projectId)).toBe(true)
    })
  })

  it('lists a file added by someone else once, and again only if others appear', async () => {
    const archive = await sampleArchive(small)
    await archive.sync()
    const [report = ''] = [...readFiles(archive.root).keys()].filter((path) => path.endsWith('report.pdf'))
    const put = (name: string) => writeFileSync(join(archive.root, `${report} ${name}`), 'mine')
    const verified = () => news(archive, (engine) => engine.verify())
    const findings = (unexpected: number) => [
      { kind: 'verify-findings', facts: { missing: 0, changed: 0, unexpected } },
    ]
    put('(edited)')
    expect(await verified()).toMatchObject(findings(1))
    expect(await verified()).toMatchObject([{ kind: 'verified' }])
    put('(edited again)')
    expect(await verified()).toMatchObject(findings(2))
    unlinkSync(join(archive.root, report))
    expect(await verified()).toMatchObject([{ facts: { missing: 1, unexpected: 2 } }])
    expect(await verified()).toMatchObject([{ facts: { missing: 1, unexpected: 2 } }])
  })
})
