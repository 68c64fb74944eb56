import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { photosOf } from '../../electron/sample-service/site/site-types.ts'
import type { Ended, Started } from '../headless/run-solarchive.ts'
import { ArchiveAudit } from './archive-audit.ts'
import type { Spoil } from './hooks/spoil-calls.ts'
import { install, type Installation } from './installation.ts'
import { archivedBy, readLedger } from './ledger.ts'
import { downloadedAgain, servedFiles, ServedHistory } from './served-files.ts'
import { attach, type ChangingCall, injecting, readRecording, recording } from './strace.ts'

/** A call before which the process is killed. */
export interface KillPoint {
  readonly name: string
  /** Whether the call ends something that has to hold: a sync, a rename. The others lie in between. */
  readonly isStep: boolean
  kill(pass: HeldPass): Promise<Ended>
  /** What the process needs from its start. */
  readonly env: NodeJS.ProcessEnv
  readonly hooks: readonly string[]
}

/** A small pass that can be run again and again from the same start. */
export interface RepeatedPass {
  readonly installation: Installation
  /** Every call that changes a file, as strace finds them; as the hook does where there is no strace. */
  listPoints(how: 'strace' | 'hook'): Promise<KillPoint[]>
  /** Kills at each of the points in turn, and restarts. */
  tryPoints(points: readonly KillPoint[]): Promise<KillResults>
  close(): Promise<void>
}

export interface KillResults {
  readonly killed: number
  /** Points that the pass did not come to: how calls are grouped is a matter of timing. */
  readonly missed: number
  readonly problems: readonly string[]
}

/** A pass that is loaded and waits. */
interface HeldPass {
  readonly started: Started
  release(): void
}

const hook = (name: string) => fileURLToPath(new URL(`hooks/${name}.ts`, import.meta.url))

