import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Surroundings } from '../../app/settings/default-folders.ts'

/** A desktop that does not answer within this time is taken to have no tray. */
const patienceMs = 1_500

const watcher = 'org.kde.StatusNotifierWatcher'

/**
 * Programs that ask the session's message bus whether something shows tray icons; a Linux desktop has one of them at least.
 * Source: the StatusNotifierItem specification of freedesktop.org, `IsStatusNotifierHostRegistered`.
 */
const questions: readonly (readonly [string, ...string[]])[] = [
  [
    ...(['gdbus', 'call', '--session', '--dest', watcher, '--object-path', '/StatusNotifierWatcher'] as const),
    ...['--method', 'org.freedesktop.DBus.Properties.Get', watcher, 'IsStatusNotifierHostRegistered'],
  ],
  [
    ...(['dbus-send', '--session', '--print-reply', `--dest=${watcher}`, '/StatusNotifierWatcher'] as const),
    ...['org.freedesktop.DBus.Properties.Get', `string:${watcher}`, 'string:IsStatusNotifierHostRegistered'],
  ],
  [
    ...(['busctl', '--user', 'get-property', watcher, '/StatusNotifierWatcher', watcher] as const),
    'IsStatusNotifierHostRegistered',
  ],
]

/** Whether the desktop shows tray icons now. Windows and macOS always do; on Linux it depends, and may change. Never rejects. */
export async function hasTrayHost({ platform, env }: Pick<Surroundings, 'platform' | 'env'>): Promise<boolean> {
  if (platform !== 'linux') return true
  // Some of the programs would start a bus where there is none.
  if (!env['DBUS_SESSION_BUS_ADDRESS'] && !existsSync(join(env['XDG_RUNTIME_DIR'] || '/nowhere', 'bus'))) return false
  for (const [program, ...args] of questions) {
    const answer = await ask(program, args)
    if (answer.kind === 'answered') return saysYes(answer.text)
    if (answer.kind === 'failed') return false
  }
  return false
}

/** What each of the programs prints for true: `(<true>,)`, `variant boolean true`, `b true`. */
export function saysYes(text: string): boolean {
  return /\btrue\b/.test(text)
}

type Answered =
  | { readonly kind: 'answered'; readonly text: string }
  /** Nobody owns the name: there is no tray. */
  | { readonly kind: 'failed' }
  /** There is no such program here. */
  | { readonly kind: 'unknown' }

function ask(program: string, args: readonly string[]): Promise<Answered> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: patienceMs }, (error, text) => {
      if (error === null) resolve({ kind: 'answered', text })
      else resolve({ kind: (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'unknown' : 'failed' })
    })
  })
}
