import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** Path of Electron's program, or a sentence for the user about why there is none. */
export type FoundElectron =
  | { readonly kind: 'found'; readonly program: string }
  | { readonly kind: 'absent'; readonly why: string }

/**
 * Finds Electron in the folder that `ELECTRON_OVERRIDE_DIST_PATH` names, or in the one that the package downloads to.
 * Downloads nothing.
 */
export function findElectron(clone: string, env: Environment, platform: NodeJS.Platform): FoundElectron {
  const packageFolder = join(clone, 'node_modules', 'electron')
  const override = env['ELECTRON_OVERRIDE_DIST_PATH']
  const program = join(override || join(packageFolder, 'dist'), programName(packageFolder, platform))
  if (existsSync(program)) return { kind: 'found', program }
  const why = override
    ? 'ELECTRON_OVERRIDE_DIST_PATH names a folder without Electron.'
    : 'There is no Electron here yet: "npx install-electron" fetches it.'
  return { kind: 'absent', why }
}

/** Returns true if a window can be shown: on Linux this needs a display. */
export function hasDisplay(env: Environment, platform: NodeJS.Platform): boolean {
  return platform !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
}

/** Returns the flags that Electron needs: Chromium's sandbox refuses to run as root. */
export function electronFlags(): readonly string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : []
}

/** The package records the name when it downloads the program. */
function programName(packageFolder: string, platform: NodeJS.Platform): string {
  const recorded = join(packageFolder, 'path.txt')
  if (existsSync(recorded)) return readFileSync(recorded, 'utf8').trim()
  if (platform === 'win32') return 'electron.exe'
  return platform === 'darwin' ? 'Electron.app/Contents/MacOS/Electron' : 'electron'
}

export interface DesktopRun {
  readonly program: string
  readonly clone: string
  /** Folders of the sample; `undefined` for the user's own service and folders. */
  readonly sample: { readonly home: string; readonly archive: string } | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/** Runs the desktop app until it ends or the signal aborts. Returns its exit code. */
export function runDesktop({ program, clone, sample, env, signal }: DesktopRun): Promise<number> {
  const folders = sample && { SOLARCHIVE_HOME: sample.home, SOLARCHIVE_ARCHIVE: sample.archive }
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...electronFlags(), clone, ...(sample === undefined ? [] : ['--sample'])], {
      cwd: clone,
      env: { ...env, ...folders },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    const stop = () => child.kill('SIGTERM')
    signal.addEventListener('abort', stop, { once: true })
    child.once('error', reject)
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop)
      resolve(code ?? 1)
    })
  })
}
