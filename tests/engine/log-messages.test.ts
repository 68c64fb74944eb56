import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..', '..', 'electron')

/** Forwards log messages of others. */
const wrappers = [join('headless', 'session.ts'), join('app', 'log', 'create-file-log.ts')]

test('every log message is a literal of the source, so that it contains no name', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const calls = files.flatMap((name) =>
    [...readFileSync(join(root, name), 'utf8').matchAll(/\blog(?:ger)?\.(?:debug|info|warn|error)\(\s*(\S+)/g)].map(
      ([, argument = '']) => ({ name, argument }),
    ),
  )
  expect(calls.length).toBeGreaterThan(5)
  const others = calls.filter(({ argument }) => !argument.startsWith("'"))
  expect(others.filter(({ name }) => !wrappers.includes(name))).toEqual([])
})
