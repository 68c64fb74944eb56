import { expect, it } from 'vitest'
import { killAtRandom } from '../support/kill-rounds.ts'

const kills = 100
/** Many passes of 2,000 files; only a hang runs into it. */
const timeoutMs = 15 * 60_000

it(
  `a sync of 2,000 files that is killed ${kills} times loses, spoils, forgets and repeats nothing`,
  async () => {
    const seed = String(Date.now())
    // A failure can be looked at again with: npm run bench -- kill 100 <seed>
    process.stdout.write(`The kills' seed is ${seed}.\n`)
    const { problems, ...figures } = await killAtRandom({ seed, kills })
    expect(problems, `seed ${seed}`).toEqual([])
    expect(figures.kills).toBe(kills)
    expect(figures.completedPasses).toBeGreaterThan(kills / 15)
  },
  timeoutMs,
)
