import { posix, win32 } from 'node:path'

/** What of the machine decides where things are. Given, so that every platform can be tested on one. */
export interface HostEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly currentFolder: string
  /** The user's own folder. */
  readonly userFolder: string
}

/** The path rules of the platform. */
export function pathRules({ platform }: HostEnvironment): typeof posix {
  return platform === 'win32' ? win32 : posix
}

/** Where the platform wants a program's data: database, settings, logs. */
export function defaultHomeFolder(environment: HostEnvironment): string {
  const { env, platform, userFolder } = environment
  const path = pathRules(environment)
  if (platform === 'darwin') return path.join(userFolder, 'Library', 'Application Support', 'Solarchive')
  if (platform === 'win32')
    return path.join(env['LOCALAPPDATA'] || path.join(userFolder, 'AppData', 'Local'), 'Solarchive')
  // The XDG specification has relative values ignored.
  const dataHome = env['XDG_DATA_HOME'] ?? ''
  return path.join(path.isAbsolute(dataHome) ? dataHome : path.join(userFolder, '.local', 'share'), 'solarchive')
}

/** Where the files go: in plain sight of the person whose files they are. */
export function defaultArchiveFolder(environment: HostEnvironment): string {
  return pathRules(environment).join(environment.userFolder, 'Solarchive')
}

/** Where the sample's files go, away from the person's own. */
export function sampleArchiveFolder(environment: HostEnvironment): string {
  return pathRules(environment).join(defaultHomeFolder(environment), 'sample', 'archive')
}

/** A path that a person wrote: `~` is the user's folder, and relative paths start at `base`. */
export function resolvePath(written: string, base: string, environment: HostEnvironment): string {
  const path = pathRules(environment)
  if (written === '~') return environment.userFolder
  if (/^~[/\\]/.test(written)) return path.join(environment.userFolder, written.slice(2))
  return path.resolve(base, written)
}
