import { expect, it } from 'vitest'
import { killAtRandom } from '../support/kill-rounds.ts'

/** `npm run bench -- kill` runs 1,000, with 2,000 files; killed-at-every-step.test.ts kills between any two calls. */
const kills = 15
const photosPerQuestion = 8

it(`a sync of 330 files killed ${kills} times loses, damages, forgets, and repeats nothing`, async () => {
  const seed = String(Date.now())
  // Repeat a failure with: npm run bench -- kill 15 <seed> 8
  process.stdout.write(`The kills' seed is ${seed}.\n`)
  const { problems, ...figures } = await killAtRandom({ seed, kills, photosPerQuestion })
  expect(problems, `seed ${seed}`).toEqual([])
  expect(figures.kills).toBe(kills)
  expect(figures.completedPasses).toBeGreaterThan(kills / 15)
})
