import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { exitCodes } from '../../shared/error-policy.ts'
import { AppError } from '../../shared/errors.ts'
import { offerOf, openOwnerSocket } from '../../electron/app/api/owner-socket.ts'
import { createRedactor } from '../../electron/engine/lib/redact.ts'
import { lockDataFolder } from '../../electron/engine/store/data-folder-lock.ts'
import { withEngine } from '../../electron/headless/own-session.ts'
import { sessions } from '../../electron/headless/open-session.ts'
import { ConsoleOutput } from '../../electron/headless/output/console-output.ts'
import type { SessionOptions } from '../../electron/headless/session.ts'
import { describeOtherOwner } from '../support/other-owner.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Options of a command with a data folder of its own. */
function optionsOf(command: string, serviceUrl: string): SessionOptions {
  const folder = temporaryFolder()
  const [homeFolder, archiveFolder] = [join(folder, 'home'), join(folder, 'archive')]
  mkdirSync(join(homeFolder, 'owner'), { recursive: true })
  const redactor = createRedactor()
  const stream = { write: () => true }
  return {
    settings: {
      homeFolder,
      archiveFolder,
      serviceUrl,
      useSample: false,
      accessToken: 'a-token',
      homeSource: 'option',
      archiveSource: 'option',
    },
    fixed: ['archiveFolder', 'serviceUrl'],
    hooks: [],
    command,
    signal: new AbortController().signal,
    redactor,
    environment: { env: {}, platform: process.platform, currentFolder: folder, userFolder: folder },
    output: new ConsoleOutput({ stdout: stream, stderr: stream, env: {}, redactor, json: false, quiet: false }),
    requireConsent: () => undefined,
    stop: () => undefined,
    startProcess: undefined,
  }
}

test('an owner without consent to send the token unencrypted calls no service for other commands', async () => {
  const requests: unknown[] = []
  const server = createServer((request, response) => {
    requests.push(request.headers)
    response.end('[]')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const refuse = () => {
    throw new AppError('wrong-settings', 'No consent.')
  }
  const report = await withEngine({ ...optionsOf('verify', url), requireConsent: refuse }, (session) => {
    session.engine.projects.add([{ id: 'p', name: 'P' }])
    return session.engine.sync()
  })
  expect(report).toMatchObject({ failedProjects: [{ id: 'p', code: 'wrong-settings' }] })
  expect(requests).toEqual([])
})

/** Starts an owner with settings of its own. */
function startOwner(homeFolder: string): void {
  const lock = lockDataFolder(homeFolder)
  onTestFinished(() => lock.release())
  describeOtherOwner(homeFolder)
}

test('finished work is not refused because an owner with other settings has started meanwhile', async () => {
  const options = optionsOf('export', 'https://own.example')
  const work = () => {
    startOwner(options.settings.homeFolder)
    return Promise.resolve('done')
  }
  expect(await sessions.reading(options, work)).toBe('done')
  await expect(sessions.reading(options, work)).rejects.toThrow('This command is for the archive')
})

test('what was read of the archive is not read again because the archive moves while the command finishes', async () => {
  const done = async (when: 'reading' | 'finishing', meanwhile: (options: SessionOptions) => void) => {
    const options = { ...optionsOf('export', 'https://own.example'), fixed: [] }
    let times = 0
    await sessions.reading(options, async ({ onArchiveRead }) => {
      times += 1
      if (times === 1 && when === 'reading') meanwhile(options)
      await onArchiveRead?.()
      if (times === 1 && when === 'finishing') meanwhile(options)
      return { exitCode: exitCodes.done }
    })
    return times
  }
  const moveEnds = ({ settings }: SessionOptions) => startOwner(settings.homeFolder)
  const moveBegins = ({ settings: { homeFolder, archiveFolder: from } }: SessionOptions) => {
    const record = { from, to: '/theirs', folders: [], renamed: [], phase: 'copying' }
    writeFileSync(join(homeFolder, 'archive-move.json'), JSON.stringify(record))
  }
  expect(await done('finishing', moveEnds)).toBe(1)
  expect(await done('finishing', moveBegins)).toBe(1)
  // Files that were moved away may be missing in what was read, such as among those that a certificate counts.
  await expect(done('reading', moveBegins)).rejects.toThrow('is being moved')
})

test('beside the app, a refused token is replaced where the app keeps it', async () => {
  const options = optionsOf('sync', 'https://own.example')
  const { homeFolder } = options.settings
  const lock = lockDataFolder(homeFolder)
  onTestFinished(() => lock.release())
  const socket = await openOwnerSocket({
    homeFolder,
    command: 'app',
    readToken: () => Promise.resolve('a-token'),
    stop: () => undefined,
    settings: () => offerOf(options.settings, false),
    engine: () => {
      throw new AppError('token-refused', 'The service refuses the token.')
    },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  onTestFinished(() => socket?.close())
  const sync = () => sessions.changing(options, () => Promise.resolve())
  await expect(sync()).rejects.toThrow(/^The service refuses the token\. Write a new token into /)
  writeFileSync(join(homeFolder, 'token.encrypted'), '')
  await expect(sync()).rejects.toThrow(/^The service refuses the token\. Paste a new token into the running app/)
})
