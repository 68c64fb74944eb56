import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { until } from '../../support/watching.ts'

/** An unlocked keyring of a Linux desktop, on a separate message bus. */
export interface Keyring {
  /** Environment variables by which a program finds it. */
  readonly env: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Returns true if this machine has the programs for one. */
export function canOpenKeyring(): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'].every((name) =>
    folders.some((folder) => existsSync(join(folder, name))),
  )
}

/** Opens a keyring that stores its secrets in `folder`. */
export async function openKeyring(folder: string): Promise<Keyring> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address=1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [address] = (await once(bus.stdout, 'data')) as [Buffer]
  const env = {
    DBUS_SESSION_BUS_ADDRESS: address.toString().trim(),
    XDG_DATA_HOME: folder,
    XDG_RUNTIME_DIR: folder,
  }
  const args = ['--foreground', '--unlock', '--components=secrets']
  const daemon = spawn('gnome-keyring-daemon', args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  daemon.stdin.end('password of the keyring')
  await until('the keyring is there', () => hasOwner({ ...process.env, ...env }))
  return {
    env,
    async close() {
      for (const child of [daemon, bus]) await end(child)
    },
  }
}

/** Asks the bus, which does not start the service for this. */
function hasOwner(env: NodeJS.ProcessEnv): boolean {
  const bus = 'org.freedesktop.DBus'
  const question = [`--dest=${bus}`, '/org/freedesktop/DBus', `${bus}.NameHasOwner`, 'string:org.freedesktop.secrets']
  return spawnSync('dbus-send', ['--session', '--print-reply', ...question], { env }).stdout.includes('boolean true')
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
