import { spawn } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { AppError } from '../../shared/errors.ts'
import { childEnvironment } from '../app/child-environment.ts'
import type { HostEnvironment } from '../app/settings/resolve-settings.ts'
import type { Desktop } from '../engine/lib/ports.ts'

export interface DesktopSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  /** Address that the app is served at. */
  readonly host: string
}

/** A program and its arguments; `verbatim` if they are already quoted for Windows. */
interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly verbatim?: boolean
}

/**
 * Returns the file manager of this machine for a browser on the same machine; `undefined` if the app is served to
 * others or the machine has no screen.
 */
export function desktopOf({ env, platform, host }: DesktopSurroundings): Desktop | undefined {
  const isLoopback = ['127.0.0.1', '::1', 'localhost'].includes(host.toLowerCase())
  if (!isLoopback || !hasDesktop({ env, platform })) return undefined
  const open = (path: string) => openPath({ env, platform }, path)
  return { showInFolder: (path) => run(showCommand(platform, path), env), openFolder: open, openFile: open }
}

/** Returns true if a user uses this machine at its own screen. */
function hasDesktop({ env, platform }: Omit<DesktopSurroundings, 'host'>): boolean {
  const isRemote = [env['SSH_CONNECTION'], env['SSH_TTY']].some((value) => value !== undefined)
  const hasScreen =
    platform === 'win32' || platform === 'darwin' || (env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? '') !== ''
  return hasScreen && !isRemote
}

/** Opens a file or folder with its default program. Rejects if that cannot be started. */
function openPath({ env, platform }: Omit<DesktopSurroundings, 'host'>, path: string): Promise<void> {
  return run(openCommand(platform, path), env)
}

/** Returns the command that shows the folder of a file, with the file selected where the platform can. */
export function showCommand(platform: NodeJS.Platform, path: string): Command {
  if (platform === 'darwin') return { program: 'open', args: ['-R', path] }
  // Windows allows no quotation mark in a name. Explorer does not take the whole argument in quotation marks.
  if (platform === 'win32') return { program: 'explorer.exe', args: [`/select,"${path}"`], verbatim: true }
  return { program: 'xdg-open', args: [posix.dirname(path)] }
}

export function openCommand(platform: NodeJS.Platform, path: string): Command {
  if (platform === 'darwin') return { program: 'open', args: [path] }
  if (platform === 'win32') return { program: 'explorer.exe', args: [`"${path}"`], verbatim: true }
  return { program: 'xdg-open', args: [path] }
}

/** Resolves once the program runs; its exit code means nothing (Explorer always exits with 1). */
function run({ program, args, verbatim = false }: Command, env: DesktopSurroundings['env']): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { env: childEnvironment(env), detached: true, windowsVerbatimArguments: verbatim }
    const child = spawn(program, args, { ...options, stdio: 'ignore' })
    child.once('spawn', () => {
      child.unref()
      resolve()
    })
    child.once('error', (cause) => {
      const message = 'The file manager of this computer could not be opened. Copy the path and open it there.'
      reject(new AppError('not-found', message, { cause }))
    })
  })
}

/** Returns true if a browser can be opened for the user who started this. */
export function canOpenBrowser({ env, platform }: Pick<HostEnvironment, 'env' | 'platform'>): boolean {
  return !env['CI'] && hasDesktop({ env, platform })
}

/**
 * Opens an address in the user's browser through a page that only they can read: everybody on the machine can read
 * the arguments of a program, and the address admits a browser. Returns a function that removes the page.
 */
export async function openBrowser(
  address: string,
  folder: string,
  environment: Pick<HostEnvironment, 'env' | 'platform'>,
): Promise<() => Promise<void>> {
  const path = join(folder, 'open-solarchive.html')
  await rm(path, { force: true })
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(
      '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">' +
        `<title>Solarchive</title><meta http-equiv="refresh" content="0;url=${address}"></head>` +
        '<body><p>Opening Solarchive.</p></body></html>\n',
    )
  } finally {
    await file.close()
  }
  const remove = () => rm(path, { force: true })
  await openPath(environment, path).catch(remove)
  return remove
}
