import { createEngine } from '../../../electron/engine/create-engine.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'

/**
 * A process that looks at drafts, places them all at the same time and ends.
 * Arguments: data folder, archive folder, address of the service, token, the drafts' ids.
 */
const [homeFolder = '', archiveFolder = '', serviceUrl = '', token = '', ...ids] = process.argv.slice(2)
const silent = () => undefined
const engine = createEngine(
  { serviceUrl, homeFolder, archiveFolder, apiCallsPerMinute: 0 },
  {
    clock: systemClock,
    logger: { debug: silent, info: silent, warn: silent, error: silent, tell: silent },
    secrets: { accessToken: () => Promise.resolve(token) },
  },
)
const reviewed = await Promise.all(
  ids.map(async (id) => ({ orderId: Number(id), review: await engine.orders.review(Number(id)) })),
)
await Promise.all(
  reviewed.map(({ orderId, review }) => engine.orders.place({ orderId, fingerprint: review.fingerprint ?? '' })),
)
await engine.close()
