import { exitCodes } from '../../../shared/error-policy.ts'
import type { SyncFailure } from '../../../shared/domain.ts'
import { AppError } from '../../../shared/errors.ts'
import type { BlockerKind, WatchState } from '../../../shared/watch.ts'
import { countOf } from '../../../shared/format.ts'
import { watchText } from '../../../shared/status-text.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { Engine } from '../../engine/engine.ts'
import type { EngineEvents, ProjectSynced, ScrubFinding } from '../../engine/lib/events.ts'
import { systemClock } from '../../engine/lib/system-clock.ts'
import type { ConsoleOutput, Outcome } from '../output/console-output.ts'
import { createSyncLine } from '../output/progress.ts'
import type { Session } from '../session.ts'
import { describeFailure } from './sync.ts'

/** `watch`: until SIGINT or SIGTERM. */
export async function watchCommand(session: Session, addHint: string): Promise<Outcome> {
  const { engine, settings, output, signal } = session
  const projects = engine.projects.list()
  if (projects.length === 0) throw new AppError('wrong-usage', addHint)
  const stopPrinting = printWatch(session)
  if (!output.isJson) {
    const start = `Watching ${countOf(projects.length, 'project')}; Ctrl+C stops. Archive: ${settings.archiveFolder}`
    output.note(start)
  }
  try {
    await engine.watch.run(signal)
  } finally {
    stopPrinting()
  }
  return { exitCode: exitCodes.done, endsByStop: true }
}

/** Prints what the watch does, as events or as lines, until the returned function is called. */
export function printWatch({
  engine,
  output,
  tokenAdvice,
}: Pick<Session, 'engine' | 'output' | 'tokenAdvice'>): () => void {
  // The watch runs for weeks.
  output.stampTimes(() => new Date(systemClock.nowMs()))
  const stopPrinting = output.isJson
    ? printEvents(engine.events, output, tokenAdvice.running)
    : printLines(engine.events, output, { name: projectNamer(engine), tokenAdvice: tokenAdvice.running })
  const stopFollowing = followWhileSyncing(engine.events, output)
  return () => {
    stopFollowing()
    stopPrinting()
  }
}

/** Shows the progress line only while files are downloaded. */
function followWhileSyncing(events: EngineEvents, output: ConsoleOutput): () => void {
  let line: ReturnType<typeof createSyncLine> | undefined
  const stopListening = events.listen({
    'watch-state': ({ kind }) => {
      if (kind === 'syncing') line ??= createSyncLine(output, systemClock)
      else {
        line?.end()
        line = undefined
      }
    },
    'sync-progress': (progress) => line?.show(progress),
  })
  return () => {
    stopListening()
    line?.end()
  }
}

/** Prints every event with its name and time as NDJSON on stdout, and advice about the token on stderr. */
function printEvents(events: EngineEvents, output: ConsoleOutput, tokenAdvice: string): () => void {
  const print = (event: string, fields: object) => {
    output.printEvent({ event, at: new Date(systemClock.nowMs()).toISOString(), ...fields })
  }
  return events.listen({
    'watch-state': (state) => {
      print('state', state)
      if (state.kind === 'blocked' && state.obstacle === 'token') output.warn(tokenAdvice)
    },
    'project-synced': (project) => print('project', project),
    'sync-failure': (failure) => print('failure', failure),
    'sync-progress': ({ projectsRead, timeLeft, ...progress }) => print('progress', progress),
    finding: ({ projectId, path, state, outcome }) => {
      const result = outcome instanceof AppError ? { code: outcome.code, message: outcome.message } : { outcome }
      print('finding', { projectId, path, state, ...result })
    },
  })
}

/** Returns a lookup of project names. The list is read again for a project that was added meanwhile. */
function projectNamer({ projects }: Engine): (projectId: string) => string {
  const names = new Map<string, string>()
  return (projectId) => {
    if (!names.has(projectId)) for (const { id, name } of projects.list()) names.set(id, name)
    return names.get(projectId) ?? projectId
  }
}

function printLines(
  events: EngineEvents,
  output: ConsoleOutput,
  { name, tokenAdvice }: { readonly name: (projectId: string) => string; readonly tokenAdvice: string },
): () => void {
  let before: WatchState | undefined
  const note = (line: string) => output.note(line)
  const warn = (line: string) => output.warn(line)
  const files = new FailureLines(warn)
  const reported = new ReportedFailures()
  const stop = events.listen({
    'watch-state': (state) => {
      const line = describeState(state, before, tokenAdvice)
      before = state
      if (line === undefined) return
      if (state.kind === 'blocked') warn(line)
      else note(line)
    },
    'project-synced': (project) => {
      reported.forget(project.projectId)
      const line = describeSynced(project, name(project.projectId))
      if (line !== undefined) note(line)
    },
    'sync-failure': (failure) => {
      const line = describeFailure(failure, name)
      if (failure.path !== null) files.add(line, plainText(failure.message))
      else if (reported.isNew(failure)) warn(line)
    },
    finding: (finding) => warn(describeFinding(finding)),
  })
  return () => {
    stop()
    files.close()
  }
}

