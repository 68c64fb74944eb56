import { describe, expect, it } from 'vitest'
import { findHints, isCopy, type MeasuredPhoto } from '../../../electron/engine/analysis/find-hints.ts'

const photo = (assetId: number, facts: Partial<MeasuredPhoto> = {}): MeasuredPhoto => ({
  ...{ assetId, questionKey: 1, brightness: 0.5, contrast: 0.2, sharpness: 400 },
  ...{ latitude: null, longitude: null, copyOf: null },
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
