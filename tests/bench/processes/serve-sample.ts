import { startSampleService, type SampleServiceOptions } from '../../../electron/sample-service/start-sample-service.ts'
import type { ServedSample } from './messages.ts'

process.once('message', (options: SampleServiceOptions) => void serve(options))

async function serve(options: SampleServiceOptions): Promise<void> {
  const service = await startSampleService(options)
  const served: ServedSample = {
    url: service.url,
    token: service.token,
    projectIds: service.projects.map(({ id }) => id),
  }
  process.send?.(served)
}
