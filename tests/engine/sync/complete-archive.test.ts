import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { shapePresets } from '../../../electron/sample-service/http/response-shapes.ts'
import {
  archivedHashes,
  checklistOf,
  hashFiles,
  readFiles,
  sampleArchive,
  servedHashes,
  sha256,
} from '../../support/sample-archive.ts'
import { hasSha256sum } from '../../support/true-checksums.ts'

const projectFolder = /^.{1,93} \[[0-9a-f]{6}\]$/u
const checklistFile = new RegExp(
  '^(checklist\\.json|report\\.pdf|(photos|thumbnails)/\\d\\d [^/]+/\\d\\d [^/]+/[^/]+\\.(jpe?g|heic))$',
  'iu',
)

function expectChecksumsOf(folder: string): void {
  const files = readFiles(folder)
  const lines = (files.get('SHA256SUMS')?.toString() ?? '').split('\n').filter((line) => line !== '')
  files.delete('SHA256SUMS')
  const expected = [...files].map(([path, bytes]) => `${sha256(bytes)}  ${path}`)
  expect(lines.toSorted()).toEqual(expected.toSorted())
  if (hasSha256sum) expect(spawnSync('sha256sum', ['-c', '--strict', 'SHA256SUMS'], { cwd: folder }).status).toBe(0)
}

describe.each(Object.keys(shapePresets) as (keyof typeof shapePresets)[])('a service of the shape "%s"', (preset) => {
  it('is fully archived, byte for byte, under the specified names; the second pass downloads nothing', async () => {
    // Every status, and photos with the same name in one folder, under the usual shape only.
    const site = preset === 'usual' ? { photosPerQuestion: 2 } : { checklistsPerProject: 2 }
    const archive = await sampleArchive({ shapes: shapePresets[preset], ...site })
    const first = await archive.sync()
    expect(first.failures).toEqual([])
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))

    for (const path of readFiles(archive.root).keys()) {
      const [project = '', checklist = '', ...rest] = path.split('/')
      expect(project).toMatch(projectFolder)
      if (checklist === 'SHA256SUMS') continue
      expect(checklist).toMatch(projectFolder)
      expect(rest.join('/')).toMatch(checklistFile)
    }
    for (const project of readdirSync(archive.root)) {
      expectChecksumsOf(join(archive.root, project))
    }

    const before = hashFiles(archive.root)
    const second = await archive.sync()
    expect(second).toMatchObject({ filesDownloaded: 0, filesFailed: 0, filesUnchanged: first.filesDownloaded })
    expect(second.apiCalls).toBe(archive.service.projects.length)
    expect(hashFiles(archive.root)).toEqual(before)
  })
})

describe('the first pass', () => {
  it('requests the list, each checklist with media, and each media category with files, once', async () => {
    const archive = await sampleArchive({ projects: 2, statuses: ['completed'], awkwardNames: false })
    const { apiCalls } = await archive.sync()
    const { projects, requests } = archive.service
    const checklists = projects.flatMap((project) => project.checklists)
    const categories = projects.flatMap((project) => {
      const questions = project.checklists.flatMap(({ sections }) => sections.flatMap((section) => section.questions))
      return [...new Set(questions.filter(({ photos }) => photos.length > 0).map((q) => q.mediaCategoryId))]
    })
    expect(requests.count('checklists')).toBe(projects.length)
    expect(requests.count('checklist')).toBe(checklists.length)
    expect(requests.count('media')).toBe(categories.length)
    expect(apiCalls).toBe(projects.length + checklists.length + categories.length)
  })

  it('reports what is complete, and what is missing and why', async () => {
    const archive = await sampleArchive()
    const status = await archive.withEngine(async (engine) => {
      await engine.sync()
      return engine.status()
    })
    for (const project of status.projects) {
      for (const checklist of project.checklists) {
        const remote = archive.service.projects.flatMap((p) => p.checklists).find(({ id }) => id === checklist.id)
        expect(checklist.status).toBe(remote?.status)
        expect(checklist.complete).toBe(remote?.status === 'completed')
        expect(checklist.gaps.length > 0).toBe(checklist.expectedFiles > checklist.archivedFiles)
      }
    }
    const gaps = status.projects.flatMap((project) => project.checklists.flatMap((checklist) => checklist.gaps))
    expect(new Set(gaps.map(({ reason }) => reason))).toEqual(new Set(['not uploaded yet', 'report failed']))
  })

  it('writes checklist.json with the data that scripts need', async () => {
    const archive = await sampleArchive({
      projects: 1,
      checklistsPerProject: 1,
      statuses: ['completed'],
      awkwardNames: false,
    })
    await archive.sync()
    const [path = ''] = [...readFiles(archive.root).keys()].filter((name) => name.endsWith('checklist.json'))
    const document: unknown = JSON.parse(readFileSync(join(archive.root, path), 'utf8'))
    const sections = checklistOf(archive).sections.map(({ questions }) => ({
      questions: questions.map(({ photos }) => ({ photos: photos.map(({ takenAt }) => ({ takenAt })) })),
    }))
    expect(document).toMatchObject({
      format: 'solarchive-checklist',
      project: { id: archive.service.projects[0]?.id },
      checklist: { status: 'completed' },
      report: { file: 'report.pdf', upstream: 'present' },
      sections,
    })
    expect(JSON.stringify(sections)).toContain('takenAt')
  })
})
