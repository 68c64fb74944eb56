import { AppError } from '../../../shared/errors.ts'
import type { BlockerKind, PauseLength, QuietHours, WatchState } from '../../../shared/watch.ts'
import type { Scrub } from '../integrity/scrub.ts'
import { explainError, toEngineError, errorFacts } from '../lib/engine-error.ts'
import { tokenMissing } from '../service/answer-errors.ts'
import { BlockerActivity } from './blocker-activity.ts'
import { failuresInARow } from '../lib/host-gate.ts'
import { judge, type Blocker, type Verdict } from './blocker.ts'
import { type BesideDeps, type FollowOrdersDeps, runBeside, runFollowOrders } from './maintenance.ts'
import { heartbeatMs, ProjectWork, type ProjectWorkDeps } from './project-work.ts'
import { WatchStateReporter } from './reporters.ts'
import { WatchGate, type Probes } from './watch-gate.ts'

export interface WatchDeps extends ProjectWorkDeps {
  readonly quietHours: QuietHours | null
  readonly probes: Probes
  /** Opens the archive; see `openArchive`. Called at the start and after every problem with the disk. */
  readonly openArchive: (signal: AbortSignal) => Promise<void>
  readonly scrub: Scrub
  /** Does the database's maintenance that is due, such as its backup. */
  readonly maintainDatabase: (signal: AbortSignal) => Promise<void>
  readonly followOrders: FollowOrdersDeps['followOrders']
  /** See `Evidence`. `undefined` unless the archive is stamped daily. */
  readonly stampDue: ((signal: AbortSignal) => Promise<number>) | undefined
  /** See `Analysis`. `undefined` where files cannot be analyzed. */
  readonly analyzeNext: ((signal: AbortSignal) => Promise<number>) | undefined
}

/** Interval of progress reports while nothing ends. */
const progressTickMs = 1_000

/** Wait before the first maintenance: a start has enough to do. */
const firstMaintenanceMs = 60_000

/** Longest wait of maintenance and stamps, which looks again after the clock was set or the machine slept. */
const maxWaitMs = 60_000

/** Shortest wait of the maintenance, which leaves the disk to others between two slices. */
const minWaitMs = 1_000

/**
 * The continuous sync: polls by the schedule, downloads, retries, and rests while a blocker, a pause, or quiet hours
 * keep it from working.
 */
export class Watch {
  readonly #deps: WatchDeps
  readonly #gate: WatchGate
  readonly #blockerActivity: BlockerActivity
  readonly #states: WatchStateReporter
  readonly #work: ProjectWork
  /** Work until the next rest. An interruption by a rest does not count as an attempt of a file. */
  #session = new AbortController()
  #isRunning = false
  /** Projects that failed with an error of the service since it last answered; one that fails again is repeated. */
  #failedInARow: string[] = []
  /** Projects that failed while the service answered others, and how often: each is removed when it is answered. */
  readonly #ownFaults = new Map<string, number>()
  /** Start of the current trouble, which may last over several polls. */
  #troubleSinceMs: number | undefined
  #networkCheck: Promise<void> | undefined
  #fatal: AppError | undefined
  #change = Promise.withResolvers<void>()

