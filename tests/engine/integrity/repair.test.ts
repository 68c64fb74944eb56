import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { verifiableProjects } from '../../../electron/engine/integrity/verify-pass.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { openReader } from '../../../electron/engine/open-reader.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { flipBit } from '../../support/flip-bit.ts'
import {
  archivedHashes,
  checklistOf,
  readFiles,
  sampleArchive,
  servedHashes,
  sha256,
  shareArchive,
  type SampleArchive,
} from '../../support/sample-archive.ts'
import { expectTrueChecksums } from '../../support/true-checksums.ts'
import { closedPort } from '../../support/with-server.ts'
import { databaseOf } from '../recovery/whole-archive.ts'

const small = {
  projects: 2,
  checklistsPerProject: 2,
  photoQuestionsPerChecklist: 2,
  photosPerQuestion: 1,
  statuses: ['completed'],
  awkwardNames: false,
} as const

const repair = (archive: SampleArchive, settings = {}) =>
  archive.withEngine((engine) => engine.verify({ repair: true }), settings)
const verify = (archive: SampleArchive) => archive.withEngine((engine) => engine.verify())

async function archiveOf(options = {}, onDone?: Parameters<typeof sampleArchive>[2]): Promise<SampleArchive> {
  const archive = await sampleArchive({ ...small, ...options }, undefined, onDone)
  expect((await archive.sync()).failures).toEqual([])
  return archive
}

const sharedArchive = shareArchive((onDone) => archiveOf({}, onDone))
const sharedProject = shareArchive((onDone) => archiveOf({ projects: 1 }, onDone))

/** Paths of archived files, without old versions. */
function pathsOf(archive: SampleArchive, part: string): string[] {
  return [...readFiles(archive.root).keys()]
    .filter((path) => path.includes(part) && !path.includes('/.versions/'))
    .sort()
}

/** Expects that the archive holds what the service has, and the one changed file that was quarantined. */
async function expectAllServed(archive: SampleArchive, quarantined: Buffer): Promise<void> {
  const served = [...(await servedHashes(archive.service)), sha256(quarantined)]
  expect(archivedHashes(archive.root)).toEqual(served.sort())
}

const edited = expect.stringMatching(/ \(edited \d{4}-\d\d-\d\d\)(\.\w+)?$/) as string

