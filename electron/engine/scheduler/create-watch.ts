import { AppError } from '../../../shared/errors.ts'
import type { PauseLength, QuietHours, WatchState } from '../../../shared/watch.ts'
import { ObstacleNews } from './blocker-activity.ts'
import { explainError, toEngineError } from '../lib/engine-error.ts'
import { errorFacts } from '../lib/error-facts.ts'
import { tokenMissing } from '../service/answer-errors.ts'
import type { RollingVerify } from '../integrity/scrub.ts'
import { runFollowing, type FollowingParts } from './following.ts'
import { HoldUps, type Probes } from './watch-gate.ts'
import { judge, troublesInARow, type Obstacle } from './blocker.ts'
import { heartbeatMs, ProjectWork, type ProjectWorkParts } from './project-work.ts'
import { StateTeller } from './state-reporter.ts'
import { runUpkeep, type UpkeepParts } from './maintenance.ts'

export interface WatchParts extends ProjectWorkParts {
  readonly quietHours: QuietHours | null
  readonly probes: Probes
  /** Makes the archive ready; see `openArchive`. Called at the start and whenever the disk was in the way. */
  readonly openArchive: (signal: AbortSignal) => Promise<void>
  readonly rollingVerify: RollingVerify
  /** See `UpkeepParts`. */
  readonly tendDatabase: UpkeepParts['tendDatabase']
  readonly followOrders: FollowingParts['followOrders']
}

/** The continuous sync: polls by the schedule, downloads, retries, rests when something is in the way. */
export interface Watch {
  /**
   * Works until the signal aborts, then ends what is under way and resolves. Rejects with what makes every further
   * record impossible (`database-damaged`), and with `wrong-usage` while it runs already.
   */
  readonly run: (signal: AbortSignal) => Promise<void>
  pause(length: PauseLength): WatchState
  resume(): WatchState
  /** See `HoldUps`. */
  spareBattery(isSparing: boolean): void
  state(): WatchState
  /** Projects were added, removed or synced otherwise, files were queued again: what is planned is planned anew. */
  readonly replan: () => void
  /** Something outside may have become better (the network, the token, the disk): looked at now. */
  nudge(): void
}

/** Clocks are set right by less than this all the time. */
const jumpMsWorthNoticing = 60_000

