import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Started, startSolarchive } from '../headless/run-solarchive.ts'
import { runMain } from '../support/run-main.ts'
import { until } from '../support/watching.ts'
import { ask, askOnce, start } from './ask.ts'
import type { AskFigures, AskTask, SampleTask, ServedSample } from './processes/messages.ts'

/** The targets of the bench; printed beside what was measured. */
const targets = { failures: 0, p95Ratio: 1.5, throughputRatio: 0.9 }

/** Pause between two questions, so that they last as long as the sync. */
const everyMs = 80

/** As over a network: eight files at a time then take a minute and a half. */
const fileDelayMs = 150

/** Photos with their thumbnails, 200 files per checklist. */
const site = (files: number): SampleTask => ({
  projects: 1,
  checklistsPerProject: Math.ceil(files / 200),
  photoQuestionsPerChecklist: 5,
  photosPerQuestion: 20,
  photoBytes: 20_000,
  statuses: ['completed'],
  awkwardNames: false,
  fileFault: { kind: 'latency', delayMs: fileDelayMs },
})

/**
 * Lets `watch` archive 5,000 files alone, then with 1,000 `status --json` beside it, and asks as often while it is
 * idle. Prints the ratios of both. Sets the exit code to 1 when a target is missed. `args`: other numbers of files and
 * of questions.
 */
export async function benchBeside([files = '5000', questions = '1000']: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'solarchive-bench-beside-'))
  const server = start('serve-sample.ts')
  try {
    const served = await ask<ServedSample>(server, site(Number(files)))
    const alone = await watchNew(join(folder, 'alone'), served)
    const aloneMs = await alone.untilArchived()
    await end(alone.watching)

    const beside = await watchNew(join(folder, 'beside'), served)
    const task: AskTask = { env: beside.env, questions: Number(questions), everyMs }
    const asked = askOnce<AskFigures>('ask-status.ts', task)
    const besideMs = await beside.untilArchived()
    const busy = await asked
    const idle = await askOnce<AskFigures>('ask-status.ts', task)
    await end(beside.watching)
    report({ files: Number(files), questions: Number(questions), aloneMs, besideMs, busy, idle })
  } finally {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Figures {
  readonly files: number
  readonly questions: number
  readonly aloneMs: number
  readonly besideMs: number
  readonly busy: AskFigures
  readonly idle: AskFigures
}

function report({ files, questions, aloneMs, besideMs, busy, idle }: Figures): void {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const verdict = (isMet: boolean, target: string) => {
    if (!isMet) process.exitCode = 1
    return `(target: ${target})${isMet ? '' : '  MISSED'}`
  }
  const failures = busy.failures + idle.failures
  const p95Ratio = busy.p95Ms / idle.p95Ms
  const throughputRatio = aloneMs / besideMs
  console.log(`${files.toLocaleString('en')} files: ${seconds(aloneMs)} alone, ${seconds(besideMs)} beside questions`)
  const throughput = verdict(throughputRatio >= targets.throughputRatio, `at least ${targets.throughputRatio}`)
  console.log(`  throughput ratio ${throughputRatio.toFixed(2)} ${throughput}`)
  console.log(
    `${questions.toLocaleString('en')} status --json: median ${busy.medianMs.toFixed(0)} ms while syncing, ` +
      `${idle.medianMs.toFixed(0)} ms idle`,
  )
  console.log(
    `  p95 ${busy.p95Ms.toFixed(0)} ms and ${idle.p95Ms.toFixed(0)} ms, ratio ${p95Ratio.toFixed(2)} ` +
      verdict(p95Ratio <= targets.p95Ratio, `at most ${targets.p95Ratio}`),
  )
  console.log(`  failures ${failures} ${verdict(failures <= targets.failures, `${targets.failures}`)}`)
}

/** Starts `watch` on a new data folder. Resolves once it downloads. */
async function watchNew(folder: string, { url, token, projectIds }: ServedSample) {
  const env = {
    SOLARCHIVE_HOME: join(folder, 'home'),
    SOLARCHIVE_ARCHIVE: join(folder, 'archive'),
    SOLARCHIVE_URL: url,
    SOLARCHIVE_TOKEN: token,
  }
  await runMain(['projects', 'add', ...projectIds], { env })
  const watching = startSolarchive(['watch', '--json', '--api-rate', '0'], { env })
  await until('it downloads', () => watching.printed.stdout.includes('"event":"progress"'))
  const startMs = performance.now()
  return {
    env,
    watching,
    async untilArchived(): Promise<number> {
      await until('all is archived', () => watching.printed.stdout.includes('"event":"project"'), 30 * 60_000)
      return performance.now() - startMs
    },
  }
}

async function end({ child, ended }: Started): Promise<void> {
  child.kill('SIGTERM')
  await ended
}
