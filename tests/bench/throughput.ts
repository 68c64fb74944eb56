import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SampleServiceOptions } from '../../electron/sample-service/start-sample-service.ts'
import type { DownloadFigures, DownloadTask, ServedSample } from './processes/messages.ts'

const concurrency = 8
const rounds = 3

/** The targets of the throughput bench; printed beside what was measured. */
const targets = { ratio: 1.3, peakMegabytes: 250, loopDelayP99Ms: 50 }

interface Case {
  readonly name: string
  readonly options: SampleServiceOptions
}

/** Checklists of 200 photos, as large ones are. */
const photos = (count: number, photoBytes: number): SampleServiceOptions => ({
  projects: 1,
  checklistsPerProject: count / 200,
  photoQuestionsPerChecklist: 5,
  photosPerQuestion: 40,
  photoBytes,
  statuses: ['completed'],
  awkwardNames: false,
})

const cases: readonly Case[] = [
  { name: '1,000 photos of 20 KB', options: photos(1000, 20_000) },
  { name: '5,000 photos of 20 KB', options: photos(5000, 20_000) },
  { name: '200 photos of 5 MB', options: photos(200, 5_000_000) },
]

/** Archives by the real engine, beside a bare loop, in turn; prints wall times, their ratio, memory and loop delay. */
export async function benchThroughput(): Promise<void> {
  console.log(
    `Each figure is the median of ${rounds} runs in turn; ${concurrency} files at a time; service in its own process.`,
  )
  const peaks: number[] = []
  for (const { name, options } of cases) {
    const server = start('serve-sample.ts')
    const served = await ask<ServedSample>(server, options)
    const bare: DownloadFigures[] = []
    const engine: DownloadFigures[] = []
    // The first run of each warms the service's and the system's caches.
    await download('bare-loop.ts', served)
    for (let round = 0; round < rounds; round++) {
      bare.push(await download('bare-loop.ts', served))
      engine.push(await download('engine-run.ts', served))
    }
    server.kill()
    report(name, bare, engine)
    peaks.push(median(engine, ({ peakMegabytes }) => peakMegabytes))
  }
  const [small = 0, large = 0] = peaks
  console.log(
    `\nPeak memory of the engine, 5,000 files beside 1,000: ${large.toFixed(0)} MB beside ${small.toFixed(0)} MB.`,
  )
}

function report(name: string, bare: readonly DownloadFigures[], engine: readonly DownloadFigures[]): void {
  const wall = ({ wallMs }: DownloadFigures) => wallMs
  const ratio = median(engine, wall) / median(bare, wall)
  const { files = 0, bytes = 0 } = engine[0] ?? {}
  const rate = (figures: readonly DownloadFigures[]) => `${Math.round(files / (median(figures, wall) / 1000))} files/s`
  console.log(`\n${name} (with thumbnails and reports ${files} files, ${(bytes / 1e6).toFixed(0)} MB)`)
  console.log(`  bare loop          ${seconds(median(bare, wall))}  ${rate(bare)}`)
  console.log(`  engine             ${seconds(median(engine, wall))}  ${rate(engine)}`)
  console.log(`  ratio              ${verdict(ratio, targets.ratio, 2)}`)
  const peak = median(engine, ({ peakMegabytes }) => peakMegabytes)
  console.log(`  peak memory, MB    ${verdict(peak, targets.peakMegabytes, 0)}`)
  console.log(`  of the bare loop   ${median(bare, ({ peakMegabytes }) => peakMegabytes).toFixed(0)}`)
  const delay = median(engine, ({ loopDelayP99Ms }) => loopDelayP99Ms)
  console.log(`  loop delay p99, ms ${verdict(delay, targets.loopDelayP99Ms, 1)}`)
}

function verdict(value: number, target: number, digits: number): string {
  return `${value.toFixed(digits)} (target: at most ${target})${value > target ? '  MISSED' : ''}`
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`

function median(figures: readonly DownloadFigures[], of: (figure: DownloadFigures) => number): number {
  const sorted = figures.map(of).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

async function download(script: string, served: ServedSample): Promise<DownloadFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'solarchive-bench-'))
  try {
    const task: DownloadTask = { ...served, folder, concurrency }
    return await ask<DownloadFigures>(start(script), task)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function start(script: string): ChildProcess {
  return fork(fileURLToPath(new URL(`processes/${script}`, import.meta.url)))
}

/** Sends a process its order and waits for the answer. */
async function ask<Answer>(child: ChildProcess, order: object): Promise<Answer> {
  child.send(order)
  return Promise.race([
    once(child, 'message').then(([message]) => message as Answer),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`A bench process ended with ${String(code)}`))),
  ])
}