/** Returns a new state as a sentence, or `undefined` if it is not worth a line. */
function describeState(state: WatchState, before: WatchState | undefined, tokenAdvice: string): string | undefined {
  switch (state.kind) {
    case 'blocked':
      return `${plainText(state.message)} ${adviceOn(state.obstacle, tokenAdvice)}`
    case 'paused':
    case 'quiet':
    case 'battery': {
      const { title, detail } = watchText(state, systemClock.nowMs())
      return `${title}: ${detail.charAt(0).toLowerCase()}${detail.slice(1)}.`
    }
    case 'stopped':
      return 'Stopped. What is archived so far is safe.'
    case 'idle':
    case 'syncing':
      if (before?.kind === 'blocked') return 'Resolved; Solarchive resumes.'
      if (before?.kind === 'quiet' || before?.kind === 'paused' || before?.kind === 'battery')
        return 'Solarchive resumes.'
      if (before === undefined && state.kind === 'idle' && state.onlyWhenAsked === true)
        return '"schedule" is "manual" in settings.json: only known files are downloaded, projects are not checked.'
      return undefined
  }
}

function adviceOn(obstacle: BlockerKind, tokenAdvice: string): string {
  return obstacle === 'token' ? `Solarchive waits. ${tokenAdvice}` : 'Solarchive waits and resumes automatically.'
}

/** Returns the result of a check as a sentence, or `undefined` if no file was downloaded or failed. */
function describeSynced(project: ProjectSynced, name: string): string | undefined {
  const { filesDownloaded, filesFailed } = project
  if (filesDownloaded + filesFailed === 0) return undefined
  const failed = filesFailed === 0 ? '' : `, ${countOf(filesFailed, 'file')} failed`
  return `${plainText(name)}: ${countOf(filesDownloaded, 'file')} archived${failed}.`
}

function describeFinding({ path, state, outcome }: ScrubFinding): string {
  const what = state === 'missing' ? 'is missing' : 'has changed'
  const next = outcome instanceof AppError ? outcome.message : 'It will be downloaded again.'
  return `${plainText(path)} ${what}. ${plainText(next)}`
}

/**
 * An unchanged failure is printed again after this time: silence could be taken for success, which prints nothing if
 * nothing is new.
 */
const repeatAfterMs = 24 * 60 * 60_000

interface ReportedFailure {
  readonly message: string
  /** Monotonic time. */
  readonly atMs: number
}

/** Remembers the failures of projects and checklists, each of which recurs with every poll until its cause is gone. */
class ReportedFailures {
  readonly #byProject = new Map<string, Map<string | null, ReportedFailure>>()

  /** Returns whether a failure is worth a line, and remembers it. */
  isNew({ projectId, checklistId, message }: SyncFailure): boolean {
    const failures = this.#byProject.get(projectId) ?? new Map<string | null, ReportedFailure>()
    this.#byProject.set(projectId, failures)
    const before = failures.get(checklistId)
    const nowMs = systemClock.monotonicMs()
    if (before?.message === message && nowMs - before.atMs < repeatAfterMs) return false
    failures.set(checklistId, { message, atMs: nowMs })
    return true
  }

  forget(projectId: string): void {
    this.#byProject.delete(projectId)
  }
}

/** Failures that are printed one by one: enough to see the cause. */
const printedFirst = 5

/** Interval of the lines that count the others. */
const countEveryMs = 60_000

/**
 * Prints failed files, of which there may be thousands: the first ones each, then one line per minute with their
 * number.
 */
class FailureLines {
  readonly #print: (line: string) => void
  #printed = 0
  /** Failures since the last line, by reason. */
  #more = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  /** `line` describes this failure alone; `reason` is the sentence that it shares with others. */
  add(line: string, reason: string): void {
    this.#timer ??= setInterval(() => this.#minute(), countEveryMs).unref()
    if (this.#printed < printedFirst) {
      this.#printed += 1
      this.#print(line)
    } else this.#more.set(reason, (this.#more.get(reason) ?? 0) + 1)
  }

  /** Prints the last counts. */
  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#printed = 0
    this.#printMore()
  }

  #minute(): void {
    // After a minute without failures the next ones are printed one by one again.
    if (this.#more.size === 0) this.close()
    this.#printMore()
  }

  #printMore(): void {
    const [most, ...others] = [...this.#more].sort(([, one], [, other]) => other - one)
    this.#more = new Map()
    if (most === undefined) return
    const count = others.reduce((sum, [, more]) => sum + more, most[1])
    const reason = most[0]
      .replace(/\.$/, '')
      .replace(/^(?!Solarchive )[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
    const mostly = others.length === 0 ? '' : 'mostly because '
    this.#print(`${countOf(count, 'more file')} could not be archived: ${mostly}${reason}`)
  }
}
