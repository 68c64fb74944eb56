import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { Analysis } from '../../../electron/engine/analysis/analysis.ts'
import type { AnalysisResult, AnalysisTask, FailureReason } from '../../../electron/engine/analysis/analysis-task.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import type { StartProcess } from '../../../electron/engine/lib/ports.ts'
import { createSanitizer } from '../../../electron/engine/lib/sanitizer.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { photosOf } from '../../../electron/sample-service/site/site-types.ts'
import { silentLogger } from '../../support/silent-logger.ts'
import { startProcess } from '../../support/start-process.ts'
import { until } from '../../support/watching.ts'
import { checklistOf, sampleArchive, type SampleArchive } from '../../support/sample-archive.ts'

const ports = { startProcess }

async function syncAndRead(archive: SampleArchive): Promise<void> {
  await archive.withEngine(
    async (engine: Engine) => {
      await engine.sync()
      await engine.readNewFiles()
    },
    {},
    ports,
  )
}

function rows<T>({ home }: SampleArchive, sql: string): T[] {
  const db = new Database(join(home, 'solarchive.sqlite3'), { readonly: true })
  try {
    return db.prepare<[], T>(sql).all()
  } finally {
    db.close()
  }
}

/** Reports of their real content say which issue they are. */
const small = { awkwardNames: false, photoBytes: undefined, reportBytes: undefined }

const pageTexts = (archive: SampleArchive) =>
  rows<{ text: string }>(archive, 'SELECT text FROM report_pages ORDER BY asset_id, page').map(({ text }) => text)

test('the text of reports is that of the archived ones, also after a change or the loss of the database', async () => {
  const archive = await sampleArchive({
    projects: 1,
    checklistsPerProject: 1,
    statuses: ['completed'],
    ...small,
  })
  await syncAndRead(archive)
  const first = pageTexts(archive)
  expect(first.join('\n')).toContain('Issue 1')
  expect(rows(archive, "SELECT kind, state FROM analysis_jobs WHERE kind = 'pages'")).toEqual([
    { kind: 'pages', state: 'done' },
  ])

  archive.service.replaceReport(checklistOf(archive))
  await syncAndRead(archive)
  const second = pageTexts(archive)
  expect(second.join('\n')).toContain('Issue 2')
  expect(second.join('\n')).not.toContain('Issue 1')

  rmSync(join(archive.home, 'solarchive.sqlite3'))
  await syncAndRead(archive)
  expect(pageTexts(archive)).toEqual(second)
})

/** A process that answers each task at once, and remembers them. */
function answering(answer: (task: AnalysisTask) => AnalysisResult) {
  const tasks: AnalysisTask[] = []
  const startProcess: StartProcess = (_, { onMessage, onEnd }) => {
    queueMicrotask(() => onMessage({ isReady: true }))
    return {
      send(message) {
        const task = message as AnalysisTask
        tasks.push(task)
        queueMicrotask(() => onMessage({ result: answer(task), isLast: false }))
      },
      kill: onEnd,
    }
  }
  return { tasks, startProcess }
}

test('photos are read if set, those of panels and meters for print too; failed files are left alone', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  const word = { text: 'SN4417', confidence: 0.9, box: [0.1, 0.2, 0.3, 0.1] as [number, number, number, number] }
  const { tasks, startProcess } = answering(({ kind, readsPrint = false }) => {
    if (kind === 'pages') return { kind: 'failed', reason: 'encrypted' }
    if (kind === 'measures') return { kind: 'failed', reason: 'unreadable' }
    return { kind, codes: [], print: readsPrint ? [{ ...word, endsLine: true }] : [] }
  })
  await archive.withEngine((engine) => engine.sync())
  await archive.withEngine((engine) => engine.readNewFiles(), {}, { startProcess })
  expect(tasks.map(({ kind }) => kind)).toEqual(['pages'])
  for (let again = 0; again < 2; again += 1) {
    await archive.withEngine((engine) => engine.readNewFiles(), { readPhotos: true }, { startProcess })
  }
  const photos = tasks.filter(({ kind }) => kind === 'text')
  expect(tasks).toHaveLength(1 + photos.length)
  expect(new Set(photos.map(({ file }) => file.path)).size).toBe(photos.length)
  const printed = photos.filter(({ readsPrint }) => readsPrint)
  expect(printed.length).toBeGreaterThan(0)
  expect(photos.length).toBeGreaterThan(printed.length)
  expect(rows(archive, 'SELECT source, text FROM photo_texts')).toEqual(
    printed.map(() => ({ source: 'print', text: 'SN4417' })),
  )
  expect(rows(archive, "SELECT reason FROM analysis_jobs WHERE state = 'failed'")).toEqual([{ reason: 'encrypted' }])
})

