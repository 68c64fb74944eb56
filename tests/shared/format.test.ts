import { describe, expect, test } from 'vitest'
import {
  countOf,
  countOfTotal,
  formatAgo,
  formatBytes,
  formatClock,
  formatDateTime,
  formatDay,
  formatDuration,
  formatTime,
  formatEstimate,
  formatTimeLeft,
  formatUntil,
  percentOf,
} from '../../shared/format.ts'

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KB'],
  [1234, '1.2 KB'],
  [9_949, '9.9 KB'],
  [99_940, '99.9 KB'],
  [99_950, '100 KB'],
  [999_499, '999 KB'],
  [999_500, '1.0 MB'],
  [48_200_000, '48.2 MB'],
  [4_200_000_000, '4.2 GB'],
  [5_000_000_000_000_000, '5,000 TB'],
])('%d bytes are written %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test.each([
  [0, '0 s'],
  [420, '0.4 s'],
  [999, '1 s'],
  [9_949, '10 s'],
  [12_400, '12 s'],
  [59_600, '1 min'],
  [125_000, '2 min 5 s'],
  [3_599_600, '1 h'],
  [4_800_000, '1 h 20 min'],
  [100 * 3_600_000, '4 d 4 h'],
])('%d ms are written %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})

test.each([
  [3_000, 'less than 10 s'],
  [31_000, '40 s'],
  [50_000, '50 s'],
  [51_000, '1 min'],
  [61_000, '2 min'],
  [4_700_000, '1 h 19 min'],
])('%d ms left are written %s', (ms, text) => {
  expect(formatTimeLeft(ms)).toBe(text)
})

test.each([
  [9_999, 'less than 10 s'],
  [14_000, 'about 10 s'],
  [62_000, 'about 1 min'],
  [66_000, 'about 1 min 10 s'],
  [200_000, 'about 3 min 30 s'],
  [3_000_000, 'about 50 min'],
  [5_000_000, 'about 1 h 20 min'],
  [118_000_000, 'about 1 d 9 h'],
])('an estimate of %d ms is written %s', (ms, text) => {
  expect(formatEstimate(ms)).toBe(text)
})

test('counts come with their noun and separated thousands', () => {
  expect([0, 1, 12_345].map((count) => countOf(count, 'file'))).toEqual(['0 files', '1 file', '12,345 files'])
  expect(countOf(2, 'entry', 'entries')).toBe('2 entries')
  expect(countOfTotal(30, 1200, 'file')).toBe('30 of 1,200 files')
})

test('a percentage is 100 only if all is there, and 0 only if nothing is', () => {
  expect([percentOf(0, 0), percentOf(5, 5), percentOf(9_999, 10_000)]).toEqual([100, 100, 99])
  expect([percentOf(0, 5), percentOf(1, 10_000), percentOf(1, 3)]).toEqual([0, 1, 33])
})

describe('a time', () => {
  const now = new Date(2026, 10, 21, 12)
  const nowMs = now.getTime()
  const minute = 60_000
  const hour = 60 * minute
  const day = 24 * hour
  const at = (deltaMs: number) => new Date(nowMs + deltaMs).toISOString()

  test('is written as local date and time of day, with plain spaces', () => {
    expect(formatDateTime(at(0))).toBe('Nov 21, 2026, 12:00 PM')
    expect(formatTime(at(hour))).toBe('1:00 PM')
  })

  test('is named by its day: today, yesterday, a weekday, and in another year the date', () => {
    expect([0, -day, -5 * day, -400 * day].map((delta) => formatDay(at(delta), nowMs))).toEqual([
      'Today',
      'Yesterday',
      'Monday, November 16',
      'Oct 17, 2025',
    ])
  })

  test('has its weekday within six days, its date beyond', () => {
    expect([hour, day, -2 * day, 8 * day].map((delta) => formatClock(at(delta), nowMs))).toEqual([
      '1:00 PM',
      'Sunday 12:00 PM',
      'Thursday 12:00 PM',
      'Nov 29, 2026, 12:00 PM',
    ])
  })

  test('in the past is never ahead, even if the clock on the page is behind', () => {
    expect([5_000, -5_000, -5 * minute, -3 * hour, -day, -8 * day].map((delta) => formatAgo(at(delta), nowMs))).toEqual(
      ['just now', 'just now', '5 minutes ago', '3 hours ago', 'yesterday', 'Nov 13, 2026'],
    )
  })

  test('ahead is never past, even if the clock on the page is fast', () => {
    expect([-5_000, 5_000, 5 * minute, 3 * hour, day, 8 * day].map((delta) => formatUntil(at(delta), nowMs))).toEqual([
      'in a moment',
      'in a moment',
      'in 5 minutes',
      'in 3 hours',
      'tomorrow',
      'Nov 29, 2026',
    ])
  })

  test('is counted in days of the calendar, and in hours within a day', () => {
    const wednesday = (hours: number, minutes: number) => new Date(2026, 10, 25, hours, minutes).getTime()
    const on = (day: number, hours: number, minutes: number) => new Date(2026, 10, day, hours, minutes).toISOString()
    expect([
      formatAgo(on(23, 22, 30), wednesday(10, 0)),
      formatAgo(on(24, 0, 30), wednesday(23, 30)),
      formatAgo(on(25, 0, 30), wednesday(23, 30)),
      formatAgo(on(24, 22, 0), wednesday(1, 0)),
      formatAgo(on(19, 10, 30), wednesday(1, 0)),
      formatAgo(on(18, 10, 30), wednesday(10, 0)),
      formatUntil(on(25, 23, 15), wednesday(0, 15)),
      formatUntil(on(27, 1, 0), wednesday(22, 0)),
    ]).toEqual([
      '2 days ago',
      'yesterday',
      '23 hours ago',
      '3 hours ago',
      '6 days ago',
      '7 days ago',
      'in 23 hours',
      'in 2 days',
    ])
  })

  test('that cannot be read is shown unchanged', () => {
    const texts = [formatDateTime, formatTime].map((format) => format('soon'))
    const relative = [formatDay, formatClock, formatAgo, formatUntil].map((format) => format('soon', nowMs))
    expect([...texts, ...relative]).toEqual(Array(6).fill('soon'))
  })
})
