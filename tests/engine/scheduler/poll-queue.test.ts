import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { PollQueue, type PollTurn } from '../../../electron/engine/scheduler/poll-queue.ts'
import type { PollLane, PollState, PollTier } from '../../../electron/engine/scheduler/poll-schedule.ts'
import { peakGrowthMegabytes } from '../../support/live-memory.ts'
import { afterAnswer } from '../../support/poll-states.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** A watch without calls: every poll succeeds immediately without a change. */
class Watch {
  nowMs = Date.UTC(2026, 5, 1)
  freeCalls = 0
  readonly queue = new PollQueue(60)
  readonly states = new Map<string, PollState>()

  add(projectId: string, tier: PollTier, more: Partial<PollState> = {}): void {
    const nowMs = this.nowMs
    const known = { polledMs: nowMs, triedMs: nowMs, changedMs: nowMs, pollFailures: 0, lastFullPassMs: nowMs }
    this.put({ projectId, tier, ...known, ...more })
  }

  put(state: PollState): void {
    this.states.set(state.projectId, state)
    this.queue.put(state, this.nowMs)
  }

  next(lane: PollLane): PollTurn {
    return this.queue.next(lane, this.nowMs, this.freeCalls)
  }

  /** Completes the next poll of the lane and returns it; undefined if it has to wait. */
  poll(lane: PollLane): Extract<PollTurn, { kind: 'poll' }> | undefined {
    const turn = this.next(lane)
    if (turn.kind === 'wait') return undefined
    const state = this.states.get(turn.projectId)
    if (state === undefined) throw new Error('Nobody added this project')
    this.put(afterAnswer(state, { tier: state.tier, changed: false, isFullPass: turn.isFullPass }, this.nowMs))
    return turn
  }

  pollAll(lane: PollLane): string[] {
    const polled: string[] = []
    for (let turn = this.poll(lane); turn !== undefined; turn = this.poll(lane)) polled.push(turn.projectId)
    return polled
  }
}

let watch: Watch

beforeEach(() => {
  watch = new Watch()
})

describe('the poll queue', () => {
  it('returns nothing before its time, and says when it is due', () => {
    watch.add('a', 'hot')
    watch.add('b', 'open')
    const turn = watch.next('hot')
    expect(turn).toEqual({ kind: 'wait', waitMs: 10_000 })
    watch.nowMs += minute
    expect(watch.poll('hot')).toMatchObject({ projectId: 'a', priority: 'hot', isFullPass: false })
    expect(watch.poll('idle')).toBeUndefined()
    watch.nowMs += 4 * minute
    expect(watch.poll('idle')).toMatchObject({ projectId: 'b', priority: 'idle' })
  })

  it('does not return a project again until it is put back', () => {
    watch.add('a', 'settled', { polledMs: null })
    expect(watch.next('idle')).toMatchObject({ kind: 'poll', projectId: 'a', isFullPass: true })
    watch.nowMs += day
    expect(watch.next('idle').kind).toBe('wait')
    expect(watch.queue.size).toBe(0)
  })

  it('forgets a removed project', () => {
    watch.add('a', 'settled', { polledMs: null })
    watch.queue.remove('a')
    watch.queue.remove('never there')
    expect(watch.next('idle').kind).toBe('wait')
  })

  it('keeps one plan of each project, however often all are planned again', async () => {
    const planAll = () => {
      for (let index = 0; index < 200; index++) watch.add(`p${index}`, 'settled')
    }
    planAll()
    const growth = await peakGrowthMegabytes(5, () => {
      for (let times = 0; times < 1000; times++) planAll()
      return Promise.resolve()
    })
    expect(growth).toBeLessThan(5)
    watch.nowMs += day
    expect(watch.pollAll('idle')).toHaveLength(200)
  })

  it('serves a new project before those polled before', () => {
    watch.add('old', 'open', { polledMs: watch.nowMs - 2 * hour })
    watch.add('new', 'settled', { polledMs: null, lastFullPassMs: null })
    expect(watch.pollAll('idle')).toEqual(['new', 'old'])
  })

  it('serves the due project that is latest in proportion to its interval', () => {
    const silentSince = (ms: number) => ({ changedMs: watch.nowMs - ms })
    watch.add('settled for a year', 'settled', { polledMs: watch.nowMs - 23.9 * hour, ...silentSince(365 * day) })
    watch.add('open', 'open', { polledMs: watch.nowMs - 20 * minute, ...silentSince(20 * minute) })
    expect(watch.pollAll('idle')).toEqual(['open', 'settled for a year'])
  })

  it('serves projects not polled for a day first, with the calls of the hot ones', () => {
    watch.add('open', 'open', { polledMs: watch.nowMs - 10 * hour })
    watch.add('settled', 'settled', { polledMs: watch.nowMs - 24 * hour, changedMs: 0 })
    expect(watch.poll('idle')).toMatchObject({ projectId: 'settled', priority: 'hot' })
    expect(watch.poll('idle')).toMatchObject({ projectId: 'open', priority: 'idle' })
  })

  it('uses spare calls for projects ahead of their time, one every two seconds', () => {
    for (let index = 0; index < 10; index++) watch.add(`p${index}`, 'settled', { changedMs: watch.nowMs - 90 * day })
    watch.nowMs += 5 * hour
    expect(watch.pollAll('idle')).toEqual([])
    watch.freeCalls = 31
    expect(watch.pollAll('idle')).toHaveLength(1)
    watch.nowMs += 1999
    expect(watch.pollAll('idle')).toHaveLength(0)
    watch.nowMs += 1
    expect(watch.pollAll('idle')).toHaveLength(1)
  })

  it('polls hot projects each minute while no others wait, else with a quarter of the calls', () => {
    for (let index = 0; index < 40; index++) watch.add(`hot ${index}`, 'hot')
    watch.freeCalls = 60
    watch.nowMs += minute
    expect(watch.poll('idle')).toBeUndefined()
    expect(watch.pollAll('hot')).toHaveLength(40)
    for (let index = 0; index < 40; index++) watch.add(`new ${index}`, 'settled', { polledMs: null })
    watch.nowMs += minute
    expect(watch.pollAll('hot')).toHaveLength(15)
    expect(watch.next('hot').kind).toBe('wait')
    expect(watch.pollAll('idle')).toHaveLength(40)
    expect(watch.poll('idle')).toBeUndefined()
    watch.nowMs += 2000
    expect(watch.poll('idle')).toBeUndefined()
    expect(watch.pollAll('hot')).toHaveLength(25)
  })

  it('with too many hot projects, serves recently changed ones before long unchanged ones', () => {
    watch.add('silent', 'hot', { polledMs: watch.nowMs - 2 * minute, changedMs: watch.nowMs - 5 * hour })
    watch.add('moving', 'hot', { polledMs: watch.nowMs - 2 * minute, changedMs: watch.nowMs - 3 * minute })
    expect(watch.pollAll('hot')).toEqual(['moving', 'silent'])
  })

  it('begins one full pass per minute, even if all of them are due', () => {
    for (let index = 0; index < 5; index++) watch.add(`p${index}`, 'settled', { lastFullPassMs: watch.nowMs - 8 * day })
    const whole: boolean[] = []
    for (let tick = 0; tick < 14; tick++) {
      const turn = watch.poll('idle')
      if (turn !== undefined) whole.push(turn.isFullPass)
      watch.nowMs += minute / 2
    }
    expect(whole).toEqual([true, true, true, true, true])
  })

  it('skips busy projects, which take no turn from the others', () => {
    const next = (lane: PollLane) => watch.queue.next(lane, watch.nowMs, 60, (projectId) => projectId === 'busy')
    const askAgain = (lane: PollLane) => {
      for (let times = 0; times < 20; times++) expect(next(lane).kind).toBe('wait')
    }
    watch.add('busy', 'hot', { polledMs: watch.nowMs - hour })
    watch.add('open', 'open', { polledMs: watch.nowMs - hour })
    askAgain('hot')
    watch.add('hot', 'hot', { polledMs: watch.nowMs - 2 * minute })
    expect(next('hot')).toMatchObject({ kind: 'poll', projectId: 'hot' })
    expect(watch.pollAll('idle')).toEqual(['open'])
    watch.add('busy', 'settled', { lastFullPassMs: watch.nowMs - 8 * day })
    askAgain('idle')
    watch.add('other', 'settled', { lastFullPassMs: watch.nowMs - 8 * day })
    expect(next('idle')).toMatchObject({ kind: 'poll', projectId: 'other', isFullPass: true })
  })
})

