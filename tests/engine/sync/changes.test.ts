import { existsSync, readdirSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import {
  archivedHashes,
  checklistOf,
  hashFiles,
  readFiles,
  sampleArchive,
  servedHashes,
  sha256,
  shareArchive,
} from '../../support/sample-archive.ts'

const small = {
  projects: 1,
  checklistsPerProject: 2,
  photoQuestionsPerChecklist: 2,
  statuses: ['completed'],
  awkwardNames: false,
} as const

const sharedArchive = shareArchive(async (onDone) => {
  const archive = await sampleArchive(small, undefined, onDone)
  await archive.sync()
  return archive
})

const clean = { missing: [], changed: [], unexpected: [] }

describe('upstream changes', () => {
  it('a new report takes the name, and the old version is kept', async () => {
    const archive = sharedArchive()
    const before = sha256(await archive.service.reportBytes(checklistOf(archive)))
    archive.service.replaceReport(checklistOf(archive))
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 1, failures: [] })
    const versions = [...readFiles(archive.root)].filter(([path]) => path.includes('/.versions/'))
    expect(versions.map(([, bytes]) => sha256(bytes))).toEqual([before])
    expect(versions[0]?.[0]).toMatch(/\/\.versions\/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\/report\.pdf$/)
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
    expect(await archive.withEngine((engine) => engine.verify())).toMatchObject(clean)
  })

  it.each(['strong', 'weak', 'none'] as const)('a replaced photo is noticed (validators: %s)', async (validators) => {
    const archive = await sampleArchive({ ...small, validators })
    // People count photos and reports. What replaced a file is not new.
    const { filesDownloaded, downloads } = await archive.sync()
    const photos = archive.service.projects.flatMap(({ checklists }) => checklists.flatMap(photosOf)).length
    const newFiles = photos + archive.service.projects.flatMap(({ checklists }) => checklists).length
    expect(downloads).toEqual({ newFiles, replacedFiles: 0, previews: filesDownloaded - newFiles })
    const [photo] = photosOf(checklistOf(archive))
    if (photo === undefined) throw new Error('The sample has no photo')
    archive.service.replacePhoto(photo)
    const again = await archive.sync()
    expect(again.failures).toEqual([])
    expect(again.downloads).toMatchObject({ newFiles: 0, replacedFiles: 1 })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
    expect([...readFiles(archive.root).keys()].some((path) => path.includes('/.versions/'))).toBe(true)
    expect(await archive.withEngine((engine) => engine.verify())).toMatchObject(clean)
  })

  it('the weekly full pass rewrites only records whose content differs', async () => {
    let laterMs = 0
    const archive = await sampleArchive(small, { ...systemClock, nowMs: () => systemClock.nowMs() + laterMs })
    await archive.sync()
    const records = [...readFiles(archive.root).keys()].filter((path) => /(checklist\.json|SHA256SUMS)$/.test(path))
    const written = () =>
      records.map((path) => {
        const { ino, mtimeNs } = statSync(join(archive.root, path), { bigint: true })
        return `${path} ${ino} ${mtimeNs}`
      })
    const before = written()
    const texts = readFiles(archive.root)
    const nextWeek = async () => {
      laterMs += 8 * 24 * 3_600_000
      archive.service.requests.clear()
      expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
      expect(archive.service.requests.count('media')).toBeGreaterThan(0)
    }
    await nextWeek()
    expect(written()).toEqual(before)
    const damaged = records.find((path) => path.endsWith('.json')) ?? ''
    const { length } = texts.get(damaged) ?? ''
    writeFileSync(join(archive.root, damaged), 'x'.repeat(length))
    await nextWeek()
    expect(readFiles(archive.root)).toEqual(texts)
  })

  it('only a new photo is downloaded', async () => {
    const archive = sharedArchive()
    archive.service.addPhoto(checklistOf(archive))
    archive.service.requests.clear()
    const report = await archive.sync()
    expect(report.filesDownloaded).toBeLessThanOrEqual(3)
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })

  it('photos that arrive late are archived, and the checklist becomes complete', async () => {
    const archive = await sampleArchive({ ...small, statuses: ['awaitingMedia'] })
    await archive.sync()
    for (const checklist of archive.service.projects[0]?.checklists ?? [])
      archive.service.setStatus(checklist, 'completed')
    const status = await archive.withEngine(async (engine) => {
      await engine.sync()
      return engine.status()
    })
    expect(status.projects[0]?.checklists.map(({ complete, gaps }) => ({ complete, gaps }))).toEqual([
      { complete: true, gaps: [] },
      { complete: true, gaps: [] },
    ])
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })

  it('nothing that disappears is deleted: a photo, a checklist, all checklists', async () => {
    const archive = sharedArchive()
    const before = archivedHashes(archive.root)
    const checklist = checklistOf(archive)
    const [photo] = photosOf(checklist)
    if (photo !== undefined) archive.service.removePhoto(photo)
    await archive.sync()
    archive.service.removeChecklist(checklist)
    await archive.sync()
    archive.service.faults.add({ route: 'checklists', fault: { kind: 'body', body: '[]' } })
    await archive.sync()
    const kept = new Set(archivedHashes(archive.root))
    // The report was regenerated when the photo was removed; every other file is in place.
    expect(before.filter((hash) => !kept.has(hash)).length).toBeLessThanOrEqual(1)
    expect(await archive.withEngine((engine) => engine.verify())).toMatchObject(clean)
  })

  it('a list shorter than before is reported once, with the number of files no longer listed', async () => {
    const archive = sharedArchive()
    const warnings = () => archive.log.filter((line) => line.includes('marked as no longer at the service'))
    const [photo] = photosOf(checklistOf(archive))
    if (photo !== undefined) archive.service.removePhoto(photo)
    await archive.sync()
    expect(warnings()).toHaveLength(1)
    // The photo and its thumbnail.
    expect(warnings()[0]).toContain('2 archived files')
    for (const checklist of Array.from(archive.service.projects[0]?.checklists ?? [])) {
      archive.service.removeChecklist(checklist)
    }
    await archive.sync()
    expect(warnings()).toHaveLength(2)
    expect(warnings()[1]).toContain('2 checklists')
    await archive.sync()
    expect(warnings()).toHaveLength(2)
  })

  it('a renamed project or checklist keeps its folder', async () => {
    const archive = sharedArchive()
    const folders = () => [...readFiles(archive.root).keys()].map((path) => path.split('/').slice(0, 2).join('/'))
    const before = new Set(folders())
    const [project] = archive.service.projects
    if (project === undefined) throw new Error('The sample has no project')
    archive.service.renameProject(project, 'Another name')
    archive.service.renameChecklist(checklistOf(archive), 'Another title')
    const named = await archive.withEngine(async (engine) => {
      engine.projects.add([{ id: project.id, name: project.name }])
      await engine.sync()
      const { projects } = await engine.status()
      return projects.map(({ name, checklists }) => [name, checklists.map(({ title }) => title)])
    })
    expect(named).toEqual([['Another name', expect.arrayContaining(['Another title'])]])
    expect(new Set(folders())).toEqual(before)
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })

  it('a label that ends within an emoji is that of the same question again', async () => {
    const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
    const checklist = checklistOf(archive)
    for (const question of checklist.sections.flatMap(({ questions }) => questions)) {
      Object.assign(question, { label: `${question.label} \ud83c` })
    }
    await archive.sync()
    const before = hashFiles(archive.root)
    archive.service.renameChecklist(checklist, checklist.title)
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect([...hashFiles(archive.root).keys()]).toEqual([...before.keys()])
    const answers = await archive.withEngine((engine) =>
      Promise.resolve(
        engine.catalog.checklist(checklist.projectId, checklist.id).sections.flatMap(({ questions }) => questions),
      ),
    )
    expect(answers.filter(({ answer }) => answer !== null).length).toBeGreaterThan(0)
  })

  it('a checklist that arrives as a list of its sections is archived whole, and nothing is downloaded again', async () => {
    const archive = await sampleArchive({ ...small, checklistsPerProject: 1, shapes: { tree: 'sections' } })
    const { service } = archive
    const { projectId, id } = checklistOf(archive)
    const answer = await fetch(`${service.url}/api/v1/checklist/${projectId}/${id}?access_token=${service.token}`)
    const { sections } = z.object({ sections: z.array(z.unknown()).min(2) }).parse(await answer.json())
    const bare = () =>
      service.faults.add({ route: 'checklist', fault: { kind: 'body', body: JSON.stringify(sections) } })
    const state = async () => archive.withEngine(async (engine) => (await engine.status()).projects[0]?.checklists[0])
    bare()
    expect(await archive.sync()).toMatchObject({ failures: [] })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(service))
    expect(await state()).toMatchObject({ complete: true })
    service.faults.clear()
    service.renameChecklist(checklistOf(archive), 'Another title')
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    bare()
    service.renameChecklist(checklistOf(archive), 'A third title')
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect(await state()).toMatchObject({ complete: true })
  })

  it('a reopened checklist is followed, and complete only when it is completed again', async () => {
    const archive = sharedArchive()
    const state = async () =>
      archive.withEngine(async (engine) => {
        await engine.sync()
        return (await engine.status()).projects[0]?.checklists[0]
      })
    archive.service.setStatus(checklistOf(archive), 'draft')
    expect(await state()).toMatchObject({ status: 'draft', complete: false, gaps: [] })
    archive.service.setStatus(checklistOf(archive), 'completed')
    expect(await state()).toMatchObject({ status: 'completed', complete: true })
  })

  it.each([
    ['reopened since', 'awaitingMedia', 60_000, { status: 'awaitingMedia', complete: false }],
    ['as it was before', 'awaitingMedia', -60_000, { status: 'completed', complete: true }],
    ['completed again since', 'completed', 60_000, { status: 'completed', complete: true }],
    ['in an envelope', 'success', 60_000, { status: 'completed', complete: true }],
  ] as const)('a checklist that is listed as completed, and then sent %s', async (_what, status, laterMs, expected) => {
    const archive = await sampleArchive({ ...small, checklistsPerProject: 1 })
    const { service } = archive
    const { projectId, id, updatedAt } = checklistOf(archive)
    const answer = await fetch(`${service.url}/api/v1/checklist/${projectId}/${id}?access_token=${service.token}`)
    const detail = z.record(z.string(), z.unknown()).parse(await answer.json())
    const later = { ...detail, status, updatedAt: new Date(Date.parse(updatedAt) + laterMs).toISOString() }
    service.faults.add({ route: 'checklist', fault: { kind: 'body', body: JSON.stringify(later) } })
    const state = async () => archive.withEngine(async (engine) => (await engine.status()).projects[0]?.checklists[0])
    expect(await archive.sync()).toMatchObject({ failures: [] })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(service))
    expect(await state()).toMatchObject(expected)
    service.faults.clear()
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect(await state()).toMatchObject({ status: 'completed', complete: true })
  })
})

