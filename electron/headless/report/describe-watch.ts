import { AppError } from '../../../shared/errors.ts'
import type { ObstacleKind, WatchState } from '../../../shared/watch.ts'
import type { ProjectSynced, RollingFinding } from '../../engine/lib/events.ts'
import { countOf } from '../format/count-of.ts'
import { formatLocalTime } from '../format/format-local-time.ts'
import { plainText } from '../../app/log/plain-text.ts'

/** A state that a person should know of, after another; undefined for the everyday ones. */
export function describeState(
  state: WatchState,
  before: WatchState | undefined,
  tokenAdvice: string,
): string | undefined {
  switch (state.kind) {
    case 'blocked':
      return `${plainText(state.message)} ${whatToDo(state.obstacle, tokenAdvice)}`
    case 'paused':
      return state.until === null ? 'Paused until resumed.' : `Paused until ${formatLocalTime(state.until)}.`
    case 'quiet':
      return `Quiet hours until ${formatLocalTime(state.until)}.`
    case 'battery':
      return 'Paused while the machine runs on its battery.'
    case 'stopped':
      return 'Stopped. What is archived so far is safe.'
    case 'idle':
    case 'syncing':
      if (before?.kind === 'blocked') return 'That is over; Solarchive goes on.'
      if (before?.kind === 'quiet' || before?.kind === 'paused' || before?.kind === 'battery')
        return 'Solarchive goes on.'
      if (before === undefined && state.kind === 'idle' && state.onlyWhenAsked === true)
        return 'Nothing new is looked for: "schedule" is "manual" in settings.json. What is known is downloaded.'
      return undefined
  }
}

function whatToDo(obstacle: ObstacleKind, tokenAdvice: string): string {
  return obstacle === 'token' ? `Solarchive waits. ${tokenAdvice}` : 'Solarchive waits and goes on by itself.'
}

/** What a poll brought; undefined when no file came of it. */
export function describeSynced(project: ProjectSynced, name: string): string | undefined {
  const { filesDownloaded, filesFailed } = project
  if (filesDownloaded + filesFailed === 0) return undefined
  const failed = filesFailed === 0 ? '' : `, ${countOf(filesFailed, 'file')} failed`
  return `${plainText(name)}: ${countOf(filesDownloaded, 'file')} archived${failed}.`
}

export function describeFinding({ path, state, outcome }: RollingFinding): string {
  const what = state === 'missing' ? 'is missing' : 'is not as it was archived'
  const next = outcome instanceof AppError ? outcome.message : 'It is fetched again.'
  return `${plainText(path)} ${what}. ${plainText(next)}`
}
