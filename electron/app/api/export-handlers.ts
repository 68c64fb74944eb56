import { lstat, stat } from 'node:fs/promises'
import type { ExportState, PacketState } from '../../../shared/background-tasks.ts'
import { AppError } from '../../../shared/errors.ts'
import type { Desktop } from '../../engine/lib/ports.ts'
import { absoluteFolder } from '../settings/archive-folder.ts'
import type { Handlers, HandlersDeps } from './handlers.ts'

/** Returns the handlers of the calls that hand over copies of the archive. */
export function createExportHandlers({ source, ports, engines, tasks, requireWritableArchive }: HandlersDeps) {
  return {
    'export.preview': ({ selection, options }) => engines.require().exports.preview(selection, options),
    'export.start': async ({ selection, options, to, inFolder }) => {
      engines.require()
      const path = await targetOf(to, { userFolder: source.userFolder, inFolder, what: 'export' })
      requireWritableArchive()
      return tasks.exporting.start({ selection, options, to: path })
    },
    'export.stop': () => tasks.exporting.stop(),
    'export.show': () => showLast(ports.desktop, tasks.exporting.state),
  } satisfies Partial<Handlers>
}

interface TypedTarget {
  readonly userFolder: string
  /** True if `typed` has to be a folder that exists. */
  readonly inFolder: boolean
  readonly what: 'export' | 'packet'
}

/** Returns a typed path as an absolute one. Throws `wrong-usage` if it cannot be used. */
export async function targetOf(typed: string, { userFolder, inFolder, what }: TypedTarget): Promise<string> {
  const path = absoluteFolder(typed, userFolder)
  const details = { input: 'to' }
  if (path === undefined) {
    throw new AppError('wrong-usage', `Enter the full path for the ${what}, starting with a drive, "/", or "~".`, {
      details,
    })
  }
  if (!inFolder) return path
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() === true) return path
  const problem = found === undefined ? 'The folder does not exist' : 'This is a file'
  throw new AppError('wrong-usage', `${problem}: ${path}. Choose a folder that exists.`, { details })
}

/**
 * Shows what a task has written in the file manager: no path of the page, which could name any folder. Throws
 * `wrong-usage` if the host cannot, `not-found` if there is nothing.
 */
export async function showLast(
  desktop: Desktop | undefined,
  state: ExportState | PacketState,
): Promise<Record<string, never>> {
  if (desktop === undefined) {
    throw new AppError('wrong-usage', 'Solarchive cannot open folders on your machine from here. Copy the path.')
  }
  if (state.kind === 'running' || state.last?.ok !== true) throw new AppError('not-found', 'Nothing was written yet.')
  const { path } = state.last.report
  await lstat(path).catch(() => {
    throw new AppError('not-found', `${path} is not there anymore. It may have been moved or renamed.`)
  })
  await desktop.showInFolder(path)
  return {}
}
