import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checklistDocumentPath,
  checklistFolderName,
  checksumsPath,
  pathBelow,
  photoFileName,
  photosFolder,
  projectFolderName,
  questionFolderName,
  reportPath,
  sectionFolderName,
  thumbnailsFolder,
  versionPath,
} from '../../../electron/engine/archive/layout.ts'
import { safeName } from '../../../electron/engine/archive/safe-name.ts'
import { anyCharacter } from '../../support/any-character.ts'

describe('folders', () => {
  test('are named after the project or checklist and the end of its id', () => {
    expect(projectFolderName('Smith Residence', '65397f90bb9b3d22a282b8b1')).toBe('Smith Residence [82b8b1]')
    expect(checklistFolderName('Site survey', 'c-1')).toBe('Site survey [c-1]')
  })

  test('have a name without a title, and without an id', () => {
    expect(projectFolderName(null, 'abcdefgh')).toBe('Project [cdefgh]')
    expect(checklistFolderName(' ', '')).toBe('Checklist [_]')
  })

  test('keep the id, however long the name is', () => {
    const name = projectFolderName('Ü'.repeat(500), '65397f90bb9b3d22a282b8b1')
    expect(name).toMatch(/^Ü+ \[82b8b1\]$/)
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(100)
  })

  test('are one safe component for every name and id', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 80 })
    fc.assert(
      fc.property(text, text, (name, id) => {
        const folder = projectFolderName(name, id)
        expect(safeName(folder, { fallback: 'x' })).toBe(folder)
      }),
      { numRuns: 1000 },
    )
  })

  test('of sections and questions sort in checklist order', () => {
    expect(sectionFolderName({ number: 1, label: 'Roof' })).toBe('01 Roof')
    expect(questionFolderName({ number: 12, label: 'Ridge / eave?' })).toBe('12 Ridge _ eave')
    expect(questionFolderName({ number: 100, label: 'Meter' })).toBe('100 Meter')
    expect(sectionFolderName({ number: 3, label: '' })).toBe('03 Section')
    expect(questionFolderName({ number: 4, label: '...' })).toBe('04 Question')
    expect(questionFolderName({ number: 5, label: 'CON' })).toBe('05 CON')
  })
})

describe('photos', () => {
  const cases: readonly (readonly [filename: string | null, name: string])[] = [
    ['IMG_0001.JPG', 'IMG_0001.JPG'],
    ['roof.heic', 'roof.heic'],
    ['walkthrough.MOV', 'walkthrough.MOV'],
    ['../../etc/passwd', 'passwd.jpg'],
    ['C:\\x\\y.jpg', 'y.jpg'],
    ['C:y.jpg', 'C_y.jpg'],
    ['..', 'photo.jpg'],
    ['a/..', 'photo.jpg'],
    ['folder/', 'photo.jpg'],
    ['roof', 'roof.jpg'],
    ['setup.exe', 'setup.exe.jpg'],
    ['.jpg', 'photo.jpg'],
    ['NUL.png', '_NUL.png'],
    ['', 'photo.jpg'],
    [null, 'photo.jpg'],
  ]
  test.each(cases)('%j is stored as %j', (filename, name) => {
    expect(photoFileName(filename)).toBe(name)
  })

  test('have a safe name with an extension, whatever the record says', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 150 }), (filename) => {
        const name = photoFileName(filename)
        expect(name).toMatch(/^[^/\\]+\.[a-z0-9]{3,4}$/i)
        expect(photoFileName(name)).toBe(name)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('paths', () => {
  test('are relative to the archive and the same on every platform', () => {
    expect(checksumsPath('P [1]')).toBe('P [1]/SHA256SUMS')
    expect(reportPath('P [1]/C [2]')).toBe('P [1]/C [2]/report.pdf')
    expect(checklistDocumentPath('P [1]/C [2]')).toBe('P [1]/C [2]/checklist.json')
    expect(photosFolder('P [1]/C [2]', '01 Roof', '02 Ridge')).toBe('P [1]/C [2]/photos/01 Roof/02 Ridge')
    expect(thumbnailsFolder('P [1]/C [2]', '01 Roof', '02 Ridge')).toBe('P [1]/C [2]/thumbnails/01 Roof/02 Ridge')
  })

  test('of replaced files keep the path below the checklist, under a time that is a valid Windows name', () => {
    const path = 'P [1]/C [2]/photos/01 Roof/02 Ridge/IMG.jpg'
    expect(versionPath('P [1]/C [2]', path, '2026-11-21T01:38:28.123Z')).toBe(
      'P [1]/C [2]/.versions/2026-11-21T01-38-28Z/photos/01 Roof/02 Ridge/IMG.jpg',
    )
    expect(versionPath('P [1]/C [2]', 'P [1]/C [2]/report.pdf', '2026-11-21T03:38:28+02:00')).toBe(
      'P [1]/C [2]/.versions/2026-11-21T01-38-28Z/report.pdf',
    )
  })

  test('of another folder or an invalid time are refused', () => {
    const internal = expect.objectContaining({ code: 'internal' }) as Error
    expect(() => versionPath('P/C', 'P/C2/report.pdf', '2026-11-21T01:38:28Z')).toThrow(internal)
    expect(() => versionPath('P/C', 'P/C/report.pdf', 'yesterday')).toThrow(internal)
    expect(() => pathBelow('P', 'P')).toThrow(internal)
    expect(pathBelow('P', 'P/C/report.pdf')).toBe('C/report.pdf')
  })
})
