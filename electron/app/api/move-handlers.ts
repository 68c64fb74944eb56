import { AppError } from '../../../shared/errors.ts'
import { readMoveRecord } from '../move/move-record.ts'
import { absoluteFolder, checkArchiveFolder, checkMoveTarget, requireMoveTarget } from '../settings/archive-folder.ts'
import type { Handlers, HandlersDeps } from './handlers.ts'

/** Returns the handlers of the calls that check an archive folder and move the archive to another one. */
export function createMoveHandlers(deps: HandlersDeps) {
  const { source, configuration, engines, changer, queue, mover } = deps
  const { homeFolder, userFolder } = source

  async function readTarget(folder: string): Promise<{ readonly from: string; readonly to: string }> {
    engines.require()
    configuration.requireFree('archiveFolder')
    if (configuration.usesSample && !configuration.resolved.useSample) throw sampleStays()
    // Requesting an unfinished move again resumes it.
    const record = await readMoveRecord(homeFolder)
    if (record !== undefined && record.to === absoluteFolder(folder, userFolder)) return record
    const from = configuration.engineSettings.archiveFolder
    const folders = engines.require().projectFolders()
    return { from, to: await requireMoveTarget({ from, to: folder, homeFolder, userFolder, folders }) }
  }

  return {
    'archive.check': ({ folder, purpose }) =>
      purpose === 'use'
        ? checkArchiveFolder(folder, changer.folders())
        : checkMoveTarget({
            from: configuration.engineSettings.archiveFolder,
            to: folder,
            homeFolder,
            userFolder,
            folders: engines.present?.projectFolders() ?? [],
          }),
    'archive.size': () => engines.require().archiveSize(),
    'archive.move': async ({ folder }) => {
      await queue.run(async () => {
        const { from, to } = await readTarget(folder)
        await mover.start({ from, to })
      })
      return mover.state
    },
    'archive.stopMove': async () => {
      await queue.run(() => mover.stop())
      return mover.state
    },
  } satisfies Partial<Handlers>
}

function sampleStays(): AppError {
  return new AppError('wrong-usage', "The sample service's archive stays where it is. Nothing was changed.")
}
