import buildProcesses from '../support/build-processes.ts'
import { killAtRandom } from '../support/kill-rounds.ts'

const defaultKills = 1000

/** `kill [N] [seed]`: kills a sync of 2,000 files N times at random moments and checks what is left each time. */
export async function benchKill([kills = String(defaultKills), seed = String(Date.now())]: readonly string[]) {
  const count = Number(kills)
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`kill needs a number of kills, not ${kills}`)
  console.log(`${count} kills of a sync of 2,000 files, seed ${seed}`)
  await buildProcesses()
  const startMs = performance.now()
  const { problems, ...figures } = await killAtRandom({
    seed,
    kills: count,
    photosPerQuestion: 50,
    onPass: (now) => console.log(`  ${now.kills} kills, ${now.completedPasses} passes to the end`),
  })
  console.log(`Kills              ${figures.kills}`)
  console.log(`Passes to the end  ${figures.completedPasses}`)
  console.log(`Archives           ${figures.archives}`)
  console.log(`File requests      ${figures.fileRequests}`)
  console.log(`Time               ${((performance.now() - startMs) / 1000).toFixed(1)} s`)
  console.log(problems.length === 0 ? 'Nothing was lost, damaged, forgotten, or repeated.' : 'WRONG:')
  for (const problem of problems) console.log(`  ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}
