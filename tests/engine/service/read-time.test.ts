import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTime } from '../../../electron/engine/service/readers/read-time.ts'

describe('a time is read from', () => {
  test.each<[unknown, string]>([
    ['2026-03-04T05:06:07.089Z', '2026-03-04T05:06:07.089Z'],
    ['2026-03-04T05:06:07.089123456Z', '2026-03-04T05:06:07.089Z'],
    ['2026-03-04T05:06:07,5Z', '2026-03-04T05:06:07.500Z'],
    ['2026-03-04T05:06:07', '2026-03-04T05:06:07.000Z'],
    ['2026-03-04 05:06', '2026-03-04T05:06:00.000Z'],
    ['2026-03-04', '2026-03-04T00:00:00.000Z'],
    ['2026-03-04T05:06:07+02:00', '2026-03-04T03:06:07.000Z'],
    ['2026-03-04T05:06:07-0530', '2026-03-04T10:36:07.000Z'],
    ['2026-03-04T05:06:07 +01', '2026-03-04T04:06:07.000Z'],
    ['2026-03-04 05:06:07 UTC', '2026-03-04T05:06:07.000Z'],
    ['2026:03:04 05:06:07', '2026-03-04T05:06:07.000Z'],
    ['2026/3/4', '2026-03-04T00:00:00.000Z'],
    ['Wed, 04 Mar 2026 05:06:07 GMT', '2026-03-04T05:06:07.000Z'],
    [' 2026-03-04T05:06:07Z ', '2026-03-04T05:06:07.000Z'],
    [1772600767, '2026-03-04T05:06:07.000Z'],
    [1772600767.5, '2026-03-04T05:06:07.500Z'],
    [1772600767089, '2026-03-04T05:06:07.089Z'],
    ['1772600767', '2026-03-04T05:06:07.000Z'],
    ['1772600767089', '2026-03-04T05:06:07.089Z'],
    [{ $date: '2026-03-04T05:06:07Z' }, '2026-03-04T05:06:07.000Z'],
    [{ $date: { $numberLong: '1772600767089' } }, '2026-03-04T05:06:07.089Z'],
    [{ _seconds: 1772600767, _nanoseconds: 0 }, '2026-03-04T05:06:07.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('%j', (value, expected) => {
    expect(readTime(value)).toBe(expected)
  })

  test.each<[unknown]>([
    [null],
    [undefined],
    [''],
    ['soon'],
    ['yesterday 10:00'],
    [true],
    [0],
    [-1],
    [Number.NaN],
    [Infinity],
    [1e300],
    ['0000-01-01'],
    ['1904-01-01T00:00:00Z'],
    ['9999-12-31T23:59:59Z'],
    ['2026-13-01'],
    ['2026-02-29'],
    ['2026-04-31T00:00:00Z'],
    ['2026-03-04T24:00:00Z'],
    ['2026-03-04T10:60:00Z'],
    ['04/03/2026'],
    ['2026'],
    [2026],
    ['20260304'],
    ['Project 7'],
    [{}],
    [[]],
    [{ $date: {} }],
  ])('nothing from %j', (value) => {
    expect(readTime(value)).toBeNull()
  })

  test('every time of these years, in every notation', () => {
    const date = fc.date({ min: new Date('1990-01-01'), max: new Date('2100-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(date, (time) => {
        const iso = time.toISOString()
        expect(readTime(iso)).toBe(iso)
        expect(readTime(iso.slice(0, -1))).toBe(iso)
        if (time.getTime() >= 1e11) expect(readTime(time.getTime())).toBe(iso)
        expect(readTime(time.toUTCString())).toBe(`${iso.slice(0, -5)}.000Z`)
      }),
    )
  })
})