  constructor(deps: WatchDeps) {
    const { store, events, ports } = deps
    const { clock, logger } = ports
    this.#deps = deps
    this.#gate = new WatchGate(store, clock, deps.quietHours)
    this.#blockerActivity = new BlockerActivity(store, clock)
    this.#states = new WatchStateReporter(events, clock, logger)
    this.#work = new ProjectWork(deps, {
      onFailed: (projectId, thrown, signal) => this.#projectFailed(projectId, thrown, signal),
      onAnswered: (projectId) => this.#serviceAnswered(projectId),
      onFileFailed: (error) => void this.#apply(judge(error.code), error),
      onFatal: (error) => {
        if (!this.#restsUntilRoom(error)) this.#end(error)
      },
      onChange: () => this.#wake(),
    })
  }

  /**
   * Works until the signal aborts, then ends the current work and resolves. Rejects with `database-damaged` or another
   * error that makes recording impossible, except a full disk, and with `wrong-usage` if it is already running.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#isRunning) throw new AppError('wrong-usage', 'Solarchive is already watching.')
    this.#isRunning = true
    const end = () => {
      this.#session.abort()
      this.#wake()
    }
    signal.addEventListener('abort', end, { once: true })
    const stop = new AbortController()
    let background: Promise<unknown> = Promise.resolve()
    try {
      await this.#open(signal)
      await this.#requireToken()
      this.#work.replan()
      background = this.#runBackground(AbortSignal.any([signal, stop.signal]))
      while (!signal.aborted && this.#fatal === undefined) {
        const changed = this.#change.promise
        const waitMs = await this.#step(signal).catch((thrown: unknown) => {
          if (!this.#restsUntilRoom(toEngineError(thrown, 'plan the sync'))) throw thrown
          return heartbeatMs
        })
        await this.#sleep(waitMs, changed)
      }
    } finally {
      signal.removeEventListener('abort', end)
      this.#session.abort()
      stop.abort()
      await Promise.allSettled([this.#work.settled(), background])
      this.#states.set({ kind: 'stopped' })
      this.#isRunning = false
    }
    if (this.#fatal !== undefined) throw this.#fatal
  }

  pause(length: PauseLength): WatchState {
    this.#gate.pause(length)
    this.#wake()
    return this.#gate.state() ?? this.#states.current
  }

  resume(): WatchState {
    this.#gate.resume()
    this.#wake()
    return this.#gate.state() ?? this.#states.current
  }

  /** See `WatchGate`. */
  pauseOnBattery(isOnBattery: boolean): void {
    this.#gate.pauseOnBattery(isOnBattery)
    this.#wake()
  }

  state(): WatchState {
    return this.#states.current
  }

  /** Renews the plans because projects were added or synced otherwise. */
  replan(): void {
    this.#work.replan()
  }

  /** Starts what can start because files were queued. */
  startQueued(): void {
    this.#wake()
  }

  /** Ends the work on a project that was removed. */
  forget(projectId: string): void {
    this.#work.forget(projectId)
  }

  /** Checks at once whether the blocker is gone: the network, the token, or the disk may work again. */
  recheck(): void {
    this.#gate.recheck()
    this.#wake()
  }

  /** Runs maintenance, analyzes and stamps files, and follows orders, beside the sync, until the signal aborts. */
  #runBackground(signal: AbortSignal): Promise<unknown> {
    const { followOrders, scrub, maintainDatabase, analyzeNext, stampDue, ports } = this.#deps
    const { clock } = ports
    const state = () => this.#states.current
    const beside = async (work: BesideDeps['work'], firstInMs = heartbeatMs): Promise<void> => {
      try {
        await runBeside({ clock, state, work, firstInMs }, signal)
      } catch (thrown) {
        const error = toEngineError(thrown, 'look after the archive')
        if (this.#restsUntilRoom(error)) return beside(work)
        this.#end(error)
      }
    }
    const onFailed = (thrown: unknown) => this.#followOrdersFailed(thrown)
    const session = () => this.#session.signal
    return Promise.all([
      beside(async () => {
        await maintainDatabase(signal)
        const { nextInMs } = await scrub.scrubNext(signal)
        return Math.min(maxWaitMs, Math.max(minWaitMs, nextInMs))
      }, firstMaintenanceMs),
      stampDue && beside(async () => Math.min(maxWaitMs, await stampDue(signal))),
      analyzeNext && beside(analyzeNext),
      runFollowOrders({ clock, followOrders, state, session, onFailed }, signal),
    ])
  }

  async #sleep(waitMs: number, changed: Promise<void>): Promise<void> {
    const stop = new AbortController()
    await Promise.race([changed, this.#deps.ports.clock.sleep(waitMs, stop.signal).catch(() => undefined)])
    stop.abort()
  }

  #wake(): void {
    this.#change.resolve()
    this.#change = Promise.withResolvers()
  }

  /** Works or rests once. Returns the milliseconds until the next step. */
  async #step(signal: AbortSignal): Promise<number> {
    const gate = this.#gate
    if (gate.blocker !== undefined && gate.probeInMs() === 0) {
      const gone = await gate.probe(this.#deps.probes, signal)
      if (gone !== undefined) await this.#continueAfter(gone, signal)
    }
    const rest = gate.state()
    if (rest !== null) {
      this.#session.abort()
      this.#work.reporter.tick(true)
      this.#states.set(rest)
      if (gate.blocker !== undefined) this.#blockerActivity.start(gate.blocker)
      return Math.min(heartbeatMs, gate.probeInMs() ?? heartbeatMs)
    }
    if (this.#session.signal.aborted) this.#session = new AbortController()
    const waitMs = this.#work.dispatch(this.#session.signal, gate.isServiceInTrouble)
    this.#work.reporter.tick(false)
    const projects = this.#work.reporter.projectsLeft
    this.#states.set(projects > 0 ? { kind: 'syncing', projects } : this.#idleState(waitMs))
    // Progress is shown while a run waits, too: for the rate limit, say.
    return projects > 0 ? Math.min(waitMs, progressTickMs) : waitMs
  }

  #idleState(waitMs: number): WatchState {
    const { schedule, ports } = this.#deps
    if (this.#work.isIdle) return { kind: 'idle', nextPollAt: null }
    if (schedule === 'manual') return { kind: 'idle', nextPollAt: null, onlyWhenAsked: true }
    const nextMs = schedule === 'automatic' ? null : this.#work.firstPollMs
    return { kind: 'idle', nextPollAt: new Date(nextMs ?? ports.clock.nowMs() + waitMs).toISOString() }
  }

  async #open(signal: AbortSignal): Promise<void> {
    // Interrupted work must end before the archive is recovered.
    await this.#work.settled()
    try {
      await this.#deps.openArchive(signal)
      this.#blockerActivity.end('disk')
    } catch (thrown) {
      const error = toEngineError(thrown, 'open the archive')
      if (judge(error.code).kind === 'fatal') throw error
      this.#block('disk', error)
    }
  }

  /** Blocks at once if there is no token: the next poll, which would find out, may be hours away. */
  async #requireToken(): Promise<void> {
    const { secrets } = this.#deps.ports
    if ((await secrets.accessToken()) !== undefined) return
    this.#block('token', tokenMissing((await secrets.whyNone?.()) ?? null))
  }

  #block(kind: BlockerKind, error: AppError, sinceMs?: number): void {
    if (!this.#gate.block(kind, error, sinceMs)) return
    this.#deps.ports.logger.info('The watch is blocked', { obstacle: kind, ...errorFacts(error) })
    this.#session.abort()
    this.#wake()
  }

  /**
   * Blocks if nothing could be recorded because the disk is full, in which case it returns true: what was interrupted
   * is recovered when the archive is opened again.
   */
  #restsUntilRoom(error: AppError): boolean {
    if (error.code !== 'disk-full') return false
    this.#block('disk', error)
    return true
  }

  /** Checks the network before blocking: a single connection may have failed. */
  #checkNetwork(error: AppError): Promise<void> {
    const { signal } = this.#session
    this.#networkCheck ??= this.#deps.probes
      .offline(signal, error)
      .then((isReachable) => {
        if (!isReachable && !signal.aborted) this.#block('offline', error)
      })
      .finally(() => {
        this.#networkCheck = undefined
      })
    return this.#networkCheck
  }

  async #continueAfter(blocker: Blocker, signal: AbortSignal): Promise<void> {
    const { store, ports } = this.#deps
    ports.logger.info('The watch is no longer blocked', { obstacle: blocker.kind })
    // A service in trouble gets one try, not three. Only its answer proves that it, or the token, works again.
    if (blocker.kind !== 'service') this.#failedInARow = []
    if (blocker.kind === 'offline') {
      this.#troubleSinceMs = undefined
      store.jobs.requeueUnreachable()
      this.#resetBackoff()
      this.#blockerActivity.end('offline')
    }
    if (blocker.kind === 'disk') {
      await this.#open(signal)
      this.#work.replan()
    }
  }

  #resetBackoff(): void {
    // One failure beside others' answers may have been a hiccup, or the last of an outage.
    const broken = [...this.#ownFaults].filter(([, times]) => times >= failuresInARow).map(([id]) => id)
    this.#deps.store.projects.resetOutageBackoff(broken)
    this.#work.resetBackoff()
  }

  #serviceAnswered(projectId: string): void {
    this.#troubleSinceMs = undefined
    this.#blockerActivity.end('token', 'offline', 'service')
    // After an outage, those that failed last may try again at once, too.
    if (this.#gate.resetTrouble()) this.#resetBackoff()
    for (const failedId of new Set(this.#failedInARow)) {
      this.#ownFaults.set(failedId, (this.#ownFaults.get(failedId) ?? 0) + 1)
    }
    this.#failedInARow = []
    this.#ownFaults.delete(projectId)
  }

  /** Returns whether the service failed three times in a row, and not only for some of the projects. */
  #isOutage(): boolean {
    const { projects } = this.#deps.store
    const ownFaults = [...this.#ownFaults.keys()].filter((id) => projects.isActive(id)).length
    const others = projects.countRead().projects - ownFaults
    const failed = this.#failedInARow.filter((id) => !this.#ownFaults.has(id))
    return failed.length >= failuresInARow && new Set(failed).size >= Math.min(failuresInARow, others)
  }

  async #apply(verdict: Verdict, error: AppError): Promise<void> {
    if (verdict.kind === 'blocker') this.#block(verdict.blocker, error)
    else if (verdict.kind === 'fatal') this.#end(error)
    else if (verdict.kind === 'suspicion') await this.#checkNetwork(error)
  }

  /** Makes `run` end its work and reject with this error, unless it has an earlier one. */
  #end(error: AppError): void {
    this.#fatal ??= error
    this.#wake()
  }

  async #projectFailed(projectId: string, thrown: unknown, signal: AbortSignal): Promise<void> {
    const { store, ports, folders } = this.#deps
    const error = await explainError(folders, thrown, 'archive a project')
    if (signal.aborted) return
    // An answer that says it is incomplete concerns only its project, however many projects have one.
    const verdict = error.details?.['partial'] === true ? ({ kind: 'project' } as const) : judge(error.code)
    await this.#apply(verdict, error)
    // If aborted meanwhile, the failure was not the project's.
    if (signal.aborted || this.#fatal !== undefined) return
    store.projects.setError(projectId, error, new Date(ports.clock.nowMs()).toISOString())
    ports.logger.info('A project could not be synced', { project: projectId, ...errorFacts(error) })
    this.#work.reporter.projectFailed(projectId, error)
    if (verdict.kind !== 'service-trouble' && verdict.kind !== 'suspicion') return
    this.#failedInARow.push(projectId)
    if (this.#ownFaults.has(projectId)) return
    this.#troubleSinceMs ??= ports.clock.nowMs()
    if (this.#isOutage()) this.#block('service', error, this.#troubleSinceMs)
  }

  /** Handles a failure to follow orders, whose cause may also block the sync. */
  async #followOrdersFailed(thrown: unknown): Promise<void> {
    const error = toEngineError(thrown, 'follow the orders')
    this.#deps.ports.logger.info('Orders could not be followed', errorFacts(error))
    await this.#apply(judge(error.code), error)
  }
}
