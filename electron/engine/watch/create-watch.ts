import type { AppError } from '../../../shared/errors.ts'
import type { PauseLength, QuietHours, WatchState } from '../../../shared/watch.ts'
import { longestDelayMs } from '../downloads/backoff.ts'
import { toEngineError } from '../engine-error.ts'
import { errorFacts } from '../error-facts.ts'
import type { EngineEvents } from '../events.ts'
import type { RateBudget } from '../service/rate-budget.ts'
import { PollQueue } from '../sync/poll-queue.ts'
import type { PollLane } from '../sync/poll-schedule.ts'
import { readStanding, readStandings } from '../sync/poll-standings.ts'
import type { ProjectLocks } from '../sync/project-locks.ts'
import { retryProject, syncProject, type ProjectSyncOptions, type ProjectSyncParts } from '../sync/sync-project.ts'
import type { RollingVerify } from '../sync/rolling-verify.ts'
import { HoldUps, type Probes } from './hold-ups.ts'
import { judge, troublesInARow, type Obstacle } from './obstacle.ts'
import { StateTeller } from './state-teller.ts'
import { runUpkeep, type UpkeepParts } from './upkeep.ts'
import { WorkTeller } from './work-teller.ts'

export interface WatchParts extends ProjectSyncParts {
  readonly events: EngineEvents
  readonly budget: RateBudget
  readonly locks: ProjectLocks
  /** Of the rate budget; 0: no limit. */
  readonly callsPerMinute: number
  readonly quietHours: QuietHours | null
  readonly probes: Probes
  /** Makes the archive ready; see `openArchive`. Called at the start and whenever the disk was in the way. */
  readonly openArchive: (signal: AbortSignal) => Promise<void>
  readonly rollingVerify: RollingVerify
  /** See `UpkeepParts`. */
  readonly tendDatabase: UpkeepParts['tendDatabase']
}

/** The continuous sync: polls by the schedule, downloads, retries, rests when something is in the way. */
export interface Watch {
  /**
   * Works until the signal aborts, then ends what is under way and resolves. Rejects with what makes every further
   * record impossible (`database-damaged`).
   */
  readonly run: (signal: AbortSignal) => Promise<void>
  pause(length: PauseLength): WatchState
  resume(): WatchState
  state(): WatchState
  /** Projects were added, removed or synced otherwise, files were queued again: what is planned is planned anew. */
  readonly replan: () => void
  /** Something outside may have become better (the network, the token, the disk): looked at now. */
  nudge(): void
}

/** Projects of a lane whose service calls go on at the same time; their downloads may go on longer. */
const readersPerLane = 2

/** Projects under way at the same time: each holds some hundred links and rows at most. */
const mostActive = 24

/** The longest rest: a clock that jumped, or what no event tells of, is noticed after this at the latest. */
const heartbeatMs = 5_000

/** Clocks are set right by less than this all the time. */
const jumpMsWorthNoticing = 60_000

