import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask, askOnce, start } from './ask.ts'
import type { BacklogFigures, BacklogMade, BacklogTask, SampleTask, ServedSample } from './processes/messages.ts'

const projects = 40

/** The targets of the backlog bench, with the large backlog; printed beside what was measured. */
const targets = { delayP99Ms: 50, bridgeMs: 50 }

/** One large checklist in each project: the most that is computed at once. The file host refuses every link. */
const site = (photoQuestionsPerChecklist: number, photosPerQuestion: number): SampleTask => ({
  projects,
  checklistsPerProject: 1,
  photoQuestionsPerChecklist,
  photosPerQuestion,
  photoBytes: 2000,
  statuses: ['completed'],
  awkwardNames: false,
  fileFault: { kind: 'status', status: 403 },
})

const cases: readonly { readonly options: SampleTask; readonly isBinding: boolean }[] = [
  { options: site(4, 3), isBinding: false },
  { options: site(50, 25), isBinding: true },
]

/**
 * `npm run bench -- backlog [seconds]`: the watch, for 20 seconds by default, over 1,000 and then 100,000
 * files that failed and whose host still refuses them. Prints how late the event loop is and how long the app waits for
 * its pages. Sets the exit code to 1 when a target is missed.
 */
export async function benchBacklog([secondsText = '20']: readonly string[]): Promise<void> {
  const seconds = Number(secondsText)
  if (!(seconds >= 1)) {
    console.error('Usage: npm run bench -- backlog [seconds]')
    process.exitCode = 2
    return
  }
  for (const { options, isBinding } of cases) report(await watchBacklog(options, seconds * 1000), isBinding)
}

async function watchBacklog(options: SampleTask, watchMs: number): Promise<BacklogMade & BacklogFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'solarchive-backlog-'))
  const service = start('serve-sample.ts')
  try {
    const served = await ask<ServedSample>(service, options)
    const task: BacklogTask = { ...served, folder, watchMs }
    const made = await askOnce<BacklogMade>('make-backlog.ts', task)
    return { ...made, ...(await askOnce<BacklogFigures>('watch-backlog.ts', task)) }
  } finally {
    service.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

function report(
  { failedFiles, triedAgain, delayMs, busyShare, bridge }: BacklogMade & BacklogFigures,
  isBinding: boolean,
): void {
  const verdict = (value: number, target: number) => {
    const isMissed = isBinding && value > target
    if (isMissed) process.exitCode = 1
    return `${value.toFixed(1)}${isBinding ? ` (target: at most ${target})` : ''}${isMissed ? '  MISSED' : ''}`
  }
  console.log(`\n${failedFiles} failed files of ${projects} projects, ${triedAgain} of them tried again`)
  console.log(`  loop delay p50, ms   ${delayMs.p50.toFixed(1)}`)
  console.log(`  loop delay p99, ms   ${verdict(delayMs.p99, targets.delayP99Ms)}`)
  console.log(`  loop delay max, ms   ${delayMs.max.toFixed(1)}`)
  console.log(`  loop busy            ${(busyShare * 100).toFixed(0)} %`)
  for (const { call, slowestMs } of bridge) console.log(`  ${call.padEnd(20)} ${verdict(slowestMs, targets.bridgeMs)}`)
}
