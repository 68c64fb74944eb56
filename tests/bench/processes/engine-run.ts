import { join } from 'node:path'
import { createEngine } from '../../../electron/engine/create-engine.ts'
import { measure } from './measure.ts'
import type { DownloadTask } from './messages.ts'
import { silentPorts } from '../../support/silent-logger.ts'

/** The real engine, from an empty data folder to a complete archive; every API call, row and document included. */
process.once('message', (task: DownloadTask) => void archiveAll(task))

async function archiveAll(task: DownloadTask): Promise<void> {
  const engine = createEngine(
    {
      serviceUrl: task.url,
      homeFolder: join(task.folder, 'home'),
      archiveFolder: join(task.folder, 'archive'),
      apiCallsPerMinute: 0,
      concurrency: task.concurrency,
    },
    silentPorts(task.token),
  )
  engine.projects.add(task.projectIds.map((id) => ({ id, name: `Project ${id}` })))
  const figures = await measure(async () => {
    const report = await engine.sync()
    if (report.failures.length > 0) throw new Error(`The sync failed: ${JSON.stringify(report.failures[0])}`)
    return { files: report.filesDownloaded, bytes: report.bytesDownloaded }
  })
  await engine.close()
  process.send?.(figures)
  process.disconnect()
}
