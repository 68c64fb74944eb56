import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  type Attack,
  type HostileService,
  photosPerProject,
  startHostileService,
} from '../../support/hostile-service.ts'
import { measureSync, type MeasuredSync } from '../../support/measure-sync.ts'

const maxGrowthMegabytes = 100
/** A turn of the event loop takes at most 100 ms, and on a slow and busy machine several times as long. */
const maxTurnMs = 1_000
const ordinary = ['good1', 'good2', 'good3']

type Answer = Attack['answer']

const json = { 'content-type': 'application/json' }

/** Sends `piece` as long as anybody reads it. */
const endless =
  (piece: string, status = 200, headers: Record<string, string> = json, start = ''): Answer =>
  async (response, write) => {
    response.writeHead(status, headers)
    let isRead = await write(start === '' ? piece : start)
    while (isRead) isRead = await write(piece)
  }

/** Sends `start`, then a piece of `bytes` bytes ten times a second. */
const dripping =
  (start: string | Buffer, bytes: number, headers: Record<string, string> = json): Answer =>
  async (response, write) => {
    response.writeHead(200, headers)
    let isRead = await write(start)
    while (isRead) {
      await sleep(100)
      isRead = await write(' '.repeat(bytes))
    }
  }

/** Sends a body that is complete, in large pieces. */
const whole =
  (body: () => string | Buffer, headers: Record<string, string> = json): Answer =>
  async (response, write) => {
    response.writeHead(200, headers)
    const bytes = Buffer.from(body())
    for (let start = 0; start < bytes.length; start += 2 ** 20) {
      if (!(await write(bytes.subarray(start, start + 2 ** 20)))) return
    }
    response.end()
  }

const redirect =
  (location: string): Answer =>
  (response) =>
    void response.writeHead(302, { location }).end()

/** Announces more than it sends. */
const cutOff =
  (headers: Record<string, string>): Answer =>
  (response) =>
    void response.writeHead(200, headers).write('[', () => response.destroy())

const gzip = { ...json, 'content-encoding': 'gzip' }
const longWait = { 'retry-after': `abc${' '.repeat(10_000)}x` }
/** More than a system buffers for a connection on this machine, at both ends. */
const bufferedBytes = 16 * 2 ** 20

/** Runs a pass over attacking projects beside three ordinary ones, which must be complete within little memory. */
async function syncBeside(
  attacks: Readonly<Record<string, Attack>>,
  stopsWhenComplete = false,
): Promise<MeasuredSync & { service: HostileService }> {
  const service = await startHostileService(attacks)
  try {
    const filesExpected = ordinary.length * photosPerProject
    const hostile = Object.keys(attacks)
    const measured = await measureSync({ url: service.url, ordinary, hostile, filesExpected, stopsWhenComplete })
    expect(measured.filesArchived).toBe(filesExpected)
    const { growthMegabytes, longestTurnMs, cpuMs } = measured
    const figures = [`${growthMegabytes.toFixed(0)} MB`, `${longestTurnMs.toFixed(0)} ms`, `${cpuMs.toFixed(0)} ms`]
    process.stdout.write(`Memory, longest turn, processor: ${figures.join(', ')}.\n`)
    expect(growthMegabytes).toBeLessThan(maxGrowthMegabytes)
    expect(longestTurnMs).toBeLessThan(maxTurnMs)
    return { ...measured, service }
  } finally {
    await service.close()
  }
}

const list = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join()
const members = (count: number, from = 0) => list(count, (index) => `"k${from + index}":1`)
const section = (index: number) =>
  `{"label":"S${index}","questions":[{"label":"Q","mediaCategoryId":"m${index}","clientRefIds":["a"]}]}`
const draft = (index: number) =>
  `{"id":"c${index}","title":"Survey ${index}","status":"draft","updatedAt":"2026-05-01T10:00:00Z"}`

const jpegStart = Buffer.from([0xff, 0xd8, 0xff, 0xe0])

