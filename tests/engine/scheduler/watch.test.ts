import { renameSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import type { SyncProgress } from '../../../electron/engine/lib/events.ts'
import type { FaultSubject } from '../../../electron/sample-service/http/faults.ts'
import type { SampleService } from '../../../electron/sample-service/start-sample-service.ts'
import { layCable } from '../../support/cable.ts'
import { JumpingClock } from '../../support/jumping-clock.ts'
import { archivedHashes, checklistOf, sampleArchive, servedHashes } from '../../support/sample-archive.ts'
import { startWatching, until, type Watching } from '../../support/watching.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const site = { projects: 2, checklistsPerProject: 1, photoQuestionsPerChecklist: 2, awkwardNames: false } as const
const finished = { ...site, statuses: ['completed'] } as const

/** A clock that runs sixty times as fast: a poll due in a minute comes after a second. */
const quick = () => new JumpingClock(60)

const kinds = (watching: Watching) => watching.states.map(({ kind }) => kind)
const isAt = (watching: Watching, kind: string) => watching.states.at(-1)?.kind === kind
const allSynced = (watching: Watching) => until('both projects are archived', () => watching.synced.length >= 2)
const polls = (service: SampleService) => service.requests.count('checklists')

async function isComplete(engine: Engine, id: string): Promise<boolean> {
  const { projects } = await engine.status()
  return projects.some(({ checklists }) => checklists.some((checklist) => checklist.id === id && checklist.complete))
}

async function untilSome<T>(list: () => readonly T[]): Promise<readonly T[]> {
  let found: readonly T[] = []
  await until('there are some', () => (found = list()).length > 0)
  return found
}

async function isAllComplete(engine: Engine): Promise<boolean> {
  const { projects } = await engine.status()
  return projects.every(({ checklists }) => checklists.length > 0 && checklists.every(({ complete }) => complete))
}

it('archives everything at its start, and later completed checklists by itself', async () => {
  const archive = await sampleArchive({ ...site, statuses: ['awaitingMedia'] })
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await allSynced(watching)
    const checklist = checklistOf(archive)
    archive.service.setStatus(checklist, 'completed')
    await until('the completed checklist is archived', () => isComplete(engine, checklist.id))
    expect(watching.failures).toEqual([])
    await watching.stop()
    expect(isAt(watching, 'stopped')).toBe(true)
  }
  await archive.withEngine(work, {}, { clock: quick() })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it('a first sync counts all projects while it reads them, and shows a time left', async () => {
  const projects = 4
  // A call is allowed every 1.3 seconds: also on a busy machine, the limit takes longer than the calls.
  const archive = await sampleArchive({ ...finished, projects })
  const work = async (engine: Engine) => {
    const seen: SyncProgress[] = []
    engine.events.on('sync-progress', (progress) => seen.push(progress))
    const watching = startWatching(engine)
    await until('all projects are archived', () => watching.synced.length >= projects)
    await until('the watch is idle', () => isAt(watching, 'idle'))
    await watching.stop()
    expect(seen.every(({ projectsTotal }) => projectsTotal === projects)).toBe(true)
    expect(seen[0]?.projectsRead).toBe(0)
    expect(seen.at(-1)).toMatchObject({ projectsRead: projects, projectsDone: projects, timeLeft: null })
    // The rate limit makes it wait between two projects: it does not look idle meanwhile.
    expect(kinds(watching).filter((kind) => kind === 'idle').length).toBeLessThanOrEqual(2)
    // How right it is, is tested in time-left.test.ts.
    const shown = seen.filter(({ timeLeft }) => typeof timeLeft?.callsPerMinute === 'number')
    expect(shown.length).toBeGreaterThan(0)
  }
  await archive.withEngine(work, { apiCallsPerMinute: 3 }, { clock: new JumpingClock(15) })
})

it('a pause survives a restart and lasts until resumed, and no call is made meanwhile', async () => {
  const archive = await sampleArchive(finished)
  await archive.withEngine((engine) => Promise.resolve(engine.watch.pause('resumed')))
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await until('it is paused', () => isAt(watching, 'paused'))
    expect(watching.states).toMatchObject([{ kind: 'paused', until: null }])
    expect(polls(archive.service)).toBe(0)
    engine.watch.resume()
    await allSynced(watching)
    await watching.stop()
  }
  await archive.withEngine(work, {}, { clock: quick() })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it('a pause for an hour ends by itself, even if the clock was set back meanwhile', async () => {
  const archive = await sampleArchive(finished)
  const clock = quick()
  const work = async (engine: Engine) => {
    engine.watch.pause('hour')
    const watching = startWatching(engine)
    await until('it is paused', () => isAt(watching, 'paused'))
    clock.jump(-3 * day)
    await until('it is paused for an hour again', () => {
      const state = watching.states.at(-1)
      return state?.kind === 'paused' && Date.parse(state.until ?? '') <= clock.nowMs() + hour
    })
    clock.jump(hour)
    await allSynced(watching)
    await watching.stop()
  }
  await archive.withEngine(work, {}, { clock })
})

it('pausing interrupts the work in flight, without counting a failed attempt', async () => {
  const archive = await sampleArchive(finished)
  archive.service.faults.add({ route: 'files', fault: { kind: 'hang' }, count: 4 })
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await until('files are in flight', () => archive.service.requests.count('files') >= 4)
    engine.watch.pause('resumed')
    await until('it is paused', () => isAt(watching, 'paused'))
    engine.watch.resume()
    await allSynced(watching)
    expect(watching.failures).toEqual([])
    await watching.stop()
  }
  await archive.withEngine(work)
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it('pauses during the quiet hours', async () => {
  const archive = await sampleArchive(finished)
  const clock = new JumpingClock(1)
  const at = (ms: number) => new Date(ms).toTimeString().slice(0, 5)
  const quietHours = { start: at(clock.nowMs() - hour), end: at(clock.nowMs() + 2 * hour) }
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await until('it is quiet', () => isAt(watching, 'quiet'))
    expect(polls(archive.service)).toBe(0)
    clock.jump(2 * hour + 60_000)
    engine.watch.recheck()
    await allSynced(watching)
    await watching.stop()
  }
  await archive.withEngine(work, { quietHours }, { clock })
})

it('polls a project once an hour at most if so configured, and a new one immediately', async () => {
  const archive = await sampleArchive({ ...site, projects: 3, statuses: ['awaitingMedia'] })
  const clock = new JumpingClock(1)
  const work = async (engine: Engine) => {
    const [last] = engine.projects.list()
    engine.projects.remove(last?.id ?? '')
    const watching = startWatching(engine)
    await allSynced(watching)
    await until('the next check is an hour away', () => {
      const state = engine.watch.state()
      return state.kind === 'idle' && Date.parse(state.nextPollAt ?? '') > clock.nowMs() + hour / 2
    })
    clock.jump(hour / 2)
    engine.projects.add([{ id: last?.id ?? '' }])
    await until('the new one is archived', () => watching.synced.length === 3)
    expect(polls(archive.service)).toBe(3)
    clock.jump(hour / 2)
    engine.watch.recheck()
    await until('the others were asked about again', () => polls(archive.service) === 5)
    await watching.stop()
  }
  await archive.withEngine(work, { schedule: 'hourly', apiCallsPerMinute: 0 }, { clock })
})

it('polls nothing by itself on a manual schedule, and downloads known files', async () => {
  const archive = await sampleArchive(finished)
  const clock = new JumpingClock(1)
  const fault = archive.service.faults.add({ route: /photo/, fault: { kind: 'status', status: 404 } })
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await until('it has nothing to do', () => isAt(watching, 'idle'))
    expect(watching.states.at(-1)).toMatchObject({ nextPollAt: null, onlyWhenAsked: true })
    await engine.sync()
    expect(engine.failures()).not.toEqual([])
    fault.remove()
    const asked = polls(archive.service)
    expect(asked).toBe(2)
    // By now the links have expired too.
    clock.jump(30 * day)
    engine.retry('all')
    await until('nothing is missing any more', () => isAllComplete(engine))
    await until('it has nothing to do again', () => isAt(watching, 'idle'))
    expect(polls(archive.service)).toBe(asked)
    await watching.stop()
  }
  await archive.withEngine(work, { schedule: 'manual' }, { clock })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it('notices on a manual schedule that the token works again, and reports one that is refused later', async () => {
  const archive = await sampleArchive(finished)
  const clock = quick()
  const fault = archive.service.faults.add({ route: /photo/, fault: { kind: 'status', status: 404 } })
  let token = archive.service.token
  const work = async (engine: Engine) => {
    await engine.sync()
    const watching = startWatching(engine)
    const obstacles = () =>
      engine
        .activity({ limit: 50 })
        .items.map(({ kind }) => kind)
        .filter((kind) => kind.startsWith('obstacle'))
        .toReversed()
    const retryWithExpiredLinks = () => {
      clock.jump(30 * day)
      engine.retry('all')
    }
    token = 'an-old-token'
    retryWithExpiredLinks()
    await until('it is blocked', () => obstacles().length >= 1)
    token = archive.service.token
    await until('the end is noticed', () => obstacles().length >= 2)
    token = 'another-old-token'
    retryWithExpiredLinks()
    await until('it is blocked again', () => obstacles().length >= 3)
    expect(obstacles().slice(0, 3)).toEqual(['obstacle', 'obstacle-gone', 'obstacle'])
    fault.remove()
    token = archive.service.token
    await until('nothing is missing any more', () => isAllComplete(engine))
    await watching.stop()
  }
  const secrets = { accessToken: () => Promise.resolve(token) }
  await archive.withEngine(work, { schedule: 'manual' }, { clock, secrets })
})

it('pauses on battery until plugged in, still syncs on request, and leaves no pause behind', async () => {
  const archive = await sampleArchive(finished)
  const work = async (engine: Engine) => {
    engine.watch.pauseOnBattery(true)
    const watching = startWatching(engine)
    await until('it rests', () => isAt(watching, 'battery'))
    expect(polls(archive.service)).toBe(0)
    await engine.sync()
    expect(await isAllComplete(engine)).toBe(true)
    expect(engine.watch.state()).toEqual({ kind: 'battery' })
    engine.watch.pauseOnBattery(false)
    await until('it watches', () => isAt(watching, 'idle'))
    engine.watch.pauseOnBattery(true)
    await until('it rests again', () => isAt(watching, 'battery'))
    await watching.stop()
  }
  await archive.withEngine(work)
  await archive.withEngine(async (engine) => {
    const watching = startWatching(engine)
    await until('it watches', () => isAt(watching, 'idle'))
    await watching.stop()
  })
})

it('a lost network is reported once, costs no attempt, and the archive catches up when it is back', async () => {
  const archive = await sampleArchive({ ...finished, projects: 3 })
  const clock = quick()
  const cable = await layCable(archive.service.url)
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await until('the first calls were answered', () => archive.service.requests.count('media') >= 2)
    await cable.pull()
    await until('it is offline', () => isAt(watching, 'blocked'))
    expect(watching.states.at(-1)).toMatchObject({ obstacle: 'offline' })
    await cable.plug()
    await until('it is online', () => !isAt(watching, 'blocked'))
    // The next poll of the interrupted projects.
    clock.jump(20 * 60_000)
    await until('everything is archived', () => isAllComplete(engine))
    expect(kinds(watching).filter((kind) => kind === 'blocked')).toHaveLength(1)
    expect(watching.failures.filter(({ path }) => path !== null)).toEqual([])
    expect(engine.failures()).toEqual([])
    await watching.stop()
  }
  await archive.withEngine(work, { serviceUrl: cable.url }, { clock })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it('a failing service is left alone for a while, and called again', async () => {
  const archive = await sampleArchive({ ...finished, projects: 4 })
  const fault = archive.service.faults.add({ route: 'api', fault: { kind: 'status', status: 503 } })
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await until('it is blocked', () => isAt(watching, 'blocked'))
    expect(watching.states.at(-1)).toMatchObject({ obstacle: 'service', code: 'service-error' })
    fault.remove()
    await until('everything is archived', () => watching.synced.length >= 4)
    await watching.stop()
  }
  await archive.withEngine(work, {}, { clock: quick() })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it.each([403, 500])(
  'projects that the service refuses with %i stop no others, and are asked about less and less',
  async (status) => {
    const archive = await sampleArchive({ ...site, projects: 4, statuses: ['awaitingMedia'] })
    const [good, ...refused] = archive.service.projects.map(({ id }) => id)
    const isPollOf =
      (id: string | undefined) =>
      ({ route, path }: FaultSubject) =>
        route === 'checklists' && path.endsWith(`/${id}`)
    for (const id of refused) archive.service.faults.add({ route: isPollOf(id), fault: { kind: 'status', status } })
    const goodPolls = () => archive.service.requests.records.filter(isPollOf(good)).length
    const work = async (engine: Engine) => {
      const watching = startWatching(engine)
      const blocks = () => kinds(watching).filter((kind) => kind === 'blocked').length
      // Until the good project was asked about again, it may be the service that is in trouble.
      await until('the good project is polled again', () => goodPolls() >= 3)
      const blocksBefore = blocks()
      await until('the good project is polled for half an hour', () => goodPolls() >= 30)
      expect(blocks()).toBe(blocksBefore)
      for (const id of refused) {
        expect(watching.failures.filter(({ projectId }) => projectId === id).length).toBeLessThanOrEqual(10)
      }
      // They hide no trouble of the service from those that it answered.
      const outage = archive.service.faults.add({ route: 'api', fault: { kind: 'status', status: 503 } })
      await until('it is blocked', () => isAt(watching, 'blocked'))
      outage.remove()
      const pollsBefore = goodPolls()
      await until('the good project is polled as before', () => goodPolls() >= pollsBefore + 3)
      await watching.stop()
    }
    await archive.withEngine(work, {}, { clock: new JumpingClock(300) })
  },
)

it('a project that failed once before an outage is tried at once after it', async () => {
  const archive = await sampleArchive({ ...finished, projects: 4 })
  const { faults, requests, projects } = archive.service
  const path = `/${projects[0]?.id}`
  const pollPaths = () => requests.records.filter(({ route }) => route === 'checklists').map((record) => record.path)
  let hasFailed = false
  let isOutage = false
  let isOver = false
  const clock = new JumpingClock(6_000)
  faults.add({
    route(request) {
      const isPoll = request.route === 'checklists'
      if (isOver) {
        // From now on the others are due again in minutes, however long the machine takes for a poll. Slower before the
        // first poll, the clock would keep the test waiting for it.
        if (isPoll) clock.setSpeed(1)
        return false
      }
      if (isOutage) return request.origin === 'api'
      const isHiccup = isPoll && request.path.endsWith(path)
      hasFailed ||= isHiccup
      // Once another project was answered, nothing is.
      isOutage = hasFailed && isPoll && !isHiccup
      return isHiccup
    },
    fault: { kind: 'status', status: 500 },
  })
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    const failures = () => watching.failures.filter(({ projectId }) => projectId === projects[0]?.id).length
    await until('it would wait for an hour by itself', () => isOutage && failures() >= 9)
    isOver = true
    const before = pollPaths().length
    const since = () => pollPaths().slice(before)
    await until('it is polled', () => since().some((poll) => poll.endsWith(path)))
    const others = since().slice(
      0,
      since().findIndex((poll) => poll.endsWith(path)),
    )
    expect(others).toEqual([...new Set(others)])
    await watching.stop()
  }
  await archive.withEngine(work, {}, { clock })
})

it('a refused token is reported once and keeps the queue; with a new token the watch resumes', async () => {
  const archive = await sampleArchive(finished)
  let token = 'an-old-token'
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await until('it is blocked', () => isAt(watching, 'blocked'))
    expect(watching.states.at(-1)).toMatchObject({ obstacle: 'token', code: 'token-refused' })
    const callsBefore = archive.service.requests.count('api')
    token = archive.service.token
    await allSynced(watching)
    expect(callsBefore).toBeLessThanOrEqual(4)
    expect(kinds(watching).filter((kind) => kind === 'blocked')).toHaveLength(1)
    await watching.stop()
  }
  const secrets = { accessToken: () => Promise.resolve(token) }
  await archive.withEngine(work, {}, { clock: quick(), secrets })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it('an unplugged drive stops the downloads until it is back, with one message', async () => {
  const archive = await sampleArchive({ ...site, statuses: ['awaitingMedia'] })
  await archive.sync()
  const work = async (engine: Engine) => {
    renameSync(archive.root, `${archive.root}-unplugged`)
    const watching = startWatching(engine)
    await until('it is blocked', () => isAt(watching, 'blocked'))
    expect(watching.states.at(-1)).toMatchObject({ obstacle: 'disk', code: 'archive-unavailable' })
    const checklist = checklistOf(archive)
    archive.service.setStatus(checklist, 'completed')
    renameSync(`${archive.root}-unplugged`, archive.root)
    await until('the completed checklist is archived', () => isComplete(engine, checklist.id))
    expect(kinds(watching).filter((kind) => kind === 'blocked')).toHaveLength(1)
    await watching.stop()
  }
  await archive.withEngine(work, {}, { clock: quick() })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it.each([3 * day, -3 * day])(
  'a clock that jumps by %d ms neither floods the service nor silences the watch',
  async (jump) => {
    const archive = await sampleArchive({ ...site, projects: 12, statuses: ['awaitingMedia'] })
    const clock = quick()
    const work = async (engine: Engine) => {
      const watching = startWatching(engine)
      await until('all projects are archived', () => watching.synced.length >= 12)
      clock.jump(jump)
      const before = polls(archive.service)
      const jumpedAtMs = clock.monotonicMs()
      const checklist = checklistOf(archive)
      archive.service.setStatus(checklist, 'completed')
      await until('the completed checklist is archived', () => isComplete(engine, checklist.id))
      await until('every project was asked about again', () => polls(archive.service) - before >= 12)
      // At most one poll of each per elapsed minute, and one for the jump.
      const minutes = (clock.monotonicMs() - jumpedAtMs) / 60_000
      expect(polls(archive.service) - before).toBeLessThanOrEqual(12 * (2 + minutes * 1.3))
      expect(watching.failures).toEqual([])
      await watching.stop()
    }
    await archive.withEngine(work, { apiCallsPerMinute: 600 }, { clock })
  },
)

it('a failed file stays visible with its reason and next attempt, and is retried automatically', async () => {
  const archive = await sampleArchive(finished)
  const fault = archive.service.faults.add({ route: /photo/, fault: { kind: 'html' } })
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await allSynced(watching)
    // The clock keeps running: the second or third attempt of all of them may be in flight at any time.
    const [failure] = await untilSome(() => engine.failures())
    expect(failure).toMatchObject({ code: 'file-invalid' })
    expect(failure?.attempts).toBeGreaterThanOrEqual(1)
    expect(Date.parse(failure?.nextTryAt ?? '')).not.toBeNaN()
    fault.remove()
    await until('nothing is missing any more', () => isAllComplete(engine))
    expect(engine.failures()).toEqual([])
    await watching.stop()
  }
  await archive.withEngine(work, {}, { clock: quick() })
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it('the user can retry one failed file, or all of them, immediately', async () => {
  const archive = await sampleArchive(finished)
  const fault = archive.service.faults.add({ route: /photo/, fault: { kind: 'status', status: 404 } })
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    await allSynced(watching)
    const [first, ...others] = engine.failures()
    fault.remove()
    expect(engine.retry({ assetId: first?.assetId ?? 0 })).toBe(1)
    const downloads = () => watching.synced.reduce((sum, { filesDownloaded }) => sum + filesDownloaded, 0)
    const before = downloads()
    await until('the one is archived', () => downloads() === before + 1)
    expect(engine.failures()).toHaveLength(others.length)
    expect(engine.retry('all')).toBe(others.length)
    await until('all are archived', () => downloads() === before + 1 + others.length)
    await watching.stop()
  }
  await archive.withEngine(work)
  expect(archivedHashes(archive.root)).toEqual(await servedHashes(archive.service))
})

it("a user's sync runs beside the watch, and no file is downloaded twice", async () => {
  const archive = await sampleArchive({ ...finished, projects: 4 })
  const work = async (engine: Engine) => {
    const watching = startWatching(engine)
    const report = await engine.sync()
    expect(report.failures).toEqual([])
    await until('the watch has nothing to do', () => isAt(watching, 'idle'))
    await watching.stop()
  }
  await archive.withEngine(work)
  const hashes = await servedHashes(archive.service)
  expect(archivedHashes(archive.root)).toEqual(hashes)
  expect(archive.service.requests.count('files')).toBe(hashes.length)
})

it('a project added while it runs is archived immediately, and a removed one is left alone', async () => {
  const archive = await sampleArchive(finished)
  const work = async (engine: Engine) => {
    const [first, second] = engine.projects.list()
    engine.projects.remove(first?.id ?? '')
    const watching = startWatching(engine)
    await until('the other one is archived', () => watching.synced.length === 1)
    expect(watching.synced).toMatchObject([{ projectId: second?.id }])
    engine.projects.add([{ id: first?.id ?? '' }])
    await until('both are archived', () => watching.synced.length === 2)
    await watching.stop()
  }
  await archive.withEngine(work)
})
