import { readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import {
  archivedHashes,
  readFiles,
  servedHashes,
  shareArchive,
  type SampleArchive,
} from '../../support/sample-archive.ts'
import {
  archivedFiles,
  databaseOf,
  documentsOf,
  expectWhole,
  filesSent,
  loseDatabase,
  seasonedArchive,
} from './whole-archive.ts'

function editDocuments(archive: SampleArchive, edit: (document: Record<string, unknown>) => void): void {
  for (const file of documentsOf(archive)) {
    const document = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    edit(document)
    writeFileSync(file, JSON.stringify(document, null, 2))
  }
}

const sharedArchive = shareArchive((onDone) => seasonedArchive({}, onDone))

describe('documents that are older, damaged, or hostile', () => {
  it('are rewritten once by a Solarchive that knows more fields', async () => {
    const archive = sharedArchive()
    const before = documentsOf(archive).map((file) => readFileSync(file, 'utf8'))
    editDocuments(archive, (document) => delete document['rebuild'])
    const db = new Database(databaseOf(archive))
    db.exec("DELETE FROM meta WHERE key = 'document-fields'")
    db.close()
    await archive.withEngine((engine) => engine.verify())
    expect(documentsOf(archive).map((file) => readFileSync(file, 'utf8'))).toEqual(before)
  })

  it('that name files outside, hidden files, or themselves do not make Solarchive touch them', async () => {
    const archive = sharedArchive()
    const paths = ['/etc/passwd', 'photos/../../../../outside.jpg', 'photos/01 Roof/01 Ridge/.bashrc', 'checklist.json']
    const before = archivedFiles(archive)
    const outside = join(archive.root, '..', 'outside.jpg')
    writeFileSync(outside, 'private')
    editDocuments(archive, (document) => {
      const { files } = document['rebuild'] as { files: { file: string }[] }
      if (files.length === 0) return
      const path = paths.shift()
      if (path !== undefined) for (const file of files.slice(0, 2)) file.file = path
    })
    expect(paths).toEqual([])
    loseDatabase(archive)
    await archive.sync()
    expect(readFileSync(outside, 'utf8')).toBe('private')
    expect(readdirSync(join(archive.root, '..')).sort()).toEqual(['archive', 'home', 'outside.jpg'])
    expect(archivedFiles(archive)).toEqual(before)
    expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
  })

  it('do not lead through links to other folders', async () => {
    const archive = sharedArchive()
    const photos = documentsOf(archive).map((file) => join(dirname(file), 'photos'))[0] ?? ''
    const elsewhere = join(archive.root, '..', 'elsewhere')
    renameSync(photos, elsewhere)
    symlinkSync(elsewhere, photos)
    const before = readFiles(elsewhere)
    loseDatabase(archive)
    await archive.sync()
    expect(readFiles(elsewhere)).toEqual(before)
  })

  it('truncated in the middle leave the other checklists found, and no file duplicated', async () => {
    const archive = sharedArchive()
    const before = archivedFiles(archive)
    const [file = ''] = documentsOf(archive)
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 500))
    loseDatabase(archive)
    expect((await archive.sync()).failures).toEqual([])
    expect(new Set(archivedFiles(archive).values())).toEqual(new Set(before.values()))
    expect(archive.log.join()).toContain('could not be recognized')
    await expectWhole(archive)
  })

  it('with an id that is no part of a URL create no project', async () => {
    const archive = sharedArchive()
    const known = archive.service.projects.map((project) => project.id)
    editDocuments(archive, (document) => {
      const project = document['project'] as { id: string }
      if (project.id === known[0]) project.id = '..'
    })
    loseDatabase(archive)
    expect((await archive.sync()).failures).toEqual([])
    expect(archive.log.join()).toContain('could not be recognized')
    await archive.withEngine((engine) => {
      expect(
        engine.projects
          .list()
          .map((project) => project.id)
          .sort(),
      ).toEqual(known.sort())
      return Promise.resolve()
    })
  })

  it('with changed hashes are overruled by SHA256SUMS', async () => {
    const archive = sharedArchive()
    editDocuments(archive, (document) => {
      const { files } = document['rebuild'] as { files: { sha256: string }[] }
      for (const file of files) file.sha256 = file.sha256.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
    })
    loseDatabase(archive)
    expect(await archive.sync()).toMatchObject({ filesDownloaded: 0, failures: [] })
    expect(filesSent(archive)).toBe(0)
    await expectWhole(archive)
  })
})