/** `first`: everything is new. `changes`: a report and a photo to replace, a photo more, a photo less. */
export async function repeatedPass(kind: 'first' | 'changes'): Promise<RepeatedPass> {
  const installation = await install({
    service: { projects: 1, checklistsPerProject: 1, photoQuestionsPerChecklist: 1, photosPerQuestion: 3 },
  })
  const { service, folder, home, root } = installation
  const history = new ServedHistory()
  history.note(await servedFiles(service))
  if (kind === 'changes') {
    await installation.sync()
    changeEverything(installation)
    history.note(await servedFiles(service))
  }
  const served = await servedFiles(service)
  const saved = join(folder, 'saved')
  copyIfThere(home, join(saved, 'home'))
  copyIfThere(root, join(saved, 'archive'))

  const restore = () => {
    copyIfThere(join(saved, 'home'), home)
    copyIfThere(join(saved, 'archive'), root)
  }

  let passes = 0
  /** Loads a pass up to its first step. Nothing of the archive or the data folder is touched before it is let go. */
  async function hold(env: NodeJS.ProcessEnv, hooks: readonly string[]): Promise<HeldPass> {
    const file = join(folder, `pass-${passes++}`)
    const started = installation.startSync({
      nodeArgs: [...hooks, 'stand-still'].flatMap((name) => ['--import', hook(name)]),
      env: {
        ...env,
        HOLD_FILE: file,
        STANDING_CLOCK_MS: String(standingMs),
        // One thread works on files, so that their calls come in an order and can be counted.
        UV_THREADPOOL_SIZE: '1',
      },
    })
    while (!existsSync(`${file}.ready`)) {
      if (started.child.exitCode !== null) throw new Error(`A pass ended at its start: ${started.printed.stderr}`)
      await sleep(2)
    }
    return { started, release: () => writeFileSync(`${file}.go`, '') }
  }

  const listPoints = {
    async strace(): Promise<KillPoint[]> {
      restore()
      const log = join(folder, 'strace.log')
      const pass = await hold({}, [])
      const tracer = await attach(pidOf(pass), recording(log))
      pass.release()
      await Promise.all([pass.started.ended, new Promise((resolve) => tracer.once('close', resolve))])
      const calls = readRecording(log, [home, root]).filter(({ paths }) => !paths.some(isUnimportant))
      const places = Map.groupBy(calls, ({ paths }) => (paths[0]?.startsWith(root) ? 'archive' : 'database'))
      return [...places].flatMap(([place, ownCalls]) => {
        const paths = new Set(ownCalls.flatMap((call) => call.paths))
        const numbered = [...Map.groupBy(ownCalls, ({ call, thread }) => `${call} ${thread}`).values()]
        return numbered.flatMap((same) => same.map(({ call }, index) => stracePoint(place, call, index + 1, paths)))
      })
    },
    async hook(): Promise<KillPoint[]> {
      restore()
      const countFile = join(folder, 'count')
      const pass = await hold(hookEnv({ from: Infinity, countFile }), ['spoil-calls'])
      pass.release()
      await pass.started.ended
      const count = Number(readFileSync(countFile, 'utf8'))
      return Array.from({ length: count }, (_, index) => ({
        name: `call ${index + 1}`,
        isStep: true,
        env: hookEnv({ from: index + 1 }),
        hooks: ['spoil-calls'],
        kill: async (pass) => {
          pass.release()
          return pass.started.ended
        },
      }))
    },
  }

  function hookEnv(spoil: Pick<Spoil, 'from' | 'countFile'>): NodeJS.ProcessEnv {
    const all: Spoil = {
      ...spoil,
      from: Math.min(spoil.from, Number.MAX_SAFE_INTEGER),
      below: [root, 'database'],
      calls: ['write', 'sync', 'rename', 'mkdir', 'rm', 'run'],
      what: 'SIGKILL',
    }
    return { SPOIL: JSON.stringify(all) }
  }

  async function tryPoints(points: readonly KillPoint[]): Promise<KillResults> {
    const problems: string[] = []
    let missed = 0
    const holdFor = (point: KillPoint | undefined) => point && hold(point.env, point.hooks)
    let next = holdFor(points[0])
    for (const [index, point] of points.entries()) {
      const pass = await next
      if (pass === undefined) break
      // The next process loads while this one is looked at.
      next = holdFor(points[index + 1])
      const found = await tryPoint(point, pass)
      if (found === undefined) missed += 1
      else problems.push(...found)
    }
    return { killed: points.length - missed, missed, problems }
  }

  /** What is wrong; undefined when the pass was over before it came to the point. */
  async function tryPoint(point: KillPoint, pass: HeldPass): Promise<string[] | undefined> {
    restore()
    const audit = new ArchiveAudit(root, history)
    const atStart = readLedger(home)
    const problems = audit.afterEnd(atStart)
    const killed = await watched(archivedBy(atStart), () => point.kill(pass))
    if (killed.exitCode !== null) return undefined
    const afterKill = readLedger(home)
    problems.push(...audit.afterEnd(afterKill))
    const { failures } = await watched(archivedBy(afterKill), () => installation.syncHere())
    problems.push(...failures.map(({ code, path }) => `the next pass failed: ${code} ${path}`))
    problems.push(...audit.atRest(readLedger(home), served))
    return problems.map((problem) => `killed before ${point.name}: ${problem}`)

    async function watched<T>(archived: ReadonlyMap<string, string>, run: () => Promise<T>): Promise<T> {
      const before = service.requests.records.length
      const result = await run()
      const again = downloadedAgain(service.requests.records.slice(before), served, archived)
      problems.push(...again.map((path) => `downloaded again: ${path}`))
      return result
    }
  }

  return { installation, listPoints: (how) => listPoints[how](), tryPoints, close: () => installation.close() }
}

/** Any time will do that is not before the links' own. */
const standingMs = Date.now()

function stracePoint(place: string, call: ChangingCall, number: number, paths: ReadonlySet<string>): KillPoint {
  return {
    name: `${call} ${number} (${place})`,
    isStep: place === 'archive' || call === 'fsync' || call === 'fdatasync',
    env: {},
    hooks: [],
    async kill(pass) {
      const tracer = await attach(pidOf(pass), injecting([call], paths, `signal=SIGKILL:when=${number}`))
      pass.release()
      const ended = await pass.started.ended
      tracer.kill()
      return ended
    },
  }
}

/** SQLite's shared memory is made anew at each start; the log is not part of what must hold. */
const isUnimportant = (path: string) => path.endsWith('-shm') || path.includes('/logs')

function pidOf({ started }: HeldPass): number {
  if (started.child.pid === undefined) throw new Error('A pass could not be started')
  return started.child.pid
}

function changeEverything({ service }: Installation): void {
  const [checklist] = service.projects[0]?.checklists ?? []
  if (checklist === undefined) throw new Error('The sample has no checklist')
  const [replaced, removed] = photosOf(checklist)
  service.replaceReport(checklist)
  if (replaced !== undefined) service.replacePhoto(replaced)
  if (removed !== undefined) service.removePhoto(removed)
  service.addPhoto(checklist)
}

/** `to` becomes what `from` is, also when that is nothing. */
function copyIfThere(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  if (existsSync(from)) cpSync(from, to, { recursive: true, preserveTimestamps: true })
}
