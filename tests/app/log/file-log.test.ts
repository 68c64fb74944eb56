import fs, {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { existsSync, mkdirSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createRedactor } from '../../../electron/engine/lib/redact.ts'
import { createFileLog, type LogOptions } from '../../../electron/app/log/create-file-log.ts'
import { runMain } from '../../support/run-main.ts'
import { errnoError } from '../../engine/archive/folder-test.ts'
import { FakeClock } from '../../support/fake-clock.ts'

let homeFolder: string
let warnings: string[]
let clock: FakeClock

beforeEach(() => {
  homeFolder = mkdtempSync(join(tmpdir(), 'solarchive-log-'))
  warnings = []
  clock = new FakeClock(Date.UTC(2026, 4, 17))
})

afterEach(() => rmSync(homeFolder, { recursive: true, force: true }))

function log(options: Partial<LogOptions> = {}) {
  const onBroken = (message: string) => warnings.push(message)
  return createFileLog({ homeFolder, redactor: createRedactor(), clock, onBroken, ...options })
}

const folder = () => join(homeFolder, 'logs')
const read = (name = 'solarchive.log') => readFileSync(join(folder(), name), 'utf8')
const lines = (name?: string) =>
  read(name)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

const oldestFirst = ['solarchive.4.log', 'solarchive.3.log', 'solarchive.2.log', 'solarchive.1.log', 'solarchive.log']
const eventsOf = (names: readonly string[]) =>
  names.flatMap((name) => [...read(name).matchAll(/event (\d+)/g)].map(([, number]) => Number(number)))

/** Has a file of the log be held open by another program, as on Windows. Returns what ends that. */
function holdOpen(name: string): () => void {
  const { renameSync, rmSync } = fs
  const refuse = (path: unknown) => {
    if (path === join(folder(), name)) throw errnoError('EBUSY')
  }
  const renaming = vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => (refuse(from), renameSync(from, to)))
  const removing = vi.spyOn(fs, 'rmSync').mockImplementation((path, options) => (refuse(path), rmSync(path, options)))
  syncBuiltinESMExports()
  const release = () => {
    renaming.mockRestore()
    removing.mockRestore()
    syncBuiltinESMExports()
  }
  onTestFinished(release)
  return release
}

