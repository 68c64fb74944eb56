import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRedactor } from '../../electron/engine/redact.ts'
import { systemClock } from '../../electron/engine/system-clock.ts'
import { createFileLog } from '../../electron/headless/log.ts'

let homeFolder: string
let warnings: string[]

beforeEach(async () => {
  homeFolder = await mkdtemp(join(tmpdir(), 'solarchive-log-'))
  warnings = []
})

afterEach(() => rm(homeFolder, { recursive: true, force: true }))

function log(maxBytes?: number) {
  const redactor = createRedactor()
  redactor.addSecret('canary-token')
  const clock = { ...systemClock, nowMs: () => Date.UTC(2026, 4, 17) }
  const onBroken = (message: string) => warnings.push(message)
  return createFileLog({ homeFolder, redactor, clock, onBroken, ...(maxBytes === undefined ? {} : { maxBytes }) })
}

const written = (name = 'solarchive.log') => readFile(join(homeFolder, 'logs', name), 'utf8')

describe('the log', () => {
  test('has a line an event, with time, level and fields', async () => {
    const logger = log()
    logger.info('pass started', { projects: 3 })
    logger.error('pass failed', { cause: new TypeError('no') })
    expect(await written()).toBe(
      '2026-05-17T00:00:00.000Z INFO pass started {"projects":3}\n' +
        '2026-05-17T00:00:00.000Z ERROR pass failed {"cause":"TypeError: no"}\n',
    )
  })

  test('holds no secret and no second line of an event', async () => {
    log().warn('canary-token\n2026 INFO made up', { url: 'https://x.test/a?signature=canary-signature' })
    const text = await written()
    expect(text).not.toContain('canary')
    expect(text.trimEnd()).not.toContain('\n')
  })

  test('leaves details out', async () => {
    const logger = log()
    logger.debug('a call')
    logger.info('a pass')
    expect(await written()).not.toContain('a call')
  })

  test('stays small', async () => {
    const logger = log(1000)
    for (let i = 0; i < 100; i += 1) logger.info(`event ${i}`)
    expect(await readdir(join(homeFolder, 'logs'))).toEqual(['solarchive.1.log', 'solarchive.log'])
    expect((await written()).length).toBeLessThanOrEqual(1000)
    expect((await written('solarchive.1.log')).length).toBeLessThanOrEqual(1000)
    expect(await written()).toContain('event 99')
  })

  test('that cannot be written is given up with one warning', async () => {
    await writeFile(join(homeFolder, 'logs'), 'in the way')
    const logger = log()
    logger.info('one')
    logger.info('two')
    expect(warnings).toHaveLength(1)
  })
})
