import { makeWorld, origins, type OriginOfChange, type World } from './freshness/checklist-lifecycles.ts'
import { simulate, type SimulationResult } from './freshness/simulate.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const callsPerMinute = 60
const measuredMs = 7 * dayMs

/** The targets of the freshness bench; printed beside what was measured. Ratios are to round-robin in the same run. */
const targets = { medianRatio: 0.25, p95Ratio: 1, callsInAMinute: 60, unpolledHours: 25 }

/**
 * Origins of lives. Most begin in projects that were added for them within the last day; others are the next checklist
 * of a project that was settled within three days, or the same one reopened; a few begin in projects that nobody
 * touched for longer. In the harder mix these are three in ten, and half of all lives last less than four hours instead
 * of nine. No schedule can see a short life coming that begins where nothing has happened for weeks: round-robin, which
 * spends as much on it as on a report in the making, sees its end sooner. The harder mix is printed to show that,
 * without a target.
 */
const mixes: readonly { name: string; mix: Record<OriginOfChange, number>; skew: number; binding: boolean }[] = [
  { name: 'usual mix', mix: { new: 0.55, recent: 0.35, long: 0.1 }, skew: 0.6, binding: true },
  { name: 'harder mix', mix: { new: 0.35, recent: 0.35, long: 0.3 }, skew: 1, binding: false },
]

const nameOfOrigin: Readonly<Record<OriginOfChange, string>> = {
  new: 'in new projects',
  recent: 'in recently settled',
  long: 'in long settled',
}

/**
 * Watches 2,000 projects for a week of simulated time by the real schedule and rate budget, beside plain round-robin
 * with the same lives, and prints how soon completed checklists are noticed. `args`: a seed and `harder` for the harder
 * mix as well. Sets the exit code to 1 when a target is missed.
 */
export async function benchFreshness(args: readonly string[]): Promise<void> {
  const seed = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 1)
  console.log(
    `7 simulated days, 2,000 projects, ${callsPerMinute} calls a minute, seed ${seed}; ` +
      'times from completed to noticed.',
  )
  for (const { name, mix, skew, binding } of mixes) {
    if (!binding && !args.includes('harder')) continue
    const before = process.cpuUsage()
    const world = makeWorld({ seed, projects: 2000, active: 240, mix, skew, endMs: measuredMs + dayMs })
    const common = { world, seed, callsPerMinute, measuredMs }
    const schedule = await simulate({ ...common, strategy: 'schedule' })
    const roundRobin = await simulate({ ...common, strategy: 'round-robin' })
    const { user, system } = process.cpuUsage(before)
    const isMissed = report(name, world, schedule, roundRobin, (user + system) / 1e6)
    if (isMissed && binding) process.exitCode = 1
  }
}

/** Prints the figures; answers whether a target is missed. Processor time, since other work delays the wall's. */
function report(
  name: string,
  world: World,
  schedule: SimulationResult,
  roundRobin: SimulationResult,
  cpuSeconds: number,
): boolean {
  const { hot, open } = active(world)
  let isMissed = false
  const verdict = (value: number, target: number, digits: number) => {
    const missed = !(value <= target)
    isMissed ||= missed
    return `${value.toFixed(digits)} (target: at most ${target})${missed ? '  MISSED' : ''}`
  }
  const both = [schedule, roundRobin] as const
  const ratioOf = (share: number) => quantile(schedule, share) / quantile(roundRobin, share)
  console.log(
    `\n${name}: ${schedule.delays.length} checklists completed; active: ${hot} hot and ${open} open on average`,
  )
  console.log('                              schedule   round-robin')
  for (const share of [0.5, 0.9, 0.95, 0.99, 1]) {
    const label = share === 0.5 ? 'median' : share === 1 ? 'longest' : `p${share * 100}`
    console.log(`  ${label.padEnd(24)}${both.map((result) => minutes(quantile(result, share))).join('   ')}`)
  }
  for (const origin of origins) {
    const count = schedule.delays.filter(({ life }) => life.origin === origin).length
    console.log(`  ${nameOfOrigin[origin]}: ${count}`)
    for (const share of [0.5, 0.95]) {
      const label = share === 0.5 ? 'median' : 'p95'
      console.log(
        `    ${label.padEnd(22)}${both.map((result) => minutes(quantile(result, share, origin))).join('   ')}`,
      )
    }
  }
  console.log(`  median, ratio             ${verdict(ratioOf(0.5), targets.medianRatio, 3)}`)
  console.log(`  p95, ratio                ${verdict(ratioOf(0.95), targets.p95Ratio, 2)}`)
  console.log(`  most calls in 60 s        ${verdict(schedule.maxCallsInAMinute, targets.callsInAMinute, 0)}`)
  console.log(`  longest unpolled, hours   ${verdict(schedule.maxUnpolledMs / hourMs, targets.unpolledHours, 1)}`)
  console.log(`  calls, thousands          ${callsOf(schedule)}; round-robin: ${callsOf(roundRobin)}`)
  console.log(`  processor time, s         ${cpuSeconds.toFixed(1)}`)
  return isMissed
}

function callsOf({ calls }: SimulationResult): string {
  const thousands = (count: number) => Math.round(count / 1000)
  return `${thousands(calls.list)} lists, ${thousands(calls.detail)} details, ${thousands(calls.media)} media`
}

/** Lives active at noon of each day, on average. */
function active({ lives }: World): { hot: number; open: number } {
  const times = Array.from({ length: measuredMs / dayMs }, (_, day) => (day + 0.5) * dayMs)
  const statuses = times.flatMap((atMs) =>
    lives
      .filter(({ startMs, completedMs }) => startMs <= atMs && atMs < completedMs)
      .map(({ checklist }) => checklist.steps.findLast((step) => step.atMs <= atMs)?.status),
  )
  const hot = statuses.filter((status) => status === 'awaitingMedia' || status === 'pdfProcessing').length
  return { hot: Math.round(hot / times.length), open: Math.round((statuses.length - hot) / times.length) }
}

function quantile({ delays }: SimulationResult, share: number, origin?: OriginOfChange): number {
  const sorted = delays
    .filter(({ life }) => origin === undefined || life.origin === origin)
    .map(({ delayMs }) => delayMs)
    .sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

const minutes = (ms: number) => `${(ms / minuteMs).toFixed(1)} min`.padStart(11)
