import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault, FaultRule } from '../../../electron/sample-service/http/faults.ts'
import { startSampleService, type SampleService } from '../../../electron/sample-service/start-sample-service.ts'
import { SeededRandom } from '../../../electron/sample-service/site/seeded-random.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { servedHashes } from '../../support/sample-archive.ts'

/** A service whose sites keep changing and which fails at random, until it is asked to behave. */
process.once('message', ({ seed }: { seed: number }) => void serve(seed))

const faults: readonly (Pick<FaultRule, 'route'> & { readonly name: string; readonly fault: Fault })[] = [
  { name: '503', route: 'api', fault: { kind: 'status', status: 503 } },
  { name: '429 with Retry-After', route: 'api', fault: { kind: 'status', status: 429, retryAfter: 1 } },
  { name: '429', route: 'api', fault: { kind: 'status', status: 429 } },
  { name: 'reset of a call', route: 'api', fault: { kind: 'reset' } },
  { name: 'half an answer', route: 'api', fault: { kind: 'truncate', framing: 'contentLength' } },
  { name: 'a login page as an answer', route: 'api', fault: { kind: 'html' } },
  { name: 'slow answers', route: 'api', fault: { kind: 'latency', delayMs: 300 } },
  { name: 'a dead link', route: 'files', fault: { kind: 'status', status: 403 } },
  { name: 'a file host in trouble', route: 'files', fault: { kind: 'status', status: 500 } },
  { name: 'reset of a file', route: 'files', fault: { kind: 'reset', afterBytes: 900 } },
  { name: 'half a file', route: 'files', fault: { kind: 'truncate', framing: 'chunked' } },
  { name: 'a login page as a file', route: 'files', fault: { kind: 'html' } },
]

async function serve(seed: number): Promise<void> {
  const random = new SeededRandom(`${seed}`)
  const service = await startSampleService({
    seed,
    projects: 40,
    checklistsPerProject: 2,
    photoQuestionsPerChecklist: 2,
    photosPerQuestion: 3,
    photoBytes: 8000,
    reportBytes: 8000,
    requestLogLimit: 100,
  })
  const counts: Record<string, number> = {}
  let changes = 0
  let isOver = false
  process.once('message', () => {
    isOver = true
  })
  const { url, token } = service
  process.send?.({ url, token, projectIds: service.projects.map(({ id }) => id) })

  const misbehave = async () => {
    while (!isOver) {
      await sleep(random.between(200, 6000))
      const { name, route, fault } = random.pick(faults)
      counts[name] = (counts[name] ?? 0) + 1
      const active = service.faults.add({ route, fault, count: Math.round(random.between(1, 25)) })
      await sleep(random.between(200, 4000))
      active.remove()
    }
  }
  const live = async () => {
    while (!isOver) {
      await sleep(random.between(100, 1500))
      change(service, random)
      changes += 1
    }
  }
  await Promise.all([misbehave(), live()])
  // Everything is to be archived in the end, so everything is to be there.
  for (const checklist of service.projects.flatMap(({ checklists }) => checklists)) {
    service.setStatus(checklist, 'completed')
  }
  const hashes = await servedHashes(service)
  const apiCalls = service.requests.count('api')
  process.send?.({ faults: counts, changes, apiCalls, fileRequests: service.requests.count('files'), hashes })
}

function change(service: SampleService, random: SeededRandom): void {
  const checklist = random.pick(random.pick(service.projects).checklists)
  const [photo] = photosOf(checklist)
  const choice = random.between(0, 10)
  if (choice < 6) {
    // A finished survey starts again, so that something always changes.
    if (checklist.status === 'completed') service.setStatus(checklist, 'draft')
    else service.advance(checklist)
  } else if (choice < 8) {
    // The site must not grow over the week.
    if (photo !== undefined && photosOf(checklist).length > 6) service.removePhoto(photo)
    else service.addPhoto(checklist)
  } else if (photo !== undefined && choice < 9) service.replacePhoto(photo)
  else if (checklist.status === 'completed') service.replaceReport(checklist)
}
