import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment } from '../app/child-environment.ts'
import type { HostEnvironment } from '../app/settings/resolve-settings.ts'

/** A desktop that does not answer within this time is taken to have no tray. */
const timeoutMs = 1_500

const watcher = 'org.kde.StatusNotifierWatcher'
const path = '/StatusNotifierWatcher'
const property = 'IsStatusNotifierHostRegistered'
const get = 'org.freedesktop.DBus.Properties.Get'

/**
 * Programs that ask the session's message bus whether the desktop shows tray icons; a Linux desktop has at least one of
 * them. Source: the StatusNotifierItem specification of freedesktop.org, `IsStatusNotifierHostRegistered`.
 */
const queries = [
  `gdbus call --session --dest ${watcher} --object-path ${path} --method ${get} ${watcher} ${property}`,
  `dbus-send --session --print-reply --dest=${watcher} ${path} ${get} string:${watcher} string:${property}`,
  `busctl --user get-property ${watcher} ${path} ${watcher} ${property}`,
].map((command) => command.split(' '))

/**
 * Resolves to true if the desktop shows tray icons now. Windows and macOS always do; a Linux desktop may. Never
 * rejects.
 */
export async function hasTrayHost({ platform, env }: Pick<HostEnvironment, 'platform' | 'env'>): Promise<boolean> {
  if (platform !== 'linux') return true
  // Some of the programs would start a message bus if there is none.
  if (!env['DBUS_SESSION_BUS_ADDRESS'] && !existsSync(join(env['XDG_RUNTIME_DIR'] || '/nowhere', 'bus'))) return false
  for (const [program = '', ...args] of queries) {
    const outcome = await query(program, args, childEnvironment(env))
    if (outcome.kind === 'answered') return isTrue(outcome.text)
    if (outcome.kind === 'failed') return false
  }
  return false
}

/** Returns true for what each of the programs prints for true: `(<true>,)`, `variant boolean true`, `b true`. */
export function isTrue(text: string): boolean {
  return /\btrue\b/.test(text)
}

type QueryOutcome =
  | { readonly kind: 'answered'; readonly text: string }
  /** No program owns the bus name, so there is no tray. */
  | { readonly kind: 'failed' }
  /** The program is not installed. */
  | { readonly kind: 'not-installed' }

function query(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<QueryOutcome> {
  return new Promise((resolve) => {
    execFile(program, args, { env, timeout: timeoutMs }, (error, text) => {
      if (error === null) resolve({ kind: 'answered', text })
      else resolve({ kind: (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'not-installed' : 'failed' })
    })
  })
}
