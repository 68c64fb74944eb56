import { renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import { flipBit } from '../../support/flip-bit.ts'
import { checklistOf, readFiles, sampleArchive } from '../../support/sample-archive.ts'
import { until } from '../../support/watching.ts'

const page = (engine: Engine, offset = 0) => engine.catalog.findings({ offset, limit: 50 })
const found = (engine: Engine) => page(engine).items.map(({ path, state }) => [state, path])

test('a verify finding is listed with its checklist, across a restart, until the file is replaced', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  const { id, title } = checklistOf(archive)
  const [report = ''] = [...readFiles(archive.root).keys()].filter((path) => path.endsWith('/report.pdf'))
  unlinkSync(join(archive.root, report))
  writeFileSync(join(archive.root, `${report}.txt`), 'mine')
  const gone = archive.service.faults.add({ route: 'report', fault: { kind: 'status', status: 404 } })
  await archive.withEngine((engine) => engine.verify({ repair: true }))
  await archive.withEngine(async (engine) => {
    const checklist = { id, name: title }
    expect(engine.catalog.damagedFiles()).toBe(1)
    expect(page(engine)).toMatchObject({
      total: 2,
      items: [
        { path: report, state: 'missing', checklist },
        { path: `${report}.txt`, state: 'unexpected', checklist },
      ],
    })
    expect(page(engine, 1).items).toHaveLength(1)
    gone.remove()
    engine.retry('all')
    await engine.sync()
    expect(engine.catalog.damagedFiles()).toBe(0)
    expect(found(engine)).toEqual([['unexpected', `${report}.txt`]])
    unlinkSync(join(archive.root, `${report}.txt`))
    await engine.verify()
    expect(found(engine)).toEqual([])
  })
})

test('a file that a later verify finds intact, or that Solarchive rewrites, is no longer a finding', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  const paths = [...readFiles(archive.root).keys()]
  const of = (end: string) => join(archive.root, paths.find((path) => path.endsWith(end)) ?? '')
  const [report, document, checksums] = [of('/report.pdf'), of('/checklist.json'), of('/SHA256SUMS')]
  renameSync(report, `${archive.home}.away`)
  flipBit(document)
  writeFileSync(checksums, 'not these')
  await archive.withEngine(async (engine) => {
    await engine.verify()
    expect(found(engine).map(([state]) => state)).toEqual(['missing', 'changed', 'changed'])
    renameSync(`${archive.home}.away`, report)
    flipBit(document)
    await engine.verify()
    expect(found(engine)).toEqual([['changed', checksums.slice(archive.root.length + 1)]])
    await engine.verify({ repair: true })
    expect(found(engine)).toEqual([])
  })
})

test('a file that comes back while the verify that missed it still runs is not a finding at its end', async () => {
  const archive = await sampleArchive({ projects: 2, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  const [first = '', second = ''] = archive.service.projects.map(({ id }) => id).sort()
  await archive.withEngine(async (engine) => {
    const folder = engine.projects.list().find(({ id }) => id === first)?.folder ?? ''
    const [report = ''] = [...readFiles(archive.root).keys()].filter(
      (path) => /^[^/]*\/[^/]*\/report\.pdf$/.test(path) && path.startsWith(folder),
    )
    unlinkSync(join(archive.root, report))
    // A pass over the second project keeps the verify from reaching it.
    archive.service.faults.add({ route: ({ path }) => path.includes(second), fault: { kind: 'hang' } })
    const stop = new AbortController()
    const held = engine.sync({ projectIds: [second], signal: stop.signal }).catch(() => undefined)
    const verified = engine.verify()
    await until('the loss is known', () => engine.catalog.damagedFiles() === 1)
    await engine.sync({ projectIds: [first] })
    expect(engine.catalog.damagedFiles()).toBe(0)
    stop.abort()
    await held
    expect(await verified).toMatchObject({ missing: [report] })
    expect(found(engine)).toEqual([])
  })
})
