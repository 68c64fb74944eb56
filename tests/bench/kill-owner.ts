import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exampleOrder } from '../../electron/sample-service/orders/order-book.ts'
import { SeededRandom } from '../../electron/sample-service/site/seeded-random.ts'
import { type Ended, type Started, startSolarchive } from '../headless/run-solarchive.ts'
import buildProcesses, { bundledCommandLine } from '../support/build-processes.ts'
import { install, type TestInstallation } from '../support/installation.ts'
import { until } from '../support/watching.ts'

const defaultKills = 50

/** Commands beside the owner: those that change something may end with 5, those that read may not. */
const changing = [
  ['sync', '--json'],
  ['verify', '--repair', '--json'],
  ['orders', 'place', '--file', 'order.json', '--json'],
]
const reading = [
  ['status', '--json'],
  ['orders', 'list', '--json'],
  ['verify', '--json', '--quiet'],
]

/** Exit codes: complete, gaps or an unconfirmed order, and the end of the owner. */
const allowed = [0, 4, 5]

/**
 * `kill-owner [N] [seed]`: kills a `watch` N times at random moments while other commands work through it and beside
 * it, and checks that each ends plainly, and that no order is placed twice or lost from sight.
 */
export async function benchKillOwner([kills = String(defaultKills), seed = String(Date.now())]: readonly string[]) {
  const count = Number(kills)
  if (!Number.isSafeInteger(count) || count < 1) throw new RangeError(`kill-owner needs a number, not ${kills}`)
  console.log(`${count} kills of a watch beside ${changing.length + reading.length} commands, seed ${seed}`)
  await buildProcesses()
  const random = new SeededRandom(seed)
  // An order for each project: an unconfirmed one keeps others of its project waiting.
  const service = { projects: count, checklistsPerProject: 1, photosPerQuestion: 1, existingOrders: 0 }
  const installation = await install({ service })
  const problems: string[] = []
  const codes: Record<string, number> = {}
  try {
    await installation.sync()
    writeFileSync(join(installation.home, 'settings.json'), '{"schedule": "manual"}')
    for (let kill = 0; kill < count; kill += 1) {
      const ends = await killOnce(installation, kill, random)
      for (const { name, end } of ends) {
        const key = `${name} ${end.exitCode}`
        codes[key] = (codes[key] ?? 0) + 1
        problems.push(...problemsOf(name, end).map((problem) => `kill ${kill + 1}, ${name}: ${problem}`))
      }
      problems.push(...(await placeAgain(installation, kill)).map((problem) => `kill ${kill + 1}: ${problem}`))
    }
    const { exitCode } = await installation.sync()
    if (exitCode !== 0) problems.push(`the last sync ended with ${exitCode}`)
    const verified = await start(installation, ['verify', '--json', '--quiet']).ended
    if (verified.exitCode !== 0) problems.push(`verify: ${verified.stdout}`)
  } finally {
    await installation.close()
  }
  for (const [key, times] of Object.entries(codes).sort()) console.log(`${key.padEnd(24)}${times}`)
  console.log(problems.length === 0 ? 'No order was placed twice or lost, and every message was plain.' : 'WRONG:')
  for (const problem of problems) console.log(`  ${problem}`)
  if (problems.length > 0) process.exitCode = 1
}

function start({ service, home, root, folder }: TestInstallation, args: readonly string[]): Started {
  const env = {
    SOLARCHIVE_URL: service.url,
    SOLARCHIVE_TOKEN: service.token,
    SOLARCHIVE_HOME: home,
    SOLARCHIVE_ARCHIVE: root,
  }
  return startSolarchive(['--api-rate', '0', ...args], { env, cwd: folder, script: bundledCommandLine })
}

const homeowner = (kill: number) => `Owner Number ${kill}`

/** Starts an owner and all commands, and kills the owner at a random moment. Returns how the commands ended. */
async function killOnce(installation: TestInstallation, kill: number, random: SeededRandom) {
  const { service, folder } = installation
  const project = service.projects[kill]
  if (project === undefined) throw new Error('There is no project')
  const order = exampleOrder(project)
  writeFileSync(
    join(folder, 'order.json'),
    JSON.stringify({ ...order, form: { ...order.form, homeownerName: homeowner(kill) } }),
  )
  const record = random.chance(0.3) ? service.recordOrdersLate() : undefined
  const owner = start(installation, ['watch', '--json', '--quiet'])
  await until('the watch is idle', () => owner.printed.stdout.includes('"kind":"idle"'))
  const before = service.requests.count('api')
  const [isOrder, requests] = [random.chance(0.4), random.whole(1, 6)]
  const posts = service.requests.count('serviceRequests', 'POST')
  const started = [...changing, ...reading].map((args) => {
    const { child, ended } = start(installation, args)
    return {
      name: args
        .filter((arg) => /^[a-z]/.test(arg) || arg === '--repair')
        .slice(0, 2)
        .join(' '),
      child,
      ended,
    }
  })
  const haveEnded = Promise.all(started.map(({ ended }) => ended))
  const isMoment = () =>
    isOrder
      ? service.requests.count('serviceRequests', 'POST') > posts
      : service.requests.count('api') - before >= requests
  let isOver = false
  void haveEnded.then(() => (isOver = true))
  await until('the moment comes', () => isOver || isMoment())
  await sleep(random.between(0, 40))
  owner.child.kill('SIGKILL')
  await owner.ended
  const ends = await haveEnded
  record?.()
  return started.map(({ name }, index) => ({ name, end: ends[index] as Ended }))
}

function problemsOf(name: string, { exitCode, stdout, stderr }: Ended): string[] {
  const problems: string[] = []
  const isReading = reading.some((args) => args.join(' ').startsWith(name))
  if (exitCode === null || !allowed.includes(exitCode)) problems.push(`exit code ${exitCode}: ${stderr}`)
  if (exitCode === 5 && isReading) problems.push(`a reading command ended with 5: ${stderr}`)
  if (/\n\s+at |SQLITE|ENOENT|ECONN|EPIPE/.test(stderr)) problems.push(stderr)
  try {
    JSON.parse(stdout)
  } catch {
    problems.push(`no JSON: ${stdout}`)
  }
  return problems
}

/** Places the order again without an owner, as a user would. Returns what is wrong then. */
async function placeAgain(installation: TestInstallation, kill: number): Promise<string[]> {
  const { exitCode, stdout } = await start(installation, changing.at(-1) ?? []).ended
  const { outcome = 'none' } = JSON.parse(stdout) as { outcome?: string }
  const placed = installation.service.orders.filter(({ form }) => form['homeownerName'] === homeowner(kill)).length
  // The service's list needs five minutes to prove that it does not have an order.
  const isKnown = exitCode === 0 ? placed === 1 : outcome === 'unconfirmed' && placed <= 1
  return isKnown ? [] : [`${outcome} (exit code ${exitCode}) with ${placed} orders at the service`]
}
