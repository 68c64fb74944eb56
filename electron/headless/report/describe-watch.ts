import { AppError } from '../../../shared/errors.ts'
import type { WatchState } from '../../../shared/watch.ts'
import type { ProjectSynced, RollingFinding } from '../../engine/events.ts'
import { countOf } from '../format/count-of.ts'
import { plainText } from '../format/plain-text.ts'

/** A state that a person should know of; undefined for the everyday ones. */
export function describeState(state: WatchState): string | undefined {
  switch (state.kind) {
    case 'blocked':
      return `${plainText(state.message)} Solarchive waits and goes on by itself.`
    case 'paused':
      return state.until === null ? 'Paused until resumed.' : `Paused until ${state.until}.`
    case 'quiet':
      return `Quiet hours until ${state.until}.`
    case 'stopped':
      return 'Stopped. What is archived so far is safe.'
    case 'idle':
      return 'Up to date as far as the service was asked; watching.'
    case 'syncing':
      return undefined
  }
}

export function describeSynced(project: ProjectSynced, name: string): string {
  const { filesDownloaded, filesFailed } = project
  const failed = filesFailed === 0 ? '' : `, ${countOf(filesFailed, 'file')} failed`
  return `${plainText(name)}: ${countOf(filesDownloaded, 'file')} archived${failed}.`
}

export function describeFinding({ path, state, outcome }: RollingFinding): string {
  const what = state === 'missing' ? 'is missing' : 'is not as it was archived'
  const next = outcome instanceof AppError ? outcome.message : 'It is fetched again.'
  return `${plainText(path)} ${what}. ${plainText(next)}`
}
