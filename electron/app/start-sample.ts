import { AppError } from '../../shared/errors.ts'
import type { RunningSample } from './ports.ts'

/** Imports the module of the sample service. The app must not depend on it, so each host provides the import. */
export type SampleLoader = () => Promise<{ readonly startSampleService: () => Promise<RunningSample> }>

/** Starts the sample service, whose module is loaded only when it is needed. */
export async function startSample(load: SampleLoader): Promise<RunningSample> {
  const { startSampleService } = await load()
  try {
    return await startSampleService()
  } catch (error) {
    throw new AppError('internal', 'The sample service could not be started on this machine.', { cause: error })
  }
}
