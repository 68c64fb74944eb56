import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedactor } from '../../../electron/engine/lib/redact.ts'
import {
  anonymizeLogLine,
  type AnonymizeContext,
  anonymizeSetting,
  anonymizeText,
} from '../../../electron/app/support/anonymize.ts'

const context: AnonymizeContext = {
  archiveFolder: "/mnt/Canary's disk/archive",
  homeFolder: '/home/canary/.local/share/solarchive',
  userFolder: '/home/canary',
  redactText: (text) => createRedactor().redactText(text),
  // As with an unreadable database.
  withoutNames: () => null,
}

const anonymize = (fields: unknown, msg = 'A file could not be archived') =>
  JSON.parse(
    anonymizeLogLine(
      JSON.stringify({ level: 'warn', time: '2026-05-17T00:00:00.000Z', pid: 7, fields, msg }),
      context,
    ) ?? 'null',
  ) as unknown

describe('a log line in a support bundle', () => {
  test('keeps ids, numbers, codes, and times', () => {
    const fields = {
      project: '64b5f0c2a1d3e4f5a6b7c8d9',
      checklist: '6a1e3d0dac810f48b043bc4a',
      asset: 12,
      code: 'disk-error',
      errno: 'ENOSPC',
      path: '/api/v1/checklist/64b5f0c2a1d3e4f5a6b7c8d9',
      status: 403,
      nextTryAt: '2026-05-17T00:00:30.000Z',
    }
    const line = {
      level: 'warn',
      time: '2026-05-17T00:00:00.000Z',
      pid: 7,
      fields,
      msg: 'A file could not be archived',
    }
    expect(anonymize(fields)).toEqual(line)
  })

  test('loses every other text, even under an unexpected key', () => {
    const canary = 'Canary Street 12'
    const fields = {
      path: `${canary} [a1b2c3]/report.pdf`,
      title: canary,
      project: canary,
      reason: canary,
      name: 'Canary',
      list: [canary, { [canary]: 1, label: canary }],
      latitude: 40.7128,
      place: { lon: -74.006 },
    }
    expect(JSON.stringify(anonymize(fields))).not.toMatch(/canary|40\.7|74\.0/i)
  })

  test("keeps the message and the source location of an error, not the file's path", () => {
    const path = "/mnt/Canary's disk/archive/Canary's [a1b2c3]/x.jpg"
    const message = `ENOENT: no such file or directory, rename "${path}" -> '/y'`
    const stack = [
      `Error: ${message}`,
      '    at move (file:///home/canary/my%20solarchive/electron/engine/archive/durable-files.ts:12:3)',
      '    at async /home/canary/my solarchive/electron/engine/x.ts:1:2',
    ].join('\n')
    const anonymized = JSON.stringify(anonymize({ cause: { name: 'Error', code: 'ENOENT', message, stack } }))
    expect(anonymized).not.toMatch(/canary/i)
    expect(anonymized).toContain('ENOENT: no such file or directory, rename')
    expect(anonymized).toContain('at move (electron/engine/archive/durable-files.ts:12:3)')
  })

  test('is dropped if it is not a log line', () => {
    for (const line of ['2026-05-17 INFO Canary', '{"level":"info","ti', '[]', '{"msg":"Canary"}']) {
      expect(anonymizeLogLine(line, context)).toBeUndefined()
    }
  })

  test.each([
    `Solarchive could not open the archive folder /mnt/Canary's disk/archive: it is not there.`,
    'The list C:\\Users\\Canary\\list.csv cannot be read.',
    'Nothing is in Canary Street 12 [a1b2c3]/Site survey [d4e5f6] any more.',
    'The project "Canary Street 12" is not in the list.',
    "EACCES: permission denied, mkdir '\\\\server\\Canary'",
  ])('has no name in its message: %s', (sentence) => {
    expect(anonymizeText(sentence, context)).not.toMatch(/canary/i)
  })

  test('contains no path below the archive, whatever the names in it', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[\p{Cc}/\u2028\u2029]/u.test(text))
    fc.assert(
      fc.property(name, fc.constantFrom("'", '"', ''), (folder, quote) => {
        const path = `${context.archiveFolder}/canary${folder}canary/x`
        expect(anonymizeText(`EIO: i/o error, fsync ${quote}${path}${quote}`, context)).not.toContain('canary')
        expect(anonymizeText(`It broke: ${quote}${path}${quote}`, context)).not.toContain('canary')
      }),
    )
  })
})

test("a path of the settings starts with ~ if it is in the user's folder, and only then", () => {
  expect(anonymizeSetting('/home/canary', context)).toBe('~')
  expect(anonymizeSetting('/home/canary/Solarchive', context)).toBe('~/Solarchive')
  expect(anonymizeSetting('/home/canary2/Solarchive', context)).toBe('/home/canary2/Solarchive')
  expect(anonymizeSetting('/mnt/archive', context)).toBe('/mnt/archive')
})