export function createWatch(parts: WatchParts): Watch {
  const { store, ports, budget, locks, probes } = parts
  const { clock, logger } = ports
  const holdUps = new HoldUps(store, clock, parts.quietHours)
  const states = new StateTeller(parts.events, clock, logger)
  const work = new WorkTeller(parts.events, budget, clock)
  const queue = new PollQueue(parts.callsPerMinute)
  const active = new Map<string, Promise<void>>()
  const reading: Record<PollLane, number> = { hot: 0, idle: 0 }
  /** Of the work that goes on until the next rest. What a rest interrupts costs no file an attempt. */
  let session = new AbortController()
  let troubles = 0
  let lastDriftMs = clock.nowMs() - clock.monotonicMs()
  let suspicion: Promise<void> | undefined
  let fatal: AppError | undefined
  let stopping: AbortSignal | undefined
  let change = Promise.withResolvers<void>()

  const wake = () => {
    change.resolve()
    change = Promise.withResolvers()
  }

  function block(...[kind, error]: Parameters<HoldUps['block']>): void {
    if (!holdUps.block(kind, error)) return
    logger.info('Something is in the way of the watch', { obstacle: kind, ...errorFacts(error) })
    session.abort()
    wake()
  }

  /** One failed connection may be one failed connection: the network is asked before everything stops. */
  function suspect(error: AppError): Promise<void> {
    const signal = session.signal
    suspicion ??= probes
      .offline(signal)
      .then((reachable) => {
        if (!reachable && !signal.aborted) block('offline', error)
      })
      .finally(() => {
        suspicion = undefined
      })
    return suspicion
  }

  async function failed(projectId: string, thrown: unknown, signal: AbortSignal): Promise<void> {
    const error = toEngineError(thrown, 'archive a project')
    if (signal.aborted) return
    const verdict = judge(error.code)
    if (verdict.kind === 'obstacle') block(verdict.obstacle, error)
    else if (verdict.kind === 'fatal') fatal = error
    else if (verdict.kind === 'suspicion') await suspect(error)
    // Aborted meanwhile: it was no fault of the project's.
    if (signal.aborted || fatal !== undefined) return
    store.projects.setError(projectId, error, new Date(clock.nowMs()).toISOString())
    logger.info('A project could not be synced', { project: projectId, ...errorFacts(error) })
    work.projectFailed(projectId, error)
    if (verdict.kind === 'service-trouble' || verdict.kind === 'suspicion') troubles += 1
    if (troubles >= troublesInARow) block('service', error)
  }

  /** Runs work on a project until it ends, is interrupted or fails. */
  function begin(projectId: string, run: (options: ProjectSyncOptions) => Promise<void>, onRead: () => void): void {
    const signal = stopping === undefined ? session.signal : AbortSignal.any([session.signal, stopping])
    const options: ProjectSyncOptions = {
      priority: 'idle',
      isReconcile: false,
      isPersons: false,
      signal,
      onRead,
      onPlanned: (openFiles) => work.planned(projectId, openFiles),
      onFailure: (failure) => work.failed(failure),
      onFile: (outcome) => {
        work.file(projectId, outcome)
        if (outcome.kind === 'failed' && judge(outcome.error.code).kind === 'suspicion') void suspect(outcome.error)
      },
    }
    const ended = locks
      .run(projectId, () => run(options))
      .catch((error: unknown) => failed(projectId, error, signal))
      .catch((error: unknown) => {
        // Not even the failure could be recorded.
        fatal ??= toEngineError(error, 'record a failure')
      })
      .finally(() => {
        active.delete(projectId)
        onRead()
        work.ended(projectId)
        const standing = readStanding(store, projectId)
        if (standing !== undefined) queue.put(standing, clock.nowMs())
        wake()
      })
    active.set(projectId, ended)
  }

  function poll(projectId: string, lane: PollLane, priority: 'hot' | 'idle', isReconcile: boolean): void {
    reading[lane] += 1
    let isReading = true
    const onRead = () => {
      if (!isReading) return
      isReading = false
      reading[lane] -= 1
      wake()
    }
    const run = async (options: ProjectSyncOptions) => {
      const project = store.projects.get(projectId)
      if (project === undefined || !store.projects.isActive(projectId)) return
      const result = await syncProject(parts, project, { ...options, priority, isReconcile })
      troubles = 0
      holdUps.allWell()
      work.synced(projectId, result)
    }
    begin(projectId, run, onRead)
  }

  /** Begins whatever is due; answers when something will be, in milliseconds. */
  function dispatch(): number {
    const nowMs = clock.nowMs()
    let waitMs = heartbeatMs
    for (const lane of ['hot', 'idle'] as const) {
      while (reading[lane] < readersPerLane && active.size < mostActive) {
        const turn = queue.next(lane, nowMs, budget.freeCalls())
        if (turn.kind === 'wait') {
          waitMs = Math.min(waitMs, turn.waitMs)
          break
        }
        if (!active.has(turn.projectId)) poll(turn.projectId, lane, turn.priority, turn.reconcile)
      }
    }
    for (const projectId of store.jobs.projectsToWork(toIso(nowMs), toIso(nowMs + longestDelayMs))) {
      if (active.size >= mostActive) break
      if (active.has(projectId) || locks.isBusy(projectId)) continue
      queue.remove(projectId)
      const run = async (options: ProjectSyncOptions) => {
        work.synced(projectId, await retryProject(parts, projectId, options))
      }
      begin(projectId, run, () => undefined)
    }
    const nextTryAt = store.jobs.nextTryAt()
    return nextTryAt === null ? waitMs : Math.min(waitMs, Math.max(0, Date.parse(nextTryAt) - nowMs))
  }

  function replan(): void {
    const standings = readStandings(store)
    const known = new Set(standings.map(({ projectId }) => projectId))
    for (const projectId of queue.projectIds()) if (!known.has(projectId)) queue.remove(projectId)
    for (const standing of standings) if (!active.has(standing.projectId)) queue.put(standing, clock.nowMs())
    wake()
  }

  async function goOn(obstacle: Obstacle, signal: AbortSignal): Promise<void> {
    logger.info('What was in the way is gone', { obstacle: obstacle.kind })
    // A service in trouble gets one try, not three.
    troubles = obstacle.kind === 'service' ? troublesInARow - 1 : 0
    if (obstacle.kind === 'offline') {
      store.jobs.requeueUnreachable()
      store.projects.forgiveUnreachable()
      replan()
    }
    if (obstacle.kind === 'disk') await open(signal)
  }

  async function open(signal: AbortSignal): Promise<void> {
    // What ends an interrupted project must not meet what puts the archive right.
    await Promise.all(active.values())
    try {
      await parts.openArchive(signal)
    } catch (thrown) {
      const error = toEngineError(thrown, 'open the archive')
      if (judge(error.code).kind === 'fatal') throw error
      block('disk', error)
    }
  }

  /** The wall clock was set, or the machine slept: every plan that rests on it is made anew. */
  function noticeJump(): void {
    const driftMs = clock.nowMs() - clock.monotonicMs()
    const jumpMs = Math.round(driftMs - lastDriftMs)
    lastDriftMs = driftMs
    if (Math.abs(jumpMs) < jumpMsWorthNoticing) return
    logger.info('The clock jumped', { jumpMs })
    replan()
  }

  /** Works or rests once; answers how long nothing needs to be done, in milliseconds. */
  async function step(signal: AbortSignal): Promise<number> {
    noticeJump()
    if (holdUps.obstacle !== undefined && holdUps.probeInMs() === 0) {
      const gone = await holdUps.probe(probes, signal)
      if (gone !== undefined) await goOn(gone, signal)
    }
    const rest = holdUps.state()
    if (rest !== null) {
      session.abort()
      states.set(rest)
      return Math.min(heartbeatMs, holdUps.probeInMs() ?? heartbeatMs)
    }
    if (session.signal.aborted) session = new AbortController()
    const waitMs = dispatch()
    const busy = work.busyProjects
    states.set(busy > 0 ? { kind: 'syncing', projects: busy } : { kind: 'idle', nextPollAt: nextPollAt(waitMs) })
    return waitMs
  }

  const nextPollAt = (waitMs: number) => (queue.size + active.size === 0 ? null : toIso(clock.nowMs() + waitMs))

  return {
    async run(signal) {
      stopping = signal
      const sleeper = { stop: new AbortController() }
      signal.addEventListener('abort', wake, { once: true })
      const upkeep = new AbortController()
      let keptUp: Promise<void> | undefined
      try {
        await open(signal)
        replan()
        keptUp = runUpkeep({ ...parts, clock, state: () => states.current }, AbortSignal.any([signal, upkeep.signal]))
        keptUp.catch((error: unknown) => {
          fatal ??= toEngineError(error, 'look after the archive')
          wake()
        })
        while (!signal.aborted && fatal === undefined) {
          const changed = change.promise
          const waitMs = await step(signal)
          sleeper.stop = new AbortController()
          await Promise.race([changed, clock.sleep(waitMs, sleeper.stop.signal).catch(() => undefined)])
          sleeper.stop.abort()
        }
      } finally {
        signal.removeEventListener('abort', wake)
        session.abort()
        upkeep.abort()
        await Promise.allSettled([...active.values(), keptUp])
        states.set({ kind: 'stopped' })
      }
      if (fatal !== undefined) throw fatal
    },
    pause(length) {
      holdUps.pause(length)
      wake()
      return holdUps.state() ?? states.current
    },
    resume() {
      holdUps.resume()
      wake()
      return holdUps.state() ?? states.current
    },
    state: () => states.current,
    replan,
    nudge() {
      holdUps.probeSoon()
      wake()
    },
  }
}

const toIso = (ms: number) => new Date(ms).toISOString()
