import { setTimeout as sleep } from 'node:timers/promises'
import { runMain } from '../../support/run-main.ts'
import type { AskFigures, AskTask } from './messages.ts'

process.once('disconnect', () => process.exit())
process.once('message', (task: AskTask) => void askStatus(task))

/** Runs `status --json` again and again, and reports how long it took. Exit code 4 is an incomplete archive. */
async function askStatus({ env, questions, everyMs }: AskTask): Promise<void> {
  const durations: number[] = []
  let failures = 0
  for (let question = 0; question < questions; question += 1) {
    const startMs = performance.now()
    const { exitCode, stdout } = await runMain(['status', '--json'], { env })
    const tookMs = performance.now() - startMs
    durations.push(tookMs)
    if ((exitCode !== 0 && exitCode !== 4) || !stdout.startsWith('{')) failures += 1
    await sleep(Math.max(0, everyMs - tookMs))
  }
  durations.sort((one, other) => one - other)
  const at = (share: number) => durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? 0
  process.send?.({ failures, medianMs: at(0.5), p95Ms: at(0.95) } satisfies AskFigures, () => process.exit())
}