test('what reports and photos contain is stored without the token, reports also without links', async () => {
  const token = 'canary-token/5fb1'
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'], token })
  const { startProcess } = answering(({ kind }) => {
    if (kind === 'measures') return { kind: 'failed', reason: 'unreadable' }
    const box: [number, number, number, number] = [0, 0, 0.1, 0.1]
    const word = (text: string) => ({ text, confidence: 1, box, endsLine: false })
    if (kind === 'text') {
      const codes = [word('https://maker.example/qr?sn=SN4417'), word(token)]
      return { kind, codes, print: [word('TOKEN'), word(token)] }
    }
    return { kind, pages: [{ page: 1, text: `See https://files.example/a.jpg?md5=CANARY\nand ${token}.` }] }
  })
  await archive.withEngine(
    async (engine) => {
      await engine.sync()
      await engine.readNewFiles()
    },
    { readPhotos: true },
    { startProcess },
  )
  expect(pageTexts(archive)).toEqual(['See https://files.example/…\nand [secret].'])
  const photos = rows<{ text: string; words: string }>(archive, 'SELECT text, words FROM photo_texts')
  const texts = ['https://maker.example/qr?sn=SN4417 [secret]', 'TOKEN [secret]']
  expect([...new Set(photos.map(({ text }) => text))].sort()).toEqual(texts.sort())
  expect(photos.filter(({ words }) => words.includes(token))).toEqual([])
})

test('reports are read while the sync continues, by one process that is ready for the first', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 2, statuses: ['completed'], ...small })
  let started = 0
  const start: StartProcess = (program, listeners) => {
    started += 1
    return startProcess(program, listeners)
  }
  await archive.withEngine(
    async (engine) => {
      const isRead = Promise.withResolvers<void>()
      engine.events.on('files-read', () => isRead.resolve())
      // The work ends once something was read beside it.
      const work = engine.sync().then(() => isRead.promise)
      await engine.readNewFiles({ beside: work })
    },
    {},
    { startProcess: start },
  )
  expect(pageTexts(archive).length).toBeGreaterThanOrEqual(2)
  expect(rows(archive, "SELECT state FROM analysis_jobs WHERE kind = 'pages'")).toEqual([
    { state: 'done' },
    { state: 'done' },
  ])
  expect(started).toBe(1)
})

test('beside a sync without new reports, no process is started', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'], ...small })
  await syncAndRead(archive)
  const { tasks, startProcess } = answering(() => ({ kind: 'failed', reason: 'unreadable' }))
  await archive.withEngine((engine) => engine.readNewFiles({ beside: engine.sync() }), {}, { startProcess })
  expect(tasks).toEqual([])
})

/** An archive with one report, whose clock is set ahead by `wait`. */
async function waitingArchive() {
  let aheadMs = 0
  const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs }
  const options = { projects: 1, checklistsPerProject: 1, statuses: ['completed' as const], ...small }
  const archive = await sampleArchive(options, clock)
  await archive.withEngine((engine) => engine.sync())
  const wait = (minutes: number) => (aheadMs += minutes * 60_000)
  return { archive, wait }
}

