import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Engine } from '../../../electron/engine/engine.ts'
import { EngineEvents } from '../../../electron/engine/lib/events.ts'
import { createRedactor } from '../../../electron/engine/lib/redact.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { printWatch } from '../../../electron/headless/commands/watch.ts'
import { withConsole } from '../../../electron/headless/session.ts'
import { JsonList } from '../../../electron/headless/output/json-list.ts'
import { createLinePainter } from '../../../electron/headless/output/progress.ts'
import { ConsoleOutput, type Outcome, type OutputOptions } from '../../../electron/headless/output/console-output.ts'

const outcome: Outcome = {
  exitCode: 4,
  document: { done: 1, message: 'canary-token' },
  summary: ['went well'],
  answer: ['asked for'],
  problems: ['went wrong: canary-token'],
}

function recorder({ isTTY = false, ...options }: Partial<OutputOptions> & { isTTY?: boolean } = {}) {
  const texts = { stdout: '', stderr: '' }
  const stream = (name: keyof typeof texts) => ({ isTTY, columns: 60, write: (text: string) => (texts[name] += text) })
  const redactor = createRedactor()
  redactor.addSecret('canary-token')
  const output = new ConsoleOutput({
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: {},
    redactor,
    json: false,
    quiet: false,
    ...options,
  })
  return { output, texts }
}

describe("a command's outcome", () => {
  test('is printed on stdout', () => {
    const { output, texts } = recorder()
    output.printOutcome(outcome)
    expect(texts).toEqual({ stdout: 'went well\nasked for\nwent wrong: [secret]\n', stderr: '' })
  })

  test('is only the result and the problems with --quiet', () => {
    const { output, texts } = recorder({ quiet: true })
    output.printOutcome(outcome)
    expect(texts.stdout).toBe('asked for\nwent wrong: [secret]\n')
  })

  test('is one JSON document on stdout with --json, and the problems on stderr', () => {
    const { output, texts } = recorder({ json: true })
    output.printOutcome(outcome)
    expect(JSON.parse(texts.stdout)).toEqual({ done: 1, message: '[secret]' })
    expect(texts.stderr).toBe('went wrong: [secret]\n')
  })

  test.each([0, 1, 3, 4000])('with a list of %i values is the same JSON as without one', (length) => {
    const values = Array.from({ length }, (_, index) => ({
      name: `Čapek "${index}"\nroof\u2028eave\u2029`,
      gaps: index % 2 ? [] : [index],
    }))
    const rest = { waiting: 2, lastSync: null, note: 'canary-token' }
    const [whole, listed] = [recorder({ json: true }), recorder({ json: true })]
    whole.output.printOutcome({ exitCode: 0, document: { projects: values, ...rest } })
    const items = new JsonList()
    items.add(listed.output.toListed('of an earlier start'))
    items.clear()
    for (const value of values) items.add(listed.output.toListed(value))
    listed.output.printOutcome({ exitCode: 0, list: { key: 'projects', items }, document: rest })
    expect(listed.texts.stdout).toBe(whole.texts.stdout)
  })
})

test('results on stdout keep the words of users and file paths; problems are redacted more strictly', () => {
  const document = {
    path: 'P [1]/02 Bearer size/a.jpg',
    auth: 'Bearer canary-token',
    note: 'Authorization: Bearer abc123',
  }
  const json = recorder({ json: true })
  json.output.printOutcome({ exitCode: 0, document, problems: [document.path] })
  expect(JSON.parse(json.texts.stdout)).toEqual({
    path: document.path,
    auth: 'Bearer [secret]',
    note: 'Authorization: Bearer …',
  })
  expect(json.texts.stderr).toBe('P [1]/02 Bearer …\n')
  const { output, texts } = recorder()
  output.printLines([document.path])
  output.printEvent({ ...document, authorization: 'Homeowner agreed' })
  const event = {
    ...document,
    auth: 'Bearer [secret]',
    note: 'Authorization: Bearer …',
    authorization: 'Homeowner agreed',
  }
  expect(texts.stdout).toBe(`${document.path}\n${JSON.stringify(event)}\n`)
})

describe('a live line', () => {
  test('is overwritten by the next one, and cleared for a warning', () => {
    const { output, texts } = recorder({ isTTY: true, env: { NO_COLOR: '1' } })
    expect(output.isLive).toBe(true)
    output.showLive('1 of 2')
    output.warn('disk nearly full')
    output.showLive('2 of 2')
    output.showLive('')
    const clear = '\u001b[K'
    expect(texts.stderr).toBe(`\r1 of 2${clear}\r${clear}disk nearly full\n\r1 of 2${clear}\r2 of 2${clear}\r${clear}`)
  })

  test('of progress is cleared at its end, and work that was in flight shows no other', () => {
    const { output, texts } = recorder({ isTTY: true })
    const painter = createLinePainter(output, systemClock)
    painter.show(['1 of 2'], 0.5)
    painter.end()
    painter.show(['2 of 2'], 1)
    const clear = '\u001b[K'
    expect(texts.stderr).toBe(`\r1 of 2${clear}\r${clear}`)
  })

  test('may fill all columns but the last; a terminal without a width counts as 80 columns', () => {
    expect(recorder().output.columns).toBe(59)
    const stream = { isTTY: true, columns: 0, write: () => true }
    expect(recorder({ stderr: stream }).output.columns).toBe(79)
  })

  test('is for terminals only', () => {
    expect(recorder().output.isLive).toBe(false)
    expect(recorder({ isTTY: true, env: { TERM: 'dumb' } }).output.isLive).toBe(false)
  })
})

