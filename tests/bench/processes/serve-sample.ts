import { startSampleService } from '../../../electron/sample-service/start-sample-service.ts'
import type { SampleTask, ServedSample } from './messages.ts'

process.once('message', (task: SampleTask) => void serve(task))

async function serve({ fileFault, ...options }: SampleTask): Promise<void> {
  const service = await startSampleService(options)
  if (fileFault !== undefined) service.faults.add({ route: 'files', fault: fileFault })
  const served: ServedSample = {
    url: service.url,
    token: service.token,
    projectIds: service.projects.map(({ id }) => id),
  }
  process.send?.(served)
}
