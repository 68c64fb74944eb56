import type { UnfinishedMove } from '../../shared/background-work.ts'
import type { EventValue } from '../../shared/contract.ts'
import { countOf, formatCount } from './format-numbers.ts'
import type { WatchLook } from './watch-labels.ts'

type MoveProgress = EventValue<'move-progress'>

const phases: Readonly<Record<MoveProgress['phase'], string>> = {
  copying: 'Copying',
  checking: 'Checking the copies',
  removing: 'Removing the old files',
  undoing: 'Putting everything back',
}

/** What a move is at: "Copying". */
export function movePhase(progress: MoveProgress | null): string {
  return progress === null ? 'Preparing the move' : phases[progress.phase]
}

/** "12 of 213 files" of this phase. */
export function moveCount({ filesDone, filesTotal }: MoveProgress): string {
  return `${formatCount(filesDone)} of ${countOf(filesTotal, 'file')}`
}

/** What the move makes of the state of the continuous sync; null: nothing. */
export function lookOfMove(state: EventValue<'move-state'>, progress: MoveProgress | null): WatchLook | null {
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

/** What an unfinished move means for the archive, and what to do. */
export function unfinishedMoveSentence({ from, to, archive, isAtRest }: UnfinishedMove): string {
  if (archive === 'between') {
    return (
      `Nothing is lost: every file is whole in ${from} or in ${to}. Until the move is finished or given up, nothing is ` +
      'synced and the archive is only read. Connect the drives of both folders; giving up puts everything back.'
    )
  }
  return isAtRest
    ? `The archive is whole in ${to}, but nothing is synced until the move is finished.`
    : `The archive is whole in ${to} and is synced there. Files that were moved may still be in ${from}; do not delete them by hand.`
}