describe('colors', () => {
  test.each([
    [true, {}, true],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, {}, false],
  ])('on a terminal (%s) with %o are shown: %s', (isTTY, env, shown) => {
    const { output, texts } = recorder({ isTTY, env })
    output.error('no')
    expect(texts.stderr.includes('\u001b[')).toBe(shown)
  })
})

/** Returns the lines of a watch without their times. Throws if a line has none. */
function linesOf(printed: string): string[] {
  const lines = printed.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [, text] = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}(.*)$/.exec(line) ?? []
    if (text === undefined) throw new Error(`No time: ${line}`)
    return text
  })
}

test('a failure of a project is printed once until it changes, each line with its time', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { output, texts } = recorder()
  const events = new EngineEvents()
  const engine = { events, projects: { list: () => [{ id: 'p1', name: 'Elm' }] } } as unknown as Engine
  onTestFinished(printWatch({ engine, output, tokenAdvice: { running: '', next: '' } }))
  const fail = (message: string, checklistId: string | null = null) => {
    const of = { projectId: 'p1', checklistId, checklistTitle: checklistId, path: null } as const
    for (let poll = 1; poll <= 3; poll += 1) events.emit('sync-failure', { ...of, code: 'service-error', message })
  }
  fail('No answer.')
  fail('No answer.', 'Attic')
  fail('Status 500.')
  events.emit('project-synced', { projectId: 'p1', checklists: 1, filesDownloaded: 1, filesFailed: 0 })
  fail('Status 500.')
  vi.advanceTimersByTime(24 * 60 * 60_000)
  fail('Status 500.')
  expect(linesOf(texts.stderr)).toEqual([
    'Elm (p1): No answer.',
    'Elm / Attic: No answer.',
    'Elm (p1): Status 500.',
    'Elm: 1 file archived.',
    'Elm (p1): Status 500.',
    'Elm (p1): Status 500.',
  ])
})

test('the first of hundreds of failed files are printed with their reason, the others as a line per minute', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { output, texts } = recorder()
  const events = new EngineEvents()
  const engine = { events, projects: { list: () => [] } } as unknown as Engine
  const logged: string[] = []
  const quiet = (message: string) => void logged.push(message)
  const logger = withConsole({ debug: quiet, info: quiet, warn: quiet, error: quiet }, output)
  const stop = printWatch({ engine, output, tokenAdvice: { running: '', next: '' } })
  const lines = () => linesOf(texts.stderr)
  const fail = (files: number, message: string) => {
    for (let file = 1; file <= files; file += 1) {
      logger.warn('A file could not be archived', { asset: file })
      const of = { projectId: 'p1', checklistId: 'c1', checklistTitle: 'Attic', code: 'unreachable-timeout' } as const
      events.emit('sync-failure', { ...of, path: `Elm [p1]/photo-${file}.jpg`, message })
    }
  }
  fail(200, 'The download server stopped answering.')
  expect(lines()).toHaveLength(5)
  expect(lines()[0]).toContain('Elm [p1]/photo-1.jpg: The download server stopped answering.')
  vi.advanceTimersByTime(60_000)
  fail(17, 'The download server stopped answering.')
  fail(1, 'The download server no longer has the file.')
  vi.advanceTimersByTime(60_000)
  fail(2, 'Solarchive could not write a photo: the disk is full.')
  vi.advanceTimersByTime(60_000)
  expect(lines().slice(5)).toEqual([
    '195 more files could not be archived: the download server stopped answering',
    '18 more files could not be archived: mostly because the download server stopped answering',
    '2 more files could not be archived: Solarchive could not write a photo: the disk is full',
  ])
  vi.advanceTimersByTime(120_000)
  fail(6, 'The download server stopped answering.')
  stop()
  expect(lines().slice(8, 13)).toHaveLength(5)
  expect(logged).toHaveLength(226)
  expect(lines().at(-1)).toBe('1 more file could not be archived: the download server stopped answering')
})

test('notes are omitted with --quiet, warnings are not', () => {
  const { output, texts } = recorder({ quiet: true })
  output.note('by the way')
  output.warn('beware')
  expect(texts.stderr).toBe('beware\n')
})