describe('the archive folder', () => {
  it('a deleted file does not count as archived, and is restored', async () => {
    const archive = sharedArchive()
    const [path = ''] = [...readFiles(archive.root).keys()].filter((name) => name.includes('/photos/'))
    unlinkSync(join(archive.root, path))
    const status = await archive.withEngine((engine) => engine.status())
    expect(status.projects[0]?.checklists.filter(({ complete }) => !complete)).toHaveLength(1)
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 1 })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })

  it('can be moved', async () => {
    const archive = sharedArchive()
    const moved = `${archive.root} moved`
    renameSync(archive.root, moved)
    expect(await archive.sync({ archiveFolder: moved })).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect(existsSync(archive.root)).toBe(false)
  })

  it('is not created again in a folder without it', async () => {
    const archive = sharedArchive()
    renameSync(archive.root, `${archive.root} elsewhere`)
    await expect(archive.sync()).rejects.toMatchObject({ code: 'archive-unavailable' })
    expect(existsSync(archive.root)).toBe(false)
  })

  it("a user's file under the name of a photo stays, and the photo gets the next name", async () => {
    const archive = sharedArchive()
    const [path = ''] = [...readFiles(archive.root).keys()].filter((name) => name.includes('/photos/'))
    rmSync(join(archive.root, path))
    archive.service.faults.add({ route: 'photo', fault: { kind: 'status', status: 500 } })
    await archive.sync()
    writeFileSync(join(archive.root, path), 'my own notes')
    archive.service.faults.clear()
    await archive.sync()
    expect(readFiles(archive.root).get(path)?.toString()).toBe('my own notes')
    expect([...readFiles(archive.root).keys()].some((name) => name.endsWith(' (2).jpg'))).toBe(true)
    expect(await archive.withEngine((engine) => engine.verify())).toMatchObject({
      changed: [],
      missing: [],
      unexpected: [path],
    })
  })

  it('a checklist whose title differs only in case gets its own folder', async () => {
    const archive = await sampleArchive({ ...small, checklistsPerProject: 3 })
    await archive.sync()
    const [project = ''] = readdirSync(archive.root)
    const folders = readdirSync(join(archive.root, project)).filter((name) => name !== 'SHA256SUMS')
    expect(new Set(folders.map((name) => name.toLowerCase())).size).toBe(3)
  })
})
