import { AppError } from '../../shared/errors.ts'
import type { EngineSettings } from '../engine/engine.ts'
import type { ResolvedSettings, RunningSample } from './ports.ts'

/** Imports the module of the sample service. The app must not depend on it, so each host provides the import. */
export type SampleLoader = () => Promise<{ readonly startSampleService: () => Promise<RunningSample> }>

/** Starts the sample service, whose module is loaded only when it is needed. */
export async function startSample(load: SampleLoader): Promise<RunningSample> {
  const { startSampleService } = await load()
  try {
    return await startSampleService()
  } catch (error) {
    throw new AppError('internal', 'The sample service could not be started on this computer.', { cause: error })
  }
}

/** Settings that say which folders the sample uses. */
type Sources = Pick<ResolvedSettings, 'homeSource' | 'archiveSource'>

/** Returns whether the sample works in folders that a user chose: they may hold other projects. */
export function usesChosenFolders({ homeSource, archiveSource }: Sources): boolean {
  return homeSource !== 'default' || archiveSource !== 'default'
}

/** Returns the setting that keeps the sample's projects apart from others. */
export function dataForSample(settings: Sources, { projects }: RunningSample): Pick<EngineSettings, 'dataFor'> {
  if (!usesChosenFolders(settings)) return {}
  return { dataFor: { kind: 'sample', projectIds: projects.map(({ id }) => id) } }
}
