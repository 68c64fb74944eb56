import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { photosOf, type SampleChecklist } from '../../../electron/sample-service/site/site-types.ts'
import {
  archivedHashes,
  hashFiles,
  servedHashes,
  shareArchive,
  type SampleArchive,
} from '../../support/sample-archive.ts'
import { expectTrueChecksums } from '../../support/true-checksums.ts'
import { archivedFiles, databaseOf, loseDatabase, seasonedArchive } from './whole-archive.ts'

const sharedArchive = shareArchive((onDone) => seasonedArchive({ projects: 1, photosPerQuestion: 2 }, onDone))

type Change = (service: SampleArchive['service'], checklist: SampleChecklist) => unknown

const photoAt = (checklist: SampleChecklist, index: number) => photosOf(checklist).slice(index)[0]

/** Changes at the service. Those of a photo do nothing in a checklist without one. */
const changes: Readonly<Record<string, Change>> = {
  'adds a photo': (service, checklist) => service.addPhoto(checklist),
  'adds a photo of a known name': (service, checklist) =>
    service.addPhoto(checklist, { filename: photoAt(checklist, 0)?.filename ?? 'roof.jpg' }),
  'removes the first photo': (service, checklist) =>
    photosOf(checklist)
      .slice(0, 1)
      .forEach((photo) => service.removePhoto(photo)),
  'removes the last photo': (service, checklist) =>
    photosOf(checklist)
      .slice(-1)
      .forEach((photo) => service.removePhoto(photo)),
  'replaces a photo': (service, checklist) =>
    photosOf(checklist)
      .slice(0, 1)
      .forEach((photo) => service.replacePhoto(photo)),
  'withholds a photo': (service, checklist) =>
    photosOf(checklist)
      .slice(0, 1)
      .forEach((photo) => service.setPhotoState(photo, 'taken')),
  'moves a photo to another question': (service, checklist) => {
    const [from, to] = checklist.sections.flatMap(({ questions }) => questions.filter(({ kind }) => kind === 'photo'))
    to?.photos.push(...(from?.photos.splice(0, 1) ?? []))
    service.renameChecklist(checklist, checklist.title)
  },
  'replaces the report': (service, checklist) => service.replaceReport(checklist),
  'renames the checklist': (service, checklist) => service.renameChecklist(checklist, `${checklist.title} 2`),
  'renames the questions': (service, checklist) => {
    for (const question of checklist.sections.flatMap(({ questions }) => questions)) {
      Object.assign(question, { label: `${question.label} 2` })
    }
    service.renameChecklist(checklist, checklist.title)
  },
  'reopens the checklist': (service, checklist) => service.setStatus(checklist, 'awaitingMedia'),
  'completes the checklist': (service, checklist) => service.setStatus(checklist, 'completed'),
}

const damages: Readonly<Record<string, (path: string) => void>> = {
  deleted: (path) => rmSync(path),
  edited: (path) => appendFileSync(path, 'edited'),
}

const step = fc.record({ change: fc.constantFrom(...Object.keys(changes)), checklist: fc.nat(1) })
const plan = fc.record({
  /** Before the database was copied, archived at once. */
  before: fc.array(step, { maxLength: 1 }),
  /** After it was copied, each archived by a sync of its own. */
  after: fc.array(step, { maxLength: 4 }),
  damage: fc.array(fc.record({ kind: fc.constantFrom(...Object.keys(damages)), file: fc.nat() }), { maxLength: 2 }),
  /** After the last sync. */
  missed: fc.array(step, { maxLength: 2 }),
  database: fc.constantFrom('older', 'lost'),
})

it('whatever happened since an older database, or a lost one, the next sync restores everything', async () => {
  const test = fc.asyncProperty(plan, async ({ before, after, damage, missed, database }) => {
    const archive = sharedArchive()
    const { service, root } = archive
    const apply = ({ change, checklist }: (typeof after)[number]) => {
      const target = service.projects[0]?.checklists[checklist]
      if (target !== undefined) changes[change]?.(service, target)
    }
    before.forEach(apply)
    await archive.sync()
    const older = readFileSync(databaseOf(archive))
    for (const one of after) {
      apply(one)
      await archive.sync()
    }
    const original = archivedFiles(archive)
    const paths = [...original.keys()].filter((path) => !/\/\.versions\/| \(edited /.test(path)).sort()
    const damaged = new Map(damage.map(({ kind, file }) => [paths[file % paths.length] ?? '', kind]))
    for (const [path, kind] of damaged) damages[kind]?.(join(root, path))
    missed.forEach(apply)
    const kept = archivedFiles(archive)
    if (database === 'lost') loseDatabase(archive)
    else {
      for (const name of readdirSync(archive.home)) if (/\.sqlite3(-|$)/.test(name)) rmSync(join(archive.home, name))
      writeFileSync(databaseOf(archive), older)
    }

    // A category that is empty all at once is believed the second time.
    const passes = [await archive.sync(), await archive.sync()]
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })

    // Nothing is downloaded a second time: a change brings at most a photo and its thumbnail, and each of a moved one.
    // A completion also brings photos that were replaced while the checklist was open, or while they were withheld.
    const downloaded = passes.reduce((sum, { filesDownloaded }) => sum + filesDownloaded, 0)
    const isCompleted = missed.some(({ change }) => change === 'completes the checklist')
    const replaced = isCompleted ? after.filter(({ change }) => change === 'replaces a photo') : []
    expect(downloaded).toBeLessThanOrEqual(damaged.size + 2 * (missed.length + replaced.length))
    // Files of open checklists are compared once these are completed.
    for (const checklist of service.projects[0]?.checklists ?? []) service.setStatus(checklist, 'completed')
    expect(await archive.sync()).toMatchObject({ failures: [] })

    // Nothing is lost, and all that the service has is archived.
    const hashes = new Set(hashFiles(root).values())
    expect([...kept].filter(([, hash]) => !hashes.has(hash))).toEqual([])
    const served = await servedHashes(service)
    expect(served.filter((hash) => !hashes.has(hash))).toEqual([])
    // What is damaged and gone at the service counts as missing.
    const verified = await archive.withEngine((engine) => engine.verify())
    expect(verified.changed).toEqual([])
    expect(verified.unexpected.filter((path) => !path.includes(' (edited '))).toEqual([])
    const present = new Set(archivedFiles(archive).keys())
    expect(verified.missing).toEqual([...damaged.keys()].filter((path) => !present.has(path)).sort())
    expectTrueChecksums(root, verified.missing)
    expect(archivedHashes(root).length).toBeGreaterThan(0)
  })
  await fc.assert(test, { numRuns: 5, endOnFailure: true })
})
