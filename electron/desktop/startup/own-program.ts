import { sep } from 'node:path'

export interface ProgramHints {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the running program. */
  readonly execPath: string
  /** Not run from a clone. */
  readonly isPackaged: boolean
}

/**
 * The program that a person started, which is there at the next start too; undefined for a clone, which is nobody's app. An
 * AppImage runs from a mount that goes away, and the portable program of Windows from a temporary folder: both tell where they are.
 */
export function ownProgram({ env, execPath, isPackaged }: ProgramHints): string | undefined {
  const { APPIMAGE: image, APPDIR: mount, PORTABLE_EXECUTABLE_FILE: portable } = env
  // Programs that an AppImage starts are told of that one.
  if (image && mount && execPath.startsWith(`${mount}${sep}`)) return image
  if (!isPackaged) return undefined
  return portable || execPath
}
