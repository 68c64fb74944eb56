import { SeededRandom } from '../../../electron/sample-service/site/seeded-random.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * Origin of a life: a project added for it, one settled within the last three days, or one settled before.
 */
export const origins = ['new', 'recent', 'long'] as const
export type OriginOfChange = (typeof origins)[number]

/** From this moment on a checklist shows this status. Every step has an update time of its own. */
export interface Step {
  readonly atMs: number
  readonly status: string
  /** Photo questions whose photos are not all uploaded yet. */
  readonly owing: number
}

export interface LivedChecklist {
  readonly photoQuestions: number
  readonly steps: Step[]
}

/** A project and what happens to it, in milliseconds from the start of what is measured; before that is negative. */
export interface LivedProject {
  readonly id: string
  readonly addedMs: number
  /** Infinity while nobody removes it. */
  removedMs: number
  readonly checklists: LivedChecklist[]
}

/** One way from draft to completed. */
export interface Life {
  readonly project: LivedProject
  readonly checklist: LivedChecklist
  readonly origin: OriginOfChange
  readonly startMs: number
  readonly completedMs: number
}

export interface World {
  readonly projects: readonly LivedProject[]
  readonly lives: readonly Life[]
}

export interface WorldOptions {
  readonly seed: number
  readonly projects: number
  /** Lives active at any time, hot ones included. */
  readonly active: number
  /** Share of the lives that begin in each kind of project. */
  readonly mix: Readonly<Record<OriginOfChange, number>>
  /** Lives are 10 minutes times 432 ** (u ** skew), u uniform: 10 minutes to 3 days. 1: short ones abound. */
  readonly skew: number
  /** Nothing begins after it. */
  readonly endMs: number
}

const minLifeMs = 10 * minuteMs
const maxLifeMs = 3 * dayMs
const recentlyMs = 3 * dayMs
/** Lives start this long before the measured time, so that it begins with lives of all ages. */
const historyMs = 6 * dayMs
/** Projects that were settled before that were settled up to so long ago. */
const pastMs = 60 * dayMs
/** An office adds a project when the visit is planned, up to so long before somebody opens its checklist. */
const maxLeadMs = dayMs

/**
 * Makes the projects and all that will happen to them. For every project that is added the one that has been settled
 * longest is removed, so that there are always as many. Lives begin at random moments, day and night alike.
 */
export function makeWorld(options: WorldOptions): World {
  const random = new SeededRandom(`lives/${options.seed}`)
  const projects = Array.from({ length: options.projects }, (_, index) => oldProject(random, index))
  const settledMs = new Map<LivedProject, number>()
  for (const project of projects) settledMs.set(project, lastStepMs(project))
  const lives: Life[] = []
  const perMs = options.active / meanLifeMs(options.skew)
  let nowMs = -historyMs
  while ((nowMs -= Math.log(1 - random.next()) / perMs) < options.endMs) {
    const origin = pickOrigin(random, options.mix)
    const project =
      origin === 'new' ? addProject(random, projects, settledMs, nowMs) : pickSettled(random, settledMs, nowMs, origin)
    if (project === undefined) continue
    const life = live(random, project, origin, nowMs, options.skew)
    lives.push(life)
    settledMs.set(project, life.completedMs)
  }
  return { projects, lives }
}

function oldProject(random: SeededRandom, index: number): LivedProject {
  const atMs = -historyMs - random.next() * pastMs
  const checklists = Array.from({ length: random.whole(1, 3) }, (): LivedChecklist => ({
    photoQuestions: random.whole(3, 8),
    steps: [{ atMs, status: 'completed', owing: 0 }],
  }))
  return { id: `old-${index}`, addedMs: -Infinity, removedMs: Infinity, checklists }
}

const lastStepMs = (project: LivedProject) =>
  Math.max(...project.checklists.map(({ steps }) => steps.at(-1)?.atMs ?? -Infinity))

function meanLifeMs(skew: number): number {
  const count = 10_000
  let sum = 0
  for (let index = 0; index < count; index++) sum += lifeMs((index + 0.5) / count, skew)
  return sum / count
}

const lifeMs = (u: number, skew: number) => minLifeMs * (maxLifeMs / minLifeMs) ** (u ** skew)