const readBy = (archive: SampleArchive, startProcess: StartProcess) =>
  archive.withEngine((engine) => engine.readNewFiles(), {}, { startProcess })

const failures = (archive: SampleArchive) =>
  rows<{ reason: string }>(archive, "SELECT reason FROM analysis_jobs WHERE state = 'failed'").map(
    ({ reason }) => reason,
  )

test('a file for which a busy machine left no time is read later, and one that never ends is given up', async () => {
  const { archive, wait } = await waitingArchive()
  let reason: FailureReason | undefined = 'too-long'
  const { tasks, startProcess } = answering(() =>
    reason === undefined ? { kind: 'pages', pages: [{ page: 1, text: 'late' }] } : { kind: 'failed', reason },
  )
  await readBy(archive, startProcess)
  await readBy(archive, startProcess)
  expect(tasks).toHaveLength(1)
  wait(1)
  await readBy(archive, startProcess)
  expect(tasks).toHaveLength(2)
  reason = undefined
  wait(4)
  await readBy(archive, startProcess)
  expect(pageTexts(archive)).toEqual(['late'])

  for (const [never, tries] of [
    ['too-long', 10],
    ['ended', 3],
    ['unreadable', 1],
    ['changed', 12],
  ] as const) {
    archive.service.replaceReport(checklistOf(archive))
    await archive.withEngine((engine) => engine.sync())
    reason = never
    tasks.length = 0
    for (let day = 0; day < 12; day += 1) {
      await readBy(archive, startProcess)
      wait(24 * 60)
    }
    expect(tasks).toHaveLength(tries)
    expect(failures(archive)).toEqual([never])
  }
})

test('a report is read later if its process was killed, or while it was not in its place', async () => {
  const { archive, wait } = await waitingArchive()
  const [path] = rows<{ path: string }>(archive, "SELECT path FROM assets WHERE kind = 'report'")
  const file = join(archive.root, path?.path ?? '')
  renameSync(file, `${file}.away`)
  for (let day = 0; day < 12; day += 1) {
    wait(24 * 60)
    await readBy(archive, startProcess)
    expect(failures(archive)).toEqual(['missing'])
  }
  renameSync(`${file}.away`, file)
  wait(24 * 60)
  await readBy(archive, (program, listeners) => {
    const child = startProcess(program, listeners)
    return { ...child, send: () => child.kill() }
  })
  expect(failures(archive)).toEqual(['ended'])
  wait(1)
  await readBy(archive, startProcess)
  expect(failures(archive)).toEqual([])
  expect(pageTexts(archive).join('\n')).toContain('Issue 1')
})

/** The analysis of an archive, without its engine. */
function analysisOf(archive: SampleArchive, startProcess: StartProcess, clock = systemClock): Analysis {
  const store = createStore(join(archive.home, 'solarchive.sqlite3'))
  const analysis = new Analysis({
    store,
    root: archive.root,
    clock,
    logger: silentLogger,
    sanitizer: createSanitizer(() => []),
    startProcess,
    readsPhotos: false,
    isBusy: () => false,
    onRead: () => undefined,
  })
  onTestFinished(() => {
    analysis.close()
    store.close()
  })
  return analysis
}

test('a machine that slept while a file was read does not pause for as long', async () => {
  const { archive } = await waitingArchive()
  const hourMs = 60 * 60_000
  let sleptMs = 0
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + sleptMs }
  const { tasks, startProcess } = answering(() => {
    sleptMs += 10 * hourMs
    return { kind: 'pages', pages: [{ page: 1, text: 'late' }] }
  })
  const analysis = analysisOf(archive, startProcess, clock)
  const pauses: number[] = []
  while (tasks.length === 0) pauses.push(await analysis.analyzeNext(new AbortController().signal))
  expect(Math.max(...pauses)).toBeLessThan(hourMs)
  expect(pageTexts(archive)).toEqual(['late'])
})

