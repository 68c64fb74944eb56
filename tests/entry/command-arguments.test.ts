import { expect, test } from 'vitest'
import { commandArguments, isAnalysis } from '../../electron/entry/command-arguments.ts'

test('the app runs the command line if called as one, else opens a window', () => {
  const app = '/opt/Solarchive/solarchive-app'
  expect(commandArguments([app])).toBeUndefined()
  expect(commandArguments([app, '--hidden'])).toBeUndefined()
  expect(commandArguments([app, '--no-sandbox', '--', '--cli'])).toBeUndefined()
  expect(commandArguments([app, 'photo.jpg', '--cli'])).toBeUndefined()
  expect(commandArguments([app, '--cli'])).toEqual([])
  expect(commandArguments([app, '--cli', 'status', '--json'])).toEqual(['status', '--json'])
  expect(commandArguments([app, '--no-sandbox', '--cli', '--', 'sync', '--', '--cli'])).toEqual(['sync', '--', '--cli'])
})

test('the app reads files for a command line only if called so first', () => {
  expect(isAnalysis(['app', '--no-sandbox', '--js-flags=--expose-gc', '--analysis'])).toBe(true)
  expect(isAnalysis(['app', '--cli', '--analysis'])).toBe(false)
  expect(isAnalysis(['app', 'photo.jpg', '--analysis'])).toBe(false)
  expect(isAnalysis(['app'])).toBe(false)
  expect(commandArguments(['app', '--analysis', '--cli', 'sync'])).toBeUndefined()
})
