import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { FaultSubject } from '../../electron/sample-service/http/faults.ts'
import { photosOf } from '../../electron/sample-service/site/site-types.ts'
import { SeededRandom } from '../../electron/sample-service/site/seeded-random.ts'
import { ArchiveAudit } from './archive-audit.ts'
import { install, type TestInstallation, readEnd } from './installation.ts'
import { archivedBy, committedHashes, readLedger } from './ledger.ts'
import type { PowerDisk } from './power-disk.ts'
import { downloadedAgain, servedFiles, ServedHistory } from './served-files.ts'

/** Results of many kills. */
export interface KillFigures {
  kills: number
  /** Passes that ran to their end, after kills or before the next one. */
  completedPasses: number
  archives: number
  /** All requests to the file host. */
  fileRequests: number
  /** Committed files that were in the database just before each cut of the power, all cuts together. */
  committedAtCuts: number
  /** All problems found, each with the kill before it. */
  readonly problems: string[]
}

export interface KillPlan {
  /** Seed for the choice of moments and changes. The moments themselves also depend on the machine's speed. */
  readonly seed: string
  readonly kills: number
  /** 50 make 2,010 files. */
  readonly photosPerQuestion: number
  /** Disk of the data folder and the archive. Its power is cut instead of killing the process alone. */
  readonly disk?: PowerDisk
  /** Called after every complete pass. */
  readonly onPass?: (figures: KillFigures) => void
}

/** 20 questions in total. Each photo has a thumbnail, and each checklist a report. */
const site = { projects: 2, checklistsPerProject: 5, photoQuestionsPerChecklist: 2 } as const

/** Number of kills after which a pass runs to its end, to prove that one still can. */
const maxKillsInARow = 12
/** Number of upstream changes after the first complete pass before a new archive is started. */
const changesPerArchive = 3

/** Maximum of downloads in flight at the end: 64 claimed or publishing jobs in each of two projects. */
const maxUnkept = 2 * 64

/** Probability of a change upstream between a kill and the next start. */
const changeAfterKill = 0.15

/** Moment of a kill: a delay after the process's nth request, to the API or to the file host. */
interface Moment {
  readonly origin: 'api' | 'files'
  /** 0 counts from the process's start. */
  readonly request: number
  readonly delayMs: number
}

/** Kills the command line's `sync` at random moments and checks the results after each, `kills` times. */
export async function killAtRandom(plan: KillPlan): Promise<KillFigures> {
  const random = new SeededRandom(plan.seed)
  const figures: KillFigures = {
    kills: 0,
    completedPasses: 0,
    archives: 0,
    fileRequests: 0,
    committedAtCuts: 0,
    problems: [],
  }
  while (figures.kills < plan.kills && figures.problems.length === 0) {
    const installation = await install({
      service: { ...site, photosPerQuestion: plan.photosPerQuestion, seed: `${plan.seed}/${figures.archives}` },
      ...(plan.disk !== undefined && { within: plan.disk.path }),
    })
    plan.disk?.settle()
    try {
      figures.archives += 1
      await killOneArchive(installation, random, plan, figures)
    } finally {
      figures.fileRequests += installation.service.requests.count('files')
      await installation.close()
    }
  }
  return figures
}

async function killOneArchive(
  installation: TestInstallation,
  random: SeededRandom,
  plan: KillPlan,
  figures: KillFigures,
): Promise<void> {
  const { service, root, home } = installation
  const history = new ServedHistory()
  const audit = new ArchiveAudit(root, history)
  for (let change = 0; change <= changesPerArchive; change++) {
    if (change > 0) changeUpstream(installation, random)
    let served = await servedFiles(service)
    history.note(served)
    let inARow = 0
    for (let isOver = false; !isOver;) {
      const before = archivedBy(readLedger(home))
      const requestsBefore = service.requests.records.length
      const moment =
        inARow < maxKillsInARow && figures.kills < plan.kills ? chooseMoment(random, served.size) : undefined
      const { end, committed } = await syncUntil(installation, moment, plan.disk)
      const where = `after kill ${figures.kills + 1} (${moment === undefined ? 'none' : JSON.stringify(moment)})`
      const ledger = readLedger(home)
      const requests = service.requests.records.slice(requestsBefore)
      const problems = downloadedAgain(requests, served, before).map((path) => `downloaded again: ${path}`)
      if (end === 'killed') {
        inARow += 1
        figures.kills += 1
        figures.committedAtCuts += committed.size
        const kept = plan.disk === undefined ? committed : committedHashes(home)
        const lost = [...committed].filter((hash) => !kept.has(hash)).length
        if (lost > 0) problems.push(`lost rows: ${lost} of ${committed.size} committed files`)
        problems.push(...audit.afterEnd(ledger))
        const archived = archivedBy(ledger)
        const unkept = requests.filter(({ path, status }) => status === 200 && served.has(path) && !archived.has(path))
        if (unkept.length > maxUnkept) problems.push(`${unkept.length} downloads were not kept`)
      } else {
        isOver = true
        figures.completedPasses += 1
        if (end !== 'complete') problems.push(end)
        problems.push(...audit.atRest(ledger, served))
        plan.onPass?.(figures)
      }
      figures.problems.push(...problems.map((problem) => `${where}: ${problem}`))
      if (figures.problems.length > 0) return
      // Files that a killed process was downloading can be replaced or removed before the next one.
      if (end === 'killed' && random.chance(changeAfterKill)) {
        changeUpstream(installation, random)
        served = await servedFiles(service)
        history.note(served)
      }
    }
    if (figures.kills >= plan.kills) return
  }
}

