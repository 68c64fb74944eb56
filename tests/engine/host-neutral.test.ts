import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { AppError } from '../../shared/errors.ts'
import { describeError } from '../../electron/headless/run-host.ts'

const root = resolve(import.meta.dirname, '..', '..')

test('messages of the engine name no option and no command, since the app shows them too', () => {
  const files = ['electron/engine', 'shared'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  )
  const texts = files.flatMap((name) =>
    readFileSync(join(root, name), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(\*|\/\/|\/\*\*)/.test(line))
      .flatMap((line) => [...line.matchAll(/'(?:[^'\\]|\\.)*'|`[^`]*`?/g)].map(([text]) => ({ name, text }))),
  )
  expect(texts.length).toBeGreaterThan(500)
  const isOfCommandLine = /(^|[\s'"`(])--[a-z]|\bsolarchive [a-z]|"(?:projects|orders) [a-z]+"|\bcommand line\b/
  expect(texts.filter(({ text }) => isOfCommandLine.test(text))).toEqual([])
})

test('on a terminal an error names the option or command that helps', () => {
  const away = new AppError('archive-unavailable', 'It is away.')
  const unknown = new AppError('not-found', 'It is not in the list.', { details: { projectId: 'p' } })
  expect(describeError(away)).toContain('--archive')
  expect(describeError(unknown)).toContain('"projects list"')
  expect(describeError(new AppError('not-found', 'Gone.'))).toBe('Gone.')
})
