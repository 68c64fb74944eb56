import { expect, it } from 'vitest'
import { chooseRun } from '../../../electron/engine/integrity/verify-run.ts'

const startMs = Date.UTC(2026, 10, 21, 9)
const startedAt = new Date(startMs).toISOString()
const dayMs = 24 * 60 * 60_000
const stored = (finishedAt: string | null) => JSON.stringify({ startedAt, finishedAt })

it('the first verify starts from the beginning', () => {
  expect(chooseRun(undefined, startMs)).toEqual({ run: { startedAt, finishedAt: null }, resumes: false })
})

it.each([0, 1, dayMs, 7 * dayMs - 1])('a verify that was stopped %s ms ago is resumed', (ageMs) => {
  expect(chooseRun(stored(null), startMs + ageMs)).toEqual({ run: { startedAt, finishedAt: null }, resumes: true })
})

it.each([7 * dayMs, 365 * dayMs, -1, -3 * dayMs])('one that began %s ms ago is not resumed', (ageMs) => {
  const { run, resumes } = chooseRun(stored(null), startMs + ageMs)
  expect([run.startedAt, resumes]).toEqual([new Date(startMs + ageMs).toISOString(), false])
})

it('one that ended is not resumed, and the next one has another name although the clock did not advance', () => {
  const { run, resumes } = chooseRun(stored(startedAt), startMs)
  expect(resumes).toBe(false)
  expect(run.startedAt).not.toBe(startedAt)
})

it.each(['', '{}', 'null', '[1]', '{"startedAt":"yesterday","finishedAt":null}', '{"startedAt":'])(
  'an unreadable saved state (%s) starts from the beginning',
  (text) => {
    expect(chooseRun(text, startMs).resumes).toBe(false)
  },
)