/** Picks among all parts of a pass: start and recovery, reading, downloads, and the records at the end. */
function chooseMoment(random: SeededRandom, files: number): Moment {
  const delayMs = Math.round(random.between(0, 30))
  const part = random.next()
  if (part < 0.15) return { origin: 'api', request: 0, delayMs: Math.round(random.between(0, 400)) }
  if (part < 0.4) return { origin: 'api', request: random.whole(1, 8), delayMs }
  // Small numbers more often than large ones: a resumed pass has less left than a new one.
  return { origin: 'files', request: Math.ceil((files / 6) ** random.next()), delayMs }
}

/** How a pass ended, and the hashes that were committed just before the power was cut. */
interface PassEnd {
  /** `killed`, `complete`, or the problem of a pass that was not killed. */
  readonly end: string
  readonly committed: ReadonlySet<string>
}

async function syncUntil(
  installation: TestInstallation,
  moment: Moment | undefined,
  disk: PowerDisk | undefined,
): Promise<PassEnd> {
  const reached = Promise.withResolvers<undefined>()
  let requests = 0
  const count = ({ origin }: FaultSubject) => {
    if (origin === moment?.origin && ++requests === moment.request) reached.resolve(undefined)
    return false
  }
  const watch = installation.service.faults.add({ route: count, fault: { kind: 'reset' } })
  const { child, ended } = installation.startSync()
  const kill = () => void child.kill('SIGKILL')
  process.prependListener('exit', kill)
  if (moment?.request === 0) reached.resolve(undefined)
  const ending = await Promise.race([ended, reached.promise.then(() => sleep(moment?.delayMs))])
  const isCut = ending === undefined && disk !== undefined
  const committed = isCut ? committedHashes(installation.home) : new Set<string>()
  if (isCut) disk.cut()
  if (ending === undefined) kill()
  const end = await ended
  process.off('exit', kill)
  if (isCut) disk.restore()
  await allReceived(installation)
  watch.remove()
  // After a cut, the process can also fail before it is killed.
  if (isCut || end.exitCode === null) return { end: 'killed', committed }
  const { exitCode, stderr, codes } = readEnd(end)
  return { end: exitCode === 0 ? 'complete' : `exit code ${exitCode}, ${codes.join()}: ${stderr}`, committed }
}

/** Event loop turns without a request after which the sockets of an ended process are drained. */
const quietTurns = 20

/** Resolves once the service has read all requests of an ended process: they must not count for the next one. */
async function allReceived({ service }: TestInstallation): Promise<void> {
  let [seen, quiet] = [service.requests.records.length, 0]
  while (quiet < quietTurns) {
    await nextTurn()
    const now = service.requests.records.length
    quiet = now === seen ? quiet + 1 : 0
    seen = now
  }
}

/** Replaces reports and photos, adds photos, and removes photos. */
function changeUpstream({ service }: TestInstallation, random: SeededRandom): void {
  for (const { checklists } of service.projects) {
    for (const checklist of checklists.filter(() => random.chance(0.6))) {
      if (random.chance(0.6)) service.replaceReport(checklist)
      for (let count = random.whole(0, 6); count > 0; count--) service.replacePhoto(random.pick(photosOf(checklist)))
      for (let count = random.whole(0, 2); count > 0; count--) service.removePhoto(random.pick(photosOf(checklist)))
      for (let count = random.whole(0, 2); count > 0; count--) service.addPhoto(checklist)
    }
  }
}
