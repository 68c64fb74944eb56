import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, broken, start } from './ask.ts'
import type { ServedSample, SoakEnd, SoakSample, SoakServed, SoakTask } from './processes/messages.ts'
import { median } from './rows.ts'

const minute = 60_000
const week = 7 * 24 * 60 * minute

/** The target: memory at the end against that after the first minute. */
const maxGrowthMegabytes = 20

/** The codes that each injected fault may be reported as; `file-gone` is a photo removed after its link was created. */
const explained: ReadonlySet<string> = new Set([
  'service-error',
  'rate-limited',
  'unreachable-reset',
  'unreachable-timeout',
  'unreadable-answer',
  'link-refused',
  'file-truncated',
  'file-invalid',
  'file-gone',
])

/**
 * `npm run bench -- soak [minutes] [seed]`: a week of the watch, in an hour by default, over a service whose
 * sites keep changing and which fails at random. Prints memory, failures and what is left at the end.
 */
export async function benchSoak([minutesText = '60', seedText]: readonly string[]): Promise<void> {
  const minutes = Number(minutesText)
  const seed = seedText === undefined ? Math.floor(Math.random() * 1e6) : Number(seedText)
  if (!(minutes >= 2) || !Number.isSafeInteger(seed)) {
    console.error('Usage: npm run bench -- soak [minutes, 2 or more] [seed]')
    process.exitCode = 2
    return
  }
  console.log(`A week of watching in ${minutes} minutes, seed ${seed}.`)
  const folder = await mkdtemp(join(tmpdir(), 'solarchive-soak-'))
  const service = start('serve-changing-site.ts')
  const engine = start('watch-changing-site.ts')
  const anyBroken = Promise.race([broken(engine), broken(service)])
  // Reported by the code that awaits it.
  anyBroken.catch(() => undefined)
  try {
    const site = await ask<ServedSample>(service, { seed })
    const samples: SoakSample[] = []
    engine.on('message', (message: SoakSample | SoakEnd) => message.kind === 'sample' && samples.push(message))
    const task: SoakTask = { ...site, folder, speed: week / (minutes * minute) }
    engine.send(task)
    for (let done = 0; done < minutes; done++) {
      await Promise.race([sleep(minute), anyBroken])
      const rss = samples.at(-1)?.rssMegabytes.toFixed(0) ?? '?'
      console.log(`  after ${done + 1} min: ${rss} MB, ${count(samples)} failures so far`)
    }
    const served = await ask<SoakServed>(service, {})
    const memory = samples.map(({ rssMegabytes }) => rssMegabytes)
    const ended = new Promise<SoakEnd>((resolve) => {
      engine.on('message', (message: SoakSample | SoakEnd) => message.kind === 'end' && resolve(message))
    })
    engine.send({})
    report(memory, samples, served, await Promise.race([ended, anyBroken]))
  } finally {
    service.kill()
    engine.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

function report(memory: readonly number[], samples: readonly SoakSample[], served: SoakServed, end: SoakEnd): void {
  const after = (fromMs: number, toMs: number) =>
    median(memory.slice(Math.floor(fromMs / 5000), Math.ceil(toMs / 5000)))
  const first = after(minute, 1.5 * minute)
  const last = median(memory.slice(-6))
  const failuresByCode = new Map<string, number>()
  for (const { failures } of samples) {
    for (const [code, times] of Object.entries(failures)) {
      failuresByCode.set(code, (failuresByCode.get(code) ?? 0) + times)
    }
  }
  const unexplained = [...failuresByCode].filter(([code]) => !explained.has(code))
  const archived = new Set(end.hashes)
  const missing = served.hashes.filter((hash) => !archived.has(hash)).length
  console.log(`\n${served.apiCalls} calls, ${served.fileRequests} file requests, ${served.changes} changes upstream`)
  console.log(`  faults             ${listOf(Object.entries(served.faults))}`)
  console.log(`  failures           ${listOf([...failuresByCode])}`)
  verdict('unexplained', unexplained.length === 0 ? 'none' : listOf(unexplained), unexplained.length === 0)
  const growth = last - first
  const [start, finish] = [first.toFixed(0), last.toFixed(0)]
  const figures = `${start} MB after the first minute, ${finish} MB at the end: ${growth.toFixed(1)} MB`
  verdict('memory', `${figures} (target: at most ${maxGrowthMegabytes})`, growth <= maxGrowthMegabytes)
  const failing = listOf(Object.entries(end.failing))
  verdict('still failing', failing === '' ? 'none' : failing, failing === '')
  verdict('gaps', end.gaps.length === 0 ? 'none' : end.gaps.join(', '), end.gaps.length === 0)
  const verified = end.missing + end.changed === 0
  verdict('verify', `${end.missing} missing, ${end.changed} changed`, verified)
  verdict('archive', `${served.hashes.length} files served, ${missing} of them not archived`, missing === 0)
}

function verdict(name: string, text: string, isMet: boolean): void {
  console.log(`  ${name.padEnd(18)} ${text}${isMet ? '' : '  MISSED'}`)
  if (!isMet) process.exitCode = 1
}

const listOf = (entries: readonly (readonly [string, number])[]) =>
  entries.map(([name, n]) => `${name}: ${n}`).join(', ')

const count = (samples: readonly SoakSample[]) =>
  samples.reduce((sum, { failures }) => sum + Object.values(failures).reduce((a, b) => a + b, 0), 0)
