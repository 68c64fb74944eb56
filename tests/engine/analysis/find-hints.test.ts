import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseJob, mayHavePrint } from '../../../electron/engine/analysis/analysis-plan.ts'
import type { AnalysisKind } from '../../../electron/engine/analysis/analysis-task.ts'
import { findHints, isCopy, type MeasuredPhoto } from '../../../electron/engine/analysis/find-hints.ts'
import type { AnalysisJob } from '../../../electron/engine/store/analysis-store.ts'

const photo = (assetId: number, facts: Partial<MeasuredPhoto> = {}): MeasuredPhoto => ({
  assetId,
  questionKey: 1,
  brightness: 0.5,
  contrast: 0.2,
  sharpness: 400,
  latitude: null,
  longitude: null,
  fileLatitude: null,
  fileLongitude: null,
  copyOf: null,
  ...facts,
})
const kindsOf = (photos: MeasuredPhoto[]) => findHints(photos).map(({ assetId, kind }) => [assetId, kind])

describe('a photo gets a hint', () => {
  it('if it is very dark, unless something on it is lit', () => {
    expect(kindsOf([photo(1, { brightness: 0.03, contrast: 0.02 }), photo(2)])).toEqual([[1, 'dark']])
    expect(kindsOf([photo(1, { brightness: 0.08, contrast: 0.25 })])).toEqual([])
  })

  it('if it is far less sharp than the other photos of its question', () => {
    const sharp = [photo(1), photo(2, { sharpness: 600 }), photo(3, { sharpness: 350 })]
    expect(kindsOf([...sharp, photo(4, { sharpness: 20 })])).toEqual([[4, 'blurred']])
    expect(kindsOf([...sharp, photo(4, { sharpness: 20, questionKey: 2 })])).toEqual([])
    // All of an attic are soft, and a plain wall among labels is sharp enough.
    expect(kindsOf([photo(1, { sharpness: 30 }), photo(2, { sharpness: 25 }), photo(3, { sharpness: 20 })])).toEqual([])
    expect(
      kindsOf([photo(1, { sharpness: 4_000 }), photo(2, { sharpness: 4_000 }), photo(3, { sharpness: 300 })]),
    ).toEqual([])
    // With two photos, nobody knows which one is usual.
    expect(kindsOf([photo(1), photo(2, { sharpness: 5 })])).toEqual([])
  })

  it('if its sharpness is below a part of the median of the others, in any order', () => {
    const median = (values: number[]) => {
      const sorted = values.toSorted((a, b) => a - b)
      return ((sorted[Math.floor((values.length - 1) / 2)] ?? 0) + (sorted[Math.floor(values.length / 2)] ?? 0)) / 2
    }
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 2_000 }), { minLength: 3, maxLength: 12 }), (values) => {
        const photos = values.map((sharpness, assetId) => photo(assetId, { sharpness }))
        const expected = values.flatMap((sharpness, assetId) => {
          const limit = 0.15 * median(values.toSpliced(assetId, 1))
          return sharpness < 150 && sharpness < limit ? [assetId] : []
        })
        const found = findHints(photos).map(({ assetId }) => assetId)
        expect(found.sort((a, b) => a - b)).toEqual(expected)
      }),
    )
  })

  it('among tens of thousands, without delay', () => {
    const photos = Array.from({ length: 40_000 }, (_, assetId) => photo(assetId, { sharpness: 400 + (assetId % 7) }))
    expect(kindsOf([...photos, photo(40_000, { sharpness: 5 })])).toEqual([[40_000, 'blurred']])
  })

  it('if it is a copy of an earlier one', () => {
    expect(findHints([photo(1), photo(2, { copyOf: 1 })])).toMatchObject([
      { assetId: 2, kind: 'duplicate', otherAssetId: 1 },
    ])
    expect(isCopy('0123456789abcdef', '0123456789abcde8')).toBe(true)
    expect(isCopy('0123456789abcdef', '0123456789abcd10')).toBe(false)
  })

  it('if it was taken far from the others', () => {
    const home = [1, 2, 3].map((assetId) => photo(assetId, { latitude: 43.6, longitude: -116.2 }))
    const away = photo(4, { latitude: 43.61, longitude: -116.2 })
    expect(findHints([...home, away, photo(5)])).toMatchObject([
      { assetId: 4, kind: 'far', meters: expect.closeTo(1_111, -2) as number },
    ])
    // The service sends 0, 0 for a position that it does not know; the file does.
    const inFile = { latitude: 0, longitude: 0, fileLatitude: 43.61, fileLongitude: -116.2 }
    expect(kindsOf([...home, photo(4, inFile)])).toEqual([[4, 'far']])
    expect(kindsOf([...home, photo(4, { ...inFile, latitude: 43.6, longitude: -116.2 })])).toEqual([])
  })

  it('with a severity by which those of a question are ranked', () => {
    const dark = [0.09, 0.01, 0.05].map((brightness, index) => photo(index, { brightness, contrast: 0.01 }))
    const ranked = findHints(dark).toSorted((a, b) => b.severity - a.severity)
    expect(ranked.map(({ assetId }) => assetId)).toEqual([1, 2, 0])
  })

  it('never without measures', () => {
    const unknown = { brightness: null, contrast: null, sharpness: null }
    expect(findHints([photo(1, unknown), photo(2, unknown), photo(3, unknown)])).toEqual([])
  })
})

describe('the plan', () => {
  const nowMs = Date.parse('2026-06-02T12:00:00Z')
  const job = (kind: AnalysisKind, archivedAt: string): AnalysisJob => ({
    kind,
    archivedAt,
    assetId: 1,
    tries: 0,
    reason: null,
    path: 'a',
    sizeBytes: 1,
    sha256: 'a',
    label: '',
  })

  it('reads a new report before the photos that were archived after it, and both before what is old', () => {
    const report = job('pages', '2026-06-02T11:00:00Z')
    const photos = [job('measures', '2026-06-02T11:59:00Z'), job('text', '2026-06-02T11:58:00Z')]
    expect(chooseJob([...photos, report], nowMs)).toBe(report)
    const old = job('pages', '2026-05-01T00:00:00Z')
    expect(chooseJob([...photos, old], nowMs)).toBe(photos[1])
    expect(chooseJob([job('measures', '2026-05-02T00:00:00Z'), old], nowMs)).toBe(old)
    expect(chooseJob([], nowMs)).toBeUndefined()
  })

  it.each([
    'Main panel',
    'Subpanels',
    'Name-plate of the battery',
    'nameplate',
    'Inverter_label',
    'meter2',
    'Serial #',
  ])('looks for print on photos of "%s"', (label) => expect(mayHavePrint(label)).toBe(true))

  it.each(['Perimeter of the roof', 'Paneling', 'Diameters', 'Attic', ''])('does not on those of "%s"', (label) =>
    expect(mayHavePrint(label)).toBe(false),
  )
})
