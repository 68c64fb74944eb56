import { RateBudget } from '../../../electron/engine/service/rate-budget.ts'
import type { CallPriority } from '../../../electron/engine/service/service-types.ts'
import { planChecklist } from '../../../electron/engine/checklists/plan-checklist.ts'
import { tierOf, type PollTier } from '../../../electron/engine/scheduler/poll-schedule.ts'
import { SeededRandom } from '../../../electron/sample-service/site/seeded-random.ts'
import type { LivedChecklist, LivedProject } from './checklist-lifecycles.ts'
import type { FakeClock } from '../../support/fake-clock.ts'

/** Outcome of a pass that the schedule needs. */
export interface PassOutcome {
  readonly tier: PollTier
  /** `true` if anything in the project differs from the last pass. */
  readonly changed: boolean
}

/** Engine's knowledge of a checklist: the last step listed, and the step at which its detail and media were read. */
interface Known {
  seenStep: number
  readStep: number
  checkedMs: number | null
}

/** A call is answered within this time, and counted by the service half-way. */
const answerMs = { low: 150, high: 450 }

/**
 * Makes the calls that the engine would make in a pass over one project, through the real rate budget, by the real
 * decision per checklist: one for the list; one for the detail of each that is new or changed; one for each question
 * with photos that has to be asked about. Time is counted from the start of what is measured.
 */
export class SimEngine {
  readonly budget: RateBudget
  /** Times at which each call was sent and the service counted it, on a monotonic clock. */
  readonly sentMs: number[] = []
  readonly countedMs: number[] = []
  readonly calls = { list: 0, detail: 0, media: 0 }
  readonly #known = new Map<LivedChecklist, Known>()
  /** Time at which each step of a checklist was first seen, with holes for steps that no poll saw. */
  readonly #noticed = new Map<LivedChecklist, number[]>()
  readonly #random: SeededRandom
  readonly #clock: FakeClock
  readonly #originMs: number

  /** `originMs` is the time from the start of the simulation to the start of the measurement. */
  constructor(clock: FakeClock, options: { callsPerMinute: number; originMs: number; seed: number }) {
    this.#clock = clock
    this.#originMs = options.originMs
    this.#random = new SeededRandom(`calls/${options.seed}`)
    this.budget = new RateBudget({ clock, callsPerMinute: options.callsPerMinute })
  }

  /** Current time in the units of `LivedProject`. */
  get timeMs(): number {
    return this.#clock.monotonicMs() - this.#originMs
  }

  /** Treats everything that the service lists as already known, as if it had been watched from the beginning. */
  recall(project: LivedProject): PollTier {
    const seen = present(project, this.timeMs)
    for (const [checklist, step] of seen) {
      this.#known.set(checklist, { seenStep: step, readStep: step, checkedMs: this.#clock.nowMs() })
    }
    return tierOf(seen.map(([checklist, step]) => statusAt(checklist, step)))
  }

  async pass(project: LivedProject, priority: CallPriority, isFullPass: boolean): Promise<PassOutcome> {
    await this.#call('list', priority)
    const seen = present(project, this.timeMs)
    let changed = false
    const reads: { detail: boolean; media: number }[] = []
    for (const [checklist, step] of seen) {
      const known = this.#known.get(checklist) ?? { seenStep: -1, readStep: -1, checkedMs: null }
      this.#known.set(checklist, known)
      if (known.seenStep !== step) {
        changed = true
        known.seenStep = step
        this.#notice(checklist, step)
      }
      reads.push(this.#plan(checklist, known, isFullPass))
    }
    for (const { detail, media } of reads) {
      if (detail) await this.#call('detail', priority)
      for (let question = 0; question < media; question++) await this.#call('media', priority)
    }
    return { tier: tierOf(seen.map(([checklist, step]) => statusAt(checklist, step))), changed }
  }

  /** Returns when the state that a checklist has since `atMs` was first seen, or `undefined` if it never was. */
  noticedMs(checklist: LivedChecklist, atMs: number): number | undefined {
    const first = checklist.steps.findIndex((step) => step.atMs === atMs)
    return this.#noticed.get(checklist)?.find((timeMs, step) => step >= first && timeMs !== undefined)
  }

  #notice(checklist: LivedChecklist, step: number): void {
    const times = this.#noticed.get(checklist) ?? []
    times[step] = this.timeMs
    this.#noticed.set(checklist, times)
  }

  #plan(checklist: LivedChecklist, known: Known, isFullPass: boolean): { detail: boolean; media: number } {
    const { status, owing } = checklist.steps[known.seenStep] ?? { status: 'draft', owing: 0 }
    const nowMs = this.#clock.nowMs()
    const readFingerprint = String(known.readStep)
    const plan = planChecklist({
      status,
      fingerprint: isFullPass ? 'whole' : String(known.seenStep),
      hasUpdatedAt: true,
      isHeadOld: false,
      detailFingerprint: readFingerprint,
      readFingerprint,
      sinceCheckedMs: known.checkedMs === null ? null : Math.abs(nowMs - known.checkedMs),
      sinceReadMs: null,
      openJobs: 0,
      isFullPass: false,
      isUserInitiated: false,
      notUploaded: owing > 0,
      isConfirmationDue: false,
      hasNoQuestions: false,
      hasError: false,
    })
    if (plan === 'nothing') return { detail: false, media: 0 }
    known.checkedMs = nowMs
    if (plan === 'media') return { detail: false, media: owing }
    known.readStep = known.seenStep
    return { detail: true, media: checklist.photoQuestions }
  }

  async #call(kind: keyof typeof this.calls, priority: CallPriority): Promise<void> {
    const ended = await this.budget.take(priority)
    const durationMs = this.#random.between(answerMs.low, answerMs.high)
    this.calls[kind]++
    this.sentMs.push(this.#clock.monotonicMs())
    this.countedMs.push(this.#clock.monotonicMs() + durationMs / 2)
    await this.#clock.sleep(durationMs)
    ended()
  }
}

/** The checklists that the service lists at a moment, each with its last step. */
function present(project: LivedProject, atMs: number): [LivedChecklist, number][] {
  return project.checklists.flatMap((checklist): [LivedChecklist, number][] => {
    const step = checklist.steps.findLastIndex((candidate) => candidate.atMs <= atMs)
    return step < 0 ? [] : [[checklist, step]]
  })
}

const statusAt = (checklist: LivedChecklist, step: number) => checklist.steps[step]?.status ?? 'draft'
