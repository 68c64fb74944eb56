import { startSampleService, type SampleServiceOptions } from '../../../electron/sample-service/start-sample-service.ts'
import type { ServedSample } from '../processes/messages.ts'

/** A service whose API works and whose file host refuses every link. */
process.once('message', (options: SampleServiceOptions) => void serve(options))

async function serve(options: SampleServiceOptions): Promise<void> {
  const service = await startSampleService(options)
  service.faults.add({ route: 'files', fault: { kind: 'status', status: 403 } })
  const served: ServedSample = {
    url: service.url,
    token: service.token,
    projectIds: service.projects.map(({ id }) => id),
  }
  process.send?.(served)
}