function pickOrigin(random: SeededRandom, mix: Readonly<Record<OriginOfChange, number>>): OriginOfChange {
  const choice = random.next()
  if (choice < mix.new) return 'new'
  return choice < mix.new + mix.recent ? 'recent' : 'long'
}

/** Settled for at least half an hour and not removed: the next checklist is never opened right when the last closes. */
function pickSettled(
  random: SeededRandom,
  settledMs: ReadonlyMap<LivedProject, number>,
  nowMs: number,
  origin: OriginOfChange,
): LivedProject | undefined {
  const matching = [...settledMs].filter(([, atMs]) => {
    const sinceMs = nowMs - atMs
    return origin === 'long' ? sinceMs > recentlyMs : sinceMs > minuteMs * 30 && sinceMs <= recentlyMs
  })
  return matching.length === 0 ? undefined : random.pick(matching)[0]
}

function addProject(
  random: SeededRandom,
  projects: LivedProject[],
  settledMs: Map<LivedProject, number>,
  startMs: number,
): LivedProject {
  const addedMs = startMs - random.next() * maxLeadMs
  const [oldest] = [...settledMs].reduce((first, other) => (other[1] < first[1] ? other : first))
  oldest.removedMs = addedMs
  settledMs.delete(oldest)
  const project = { id: `new-${projects.length}`, addedMs, removedMs: Infinity, checklists: [] }
  projects.push(project)
  return project
}

/** A visit to a project that has checklists reopens one of them one time in four. */
function live(
  random: SeededRandom,
  project: LivedProject,
  origin: OriginOfChange,
  startMs: number,
  skew: number,
): Life {
  const reopened = project.checklists.length > 0 && random.chance(0.25) ? random.pick(project.checklists) : undefined
  const checklist: LivedChecklist = reopened ?? { photoQuestions: random.whole(3, 8), steps: [] }
  if (reopened === undefined) project.checklists.push(checklist)
  const durationMs = lifeMs(random.next(), skew)
  checklist.steps.push(...stepsOf(random, startMs, durationMs, checklist.photoQuestions))
  return { project, checklist, origin, startMs, completedMs: startMs + durationMs }
}

/**
 * The form is filled in most of the time, with some edits; for 4 to 29 percent of it the photos travel, in one to four
 * batches, and the report is made, which takes 1 to 10 minutes. One report in 16 fails at first.
 */
function stepsOf(random: SeededRandom, startMs: number, durationMs: number, photoQuestions: number): Step[] {
  const endMs = startMs + durationMs
  const hotMs = durationMs * random.between(0.04, 0.29)
  const fails = random.chance(1 / 16)
  const reportMs = Math.min(random.between(1, 10) * minuteMs, hotMs / 2)
  const awaitingMs = endMs - hotMs
  const processingMs = fails ? endMs - hotMs / 2 : endMs - reportMs
  const submittedMs = startMs + (awaitingMs - startMs) * random.between(0.85, 0.98)
  const step = (atMs: number, status: string, owing = 0): Step => ({ atMs, status, owing })
  const edits = Array.from({ length: random.whole(0, 4) }, () => random.between(startMs, submittedMs))
  const batches = random.whole(1, 4)
  const arrivals = Array.from({ length: batches - 1 }, () => random.between(awaitingMs, processingMs))
  const failedAgainMs = Math.min(reportMs, hotMs / 8)
  return [
    step(startMs, 'draft'),
    ...sorted(edits).map((atMs) => step(atMs, 'draft')),
    step(submittedMs, 'formSubmitted'),
    step(awaitingMs, 'awaitingMedia', photoQuestions),
    ...sorted(arrivals).map((atMs, index) =>
      step(atMs, 'awaitingMedia', Math.ceil(photoQuestions * (1 - (index + 1) / batches))),
    ),
    step(processingMs, 'pdfProcessing'),
    ...(fails
      ? [step(processingMs + failedAgainMs, 'pdfProcessingFailed', 1), step(endMs - failedAgainMs, 'pdfProcessing')]
      : []),
    step(endMs, 'completed'),
  ]
}

const sorted = (times: readonly number[]) => [...times].sort((a, b) => a - b)
