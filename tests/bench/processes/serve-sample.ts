import { startSampleService } from '../../../electron/sample-service/start-sample-service.ts'
import type { SampleTask, ServedSample } from './messages.ts'

process.once('message', (task: SampleTask) => void serve(task))

async function serve({ fileDelayMs = 0, ...options }: SampleTask): Promise<void> {
  const service = await startSampleService(options)
  if (fileDelayMs > 0) service.faults.add({ route: 'files', fault: { kind: 'latency', delayMs: fileDelayMs } })
  const served: ServedSample = {
    url: service.url,
    token: service.token,
    projectIds: service.projects.map(({ id }) => id),
  }
  process.send?.(served)
}
