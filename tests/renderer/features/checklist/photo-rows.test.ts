import { describe, expect, it } from 'vitest'
import {
  openablePhotos,
  photoRows,
  questionEntries,
  questionState,
} from '../../../../renderer/features/checklist/photo-rows.ts'
import type { ChecklistDetail, PhotoView } from '../../../../shared/views.ts'

type QuestionView = ChecklistDetail['sections'][number]['questions'][number]

const photo = (assetId: number, archived = true): PhotoView => ({
  assetId,
  archived,
  fileName: `IMG_${assetId}.jpg`,
  sizeBytes: 1,
  problem: null,
  absence: null,
  goneUpstream: false,
  earlierVersions: 0,
  version: null,
  thumbnailVersion: null,
  thumbnailAssetId: null,
  takenAt: null,
  place: null,
})
const question = (label: string, photos: PhotoView[], expectedPhotos = photos.length): QuestionView => ({
  label,
  answer: null,
  photos,
  expectedPhotos,
  goneUpstream: false,
  archivedPhotos: photos.filter(({ archived }) => archived).length,
  gaps: [],
})

describe('the photos of a checklist in rows', () => {
  it('begin each section and question with its name, and fill rows from left to right', () => {
    const entries = questionEntries([
      { label: 'Roof', questions: [question('Planes', [photo(1), photo(2), photo(3)]), question('Slope', [])] },
      { label: 'Attic', questions: [question('Rafters', [photo(4)])] },
    ])
    const rows = photoRows(entries, 2)
    expect(rows.map((row) => (row.kind === 'tiles' ? row.tiles.length : row.kind))).toEqual([
      'section',
      'question',
      2,
      1,
      'question',
      'section',
      'question',
      1,
    ])
  })

  it('number the photos that can be opened through all questions, and leave out those that are not archived', () => {
    const entries = questionEntries([
      { label: '', questions: [question('A', [photo(1), photo(2, false)]), question('B', [photo(3)])] },
    ])
    const tiles = photoRows(entries, 5).flatMap((row) => (row.kind === 'tiles' ? row.tiles : []))
    expect(tiles.map((tile) => (tile.kind === 'photo' ? tile.openable : tile.count))).toEqual([0, null, 1])
    expect(openablePhotos(entries).map((opened) => [opened.photo.assetId, opened.question])).toEqual([
      [1, 'A'],
      [3, 'B'],
    ])
  })

  it('end with one tile for all photos that the service does not have yet', () => {
    const missing = { kind: 'photos', question: 'A', expected: 4, archived: 1, reason: 'not uploaded yet' } as const
    const entries = questionEntries([{ label: '', questions: [{ ...question('A', [photo(1)], 4), gaps: [missing] }] }])
    expect(photoRows(entries, 3).at(-1)).toMatchObject({ tiles: [{ kind: 'photo' }, { kind: 'missing', count: 3 }] })
    expect(entries.map((entry) => questionState(entry.question))).toEqual(['missing'])
  })

  it('give photos that the service does not have yet no reason of one that it has', () => {
    const failed = { kind: 'photos', question: 'A', expected: 4, archived: 1, reason: 'file invalid' } as const
    const listed = { ...question('A', [photo(1), photo(2, false)], 4), gaps: [failed] }
    expect(photoRows(questionEntries([{ label: '', questions: [listed] }]), 3).at(-1)).toMatchObject({
      tiles: [{ kind: 'photo' }, { kind: 'photo' }, { kind: 'missing', count: 2, gap: null }],
    })
  })

  it('are unconfirmed until the service lists no photos a second time', () => {
    const gap = { kind: 'photos', question: 'A', expected: 0, archived: 0, reason: 'no photos listed yet' } as const
    expect(questionState({ ...question('A', []), gaps: [gap] })).toBe('unconfirmed')
    expect(questionState(question('A', []))).toBe('without photos')
  })

  it('keep their keys when photos arrive, even if questions have the same name', () => {
    const keys = (more: PhotoView[]) =>
      photoRows(
        questionEntries([
          { label: 'S', questions: [question('Same', [photo(1), ...more]), question('Same', [photo(2)])] },
        ]),
        2,
      ).map(({ key }) => key)
    expect(new Set(keys([])).size).toBe(keys([]).length)
    expect(keys([photo(8), photo(9)])).toEqual(expect.arrayContaining(keys([])))
  })
})
