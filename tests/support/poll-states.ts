import type { PollState, PollTier } from '../../electron/engine/scheduler/poll-schedule.ts'

/** The outcome of a poll that the service answered. */
interface PollAnswer {
  readonly tier: PollTier
  /** True if something in the project changed since the last poll. */
  readonly changed: boolean
  /** True if everything was read, including unchanged checklists. */
  readonly isFullPass: boolean
}

/** Returns the state after the service answered, as the database would have it. */
export function afterAnswer(state: PollState, { tier, changed, isFullPass }: PollAnswer, nowMs: number): PollState {
  return {
    projectId: state.projectId,
    tier,
    polledMs: nowMs,
    triedMs: nowMs,
    changedMs: changed ? nowMs : (state.changedMs ?? nowMs),
    pollFailures: 0,
    lastFullPassMs: isFullPass ? nowMs : state.lastFullPassMs,
  }
}

/** Returns the state after the service failed to answer for this project, though it answers for others. */
export function afterFailure(state: PollState, nowMs: number): PollState {
  return { ...state, triedMs: nowMs, pollFailures: state.pollFailures + 1 }
}
