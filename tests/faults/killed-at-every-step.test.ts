import { afterEach, describe, expect, it } from 'vitest'
import { type KillPoint, type RepeatedPass, repeatedPass } from '../support/kill-points.ts'
import { canStrace } from '../support/strace.ts'

/** Some hundred processes; only a hang runs into it. */
const timeoutMs = 15 * 60_000

let pass: RepeatedPass | undefined

afterEach(async () => {
  await pass?.close()
  pass = undefined
})

async function expectNothingWrong(points: readonly KillPoint[]): Promise<void> {
  const { killed, problems } = (await pass?.tryPoints(points)) ?? { killed: 0, problems: ['no pass'] }
  expect(problems).toEqual([])
  // Which commits share a sync is a matter of timing, so a few calls of one run have none beside them in another.
  expect(killed).toBeGreaterThan(points.length * 0.8)
}

/** All points, thinned out evenly. `npm run bench -- kill-points` takes every one. */
const everyNth = (points: readonly KillPoint[], nth: number) => points.filter((_, index) => index % nth === 0)

const withStrace = canStrace()

if (withStrace)
  describe('killed by the tracer', () => {
    it(
      'before any write, sync, rename and commit of a pass with replacements, nothing is lost',
      async () => {
        pass = await repeatedPass('changes')
        const points = await pass.listPoints('strace')
        const [steps, between] = [points.filter(({ isStep }) => isStep), points.filter(({ isStep }) => !isStep)]
        expect(steps.length).toBeGreaterThan(50)
        await expectNothingWrong([...steps, ...everyNth(between, 25)])
      },
      timeoutMs,
    )

    it(
      'anywhere in a first pass, nothing is lost',
      async () => {
        pass = await repeatedPass('first')
        await expectNothingWrong(everyNth(await pass.listPoints('strace'), 16))
      },
      timeoutMs,
    )
  })

it(
  'killed by itself before calls that change files or rows, a pass with replacements loses nothing',
  async () => {
    pass = await repeatedPass('changes')
    const points = await pass.listPoints('hook')
    expect(points.length).toBeGreaterThan(50)
    // Where the tracer is, it has been at every one of these moments.
    await expectNothingWrong(everyNth(points, withStrace ? 20 : 1))
  },
  timeoutMs,
)
