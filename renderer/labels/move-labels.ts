import type { UnfinishedMove } from '../../shared/background-tasks.ts'
import type { EventValue } from '../../shared/contract/events.ts'
import { countOfTotal } from '../../shared/format.ts'
import type { WatchPresentation } from './watch-labels.ts'

type MoveProgress = EventValue<'move-progress'>

const phases: Readonly<Record<MoveProgress['phase'], string>> = {
  copying: 'Copying',
  checking: 'Checking the copies',
  removing: 'Removing the old files',
  undoing: 'Putting everything back',
}

/** Returns the phase of a move: "Copying". */
export function movePhase(progress: MoveProgress | null): string {
  return progress === null ? 'Preparing the move' : phases[progress.phase]
}

/** Returns the progress within the phase: "12 of 213 files". */
export function moveCount({ filesDone, filesTotal }: MoveProgress): string {
  return countOfTotal(filesDone, filesTotal, 'file')
}

/** Returns how a move is displayed in place of the sync state, or `null` if it does not affect syncing. */
export function movePresentation(
  state: EventValue<'move-state'>,
  progress: MoveProgress | null,
): WatchPresentation | null {
  if (state.kind === 'running') {
    return {
      title: 'Moving the archive',
      detail: progress === null ? 'Preparing' : `${phases[progress.phase]}, ${moveCount(progress)}`,
      icon: 'i-lucide-folder-input',
      tone: 'info',
      isBusy: false,
    }
  }
  if (state.unfinished?.isAtRest !== true) return null
  return {
    title: 'Move not finished',
    detail: 'Nothing is synced',
    icon: 'i-lucide-folder-input',
    tone: 'error',
    isBusy: false,
  }
}

/** Returns the consequences of an unfinished move, and what to do. */
export function unfinishedMoveSentence({ from, to, archive, isAtRest }: UnfinishedMove): string {
  if (archive === 'between') {
    return (
      `Nothing is lost: every file is whole in ${from} or in ${to}. Until the move is finished or undone, nothing is ` +
      'synced and the archive is read-only. Connect the drives of both folders; undoing puts everything back.'
    )
  }
  return isAtRest
    ? `The archive is whole in ${to}, but nothing is synced until the move is finished.`
    : `The archive is whole in ${to} and is synced there. Files that were moved may still be in ${from}; do not ` +
        'delete them by hand.'
}