describe('a repair', () => {
  it('of an intact archive changes nothing and makes no call', async () => {
    const archive = sharedArchive()
    const before = readFiles(archive.root)
    archive.service.requests.clear()
    expect(await repair(archive)).toMatchObject({ missing: [], changed: [], unexpected: [], repaired: 0, failures: [] })
    expect(archive.service.requests.count('api')).toBe(0)
    expect(readFiles(archive.root)).toEqual(before)
  })

  it('downloads deleted files again', async () => {
    const archive = sharedArchive()
    const before = readFiles(archive.root)
    const [photo = ''] = pathsOf(archive, '/photos/')
    const [thumbnail = ''] = pathsOf(archive, '/thumbnails/').slice(3)
    const [report = ''] = pathsOf(archive, 'report.pdf').slice(2)
    for (const path of [photo, thumbnail, report]) unlinkSync(join(archive.root, path))
    expect(await verify(archive)).toMatchObject({ missing: [photo, thumbnail, report].sort(), repaired: 0 })
    archive.service.requests.clear()
    const repaired = await repair(archive)
    expect(repaired).toMatchObject({ missing: [], changed: [], unexpected: [], repaired: 3, failures: [] })
    expect(repaired.ok).toBe(repaired.checked)
    expect(archive.service.requests.count('files')).toBe(3)
    const withoutTimes = (files: Map<string, Buffer>) =>
      new Map([...files].filter(([path]) => !/checklist\.json$|SHA256SUMS$/.test(path)))
    expect(withoutTimes(readFiles(archive.root))).toEqual(withoutTimes(before))
    expectTrueChecksums(archive.root)
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [], unexpected: [] })
  })

  it('downloads a whole project folder again', async () => {
    const archive = sharedArchive()
    const [project = ''] = readdirSync(archive.root)
    rmSync(join(archive.root, project), { recursive: true })
    const repaired = await repair(archive)
    expect(repaired).toMatchObject({ missing: [], changed: [], unexpected: [], failures: [] })
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
    expectTrueChecksums(archive.root)
  })

  it.each<[string, (path: string) => void]>([
    ['that was cut off', (path) => truncateSync(path, 100)],
    ['of which one bit flipped', (path) => flipBit(path)],
    ['that a user edited', (path) => appendFileSync(path, 'a circle around the crack')],
  ])('keeps a photo %s and restores the original', async (_name, damage) => {
    const archive = sharedArchive()
    const [photo = ''] = pathsOf(archive, '/photos/')
    const original = readFileSync(join(archive.root, photo))
    damage(join(archive.root, photo))
    const theirs = readFileSync(join(archive.root, photo))
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [photo], repaired: 0 })

    const repaired = await repair(archive)
    expect(repaired).toMatchObject({
      missing: [],
      changed: [],
      unexpected: [edited],
      quarantined: [edited],
      repaired: 1,
    })
    expect(readFileSync(join(archive.root, photo))).toEqual(original)
    expect(readFileSync(join(archive.root, repaired.quarantined[0] ?? ''))).toEqual(theirs)
    expectTrueChecksums(archive.root)
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [], unexpected: repaired.quarantined })
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
  })

  it('quarantines every edit of one day under a unique name', async () => {
    const archive = sharedArchive()
    const [photo = ''] = pathsOf(archive, '/photos/')
    for (const text of ['first', 'second', 'third']) {
      appendFileSync(join(archive.root, photo), text)
      expect(await repair(archive)).toMatchObject({ repaired: 1, quarantined: [expect.any(String)] })
    }
    const endings = [...readFiles(archive.root)]
      .filter(([path]) => path.includes(' (edited '))
      .map(([, bytes]) => bytes.subarray(-5).toString())
    expect(endings.sort()).toEqual(['econd', 'first', 'third'])
  })

  it('treats a folder under the name of a photo as a change', async () => {
    const archive = sharedArchive()
    const [photo = ''] = pathsOf(archive, '/photos/')
    unlinkSync(join(archive.root, photo))
    mkdirSync(join(archive.root, photo))
    appendFileSync(join(archive.root, photo, 'note.txt'), 'mine')
    expect(await repair(archive)).toMatchObject({ missing: [], changed: [], repaired: 1, quarantined: [edited] })
    expect([...readFiles(archive.root).values()].map(String)).toContain('mine')
    expectTrueChecksums(archive.root)
  })

  it('rewrites deleted and edited records, and keeps the edited ones', async () => {
    const archive = sharedArchive()
    const before = readFiles(archive.root)
    const [document = '', other = ''] = pathsOf(archive, 'checklist.json')
    const [sums = '', otherSums = ''] = pathsOf(archive, 'SHA256SUMS')
    unlinkSync(join(archive.root, document))
    unlinkSync(join(archive.root, sums))
    flipBit(join(archive.root, other))
    appendFileSync(join(archive.root, otherSums), '# checked by Ann\n')
    expect(await verify(archive)).toMatchObject({
      missing: [sums, document].sort(),
      changed: [otherSums, other].sort(),
    })

    archive.service.requests.clear()
    const repaired = await repair(archive)
    expect(repaired).toMatchObject({ missing: [], changed: [], repaired: 4, failures: [] })
    expect(repaired.quarantined).toHaveLength(2)
    expect(archive.service.requests.count('api')).toBe(0)
    const after = readFiles(archive.root)
    for (const [path, bytes] of before) expect(after.get(path)).toEqual(bytes)
    expect([...after.values()].filter((bytes) => bytes.includes('checked by Ann'))).toHaveLength(1)
    expectTrueChecksums(archive.root)
  })

  it('reports a lost old version once, and keeps what is left of a damaged one', async () => {
    const archive = sharedProject()
    for (const checklist of archive.service.projects[0]?.checklists ?? []) archive.service.replaceReport(checklist)
    await archive.sync()
    const [lost = '', damaged = ''] = [...readFiles(archive.root).keys()].filter((path) => path.includes('/.versions/'))
    unlinkSync(join(archive.root, lost))
    flipBit(join(archive.root, damaged))
    const theirs = readFileSync(join(archive.root, damaged))
    const found = { missing: [lost], changed: [damaged] }
    expect(await verify(archive)).toMatchObject(found)
    expect(await verify(archive)).toMatchObject(found)

    const repaired = await repair(archive)
    expect(repaired).toMatchObject({ ...found, repaired: 0, quarantined: [edited] })
    await archive.withEngine((engine) => Promise.resolve(expect(engine.catalog.damagedFiles()).toBe(0)))
    expect(new Map(repaired.failures.map(({ path, code }) => [path, code]))).toEqual(
      new Map([
        [lost, 'file-gone'],
        [damaged, 'file-gone'],
      ]),
    )
    expect(readFileSync(join(archive.root, repaired.quarantined[0] ?? ''))).toEqual(theirs)
    expectTrueChecksums(archive.root)
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [], unexpected: repaired.quarantined })
  })

  it('remembers old versions behind a link, which are found once their folder is back', async () => {
    const archive = sharedProject()
    archive.service.replaceReport(checklistOf(archive))
    await archive.sync()
    const [path = ''] = [...readFiles(archive.root).keys()].filter((name) => name.includes('/.versions/'))
    const versions = join(archive.root, path.slice(0, path.indexOf('/.versions/')), '.versions')
    const elsewhere = join(archive.root, '..', 'elsewhere')
    renameSync(versions, elsewhere)
    symlinkSync(elsewhere, versions, 'junction')
    const repaired = await repair(archive)
    expect(repaired).toMatchObject({ missing: [path], failures: [{ path, code: 'disk-error' }] })
    unlinkSync(versions)
    renameSync(elsewhere, versions)
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [], unexpected: [] })
  })

  it('remembers a whole project behind a link, and finds what was changed meanwhile', async () => {
    const archive = sharedProject()
    const [name = ''] = readdirSync(archive.root)
    const [folder, elsewhere] = [join(archive.root, name), join(archive.root, '..', 'elsewhere')]
    renameSync(folder, elsewhere)
    symlinkSync(elsewhere, folder, 'junction')
    expect((await verify(archive)).missing.length).toBeGreaterThan(0)
    expect(archive.log.join('\n')).toContain(`${folder} is a link to another place`)
    const repaired = await repair(archive)
    expect(repaired.failures.length).toBe(repaired.missing.length)
    unlinkSync(folder)
    renameSync(elsewhere, folder)
    appendFileSync(join(folder, 'SHA256SUMS'), 'tampered\n')
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [`${name}/SHA256SUMS`], unexpected: [] })
  })

  it('archives the current file of the service in place of a damaged one', async () => {
    const archive = sharedArchive()
    const [photo] = photosOf(checklistOf(archive))
    if (photo === undefined) throw new Error('The sample has no photo')
    const bytes = sha256(await archive.service.photoBytes(photo))
    const path = [...readFiles(archive.root)].find(([, found]) => sha256(found) === bytes)?.[0] ?? ''
    flipBit(join(archive.root, path))
    const theirs = readFileSync(join(archive.root, path))
    archive.service.replacePhoto(photo)
    expect(await repair(archive)).toMatchObject({ missing: [], changed: [], repaired: 1, quarantined: [edited] })
    expect(readFileSync(join(archive.root, path))).toEqual(await archive.service.photoBytes(photo))
    expectTrueChecksums(archive.root)
    await archive.sync()
    await expectAllServed(archive, theirs)
  })

  it('never touches files of others', async () => {
    const archive = sharedArchive()
    const [photo = ''] = pathsOf(archive, '/photos/')
    const note = `${photo}.txt`
    appendFileSync(join(archive.root, note), 'mine')
    unlinkSync(join(archive.root, photo))
    expect(await repair(archive)).toMatchObject({ unexpected: [note], repaired: 1 })
    expect(readFileSync(join(archive.root, note), 'utf8')).toBe('mine')
  })
})

