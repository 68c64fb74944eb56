import type { TimeLeft } from '../lib/events.ts'
import type { RateBudget } from '../service/rate-budget.ts'

/** Calls of one project in a pass, as far as they are known. */
export interface ProjectCalls {
  readonly callsDone: number
  /** Calls that are known to follow. */
  readonly callsLeft: number
  /** Media categories that were read, and all of them; `null` until they are known, and with them all calls. */
  readonly categories: { readonly read: number; readonly total: number } | null
}

/** Calls and files of one project in a pass, as far as they are known. */
export interface ProjectProgress extends ProjectCalls {
  /** Files that are queued, in flight, or ended. */
  readonly files: number
  readonly filesEnded: number
}

export interface PassWork {
  readonly projects: number
  /** Work of the projects that were begun. */
  readonly begun: readonly ProjectProgress[]
  /** Calls so far that were made for something else, within the same rate limit. */
  readonly otherCalls?: number
}

/** Share of the time left that an estimate may be off. */
const maxError = 0.25
/** Like `maxError`, while an estimate is shown: a larger error is allowed, so that it does not come and go. */
const maxErrorOnceShown = 0.33
/** Errors up to this are always accepted. */
const smallErrorMs = 5_000
/** Standard errors within which 19 of 20 numbers lie. */
const certainty = 2
/** Projects from which the size of others is inferred. */
const minProjects = 4
/** Age at which what happened counts half, so that the estimate follows a change of the network. */
const halfLifeMs = 3 * 60_000
/**
 * Period of the service's rate limit. The last minute of a pause that the service asks for counts as time spent on
 * calls: a service that allows fewer calls than the limit set here asks for one again and again.
 */
const pauseMs = 60_000
/** Often enough to see when the rate limit makes a pass wait; rarely enough for ten thousand projects. */
const intervalMs = 500

type Limit = Pick<RateBudget, 'waitMs' | 'pauseLeftMs' | 'callsTakeMs' | 'callsPerMinute'>

/** Recent time in which there were calls to make or files to download, and how many ended in it. */
interface Pace {
  readonly activeMs: number
  readonly done: number
}

/**
 * Estimates how long a pass takes from here: by its calls within the rate limit, by the pace of its calls, or by the
 * pace of its files, whichever is longest. Sizes of projects that were not read yet are inferred from the others.
 */
export class TimeLeftMeter {
  readonly #limit: Limit
  readonly #concurrency: number
  #timeLeft: TimeLeft | null = null
  #latest = { elapsedMs: 0, calls: 0, otherCalls: 0, files: 0, reading: 0, isDownloading: false }
  #calls: Pace = { activeMs: 0, done: 0 }
  /** Like `#calls`, with the time of projects that were read at the same time added up. */
  #callsOfProject: Pace = { activeMs: 0, done: 0 }
  #files: Pace = { activeMs: 0, done: 0 }
  /** Recent calls that were made for something else, counted like those of `#calls`. */
  #otherCalls = 0
  /** True once the service refused a call: the limit that is set here may not be the service's. */
  #wasRefused = false

  /** `concurrency`: files that are downloaded at the same time. */
  constructor(limit: Limit, concurrency: number) {
    this.#limit = limit
    this.#concurrency = concurrency
  }

  /**
   * Returns the time left, or `null` if it is not known well enough: the estimate must be a quarter off at most, as far
   * as that is known. To be called about once a second.
   */
  advance(elapsedMs: number, work: () => PassWork): TimeLeft | null {
    if (elapsedMs - this.#latest.elapsedMs >= intervalMs) {
      const known = work()
      this.#updatePace(elapsedMs, known)
      this.#timeLeft = this.#estimate(known)
    }
    return this.#timeLeft
  }

