import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import type { SampleServiceOptions } from '../../electron/sample-service/options.ts'
import { type SampleService, startSampleService } from '../../electron/sample-service/start-sample-service.ts'
import { type MainOptions, runMain } from './run-main.ts'

/**
 * Starts a sample service before the tests of a file, and adds its projects to an archive; nothing is synced yet. The
 * data folder is `data` and the archive folder `archive`, in a folder that is removed after the tests.
 */
export function shareCommandLine(sample: SampleServiceOptions) {
  let shared: { readonly folder: string; readonly service: SampleService } | undefined

  function opened() {
    if (shared === undefined) throw new Error('The sample service is not started')
    return shared
  }
  function options(): MainOptions {
    const { folder, service } = opened()
    const env = { SOLARCHIVE_HOME: 'data', SOLARCHIVE_ARCHIVE: 'archive', SOLARCHIVE_URL: service.url }
    return { cwd: folder, env: { ...env, SOLARCHIVE_TOKEN: service.token } }
  }
  /** Runs a command to its end. */
  const run = (...args: string[]) => runMain(['--api-rate', '0', ...args], options())

  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'solarchive-command-line-'))
    shared = { folder, service: await startSampleService(sample) }
    for (const { id } of shared.service.projects) await run('projects', 'add', id)
  })
  afterAll(async () => {
    const { folder, service } = opened()
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })

  return {
    /** Options for `startMain`. */
    options,
    run,
    get folder() {
      return opened().folder
    },
    get service() {
      return opened().service
    },
  }
}