describe('a repair that cannot fetch', () => {
  /** Deletes a photo, damages another. */
  function damagedArchive() {
    const archive = sharedArchive()
    const [missing = '', changed = ''] = pathsOf(archive, '/photos/')
    unlinkSync(join(archive.root, missing))
    flipBit(join(archive.root, changed))
    return { archive, missing, changed, theirs: readFileSync(join(archive.root, changed)) }
  }

  it.each([
    ['the service is down', 'unreachable-refused'],
    ['the token is refused', 'token-refused'],
  ])('because %s says so, keeps everything, and the next pass continues', async (name, code) => {
    const { archive, missing, changed, theirs } = damagedArchive()
    if (code === 'token-refused')
      archive.service.faults.add({ route: 'checklists', fault: { kind: 'status', status: 401 } })
    const settings = code === 'token-refused' ? {} : { serviceUrl: `http://127.0.0.1:${closedPort}` }
    const failed = await repair(archive, settings)
    expect(failed, name).toMatchObject({ missing: [missing], changed: [changed], repaired: 0, quarantined: [edited] })
    expect(new Set(failed.failures.map((failure) => failure.code))).toEqual(new Set([code]))
    expectTrueChecksums(archive.root, [missing, changed])
    // A file that is not back is reported every time, not only by the run that found it.
    expect(await verify(archive)).toMatchObject({ missing: [missing, changed].sort(), changed: [] })
    const status = await archive.withEngine((engine) => engine.status())
    expect(status.projects.flatMap(({ checklists }) => checklists).filter(({ complete }) => !complete)).toHaveLength(1)

    archive.service.faults.clear()
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 2, failures: [] })
    await expectAllServed(archive, theirs)
    expectTrueChecksums(archive.root)
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [], unexpected: failed.quarantined })
  })

  it('asks a service that is down once, however many projects are damaged', async () => {
    const archive = await archiveOf({ projects: 3 })
    // The second project is intact.
    const reports = pathsOf(archive, 'report.pdf')
    const damaged = [...reports.slice(0, 2), ...reports.slice(4)]
    for (const path of damaged) unlinkSync(join(archive.root, path))
    archive.service.faults.add({ route: 'checklists', fault: { kind: 'status', status: 401 } })
    archive.service.requests.clear()
    const failed = await repair(archive)
    expect(failed.missing).toEqual(damaged)
    expect(archive.service.requests.count('api')).toBe(1)
    archive.service.faults.clear()
    expect(await repair(archive)).toMatchObject({ missing: [], repaired: 4 })
  })

  it('because the service no longer lists the checklist says so every time', async () => {
    const archive = sharedProject()
    const [checklist] = archive.service.projects[0]?.checklists ?? []
    if (checklist === undefined) throw new Error('The sample has no checklist')
    archive.service.removeChecklist(checklist)
    await archive.sync()
    const before = await archive.withEngine((engine) => engine.status())
    const { folder } = before.projects[0]?.checklists.find(({ id }) => id === checklist.id) ?? {}
    const lost = pathsOf(archive, `${folder}/`).filter((path) => /report\.pdf$|\/photos\//.test(path))
    for (const path of lost) unlinkSync(join(archive.root, path))
    for (let time = 0; time < 2; time += 1) {
      expect(await repair(archive)).toMatchObject({
        missing: lost,
        repaired: 0,
        failures: lost.map((path) => ({ path, code: 'file-gone' })),
      })
      expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
      const { projects } = await archive.withEngine((engine) => engine.status())
      const reasons = projects[0]?.checklists.flatMap(({ gaps }) => gaps.map(({ reason }) => reason)) ?? []
      expect(new Set(reasons)).toEqual(new Set(['gone']))
    }
  })

  it('because the service no longer has the file says so every time', async () => {
    const archive = sharedProject()
    const [photo] = photosOf(checklistOf(archive))
    if (photo === undefined) throw new Error('The sample has no photo')
    const hash = sha256(await archive.service.photoBytes(photo))
    archive.service.removePhoto(photo)
    await archive.sync()
    const path = [...readFiles(archive.root)].find(([, found]) => sha256(found) === hash)?.[0] ?? ''
    expect(existsSync(join(archive.root, path))).toBe(true)
    unlinkSync(join(archive.root, path))
    for (let time = 0; time < 2; time += 1) {
      const failed = await repair(archive)
      expect(failed).toMatchObject({ missing: [path], repaired: 0, failures: [{ path, code: 'file-gone' }] })
      expectTrueChecksums(archive.root, [path])
    }
    expect(await verify(archive)).toMatchObject({ missing: [path] })
    // Nothing waits for it: the next pass costs as much as one over an unchanged project.
    expect(await archive.sync()).toMatchObject({ apiCalls: 1, failures: [] })
    expectTrueChecksums(archive.root, [path])

    // Without its database, Solarchive still knows what was in the archive.
    rmSync(archive.home, { recursive: true })
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    expectTrueChecksums(archive.root, [path])
    expect(await verify(archive)).toMatchObject({ missing: [path] })
  })

  it('recognizes a file that a user restores from a backup, and accepts nothing else for it', async () => {
    const archive = sharedProject()
    const [photo] = photosOf(checklistOf(archive))
    if (photo === undefined) throw new Error('The sample has no photo')
    const bytes = await archive.service.photoBytes(photo)
    archive.service.removePhoto(photo)
    await archive.sync()
    const path = [...readFiles(archive.root)].find(([, found]) => found.equals(bytes))?.[0] ?? ''
    unlinkSync(join(archive.root, path))
    expect(await repair(archive)).toMatchObject({ missing: [path] })
    writeFileSync(
      join(archive.root, path),
      bytes.map((byte) => byte ^ 1),
    )
    expect(await verify(archive)).toMatchObject({ missing: [path], unexpected: [path] })
    writeFileSync(join(archive.root, path), bytes)
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [], unexpected: [] })
    expect(await archive.sync()).toMatchObject({ failures: [] })
    expectTrueChecksums(archive.root)
    const { projects } = await archive.withEngine((engine) => engine.status())
    expect(projects.flatMap(({ checklists }) => checklists).filter(({ complete }) => !complete)).toEqual([])
  })

  it('does not keep downloading a file that a user has restored', async () => {
    const archive = sharedProject()
    const [photo] = photosOf(checklistOf(archive))
    if (photo === undefined) throw new Error('The sample has no photo')
    const bytes = await archive.service.photoBytes(photo)
    const path = [...readFiles(archive.root)].find(([, found]) => found.equals(bytes))?.[0] ?? ''
    unlinkSync(join(archive.root, path))
    archive.service.faults.add({ route: 'photo', fault: { kind: 'status', status: 404 } })
    expect(await repair(archive)).toMatchObject({ missing: [path] })
    writeFileSync(join(archive.root, path), bytes)
    expect(await verify(archive)).toMatchObject({ missing: [], unexpected: [] })
    expect(await archive.sync()).toMatchObject({ filesFailed: 0, failures: [] })
    const { projects } = await archive.withEngine((engine) => engine.status())
    expect(projects.flatMap(({ checklists }) => checklists).filter(({ complete }) => !complete)).toEqual([])
  })

  it('because it was stopped leaves correct checksums, and resumes the next time', async () => {
    const { archive, missing, changed, theirs } = damagedArchive()
    const stop = new AbortController()
    archive.service.faults.add({
      route: (request) => {
        if (request.origin === 'files') stop.abort(new Error('enough'))
        return false
      },
      fault: { kind: 'reset' },
    })
    const stopped = archive.withEngine((engine) => engine.verify({ repair: true, signal: stop.signal }))
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' })
    expectTrueChecksums(
      archive.root,
      [missing, changed].filter((path) => !existsSync(join(archive.root, path))),
    )
    archive.service.faults.clear()
    const resumed = await repair(archive)
    expect(resumed).toMatchObject({ missing: [], changed: [], failures: [] })
    expect(resumed.resumedFrom).not.toBeNull()
    for (const path of [missing, changed]) expect(existsSync(join(archive.root, path))).toBe(true)
    await expectAllServed(archive, theirs)
    expectTrueChecksums(archive.root)
  })

  it('of an archive that is away does nothing', async () => {
    const archive = sharedArchive()
    await expect(repair(archive, { archiveFolder: `${archive.root} elsewhere` })).rejects.toMatchObject({
      code: 'archive-unavailable',
      message: expect.stringContaining('Connect the drive or share') as string,
    })
    await expect(repair(archive, { archiveFolder: import.meta.filename })).rejects.toMatchObject({
      code: 'archive-unavailable',
      message: `${import.meta.filename} is not a folder. Nothing was changed. Choose the folder with the archive.`,
    })
    expect(await verify(archive)).toMatchObject({ missing: [], changed: [] })
  })
})

