import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { createEngine } from '../../electron/engine/create-engine.ts'
import type { Engine, EngineSettings, SyncResult } from '../../electron/engine/engine.ts'
import type { Clock, LogFields, Ports } from '../../electron/engine/lib/ports.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'
import { writeCleanShutdownMarker } from '../../electron/engine/store/clean-shutdown-marker.ts'
import { databaseName } from '../../electron/engine/store/database-files.ts'
import {
  startSampleService,
  type SampleService,
  type SampleServiceOptions,
} from '../../electron/sample-service/start-sample-service.ts'
import { photosOf, type SampleChecklist, type SampleProject } from '../../electron/sample-service/site/site-types.ts'
import { newDataFolder } from './new-data-folder.ts'

/** Real time with shortened pauses between retries. */
const impatientClock: Clock = {
  ...systemClock,
  sleep: (delayMs, signal) => systemClock.sleep(Math.min(delayMs, 5), signal),
}

/** A sample service and an empty data folder and archive, all removed after the test. */
export interface SampleArchive {
  readonly service: SampleService
  readonly home: string
  readonly root: string
  /** All log lines of the engine, as JSON. */
  readonly log: string[]
  /** Opens an engine on the folders, runs the work, and closes it, as a process does. */
  withEngine<T>(
    work: (engine: Engine) => Promise<T>,
    settings?: Partial<EngineSettings>,
    ports?: Partial<Ports>,
  ): Promise<T>
  /** Runs one pass in a new engine. */
  sync(settings?: Partial<EngineSettings>): Promise<SyncResult>
}

/**
 * Small sites: one photo per question, with small files. Options of the service override that. `onDone` takes the
 * function that removes it all; by default it runs after the test.
 */
export async function sampleArchive(
  options: SampleServiceOptions = {},
  clock: Clock = impatientClock,
  onDone: (end: () => Promise<void>) => void = onTestFinished,
): Promise<SampleArchive> {
  const service = await startSampleService({ photosPerQuestion: 1, photoBytes: 2000, reportBytes: 5000, ...options })
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-sync-'))
  onDone(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const home = join(folder, 'home')
  const makeHome = newDataFolder(home)
  const root = join(folder, 'archive')
  const log: string[] = []
  const note = (message: string, fields?: LogFields) => void log.push(JSON.stringify({ message, ...fields }))

  const fixture: SampleArchive = {
    service,
    home,
    root,
    log,
    async withEngine(work, settings = {}, ports = {}) {
      makeHome()
      const engine = createEngine(
        { serviceUrl: service.url, homeFolder: home, archiveFolder: root, apiCallsPerMinute: 0, ...settings },
        {
          clock,
          logger: { debug: note, info: note, warn: note, error: note, showMessage: note },
          secrets: { accessToken: () => Promise.resolve(service.token) },
          ...ports,
        },
      )
      try {
        const known = new Set(engine.projects.list().map(({ id }) => id))
        engine.projects.add(service.projects.filter(({ id }) => !known.has(id)).map(({ id, name }) => ({ id, name })))
        return await work(engine)
      } finally {
        await engine.close()
      }
    },
    sync: (settings) => fixture.withEngine((engine) => engine.sync(), settings),
  }
  return fixture
}

/**
 * One archive for the tests of a file, whatever they change except the list of projects. Returns a function that puts
 * its folders, its service, and its log back as `build` left them.
 */
export function shareArchive(
  build: (onDone: (end: () => Promise<void>) => void) => Promise<SampleArchive>,
): () => SampleArchive {
  let archive: SampleArchive
  let projects: SampleProject[] = []
  let logged: string[] = []
  const ends: (() => Promise<void>)[] = []
  const folders = () => ({ used: dirname(archive.home), kept: `${dirname(archive.home)}-kept` })
  const options = { recursive: true, preserveTimestamps: true }
  beforeAll(async () => {
    archive = await build((end) => ends.push(end))
    const { used, kept } = folders()
    cpSync(used, kept, options)
    ends.push(() => Promise.resolve(rmSync(kept, { recursive: true, force: true })))
    projects = structuredClone([...archive.service.projects])
    logged = [...archive.log]
  })
  afterAll(() => Promise.all(ends.map((end) => end())))
  return () => {
    const { used, kept } = folders()
    rmSync(used, { recursive: true, force: true })
    cpSync(kept, used, options)
    // A copy has other times: without a new marker, the engine would take the database for a replaced one.
    writeCleanShutdownMarker(join(archive.home, databaseName))
    restoreProjects(archive.service, projects)
    archive.service.faults.clear()
    archive.service.requests.clear()
    archive.log.splice(0, Infinity, ...logged)
    return archive
  }
}

/** Undoes changes of the projects and their checklists. Throws if projects were added or removed. */
function restoreProjects(service: SampleService, projects: readonly SampleProject[]): void {
  if (service.projects.length !== projects.length) throw new Error('A shared archive keeps its list of projects')
  service.projects.forEach((project, index) => {
    const { checklists, ...facts } = structuredClone(projects[index]) ?? project
    if (facts.id !== project.id) throw new Error('A shared archive keeps its list of projects')
    Object.assign(project, facts)
    project.checklists.splice(0, Infinity, ...checklists)
  })
}

/** Returns the first checklist of the sample. */
export function checklistOf(archive: SampleArchive): SampleChecklist {
  const checklist = archive.service.projects[0]?.checklists[0]
  if (checklist === undefined) throw new Error('The sample has no checklist')
  return checklist
}

/** Returns the files below a folder: path with `/` to bytes. Skips files renamed meanwhile (a `.part`). */
export function readFiles(folder: string): Map<string, Buffer> {
  if (!existsSync(folder)) return new Map()
  const files = new Map<string, Buffer>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    try {
      files.set(relative(folder, path).split(sep).join('/'), readFileSync(path))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    }
  }
  return files
}

/** Returns the hashes of the files below a folder by path: faster to compare than their bytes. */
export const hashFiles = (folder: string): Map<string, string> =>
  new Map([...readFiles(folder)].map(([path, bytes]) => [path, sha256(bytes)]))

export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Returns the sorted hashes of everything that the service serves now: reports, uploaded photos, and thumbnails. */
export async function servedHashes(service: SampleService): Promise<string[]> {
  const hashes: string[] = []
  for (const { checklists } of service.projects) {
    for (const checklist of checklists) {
      if (checklist.status === 'completed') hashes.push(sha256(await service.reportBytes(checklist)))
      if (checklist.status === 'draft' || checklist.status === 'formSubmitted') continue
      for (const photo of photosOf(checklist).filter(({ state }) => state === 'uploaded')) {
        hashes.push(sha256(await service.photoBytes(photo)), sha256(await service.thumbnailBytes(photo)))
      }
    }
  }
  return hashes.sort()
}

/** Returns the sorted hashes of the reports, photos, and thumbnails in an archive, without old versions. */
export function archivedHashes(root: string): string[] {
  return [...readFiles(root)]
    .filter(([path]) => /\/(report\.pdf|photos\/.*|thumbnails\/.*)$/.test(path) && !path.includes('/.versions/'))
    .map(([, bytes]) => sha256(bytes))
    .sort()
}
