import { AppError } from '../../shared/errors.ts'

/** Starts the sample service, loaded only when it is asked for. */
export async function startSample() {
  const { startSampleService } = await import('../sample-service/start-sample-service.ts')
  try {
    return await startSampleService()
  } catch (error) {
    throw new AppError('internal', 'The sample service could not be started on this machine.', { cause: error })
  }
}