describe('a removed project', () => {
  const addAgain = 'This project was removed from the list. Add it again to have its files downloaded.'

  it('whose folder was deleted is left out, unless it is named, or found under another name', async () => {
    const archive = await archiveOf()
    const [folder = '', kept = ''] = readdirSync(archive.root)
    await archive.withEngine(async (engine) => {
      const { id = '' } = engine.projects.list().find((project) => project.folder === folder) ?? {}
      const { checked: all } = await engine.verify()
      const { checked: ofRemoved } = await engine.verify({ projectIds: [id] })
      engine.projects.remove(id)
      const opened = openReader(
        { homeFolder: archive.home, archiveFolder: archive.root, serviceUrl: archive.service.url },
        { clock: systemClock },
      )
      if (opened.kind !== 'open') throw new Error('No reader')
      onTestFinished(() => opened.reader.close())

      renameSync(join(archive.root, folder), join(archive.root, `${folder} paid`))
      const renamed = { checked: all, missing: [], renamed: [{ from: folder, to: `${folder} paid` }] }
      expect(await engine.verify()).toMatchObject(renamed)
      expect(await opened.reader.verify()).toMatchObject(renamed)

      rmSync(join(archive.root, `${folder} paid`), { recursive: true })
      archive.service.requests.clear()
      for (const settings of [{}, { repair: true }]) {
        const found = await engine.verify(settings)
        expect(found).toMatchObject({ checked: all - ofRemoved, ok: all - ofRemoved, missing: [], failures: [] })
        expect(found.renamed).toEqual([])
        expect(archive.log.pop()).toContain('Not verified: 1 removed project without a folder in the archive.')
      }
      expect(await opened.reader.verify()).toMatchObject({ checked: all - ofRemoved, missing: [], renamed: [] })
      expect(engine.catalog.damagedFiles()).toBe(0)

      // Named, it is asked for.
      const missing = { checked: ofRemoved, ok: 0, missing: { length: ofRemoved }, repaired: 0 }
      expect(await opened.reader.verify({ projectIds: [id] })).toMatchObject({ ...missing, failures: [] })
      expect(await engine.verify({ projectIds: [id] })).toMatchObject({ ...missing, failures: [] })
      const { failures } = await engine.verify({ projectIds: [id], repair: true })
      expect(new Set(failures.map(({ message }) => message))).toEqual(new Set([addAgain]))
      expect(failures).toHaveLength(ofRemoved)
      expect(archive.service.requests.count('api')).toBe(0)
      expect(readdirSync(archive.root)).toEqual([kept])

      engine.projects.add([{ id }])
      expect(await engine.verify()).toMatchObject({ checked: all, missing: { length: ofRemoved } })
      expect((await engine.sync()).failures).toEqual([])
      expect(await engine.verify()).toMatchObject({ checked: all, ok: all, missing: [] })
    })
  })

  it('is not taken for deleted in the empty mount point of a drive that is away', async () => {
    const archive = sharedProject()
    const store = createStore(databaseOf(archive))
    onTestFinished(() => store.close())
    const [project] = store.projects.listAll()
    store.projects.remove(project?.id ?? '', new Date().toISOString())
    const root = `${archive.root} mount point`
    mkdirSync(root)
    await expect(verifiableProjects({ root, store })).rejects.toMatchObject({ code: 'archive-unavailable' })
  })

  it('with a lost file in its folder says what has it downloaded', async () => {
    const archive = await archiveOf({ projects: 1 })
    const [photo = ''] = pathsOf(archive, '/photos/')
    unlinkSync(join(archive.root, photo))
    await archive.withEngine(async (engine) => {
      const [project] = engine.projects.list()
      if (project === undefined) throw new Error('The sample has no project')
      engine.projects.remove(project.id)
      archive.service.requests.clear()
      const message = addAgain
      for (let time = 0; time < 2; time += 1) {
        const failed = await engine.verify({ repair: true })
        expect(failed).toMatchObject({ missing: [photo], repaired: 0, failures: [{ path: photo, message }] })
      }
      expect(archive.service.requests.count('api')).toBe(0)
      expectTrueChecksums(archive.root, [photo])
      engine.projects.add([{ id: project.id }])
      expect(await engine.sync()).toMatchObject({ filesDownloaded: 1, failures: [] })
    })
  })
})
