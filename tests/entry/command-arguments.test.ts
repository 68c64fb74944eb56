import { expect, test } from 'vitest'
import { commandArguments } from '../../electron/entry/command-arguments.ts'

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
