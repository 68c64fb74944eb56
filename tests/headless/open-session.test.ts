import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createRedactor } from '../../electron/engine/lib/redact.ts'
import { lockDataFolder } from '../../electron/engine/store/data-folder-lock.ts'
import { sessions } from '../../electron/headless/open-session.ts'
import { ConsoleOutput } from '../../electron/headless/output/console-output.ts'
import type { SessionOptions } from '../../electron/headless/session.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('finished work is not refused because an owner with other settings has started meanwhile', async () => {
  const folder = temporaryFolder()
  const [homeFolder, archiveFolder] = [join(folder, 'home'), join(folder, 'archive')]
  mkdirSync(join(homeFolder, 'owner'), { recursive: true })
  const redactor = createRedactor()
  const stream = { write: () => true }
  const options: SessionOptions = {
    settings: {
      ...{ homeFolder, archiveFolder, serviceUrl: 'https://own.example', useSample: false, accessToken: undefined },
      ...{ homeSource: 'option', archiveSource: 'option' },
    },
    fixed: ['archiveFolder', 'serviceUrl'],
    ...{ hooks: [], command: 'export', platform: process.platform, signal: new AbortController().signal, redactor },
    output: new ConsoleOutput({ stdout: stream, stderr: stream, env: {}, redactor, json: false, quiet: false }),
    stop: () => undefined,
    startProcess: undefined,
  }
  const startOwner = () => {
    const lock = lockDataFolder(homeFolder)
    onTestFinished(() => lock.release())
    const facts = {
      ...{ pid: process.pid, version: '1', command: 'watch', useSample: false, address: '', key: '' },
      ...{ apiCallsPerMinute: null, concurrency: null },
      ...{ archiveFolder: '/theirs', serviceUrl: 'https://their.example' },
    }
    writeFileSync(join(homeFolder, 'owner', 'owner.json'), JSON.stringify(facts))
    return Promise.resolve('done')
  }
  expect(await sessions.reading(options, startOwner)).toBe('done')
  await expect(sessions.reading(options, startOwner)).rejects.toThrow('This command is for the archive')
})
