import { pauseLabels, syncLabels } from '../../../shared/sync-words.ts'
import { pauseLengths, type PauseLength } from '../../../shared/watch.ts'
import type { AppStatus } from '../status/app-status.ts'
import { problemsToLookAt, type StatusLook } from '../status/status-words.ts'

/** What the menu of the tray can do. */
export type TrayCommand =
  | { readonly kind: 'run' | 'stop' | 'resume' | 'open-archive' | 'show' | 'quit' }
  | { readonly kind: 'pause'; readonly length: PauseLength }

export type TrayItem =
  | { readonly kind: 'separator' }
  /** To read, not to choose. */
  | { readonly kind: 'note'; readonly label: string }
  | { readonly kind: 'command'; readonly label: string; readonly command: TrayCommand }
  | { readonly kind: 'menu'; readonly label: string; readonly items: readonly TrayItem[] }

const separator: TrayItem = { kind: 'separator' }

/** The menu of the tray for a status: how it is, what can be done with the sync now, and the ways to the archive and the app. */
export function trayMenu(status: AppStatus, { title, detail }: StatusLook): readonly TrayItem[] {
  const note: TrayItem = { kind: 'note', label: detail === undefined ? title : `${title}: ${detail}` }
  const ways: readonly TrayItem[] = [
    command('Show Solarchive', { kind: 'show' }),
    separator,
    command('Quit Solarchive', { kind: 'quit' }),
  ]
  if (status.setUp?.ready !== true) return [note, separator, ...ways]
  return [note, separator, ...syncItems(status), separator, command('Open archive', { kind: 'open-archive' }), ...ways]
}

/** What can be done now. While the archive moves it is only read. */
function syncItems({ sync, watch, move }: AppStatus): readonly TrayItem[] {
  const isMoving = move.kind === 'running' || move.unfinished !== null
  const run =
    sync.kind === 'running' ? command(syncLabels.stop, { kind: 'stop' }) : command(syncLabels.run, { kind: 'run' })
  const pauses: TrayItem = {
    kind: 'menu',
    label: 'Pause',
    items: pauseLengths.map((length) => command(pauseLabels[length], { kind: 'pause', length })),
  }
  const resume = command(syncLabels.resume, { kind: 'resume' })
  return [...(isMoving ? [] : [run]), watch.kind === 'paused' ? resume : pauses]
}

function command(label: string, what: TrayCommand): TrayItem {
  return { kind: 'command', label, command: what }
}

/** Windows cuts off what is longer than 127 characters. */
export function trayTooltip({ title, detail }: StatusLook, attention: number): string {
  const problems = attention > 0 ? problemsToLookAt(attention) : undefined
  const lines = new Set([`Solarchive: ${title}`, detail, problems].filter((line) => line !== undefined))
  return [...lines].join('\n').slice(0, 127)
}
