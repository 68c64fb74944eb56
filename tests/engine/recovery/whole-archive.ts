import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import {
  archivedHashes,
  readFiles,
  sampleArchive,
  servedHashes,
  type SampleArchive,
} from '../../support/sample-archive.ts'

export const databaseOf = ({ home }: SampleArchive) => join(home, 'solarchive.sqlite3')
export const backupsOf = ({ home }: SampleArchive) => join(home, 'backups')

/**
 * Small sites, one with awkward names; a report in `.versions/`, and a photo that is not in the day's backup and has
 * the name of another one in its folder.
 */
export async function seasonedArchive(
  options: Parameters<typeof sampleArchive>[0] = {},
  onDone?: Parameters<typeof sampleArchive>[2],
): Promise<SampleArchive> {
  const small = {
    projects: 3,
    checklistsPerProject: 2,
    photoQuestionsPerChecklist: 2,
    photosPerQuestion: 1,
    statuses: ['completed', 'completed', 'awaitingMedia'],
    requestLogLimit: 1_000_000,
    ...options,
  } as const
  const archive = await sampleArchive(small, undefined, onDone)
  await archive.sync()
  const completed = archive.service.projects.flatMap(({ checklists }) => checklists).filter(({ report }) => report)
  for (const checklist of completed.slice(0, 2)) archive.service.replaceReport(checklist)
  const [first] = completed
  const [photo] = first === undefined ? [] : photosOf(first)
  if (first !== undefined && photo !== undefined) archive.service.addPhoto(first, { filename: photo.filename })
  await archive.sync()
  archive.service.requests.clear()
  return archive
}

/** The archived files by path, without Solarchive's own records. */
export function archivedFiles({ root }: SampleArchive): Map<string, string> {
  const files = [...readFiles(root)].filter(([path]) => !/\/(checklist\.json|SHA256SUMS)$/.test(path))
  return new Map(files.map(([path, bytes]) => [path, createHash('sha256').update(bytes).digest('hex')]))
}

/** Number of files the file host sent, fully or partly, since the log was cleared. */
export function filesSent({ service }: SampleArchive): number {
  return service.requests.records.filter(({ origin, status }) => origin === 'files' && status !== 304).length
}

/** Expects that the archive matches the service, verifies, and has every completed checklist complete. */
export async function expectWhole(archive: SampleArchive): Promise<void> {
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  await archive.withEngine(async (engine) => {
    expect(await engine.verify()).toMatchObject({ missing: [], changed: [], unexpected: [] })
    const { projects } = await engine.status()
    for (const { status, gaps, complete } of projects.flatMap(({ checklists }) => checklists)) {
      if (status === 'completed') expect({ complete, gaps }).toEqual({ complete: true, gaps: [] })
    }
  })
  const versions = [...readFiles(archive.root).keys()].filter((path) => path.includes('/.versions/'))
  const sums = [...readFiles(archive.root)]
    .filter(([path]) => path.endsWith('/SHA256SUMS'))
    .map(([, text]) => text.toString())
  for (const path of versions) expect(sums.some((text) => text.includes(path.split('/').slice(1).join('/')))).toBe(true)
}

/** Deletes the backups: everything has to come from the archive folder and the service. */
export function loseDatabase(archive: SampleArchive): void {
  rmSync(backupsOf(archive), { recursive: true, force: true })
  rmSync(databaseOf(archive))
}

/** Absolute paths of the checklists' documents. */
export const documentsOf = ({ root }: SampleArchive) =>
  [...readFiles(root).keys()].filter((path) => path.endsWith('/checklist.json')).map((path) => join(root, path))
