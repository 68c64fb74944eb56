import { AppError } from '../../../shared/errors.ts'
import type { EngineSettings } from '../engine.ts'
import type { Store } from '../store/create-store.ts'
import { archivedProjects } from './restore-projects.ts'

/** Meta key of the kind of service. */
const kindKey = 'service-kind'

/**
 * Throws `wrong-settings` if made-up projects of the sample and those of a real service would get into one data folder
 * or one archive; otherwise records whose projects the data folder has. A folder without projects may be used for
 * either.
 */
export function requireOwnProjects(store: Store, { homeFolder, archiveFolder, dataFor }: EngineSettings): void {
  if (dataFor === undefined) return
  const recorded = store.meta.get(kindKey)
  const projects = store.projects.listAll().map(({ id }) => id)
  if (dataFor.kind === 'service') {
    if (recorded === 'sample' && projects.length > 0) throw sampleData(homeFolder)
  } else {
    const isOurs = new Set([...dataFor.projectIds, ...(recorded === 'sample' ? projects : [])])
    const isForeign = (id: string) => !isOurs.has(id)
    if (projects.some(isForeign) || (recorded === 'service' && projects.length > 0)) {
      throw notOfSample(`data folder ${homeFolder}`)
    }
    for (const id of archivedProjects(archiveFolder)) {
      if (isForeign(id)) throw notOfSample(`archive folder ${archiveFolder}`)
    }
  }
  if (recorded !== dataFor.kind) store.meta.set(kindKey, dataFor.kind)
}

/** Returns whether a data folder is known to hold the sample's projects. */
export function holdsSample(store: Store): boolean {
  return store.meta.get(kindKey) === 'sample'
}

function sampleData(homeFolder: string): AppError {
  return new AppError(
    'wrong-settings',
    `The data folder ${homeFolder} holds the made-up projects of the sample. No service was called, and nothing was ` +
      'changed. Start the sample on it, or choose another data folder.',
  )
}

function notOfSample(folder: string): AppError {
  return new AppError(
    'wrong-settings',
    `The ${folder} holds projects that are not the sample's, and its made-up projects must not get between them. ` +
      'Nothing was changed. Start the sample without a choice of folders, so that it has its own, or on empty ones.',
  )
}
