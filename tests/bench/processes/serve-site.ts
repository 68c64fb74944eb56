import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type SampleService, startSampleService } from '../../../electron/sample-service/start-sample-service.ts'
import type { ServedSite, SiteProgress, SiteTask } from './messages.ts'

process.once('message', (task: SiteTask) => void serve(task))
process.once('disconnect', () => process.exit())

/**
 * Serves the recorded answers and the files of a sample service from memory: a thousandth of the sample service's own
 * work per request, so that what is measured is the client.
 */
async function serve({ checklists, photos, photoBytes, previews, delayMs = 0 }: SiteTask): Promise<void> {
  const questions = 5
  const service = await startSampleService({
    projects: 1,
    checklistsPerProject: checklists,
    photoQuestionsPerChecklist: questions,
    photosPerQuestion: Math.ceil(photos / checklists / questions),
    photoBytes,
    reportBytes: 20_000,
    statuses: ['completed'],
    awkwardNames: false,
  })
  const bytes = await bytesOf(service, previews)
  const recorded = await record(service)
  const paths = new Set<string>()
  let served = 0
  const filesUrl = await listen((request, response) => {
    const path = pathOf(request)
    const body = bytes.get(path.split('/')[1] ?? '')
    if (body === undefined) return void response.writeHead(404).end()
    served += 1
    if (served % 500 === 0) process.send?.({ served } satisfies SiteProgress)
    response.writeHead(200, { 'Content-Type': typeOf(path), 'Content-Length': body.length, ETag: `"${path}"` })
    response.end(request.method === 'HEAD' ? undefined : body)
  }, delayMs)
  const answers = new Map<string, string>()
  for (const [path, text] of recorded) {
    const rewritten = text.replaceAll(service.filesUrl, filesUrl)
    for (const [link] of rewritten.matchAll(/http:[^"\\]+/g)) paths.add(new URL(link).pathname.slice(1))
    answers.set(path, rewritten)
  }
  const url = await listen((request, response) => {
    const answer = answers.get(pathOf(request))
    response.writeHead(answer === undefined ? 404 : 200, { 'Content-Type': 'application/json' }).end(answer ?? '{}')
  }, delayMs)
  const { token, projects } = service
  await service.close()
  const site: ServedSite = { url, token, projectIds: projects.map(({ id }) => id), filesUrl, paths: [...paths] }
  process.send?.(site)
}

const pathOf = ({ url = '/' }: IncomingMessage) => url.split('?', 1)[0] ?? '/'

const typeOf = (path: string) => (path.endsWith('.pdf') ? 'application/pdf' : 'image/jpeg')

/** Returns the bytes of every photo, preview, and report, by the first folder of their paths. */
async function bytesOf(service: SampleService, previews: SiteTask['previews']): Promise<Map<string, Buffer>> {
  const [checklist] = service.projects[0]?.checklists ?? []
  const photo = checklist?.sections.flatMap(({ questions }) => questions).flatMap(({ photos }) => photos)[0]
  if (checklist === undefined || photo === undefined) throw new Error('The site has no photo.')
  const photoBytes = await service.photoBytes(photo)
  return new Map([
    ['photos', photoBytes],
    ['thumbnails', previews === 'small' ? await service.thumbnailBytes(photo) : photoBytes],
    ['reports', await service.reportBytes(checklist)],
  ])
}

/** Returns the answers to all calls of a sync, by their paths. */
async function record({ url, token, projects }: SampleService): Promise<Map<string, string>> {
  const recorded = new Map<string, string>()
  const get = async (path: string) => {
    const text = await (await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${token}` } })).text()
    recorded.set(path, text)
    return text
  }
  for (const { id, checklists } of projects) {
    await get(`/api/v1/checklist/${id}`)
    for (const checklist of checklists) {
      const text = await get(`/api/v1/checklist/${id}/${checklist.id}`)
      const categories = new Set([...text.matchAll(/"mediaCategoryId":"([^"]+)"/g)].map(([, category]) => category))
      for (const category of categories) await get(`/api/v1/media/${id}/${category}`)
    }
  }
  return recorded
}

/** Starts a server on any free port; returns its address. */
function listen(respond: RequestListener, delayMs: number): Promise<string> {
  const delayed: RequestListener = (request, response) => void sleep(delayMs).then(() => respond(request, response))
  const server = createServer(delayMs > 0 ? delayed : respond)
  server.keepAliveTimeout = 60_000
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })
}
