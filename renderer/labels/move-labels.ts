import type { UnfinishedMove } from '../../shared/background-tasks.ts'
import type { EventValue } from '../../shared/contract/events.ts'
import { countOfTotal, formatTimeLeft } from '../../shared/format.ts'
import type { WatchPresentation } from './watch-labels.ts'

type MoveProgress = EventValue<'move-progress'>

type Folders = Pick<UnfinishedMove, 'from' | 'to'>

const phases: Readonly<Record<MoveProgress['phase'], { title: string; where: (folders: Folders) => string }>> = {
  copying: { title: 'Copying', where: ({ to }) => `to ${to}` },
  checking: { title: 'Checking the copies', where: ({ to }) => `in ${to}` },
  removing: { title: 'Removing the old files', where: ({ from }) => `from ${from}` },
  undoing: { title: 'Putting everything back', where: ({ from }) => `to ${from}` },
}

/** Returns the phase of a move with the folder it works on: "Copying to /new". */
export function movePhase(progress: MoveProgress | null, folders: Folders): string {
  if (progress === null) return `Preparing the move to ${folders.to}`
  const { title, where } = phases[progress.phase]
  return `${title} ${where(folders)}`
}

/** True while stopping a move has an effect: afterwards the archive is in the new folder, or is being moved back. */
export function isMoveStoppable(progress: MoveProgress | null): boolean {
  return progress?.phase !== 'removing' && progress?.phase !== 'undoing'
}

/** An external hard disk: 120 MB/s, written once and read again; and two flushes for each file. */
const copiedBytesPerMs = 60_000
const copyMsPerFile = 10

/** Returns about how long the archive takes to copy: "less than 10 s", "about 1 h 20 min". */
export function copyTime({ files, bytes }: { readonly files: number; readonly bytes: number }): string {
  const left = formatTimeLeft(bytes / copiedBytesPerMs + files * copyMsPerFile)
  return left.startsWith('less') ? left : `about ${left}`
}

/** Returns the progress within the phase: "12 of 213 files". */
export function moveCount({ filesDone, filesTotal }: MoveProgress): string {
  return countOfTotal(filesDone, filesTotal, 'file')
}

/** Returns how a move is displayed instead of the sync state, or `null` if it does not affect syncing. */
export function movePresentation(
  state: EventValue<'move-state'>,
  progress: MoveProgress | null,
): WatchPresentation | null {
  if (state.kind === 'running') {
    return {
      title: 'Moving the archive',
      detail: progress === null ? 'Preparing' : `${phases[progress.phase].title}, ${moveCount(progress)}`,
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