describe('answers that are too large', () => {
  it.each<[string, Readonly<Record<string, Attack>>]>([
    [
      'endless, nested, or of too many parts',
      {
        endless: { step: 'list', answer: endless('{"id":"x","status":"draft"},'.repeat(1000), 200, json, '[') },
        keys: { step: 'checklist', answer: whole(() => `{"id":"c-bad",${members(2_000_000)}}`) },
        nested: { step: 'checklist', answer: whole(() => '['.repeat(1_000_000)) },
        sections: {
          step: 'checklist',
          answer: whole(() => `{"id":"c-bad","sections":[${list(20_000, section)}]}`),
        },
        spaces: { step: 'list', answer: endless(' '.repeat(2 ** 16)) },
        unpacking: { step: 'list', answer: whole(() => gzipSync(Buffer.alloc(2 ** 26, '{},')), gzip) },
      },
    ],
    ['32 MB of empty objects', { objects: { step: 'media', answer: whole(() => `[${'{},'.repeat(11_000_000)}{}]`) } }],
    ['a text of 11 MB', { text: { step: 'list', answer: whole(() => `["☀${'x'.repeat(11_500_000)}"]`) } }],
  ])('(%s) fail alone, within little memory', async (_name, attacks) => {
    const { failures } = await syncBeside(attacks)
    expect(failures).toEqual(Object.keys(attacks).map((project) => `${project}: unreadable-answer`))
  })
})

it('an answer with 10,000 checklists is archived like any other', async () => {
  const { failures } = await syncBeside({ bad: { step: 'list', answer: whole(() => `[${list(10_000, draft)}]`) } })
  expect(failures).toEqual([])
})

it('answers and files that lie or lead astray fail alone, each with a plain error', async () => {
  const toNowhere = { location: '/api/v1/checklist/lead' }
  const { failures, service } = await syncBeside({
    shorter: { step: 'list', answer: cutOff({ ...json, 'content-length': '9' }) },
    longer: { step: 'list', answer: (response) => void response.writeHead(200, { 'content-length': 1 }).end('[]') },
    failing: { step: 'list', answer: endless('x'.repeat(2 ** 16), 404) },
    loop: { step: 'list', answer: redirect('/api/v1/checklist/loop') },
    local: { step: 'list', answer: redirect('file:///etc/passwd') },
    ftp: { step: 'checklist', answer: redirect('ftp://127.0.0.1/a') },
    lead: { step: 'list', answer: endless('x'.repeat(2 ** 16), 302, toNowhere) },
    fileLoop: { step: 'photo', answer: redirect('/files/fileLoop/again.jpg') },
    fileLocal: { step: 'photo', answer: redirect('file:///etc/passwd') },
    fileFtp: { step: 'photo', answer: redirect('ftp://127.0.0.1/a') },
    fileNonsense: { step: 'photo', answer: redirect('http://[') },
    fileLead: {
      step: 'photo',
      photos: 1,
      answer: endless('x'.repeat(2 ** 16), 302, { location: '/files/fileLead/x' }),
    },
    fileWait: { step: 'photo', photos: 1, answer: (response) => void response.writeHead(429, longWait).end() },
    fileShorter: { step: 'photo', photos: 1, answer: cutOff({ 'content-length': '9000' }) },
    filePacked: { step: 'photo', answer: whole(() => gzipSync(Buffer.alloc(2 ** 24)), gzip) },
  })
  expect(failures).toEqual([
    'failing: not-found',
    'fileFtp: link-unsafe',
    'fileLead: service-error',
    'fileLocal: link-unsafe',
    'fileLoop: service-error',
    'fileNonsense: link-unsafe',
    'filePacked: file-invalid',
    'fileShorter: unreachable-reset',
    'fileWait: rate-limited',
    'ftp: service-error',
    'lead: service-error',
    'local: service-error',
    'longer: unreadable-answer',
    'loop: service-error',
    'shorter: unreachable-reset',
  ])
  // What the system buffers for each connection: four calls, and three tries of a file with six requests each.
  expect(service.bytesSent.get('lead')).toBeLessThan(4 * bufferedBytes)
  expect(service.bytesSent.get('fileLead')).toBeLessThan(18 * bufferedBytes)
})

it.each<[string, Readonly<Record<string, Attack>>]>([
  [
    'an answer that drips and a file without end keep',
    {
      answer: { step: 'list', answer: dripping('[', 1) },
      file: { step: 'photo', answer: dripping(jpegStart, 100_000, {}) },
    },
  ],
  ['24 files at 50 bytes a second keep', { bad: { step: 'photo', photos: 24, answer: dripping(jpegStart, 5, {}) } }],
])('%s no other project waiting', async (_name, attacks) => {
  const { wereOthersFirst } = await syncBeside(attacks, true)
  expect(wereOthersFirst).toBe(true)
})