export function createWatch(parts: WatchParts): Watch {
  const { store, ports, probes } = parts
  const { clock, logger } = ports
  const holdUps = new HoldUps(store, clock, parts.quietHours)
  const news = new ObstacleNews(store, clock)
  const states = new StateTeller(parts.events, clock, logger)
  const work = new ProjectWork(parts, {
    onFailed: failed,
    onSynced() {
      troubles = 0
      troubleSinceMs = undefined
      news.gone('token', 'offline', 'service')
      if (!holdUps.allWell()) return
      store.projects.forgiveUnreachable()
      work.forgive()
    },
    onFileFailed(error) {
      const verdict = judge(error.code)
      if (verdict.kind === 'suspicion') void suspect(error)
      else if (verdict.kind === 'obstacle') block(verdict.obstacle, error)
    },
    onFatal(error) {
      fatal ??= error
    },
    onChange: wake,
  })
  /** Of the work that goes on until the next rest. What a rest interrupts costs no file an attempt. */
  let session = new AbortController()
  let isRunning = false
  let troubles = 0
  /** The service is asked again in between: it is one trouble until it answers. */
  let troubleSinceMs: number | undefined
  let lastDriftMs = clock.nowMs() - clock.monotonicMs()
  let suspicion: Promise<void> | undefined
  let fatal: AppError | undefined
  let change = Promise.withResolvers<void>()

  function wake(): void {
    change.resolve()
    change = Promise.withResolvers()
  }

  function block(...[kind, error, sinceMs]: Parameters<HoldUps['block']>): void {
    if (!holdUps.block(kind, error, sinceMs)) return
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
    const error = await explainError(parts.folders, thrown, 'archive a project')
    if (signal.aborted) return
    // A list that admits to be a part is that project's, however many projects have one.
    const verdict = error.details?.['partial'] === true ? ({ kind: 'project' } as const) : judge(error.code)
    if (verdict.kind === 'obstacle') block(verdict.obstacle, error)
    else if (verdict.kind === 'fatal') fatal = error
    else if (verdict.kind === 'suspicion') await suspect(error)
    // Aborted meanwhile: it was no fault of the project's.
    if (signal.aborted || fatal !== undefined) return
    store.projects.setError(projectId, error, new Date(clock.nowMs()).toISOString())
    logger.info('A project could not be synced', { project: projectId, ...errorFacts(error) })
    work.teller.projectFailed(projectId, error)
    if (verdict.kind !== 'service-trouble' && verdict.kind !== 'suspicion') return
    troubles += 1
    troubleSinceMs ??= clock.nowMs()
    if (troubles >= troublesInARow) block('service', error, troubleSinceMs)
  }

  /** What keeps orders from being followed may keep the sync from its work too. */
  async function followingFailed(thrown: unknown): Promise<void> {
    const error = toEngineError(thrown, 'follow the orders')
    const verdict = judge(error.code)
    logger.info('Orders could not be followed', errorFacts(error))
    if (verdict.kind === 'obstacle') block(verdict.obstacle, error)
    else if (verdict.kind === 'suspicion') await suspect(error)
    else if (verdict.kind === 'fatal') {
      fatal ??= error
      wake()
    }
  }

  async function goOn(obstacle: Obstacle, signal: AbortSignal): Promise<void> {
    logger.info('What was in the way is gone', { obstacle: obstacle.kind })
    // A service in trouble gets one try, not three.
    troubles = obstacle.kind === 'service' ? troublesInARow - 1 : 0
    if (obstacle.kind === 'offline') {
      troubleSinceMs = undefined
      store.jobs.requeueUnreachable()
      store.projects.forgiveUnreachable()
      work.forgive()
    }
    if (obstacle.kind === 'disk') await open(signal)
    if (obstacle.kind === holdUps.obstacle?.kind) return
    // That a token or a service is all right, only the service can tell.
    if (obstacle.kind === 'offline' || obstacle.kind === 'disk') news.gone(obstacle.kind)
  }

  async function open(signal: AbortSignal): Promise<void> {
    // What ends an interrupted project must not meet what puts the archive right.
    await work.settled()
    try {
      await parts.openArchive(signal)
    } catch (thrown) {
      const error = toEngineError(thrown, 'open the archive')
      if (judge(error.code).kind === 'fatal') throw error
      block('disk', error)
    }
  }

  /** The next poll may be hours away, and a token that is missing is missing now. */
  async function requireToken(): Promise<void> {
    if ((await ports.secrets.accessToken()) !== undefined) return
    block('token', tokenMissing((await ports.secrets.whyNone?.()) ?? null))
  }

  /** The wall clock was set, or the machine slept: every plan that rests on it is made anew. */
  function noticeJump(): void {
    const driftMs = clock.nowMs() - clock.monotonicMs()
    const jumpMs = Math.round(driftMs - lastDriftMs)
    lastDriftMs = driftMs
    if (Math.abs(jumpMs) < jumpMsWorthNoticing) return
    logger.info('The clock jumped', { jumpMs })
    work.replan()
  }

  /** Works or rests once; answers how long nothing needs to be done, in milliseconds. */
  async function step(signal: AbortSignal): Promise<number> {
    noticeJump()
    if (holdUps.obstacle !== undefined && holdUps.probeInMs() === 0) {
      const gone = await holdUps.probe(probes, signal)
      if (gone !== undefined) await goOn(gone, signal)
    }
    if (holdUps.obstacle !== undefined) news.met(holdUps.obstacle)
    const rest = holdUps.state()
    if (rest !== null) {
      session.abort()
      states.set(rest)
      return Math.min(heartbeatMs, holdUps.probeInMs() ?? heartbeatMs)
    }
    if (session.signal.aborted) session = new AbortController()
    const waitMs = work.dispatch(session.signal)
    const busy = work.teller.busyProjects
    states.set(busy > 0 ? { kind: 'syncing', projects: busy } : idle(waitMs))
    return waitMs
  }

  function idle(waitMs: number): WatchState {
    if (work.isIdle) return { kind: 'idle', nextPollAt: null }
    if (parts.schedule === 'manual') return { kind: 'idle', nextPollAt: null, onlyWhenAsked: true }
    const nextMs = parts.schedule === 'automatic' ? null : work.firstPollMs
    return { kind: 'idle', nextPollAt: new Date(nextMs ?? clock.nowMs() + waitMs).toISOString() }
  }

  return {
    async run(signal) {
      if (isRunning) throw new AppError('wrong-usage', 'Solarchive is watching already.')
      isRunning = true
      const sleeper = { stop: new AbortController() }
      const end = () => {
        session.abort()
        wake()
      }
      signal.addEventListener('abort', end, { once: true })
      const upkeep = new AbortController()
      let keptUp: Promise<void> | undefined
      let following: Promise<void> | undefined
      try {
        await open(signal)
        await requireToken()
        work.replan()
        keptUp = runUpkeep({ ...parts, clock, state: () => states.current }, AbortSignal.any([signal, upkeep.signal]))
        keptUp.catch((error: unknown) => {
          fatal ??= toEngineError(error, 'look after the archive')
          wake()
        })
        following = runFollowing(
          {
            clock,
            followOrders: parts.followOrders,
            state: () => states.current,
            session: () => session.signal,
            onFailed: followingFailed,
          },
          AbortSignal.any([signal, upkeep.signal]),
        )
        while (!signal.aborted && fatal === undefined) {
          const changed = change.promise
          const waitMs = await step(signal)
          sleeper.stop = new AbortController()
          await Promise.race([changed, clock.sleep(waitMs, sleeper.stop.signal).catch(() => undefined)])
          sleeper.stop.abort()
        }
      } finally {
        signal.removeEventListener('abort', end)
        session.abort()
        upkeep.abort()
        await Promise.allSettled([work.settled(), keptUp, following])
        states.set({ kind: 'stopped' })
        isRunning = false
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
    spareBattery(isSparing) {
      holdUps.spareBattery(isSparing)
      wake()
    },
    state: () => states.current,
    replan: () => work.replan(),
    nudge() {
      holdUps.probeSoon()
      wake()
    },
  }
}
