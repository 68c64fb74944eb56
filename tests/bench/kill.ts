import buildProcesses from '../support/build-processes.ts'
import { killAtRandom } from '../support/kill-rounds.ts'
import { type RepeatedPass, repeatedPass } from '../support/kill-points.ts'
import { canStrace } from '../support/strace.ts'

const defaultKills = 1000

/** `kill [N] [seed]`: kills a sync of 2,000 files N times at random moments; what is left has to be right each time. */
export async function benchKill([kills = String(defaultKills), seed = String(Date.now())]: readonly string[]) {
  const count = Number(kills)
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`kill needs a number of kills, not ${kills}`)
  console.log(`${count} kills of a sync of 2,000 files, seed ${seed}`)
  await buildProcesses()
  const startMs = performance.now()
  const { problems, ...figures } = await killAtRandom({
    seed,
    kills: count,
    onPass: (now) => console.log(`  ${now.kills} kills, ${now.completedPasses} passes to the end`),
  })
  console.log(`Kills              ${figures.kills}`)
  console.log(`Passes to the end  ${figures.completedPasses}`)
  console.log(`Archives           ${figures.archives}`)
  console.log(`File requests      ${figures.fileRequests}`)
  console.log(`Time               ${seconds(startMs)} s`)
  tell(problems)
}

/** `kill-points`: kills a small sync before every single call that changes a file, and looks at what is left. */
export async function benchKillPoints() {
  await buildProcesses()
  const hows = canStrace() ? (['strace', 'hook'] as const) : (['hook'] as const)
  for (const kind of ['first', 'changes'] as const) {
    for (const how of hows) {
      const pass = await repeatedPass(kind)
      try {
        await killEverywhere(pass, kind, how)
      } finally {
        await pass.close()
      }
    }
  }
}

async function killEverywhere(pass: RepeatedPass, kind: string, how: 'strace' | 'hook'): Promise<void> {
  const points = await pass.listPoints(how)
  const startMs = performance.now()
  const { killed, missed, problems } = await pass.tryPoints(points)
  console.log(`Pass "${kind}", kills by ${how}: ${points.length} points, ${killed} kills, ${missed} not come to`)
  console.log(`  ${seconds(startMs)} s`)
  tell(problems)
}

const seconds = (startMs: number) => ((performance.now() - startMs) / 1000).toFixed(1)

function tell(problems: readonly string[]): void {
  console.log(problems.length === 0 ? 'Nothing was lost, spoilt, forgotten or repeated.' : 'WRONG:')
  for (const problem of problems) console.log(`  ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}
