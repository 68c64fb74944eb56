import { sep } from 'node:path'

/**
 * Reads the arguments of a process: whether it is started in the background, so that the window opens once a user asks
 * for it, and on the embedded sample service. Unknown arguments are ignored, because Chromium and the systems add their
 * own.
 */
export function readDesktopStart(argv: readonly string[]) {
  return { isHidden: argv.includes('--hidden'), useSample: argv.includes('--sample') }
}

export interface ProgramHints {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the running program. */
  readonly execPath: string
  /** False in a clone. */
  readonly isPackaged: boolean
}

/**
 * Returns the program that a user started and that will still exist at the next start, or undefined in a clone, which
 * is not an installed app. An AppImage runs from a temporary mount, and the portable program of Windows from a
 * temporary folder: both pass their own path in the environment.
 */
export function installedProgram({ env, execPath, isPackaged }: ProgramHints): string | undefined {
  const { APPIMAGE: image, APPDIR: mount, PORTABLE_EXECUTABLE_FILE: portable } = env
  // Programs that another AppImage starts inherit that one's variables.
  if (image && mount && execPath.startsWith(`${mount}${sep}`)) return image
  if (!isPackaged) return undefined
  return portable || execPath
}

export interface PackageHints extends Pick<ProgramHints, 'env' | 'isPackaged'> {
  /** True if electron-builder wrote `app-update.yml`. */
  readonly hasUpdateAddress: boolean
}

/**
 * Returns true if updates can replace this app. The portable program of Windows has the update address of the installed
 * app, whose installer would put a second program beside it.
 */
export function isUpdatable({ env, isPackaged, hasUpdateAddress }: PackageHints): boolean {
  const { PORTABLE_EXECUTABLE_FILE: portable } = env
  return isPackaged && hasUpdateAddress && !portable
}

/**
 * Returns a desktop entry that starts the program in the background, by the Desktop Entry and Autostart specifications
 * of freedesktop.org. `program` is an absolute path; `homeFolder` is the data folder if it is not the default one.
 */
export function autostartEntry(program: string, homeFolder?: string): string {
  const home = homeFolder === undefined ? '' : `env ${execArgument(`SOLARCHIVE_HOME=${homeFolder}`)} `
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Solarchive',
    'Comment=Keeps site checklists archived',
    `Exec=${home}${execArgument(program)} --hidden`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
}

/**
 * Returns an argument for the Exec key: quoted, with the characters escaped that a shell would interpret; `%` would
 * begin a field code. The result is escaped once more as any string of the file, in which a backslash is two and a line
 * has no break.
 */
export function execArgument(text: string): string {
  const quoted = `"${text.replace(/["`$\\]/g, '\\$&')}"`
  return quoted.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
}

/** Returns true if an entry starts this program, also with options that a user added. */
export function isEntryOf(program: string, text: string): boolean {
  return text.split('\n').some((line) => line.startsWith('Exec=') && line.includes(execArgument(program)))
}

/** Returns true if Windows ignores all entries of the app: the Task Manager turns them off without removing them. */
export function areTurnedOff(entries: readonly { readonly enabled: boolean }[]): boolean {
  return entries.length > 0 && !entries.some(({ enabled }) => enabled)
}

/** Returns true if an entry is enabled: some desktops disable one by a key instead of removing the file. */
export function isEntryOn(text: string): boolean {
  return !/^\s*(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/m.test(text)
}