describe('the log', () => {
  test('has one line of JSON per event, with time, level, and fields', () => {
    const logger = log()
    logger.info('A pass started', { projects: 3 })
    logger.error('A pass failed', { cause: new TypeError('no', { cause: new Error('disk') }), level: 'mine' })
    const common = { time: '2026-05-17T00:00:00.000Z', pid: process.pid }
    expect(lines()).toEqual([
      { ...common, level: 'info', fields: { projects: 3 }, msg: 'A pass started' },
      {
        ...common,
        level: 'error',
        fields: {
          cause: {
            name: 'TypeError',
            message: 'no',
            stack: expect.stringContaining('TypeError: no\n    at ') as string,
            cause: { name: 'Error', message: 'disk', stack: expect.any(String) as string },
          },
          level: 'mine',
        },
        msg: 'A pass failed',
      },
    ])
  })

  test('can be read by its owner only', () => {
    log().info('one')
    if (process.platform !== 'win32') expect(statSync(join(folder(), 'solarchive.log')).mode & 0o777).toBe(0o600)
  })

  test('omits details unless they are enabled', () => {
    log().debug('a call')
    expect(existsSync(folder())).toBe(false)
    log({ level: 'debug' }).debug('a call')
    expect(read()).toContain('a call')
    log({ level: 'error' }).warn('a warning')
    expect(read()).not.toContain('a warning')
  })

  test('rotates through five files of limited size, oldest lines first', () => {
    const logger = log({ maxBytes: 1000 })
    for (let i = 0; i < 200; i += 1) logger.info(`event ${i}`)
    const names = readdirSync(folder()).sort()
    expect(names).toEqual([1, 2, 3, 4].map((number) => `solarchive.${number}.log`).concat('solarchive.log'))
    const events = eventsOf(oldestFirst)
    expect(events).toEqual(Array.from({ length: events.length }, (_, index) => 200 - events.length + index))
    for (const name of names) expect(statSync(join(folder(), name)).size).toBeLessThanOrEqual(1000)
  })

  test.each(oldestFirst)('loses nothing but its oldest lines while another program has %s open', (name) => {
    const logger = log({ maxBytes: 1000 })
    let event = 0
    const fill = () => {
      for (const end = event + 50; event < end; event += 1) logger.info(`event ${event}`)
    }
    for (let i = 0; i < 4; i += 1) fill()
    const [oldest] = eventsOf(oldestFirst.slice(1))
    const release = holdOpen(name)
    fill()
    // The last full file waits under the fifth number.
    const waiting = oldestFirst.toSpliced(4, 0, 'solarchive.5.log')
    const events = eventsOf(waiting.filter((other) => existsSync(join(folder(), other))))
    expect(events[0]).toBeLessThanOrEqual(oldest ?? 0)
    expect(events).toEqual(Array.from({ length: events.length }, (_, index) => event - events.length + index))
    release()
    fill()
    const later = eventsOf(oldestFirst)
    expect(later).toEqual(Array.from({ length: later.length }, (_, index) => event - later.length + index))
    expect(readdirSync(folder()).sort()).toEqual([...oldestFirst].sort())
    expect(warnings).toEqual([])
  })

  test('continues in the same file after a restart, even if the last line was torn', () => {
    log().info('one')
    writeFileSync(join(folder(), 'solarchive.log'), '{"level":"info","ti', { flag: 'a' })
    log().info('two')
    const [first = '', torn, last = ''] = read().trimEnd().split('\n')
    expect(JSON.parse(first)).toMatchObject({ msg: 'one' })
    expect(torn).toBe('{"level":"info","ti')
    expect(JSON.parse(last)).toMatchObject({ msg: 'two' })
    expect(readdirSync(folder())).toEqual(['solarchive.log'])
  })

  test('accepts values that JSON cannot represent', () => {
    const circular: Record<string, unknown> = { size: 12n, bytes: new Uint8Array(3), at: new Date(0) }
    circular['self'] = circular
    const throwing = {
      get trap(): string {
        throw new Error('no')
      },
    }
    const logger = log()
    logger.info('odd', circular)
    logger.info('worse', throwing)
    logger.info('100 %s', { huge: 'x'.repeat(5_000_000) })
    const [odd, worse, huge] = lines()
    expect(odd).toMatchObject({ fields: { size: '12', bytes: '[3 bytes]', at: '1970-01-01T00:00:00.000Z' } })
    expect(worse).toMatchObject({ msg: 'worse' })
    expect(huge).toMatchObject({ msg: '100 %s' })
    expect(statSync(join(folder(), 'solarchive.log')).size).toBeLessThan(100_000)
  })
})

describe('a log that cannot be written', () => {
  test('is suspended with one warning, and continues a minute after the problem is gone', async () => {
    writeFileSync(folder(), 'in the way')
    const logger = log()
    logger.info('one')
    logger.info('two')
    expect(warnings).toEqual([
      `The log ${join(folder(), 'solarchive.log')} cannot be written (EEXIST); continuing without it.`,
    ])
    rmSync(folder())
    logger.info('three')
    expect(existsSync(folder())).toBe(false)
    await clock.advance(60_000)
    logger.info('four')
    expect(lines()).toMatchObject([{ msg: 'four' }, { level: 'warn', fields: { lines: 3 } }])
    expect(warnings).toHaveLength(1)
  })

  test('because the disk is full stops nothing', () => {
    mkdirSync(folder())
    // On Linux /dev/full acts as a full disk.
    if (existsSync('/dev/full')) symlinkSync('/dev/full', join(folder(), 'solarchive.log'))
    else mkdirSync(join(folder(), 'solarchive.log'))
    const logger = log()
    for (let i = 0; i < 10; i += 1) logger.info('one')
    expect(warnings).toHaveLength(1)
  })

  test('because its folder is read-only stops no command', async () => {
    mkdirSync(folder())
    // Root may write everywhere, but cannot create a folder where a file has its name.
    if (process.getuid?.() === 0) mkdirSync(join(folder(), 'solarchive.log'))
    else chmodSync(folder(), 0o500)
    const env = { SOLARCHIVE_HOME: homeFolder, SOLARCHIVE_ARCHIVE: join(homeFolder, 'archive') }
    await runMain(['projects', 'add', 'abc'], { env })
    const { exitCode, stderr } = await runMain(['verify'], { env })
    chmodSync(folder(), 0o700)
    expect(exitCode).toBe(0)
    expect(stderr).toContain('cannot be written')
  })
})
