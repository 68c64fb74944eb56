import { createEngine } from '../../../electron/engine/create-engine.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'

/**
 * A process that places a list of orders and ends.
 * Arguments: data folder, archive folder, address of the service, token, the list's id.
 */
const [homeFolder = '', archiveFolder = '', serviceUrl = '', token = '', batchId = ''] = process.argv.slice(2)
const silent = () => undefined
const engine = createEngine(
  { serviceUrl, homeFolder, archiveFolder, apiCallsPerMinute: 0 },
  {
    clock: systemClock,
    logger: { debug: silent, info: silent, warn: silent, error: silent, tell: silent },
    secrets: { accessToken: () => Promise.resolve(token) },
  },
)
engine.batches.start(Number(batchId))
await engine.batches.ended(Number(batchId))
await engine.close()