test('other work goes on while the jobs of a long queue are created, and a stop ends it', async () => {
  const { archive } = await waitingArchive()
  const db = new Database(join(archive.home, 'solarchive.sqlite3'))
  onTestFinished(() => void db.close())
  const ids = Array.from({ length: 2_000 }, (_, index) => 1_000_000 + index)
  db.prepare('INSERT INTO analysis_queue SELECT value FROM json_each(?)').run(JSON.stringify(ids))
  const queued = () => db.prepare('SELECT COUNT(*) FROM analysis_queue').pluck().get() as number
  const { startProcess } = answering(() => ({ kind: 'pages', pages: [{ page: 1, text: 'late' }] }))
  const analysis = analysisOf(archive, startProcess)

  const stop = new AbortController()
  const work = Promise.withResolvers<void>()
  const stopped = analysis.readDue(stop.signal, 60_000, work.promise)
  analysis.expectReport()
  await nextTurn()
  expect(queued()).toBeGreaterThan(0)
  stop.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('stopped')
  expect(queued()).toBeGreaterThan(0)

  const read = analysis.readDue(new AbortController().signal, 60_000)
  await nextTurn()
  expect(queued()).toBeGreaterThan(0)
  await read
  expect(queued()).toBe(0)
  expect(pageTexts(archive)).toEqual(['late'])
})

test('a report that failed while the clock was ahead is read once the clock is set back', async () => {
  const { archive, wait } = await waitingArchive()
  const [path] = rows<{ path: string }>(archive, "SELECT path FROM assets WHERE kind = 'report'")
  const file = join(archive.root, path?.path ?? '')
  renameSync(file, `${file}.away`)
  wait(365 * 24 * 60)
  await readBy(archive, startProcess)
  expect(failures(archive)).toEqual(['missing'])
  wait(-365 * 24 * 60)
  renameSync(`${file}.away`, file)
  await readBy(archive, startProcess)
  expect(failures(archive)).toEqual([])
})

test('the watch measures photos, and hints name dark ones and later copies, until the photo is replaced', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  const project = archive.service.projects[0]?.id ?? ''
  const measures = { brightness: 0.02, contrast: 0.01, sharpness: 400, latitude: null, longitude: null }
  let isBetter = false
  const seen: string[] = []
  const { startProcess } = answering(({ kind, file }) => {
    if (kind !== 'measures') return { kind: 'failed', reason: 'unreadable' }
    if (!seen.includes(file.path)) seen.push(file.path)
    const hash = isBetter ? '5555555555555555' : '123456789abcdef0'
    return { kind, measures: { ...measures, hash } }
  })
  const { id } = checklistOf(archive)
  await archive.withEngine(
    async (engine) => {
      await engine.sync()
      const stop = new AbortController()
      const watching = engine.watch.run(stop.signal)
      const hints = () => engine.catalog.hints(project, id)
      await until('hints', () => hints().length > 0 && hints().length === 2 * seen.length - 1)
      const copies = hints().filter(({ kind }) => kind === 'duplicate')
      const [original] = hints().filter(({ assetId }) => !copies.some((copy) => copy.assetId === assetId))
      expect(new Set(copies.map(({ other }) => other?.assetId))).toEqual(new Set([original?.assetId]))
      expect(engine.catalog.hintedChecklists({ offset: 0, limit: 50 })).toMatchObject({
        total: 1,
        items: [{ checklistId: id, photos: { dark: seen.length, duplicate: seen.length - 1, blurred: 0, far: 0 } }],
      })
      isBetter = true
      const [replaced] = photosOf(checklistOf(archive))
      if (replaced !== undefined) archive.service.replacePhoto(replaced)
      await engine.sync()
      await until(
        'the replaced photo to be no copy',
        () => hints().filter(({ kind }) => kind === 'duplicate').length === seen.length - 2,
      )
      stop.abort()
      await watching
    },
    {},
    { startProcess },
  )
})
