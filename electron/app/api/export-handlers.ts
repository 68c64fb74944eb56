import { AppError } from '../../../shared/errors.ts'
import type { EngineHolder } from '../engine-holder.ts'
import { absoluteFolder } from '../settings/archive-folder.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import type { Handlers } from './create-api.ts'

export interface ExportHandlersDeps {
  readonly engines: EngineHolder
  readonly tasks: BackgroundTasks
  /** The user's own folder, which `~` stands for. */
  readonly userFolder: string
}

/** Returns the handlers of the calls that hand over copies of the archive. */
export function createExportHandlers({
  engines,
  tasks,
  userFolder,
}: ExportHandlersDeps): Handlers<'export.preview' | 'export.start' | 'export.stop'> {
  return {
    'export.preview': ({ selection, options }) => engines.require().exports.preview(selection, options),
    'export.start': ({ selection, options, to }) => {
      engines.require()
      const path = absoluteFolder(to, userFolder)
      if (path === undefined) {
        throw new AppError('wrong-usage', 'Enter the full path for the export, starting with a drive, "/", or "~".')
      }
      return tasks.exporting.start({ selection, options, to: path, format: options.format })
    },
    'export.stop': () => tasks.exporting.stop(),
  }
}