  #updatePace(elapsedMs: number, { begun, otherCalls = 0 }: PassWork): void {
    const { calls, files, reading, isDownloading, ...before } = this.#latest
    const spanMs = elapsedMs - before.elapsedMs
    const now = {
      elapsedMs,
      calls: sumOf(begun, ({ callsDone }) => callsDone),
      otherCalls,
      files: sumOf(begun, ({ filesEnded }) => filesEnded),
    }
    const kept = 0.5 ** (spanMs / halfLifeMs)
    const add = ({ activeMs, done }: Pace, ms: number, more: number) => ({
      activeMs: activeMs * kept + ms,
      done: done * kept + more,
    })
    this.#otherCalls = this.#otherCalls * kept + otherCalls - before.otherCalls
    this.#calls = add(this.#calls, reading > 0 ? spanMs : 0, now.calls - calls)
    this.#callsOfProject = add(this.#callsOfProject, reading * spanMs, now.calls - calls)
    this.#files = add(this.#files, isDownloading ? spanMs : 0, now.files - files)
    const isReading = ({ categories, callsLeft }: ProjectProgress) => categories === null || callsLeft > 0
    this.#latest = {
      ...now,
      reading: this.#isWaiting() ? 0 : begun.filter(isReading).length,
      isDownloading: sumOf(begun, (work) => work.files) > now.files,
    }
  }

  /** Returns whether the calls wait for the limit set here. */
  #isWaiting(): boolean {
    const leftMs = this.#limit.pauseLeftMs()
    if (leftMs > 0) this.#wasRefused = true
    return leftMs > pauseMs || (leftMs === 0 && this.#limit.waitMs() > 0)
  }

  #estimate({ projects, begun }: PassWork): TimeLeft | null {
    const work = expectWork(projects, begun)
    if (work === null) return null
    const { calls, files, filesToCome, maxProjectCalls, usualCalls } = work
    if ((calls.likely > 0 && this.#calls.done === 0) || (files.likely > 0 && this.#files.done === 0)) return null

    const [callMs, projectCallMs, fileMs] = [msOf(this.#calls), msOf(this.#callsOfProject), msOf(this.#files)]
    // Calls for something else use the rate limit as well.
    const otherShare = this.#calls.done === 0 ? 1 : 1 + this.#otherCalls / this.#calls.done
    const at = (sign: -1 | 0 | 1): TimeLeft => {
      const paceMs = Math.max(
        callMs * shifted(calls, this.#calls, sign),
        // The calls of a project are made one after the other.
        projectCallMs * maxProjectCalls,
        fileMs * shifted(files, this.#files, sign),
      )
      const callsLeft = Math.max(0, Math.round(calls.likely + sign * calls.error))
      // One call of each project that is read is in flight: it is within the limit already.
      const callsToSend = Math.max(0, callsLeft - this.#latest.reading)
      const limitMs = this.#limitMs(Math.round(callsToSend * otherShare), fileMs * filesToCome)
      const isLimit = limitMs > paceMs && !this.#wasRefused
      const callsPerMinute = isLimit ? this.#limit.callsPerMinute : null
      return { leftMs: Math.round(Math.max(paceMs, limitMs)), callsPerMinute }
    }
    const [low, likely, high] = [at(-1), at(0), at(1)]
    // The size of the last projects and the progress of the last files are unknown.
    const tailMs = Math.max(projectCallMs * usualCalls, files.likely === 0 ? 0 : fileMs * this.#concurrency) / 2
    const errorMs = Math.max(high.leftMs - likely.leftMs, likely.leftMs - low.leftMs, tailMs)
    const allowed = this.#timeLeft === null ? maxError : maxErrorOnceShown
    return errorMs <= Math.max(smallErrorMs, allowed * likely.leftMs) ? likely : null
  }

  /** Returns the time of the calls within the rate limit, and of the files that the last window of them brings. */
  #limitMs(calls: number, filesMs: number): number {
    const { callsPerMinute } = this.#limit
    if (callsPerMinute === 0 || calls === 0) return 0
    const callsOfLastWindow = ((calls - 1) % callsPerMinute) + 1
    const endMs = this.#limit.callsTakeMs(calls)
    const lastMs = endMs - this.#limit.callsTakeMs(calls - callsOfLastWindow + 1)
    return endMs + Math.max(0, (filesMs * callsOfLastWindow) / calls - lastMs)
  }
}

/** Returns an expected number, or an end of its range; the fewer ended, the less is known about their pace. */
function shifted({ likely, error }: Expected, { done }: Pace, sign: -1 | 0 | 1): number {
  if (likely === 0) return 0
  return Math.max(0, likely * (1 + sign * Math.hypot(error / likely, 1 / Math.sqrt(done))))
}

const msOf = ({ activeMs, done }: Pace) => (done === 0 ? 0 : activeMs / done)

const sumOf = (works: readonly ProjectProgress[], value: (work: ProjectProgress) => number) =>
  works.reduce((sum, work) => sum + value(work), 0)

/** A number that is not known exactly. 19 of 20 times it is at most `error` off. */
interface Expected {
  readonly likely: number
  readonly error: number
}

interface ExpectedWork {
  readonly calls: Expected
  readonly files: Expected
  /** Files that are not queued yet. */
  readonly filesToCome: number
  /** Largest number of calls that a project that was begun still needs. */
  readonly maxProjectCalls: number
  /** Calls of a usual project, if there are some whose calls are not known; otherwise 0. */
  readonly usualCalls: number
}

/** Returns the work left, or `null` if too little is known about the projects. */
function expectWork(projects: number, begun: readonly ProjectProgress[]): ExpectedWork | null {
  const planned = begun.filter(({ categories }) => categories !== null)
  const listed = begun.filter(
    ({ categories }) => categories !== null && (categories.read > 0 || categories.total === 0),
  )
  if (listed.length < Math.min(minProjects, projects)) return null
  const callsOf = spread(planned.map(({ callsDone, callsLeft }) => callsDone + callsLeft))
  const filesOf = spread(listed.map(expectFiles))

  const unplanned = begun.length - planned.length
  const unbegun = projects - begun.length
  const callsLeftOf = ({ categories, callsLeft, callsDone }: ProjectProgress) =>
    categories === null ? Math.max(callsLeft, callsOf.mean - callsDone) : callsLeft
  const openFiles = sumOf(begun, ({ files, filesEnded }) => files - filesEnded)
  const unlisted = projects - listed.length
  const filesToCome = listed.reduce((sum, work) => sum + expectFiles(work) - work.files, 0) + unlisted * filesOf.mean
  const ownError = Math.hypot(...listed.map((work) => (expectFiles(work) - work.files) / Math.sqrt(readOf(work))))
  return {
    calls: { likely: sumOf(begun, callsLeftOf) + unbegun * callsOf.mean, error: callsOf.errorOf(unplanned + unbegun) },
    files: { likely: openFiles + filesToCome, error: Math.hypot(filesOf.errorOf(unlisted), certainty * ownError) },
    filesToCome,
    maxProjectCalls: begun.reduce((longest, work) => Math.max(longest, callsLeftOf(work)), 0),
    usualCalls: unplanned + unbegun === 0 ? 0 : callsOf.mean,
  }
}

const readOf = ({ categories }: ProjectProgress) => Math.max(1, categories?.read ?? 0)

/** Returns the files of a project, if those of its categories that were not read are as many as of the others. */
function expectFiles(work: ProjectProgress): number {
  const { files, categories } = work
  return categories === null || categories.total === 0 ? files : (files * categories.total) / readOf(work)
}

/** Returns the mean of a sample, oldest first, and the error of the sum of `more` numbers like it. */
function spread(sample: readonly number[]): { readonly mean: number; errorOf(more: number): number } {
  const count = Math.max(1, sample.length)
  const mean = meanOf(sample)
  const variance = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, sample.length - 1)
  // Of a small sample, the variance is not known well either (Student's t-distribution).
  const factor = certainty * (1 + 1.6 / Math.max(1, count - 1))
  // If numbers grow or shrink by more than chance explains, those that follow are not like the mean.
  const half = Math.floor(sample.length / 2)
  const change = half === 0 ? 0 : Math.abs(meanOf(sample.slice(half)) - meanOf(sample.slice(0, half)))
  const drift = Math.max(0, change - factor * Math.sqrt((4 * variance) / count))
  return {
    mean,
    errorOf: (more) => more * drift + factor * Math.sqrt((more * more * variance) / count + more * variance),
  }
}

const meanOf = (sample: readonly number[]) => sample.reduce((sum, value) => sum + value, 0) / Math.max(1, sample.length)
