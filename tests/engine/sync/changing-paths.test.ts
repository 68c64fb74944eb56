import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { changingPaths, versionPaths } from '../../support/changing-paths.ts'
import {
  archivedHashes,
  checklistOf,
  readFiles,
  sampleArchive,
  type SampleArchive,
  servedHashes,
} from '../../support/sample-archive.ts'
import { withServer } from '../../support/with-server.ts'

const site = {
  projects: 1,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist: 2,
  photosPerQuestion: 6,
  statuses: ['completed'],
  awkwardNames: false,
} as const

it('if every response has new paths, a refused link costs one more call and no second download', async () => {
  const archive = await sampleArchive(site)
  const service = await changingPaths(archive.service.url, archive.service.filesUrl)
  archive.service.faults.add({ route: /photo/, fault: { kind: 'status', status: 403 }, skip: 3, count: 1 })
  const report = await archive.sync({ serviceUrl: service.url })
  expect(report.failures).toEqual([])
  const hashes = await servedHashes(archive.service)
  expect(archivedHashes(archive.root)).toEqual(hashes)
  expect(service.requests).toEqual({ media: 3, files: hashes.length + 1 })
})

it('if every response has new paths, a retry after a restart downloads only the missing file', async () => {
  const archive = await sampleArchive(site)
  const service = await changingPaths(archive.service.url, archive.service.filesUrl)
  archive.service.faults.add({ route: /photo/, fault: { kind: 'status', status: 404 }, count: 1 })
  expect(await archive.sync({ serviceUrl: service.url })).toMatchObject({ filesFailed: 1 })
  const before = { ...service.requests }
  await archive.sync({ serviceUrl: service.url })
  const hashes = await servedHashes(archive.service)
  expect(archivedHashes(archive.root)).toEqual(hashes)
  // The category is read for changes, and its files at new paths are requested once.
  expect(service.requests.media - before.media).toBe(1)
  expect(service.requests.files - before.files).toBeLessThanOrEqual(hashes.length)
})

it('if every version has its own path, a file that failed is downloaded in its new version', async () => {
  const archive = await sampleArchive(site)
  const { service } = archive
  const paths = await versionPaths(service.url, service.filesUrl)
  service.faults.add({ route: 'report', fault: { kind: 'status', status: 500 } })
  service.faults.add({ route: 'photo', fault: { kind: 'status', status: 500 } })
  await archive.withEngine(
    async (engine) => {
      const { filesFailed, apiCalls } = await engine.sync()
      expect(filesFailed).toBeGreaterThan(1)
      service.faults.clear()
      await paths.keepVersions()
      for (const photo of photosOf(checklistOf(archive))) service.replacePhoto(photo)
      service.replaceReport(checklistOf(archive))
      expect(await engine.sync()).toMatchObject({ failures: [], apiCalls })
      const { projects } = await engine.status()
      expect(projects[0]?.checklists).toMatchObject([{ complete: true, gaps: [] }])
    },
    { serviceUrl: paths.url },
  )
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(service))
})

it('a report that failed is not downloaded for a checklist that was reopened', async () => {
  const archive = await sampleArchive(site)
  const { service } = archive
  service.faults.add({ route: 'report', fault: { kind: 'status', status: 500 } })
  await archive.withEngine(async (engine) => {
    expect(await engine.sync()).toMatchObject({ filesFailed: 1 })
    service.setStatus(checklistOf(archive), 'awaitingMedia')
    service.faults.clear()
    const reads = service.requests.count('checklists') + service.requests.count('checklist')
    expect(await engine.sync()).toMatchObject({ failures: [], filesDownloaded: 0 })
    expect(service.requests.count('checklists') + service.requests.count('checklist')).toBe(2 * reads)
  })
})

/** Answers a request for a file of the sample, which was linked to below `version`. */
type AnswerFile = (
  file: { readonly version: string; readonly bytes: Buffer; readonly headers: IncomingHttpHeaders },
  response: ServerResponse,
) => void

/** Runs `use` with a service whose links lead below `version()`, and a file host that the test answers for. */
function withVersions(
  { service }: SampleArchive,
  version: (url: string) => string,
  answerFile: AnswerFile,
  use: (serviceUrl: string) => Promise<void>,
): Promise<void> {
  return withServer(
    async ({ url, headers }, response) => {
      const [, named, path] = /^\/(v\d)(\/.*)$/.exec(url) ?? []
      const answer = await fetch(path === undefined ? service.url + url : service.filesUrl + path)
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (named !== undefined) return answerFile({ version: named, bytes, headers }, response)
      const links = `http://${headers.host}/${version(url)}/`
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(bytes.toString().replaceAll(`${service.filesUrl}/`, links))
    },
    ({ url }) => use(url),
  )
}

const validator = '"1"'

it('validators are not sent to another URL than that of the archived file', async () => {
  const archive = await sampleArchive(site)
  let isMoved = false
  const asked = new Set<string>()
  const version = (url: string) => {
    const isAgain = isMoved && asked.has(url)
    if (isMoved) asked.add(url)
    return url.includes('/media/') && isAgain ? 'v2' : 'v1'
  }
  const other = Buffer.from('another file')
  const answerFile: AnswerFile = ({ version: named, bytes, headers }, response) => {
    const isPhoto = bytes.subarray(0, 2).equals(Buffer.from([0xff, 0xd8]))
    if (isMoved && isPhoto && named === 'v1') response.writeHead(403).end()
    else if (headers['if-none-match'] === validator) response.writeHead(304).end()
    else response.writeHead(200, { etag: validator }).end(named === 'v1' ? bytes : Buffer.concat([bytes, other]))
  }
  await withVersions(archive, version, answerFile, async (serviceUrl) => {
    expect(await archive.sync({ serviceUrl })).toMatchObject({ failures: [] })
    isMoved = true
    archive.service.replaceReport(checklistOf(archive))
    expect(await archive.sync({ serviceUrl })).toMatchObject({ failures: [] })
  })
  const current = [...readFiles(archive.root)].filter(([path]) => !path.includes('/.versions/'))
  const photos = current.filter(([path]) => path.includes('/photos/'))
  expect(photos).toHaveLength(12)
  expect(photos.filter(([, bytes]) => !bytes.subarray(-other.length).equals(other))).toEqual([])
})

it('an unfinished file is not continued from another URL', async () => {
  const archive = await sampleArchive({ ...site, photoQuestionsPerChecklist: 1, photosPerQuestion: 1, photoBytes: 3e6 })
  let version = 'v1'
  const ranges: string[] = []
  const answerFile: AnswerFile = ({ version: named, bytes, headers }, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
    if (bytes.length > 2e6) ranges.push(`${named} ${headers.range}`)
    response.writeHead(from > 0 ? 206 : 200, {
      etag: validator,
      'content-length': bytes.length - from,
      ...(from > 0 && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    })
    const isBroken = named === 'v1' && bytes.length > 2e6 && from === 0
    if (isBroken) response.write(bytes.subarray(0, 2e6), () => response.socket?.end())
    else if (named === 'v1' && from > 0) response.socket?.end()
    else response.end(bytes.subarray(from))
  }
  await withVersions(
    archive,
    () => version,
    answerFile,
    async (serviceUrl) => {
      expect(await archive.sync({ serviceUrl })).toMatchObject({ filesFailed: 1 })
      expect(ranges.at(-1)).toMatch(/^v1 bytes=/)
      version = 'v2'
      expect(await archive.sync({ serviceUrl })).toMatchObject({ failures: [] })
    },
  )
  expect(ranges.filter((range) => range.startsWith('v2'))).toEqual(['v2 undefined'])
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})
