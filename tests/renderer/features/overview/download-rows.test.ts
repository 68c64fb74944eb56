import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type DownloadRow,
  downloadsText,
  maxRows,
  nameOf,
  assignRows,
  sizeOf,
} from '../../../../renderer/features/overview/download-rows.ts'

const file = (assetId: number) => ({
  ...({ assetId, kind: 'photo', name: `IMG_${assetId}.jpg`, projectId: 'p1', projectName: null } as const),
  bytes: 0,
  totalBytes: null,
})

it('a file keeps its row until it ends, rows stay, and none is empty while a file has no row', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { maxLength: 8 })
  fc.assert(
    fc.property(fc.array(ids, { maxLength: 20 }), (updates) => {
      let rows: DownloadRow[] = []
      for (const running of updates) {
        const before = rows
        rows = assignRows(before, running.map(file))
        before.forEach((row, index) => {
          if (row !== null && running.includes(row.assetId)) expect(rows[index]?.assetId).toBe(row.assetId)
        })
        const shown = rows.flatMap((row) => row?.assetId ?? [])
        expect(new Set(shown).size).toBe(shown.length)
        expect(shown.length).toBe(Math.min(maxRows, running.length))
        expect(rows.length).toBeGreaterThanOrEqual(before.length)
        expect(rows.length).toBeLessThanOrEqual(maxRows)
      }
    }),
  )
})

it('the size is shown if it is known', () => {
  expect(sizeOf(file(1))).toBe('Starting')
  expect(sizeOf({ ...file(1), bytes: 1_200_000 })).toBe('1.2 MB')
  expect(sizeOf({ ...file(1), bytes: 1_200_000, totalBytes: 3_400_000 })).toBe('1.2 MB of 3.4 MB')
})

it('a thumbnail is not mistaken for its photo', () => {
  expect(nameOf({ ...file(1), kind: 'thumbnail' })).toBe('IMG_1.jpg (thumbnail)')
})

it('a sync counts photos and reports, replaced ones apart, and thumbnails only without them', () => {
  const texts = [
    [117, 0, 101, '117 new photos and reports'],
    [1, 2, 3, '1 new photo or report, 2 replaced'],
    [0, 5, 4, '5 replaced photos and reports'],
    [0, 0, 2, '2 thumbnails'],
    [0, 0, 0, 'nothing new'],
  ] as const
  for (const [newFiles, replacedFiles, previews, text] of texts) {
    expect(downloadsText({ newFiles, replacedFiles, previews })).toBe(text)
  }
})
