import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { forkProcess } from '../../../electron/app/fork-process.ts'
import { type AnalysisRunner, createAnalysisRunner } from '../../../electron/engine/analysis/analysis-runner.ts'
import type { AnalysisTask, FileToRead } from '../../../electron/engine/analysis/analysis-task.ts'
import type { StartProcess } from '../../../electron/engine/lib/ports.ts'
import { errnoError } from '../archive/folder-test.ts'
import { makePdf, textOperators, writeFile } from './made-files.ts'

const { signal } = new AbortController()

/** Starts real processes, and counts them. */
let started = 0
const start: StartProcess = (program, listeners) => {
  started += 1
  return forkProcess(program, listeners)
}

let folder: string
let runner: AnalysisRunner
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'solarchive-analysis-'))
  // Its process is looked at after a task.
  runner = createAnalysisRunner({ start, idleMs: 600_000 })
})
afterAll(() => {
  runner.close()
  rmSync(folder, { recursive: true, force: true })
})

const read = (file: FileToRead, kind: AnalysisTask['kind'] = 'pages') => runner.run({ kind, file }, signal)

describe('a report', () => {
  it('is read page by page', async () => {
    const pages = [textOperators('Delgado residence', 'Main panel: 200 A'), '', textOperators('Caf\\351 Nord')]
    expect(await read(writeFile(folder, 'report.pdf', makePdf({ pages })))).toEqual({
      kind: 'pages',
      pages: [
        { page: 1, text: 'Delgado residence\nMain panel: 200 A' },
        { page: 3, text: 'Café Nord' },
      ],
    })
  })

  it.each([
    ['no PDF at all', Buffer.from('<html>Not found</html>'), 'unreadable'],
    ['cut off', makePdf({ pages: [textOperators('x')] }).subarray(0, 200), 'unreadable'],
    ['empty', Buffer.alloc(0), 'unreadable'],
  ])('that is %s has no text', async (_, bytes, reason) => {
    expect(await read(writeFile(folder, 'bad.pdf', bytes))).toEqual({ kind: 'failed', reason })
  })

  it('of very many pages is read in part', async () => {
    const pdf = makePdf({ pages: [textOperators('one of many')], repeats: 999 })
    expect(await read(writeFile(folder, 'long.pdf', pdf))).toMatchObject({ kind: 'pages', pages: { length: 500 } })
  })

  it.each([
    ['that unpacks to 300 MB', () => makePdf({ pages: [Buffer.alloc(300_000_000, '(a) Tj ')] })],
    ['of 100,000 pages', () => makePdf({ pages: [textOperators('one of many')], repeats: 99_999 })],
  ])('%s is given up, and the next one is read by another process', async (_, make) => {
    const impatient = createAnalysisRunner({ start, taskMs: 2_000 })
    onTestFinished(() => impatient.close())
    const before = started
    const file = writeFile(folder, 'bomb.pdf', make())
    const result = await impatient.run({ kind: 'pages', file }, signal)
    expect(['ended', 'too-long']).toContain(result?.kind === 'failed' && result.reason)
    const next = writeFile(folder, 'next.pdf', makePdf({ pages: [textOperators('next')] }))
    expect(await read(next)).toMatchObject({ pages: [{ text: 'next' }] })
    expect(started).toBeGreaterThan(before)
  })

  it('that takes too long is given up', async () => {
    const slow = createAnalysisRunner({ start, taskMs: 500 })
    onTestFinished(() => slow.close())
    const endless = makePdf({ pages: [`BT /F1 1 Tf ${'(endless) Tj '.repeat(3_000_000)}`] })
    const file = writeFile(folder, 'slow.pdf', endless)
    expect(await slow.run({ kind: 'pages', file }, signal)).toEqual({ kind: 'failed', reason: 'too-long' })
  })
})

describe('a file in the place of an archived one', () => {
  it('is not read', async () => {
    const file = writeFile(folder, 'mine.pdf', makePdf({ pages: [textOperators('secret')] }))
    expect(await read({ ...file, sha256: 'f'.repeat(64) })).toEqual({ kind: 'failed', reason: 'changed' })
    expect(await read({ ...file, path: join(folder, 'none.pdf') })).toEqual({ kind: 'failed', reason: 'missing' })
    const tooLong = join(folder, 'x'.repeat(300))
    expect(await read({ ...file, path: tooLong })).toEqual({ kind: 'failed', reason: 'inaccessible' })
    symlinkSync(file.path, join(folder, 'link.pdf'))
    expect(await read({ ...file, path: join(folder, 'link.pdf') })).toEqual({ kind: 'failed', reason: 'changed' })
  })
})

describe('the process', () => {
  it('is started in advance, and reads the first file', async () => {
    const early = createAnalysisRunner({ start })
    onTestFinished(() => early.close())
    const before = started
    early.prepare()
    early.prepare()
    const file = writeFile(folder, 'first.pdf', makePdf({ pages: [textOperators('first')] }))
    expect(await early.run({ kind: 'pages', file }, signal)).toMatchObject({ pages: [{ text: 'first' }] })
    expect(started).toBe(before + 1)
  })

  it('ends when nothing is left to read, and another one reads the next file', async () => {
    let ended = 0
    const short = createAnalysisRunner({
      idleMs: 50,
      start: (program, { onMessage, onEnd }) =>
        forkProcess(program, {
          onMessage,
          onEnd: () => {
            ended += 1
            onEnd()
          },
        }),
    })
    onTestFinished(() => short.close())
    const file = writeFile(folder, 'idle.pdf', makePdf({ pages: [textOperators('idle')] }))
    expect(await short.run({ kind: 'pages', file }, signal)).toMatchObject({ kind: 'pages' })
    await expect.poll(() => ended).toBe(1)
    expect(await short.run({ kind: 'pages', file }, signal)).toMatchObject({ kind: 'pages' })
  })

  it('that cannot be started is started for a later file', async () => {
    let isRefused = true
    const unlucky = createAnalysisRunner({
      start(program, listeners) {
        if (isRefused) throw errnoError('ENOMEM')
        return forkProcess(program, listeners)
      },
    })
    onTestFinished(() => unlucky.close())
    const file = writeFile(folder, 'later.pdf', makePdf({ pages: [textOperators('later')] }))
    unlucky.prepare()
    expect(await unlucky.run({ kind: 'pages', file }, signal)).toBeUndefined()
    isRefused = false
    expect(await unlucky.run({ kind: 'pages', file }, signal)).toMatchObject({ pages: [{ text: 'later' }] })
  })

  it.runIf(existsSync('/proc/self/environ'))('has no environment, and a low priority', async () => {
    await read(writeFile(folder, 'any.pdf', makePdf({ pages: [textOperators('any')] })))
    const analyses = () => readdirSync('/proc').filter((pid) => isAnalysisOf(process.pid, pid))
    // Those of earlier tests may still be ending.
    await expect.poll(() => analyses().length).toBe(1)
    const [pid = ''] = analyses()
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('PATH=')
    expect(statOf(pid)[niceField]).toBe('10')
  })
})

/** Fields of proc_pid_stat(5) after the name, from the state on. */
const [parentField, niceField] = [1, 16]

function statOf(pid: string): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
}

function isAnalysisOf(parent: number, pid: string): boolean {
  try {
    const program = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return statOf(pid)[parentField] === String(parent) && program.includes('analysis-process')
  } catch {
    // Not a process, or one that has ended.
    return false
  }
}
