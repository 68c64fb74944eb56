import buildProcesses from '../support/build-processes.ts'
import { killAtRandom } from '../support/kill-rounds.ts'

const defaultKills = 1000

/** 2,010 files. */
const defaultPhotosPerQuestion = 50

/** `kill [N] [seed] [photos]`: kills a sync N times at random moments and checks what is left each time. */
export async function benchKill(args: readonly string[]) {
  const [kills = String(defaultKills), seed = String(Date.now()), photos = String(defaultPhotosPerQuestion)] = args
  const count = Number(kills)
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`kill needs a number of kills, not ${kills}`)
  const photosPerQuestion = Number(photos)
  if (!Number.isSafeInteger(photosPerQuestion) || photosPerQuestion < 1)
    throw new RangeError(`kill needs a number of photos per question, not ${photos}`)
  console.log(`${count} kills of a sync with ${photosPerQuestion} photos per question, seed ${seed}`)
  await buildProcesses()
  const startMs = performance.now()
  const { problems, ...figures } = await killAtRandom({
    seed,
    kills: count,
    photosPerQuestion,
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