describe('a clock that jumps', () => {
  it.each([
    ['forward', 3 * day],
    ['back', -3 * day],
  ])('%s three days causes one poll of everything, then the usual pace', (_, byMs) => {
    for (let index = 0; index < 200; index++) watch.add(`p${index}`, 'settled', { changedMs: watch.nowMs - 90 * day })
    watch.add('hot', 'hot')
    watch.nowMs += minute
    expect(watch.pollAll('hot')).toEqual(['hot'])
    watch.nowMs += byMs
    expect(watch.pollAll('hot')).toEqual(['hot'])
    expect(new Set(watch.pollAll('idle')).size).toBe(200)
    watch.nowMs += minute
    expect(watch.pollAll('hot')).toEqual(['hot'])
    expect(watch.pollAll('idle').length).toBeLessThanOrEqual(1)
  })

  it('ahead to the right time polls no project before its schedule', () => {
    const queue = new PollQueue(60, 'daily')
    const { nowMs } = watch
    const polledMs = nowMs + 30 * day
    const known = { polledMs, triedMs: polledMs, changedMs: polledMs, pollFailures: 0, lastFullPassMs: polledMs }
    queue.put({ projectId: 'p', tier: 'settled', ...known }, nowMs)
    expect(queue.firstDueMs(nowMs)).toBe(nowMs)
    expect(queue.next('idle', polledMs + hour, 0).kind).toBe('wait')
    expect(queue.next('idle', polledMs + day, 0)).toMatchObject({ kind: 'poll', projectId: 'p' })
  })

  it('any number of times delays no project by more than a day of the clock', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -5 * day, max: 5 * day }), { minLength: 1, maxLength: 10 }),
        fc.constantFrom<PollTier>('hot', 'open', 'settled'),
        (jumps, tier) => {
          watch = new Watch()
          watch.add('p', tier, { changedMs: watch.nowMs - 90 * day })
          const lane = tier === 'hot' ? 'hot' : 'idle'
          for (const jump of jumps) {
            watch.nowMs += jump
            watch.pollAll(lane)
          }
          watch.nowMs += day
          expect(watch.pollAll(lane)).toEqual(['p'])
        },
      ),
    )
  })
})
