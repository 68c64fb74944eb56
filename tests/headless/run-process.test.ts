import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { cloneFolder, startSolarchive } from './run-solarchive.ts'

const runProcess = pathToFileURL(join(cloneFolder, 'electron', 'headless', 'run-process.ts')).href

/** Writes a script that runs a function of the command line as its process. Returns its path. */
function scriptThat(work: string): string {
  const script = join(temporaryFolder(), 'work.mjs')
  writeFileSync(script, `import { runProcess } from ${JSON.stringify(runProcess)}\nawait runProcess(${work})`)
  return script
}

const megabytes = 4

test('all output reaches a reader that is slower than the command', async () => {
  const script = scriptThat(`async ({ stdout }) => {
    for (let i = 0; i < ${megabytes}; i++) stdout.write('x'.repeat(1_000_000))
    return 4
  }`)
  const { child, ended } = startSolarchive([], { script })
  // A pipe holds 64 KB: reading takes seconds longer than the work.
  child.stdout?.on('data', () => {
    child.stdout?.pause()
    void sleep(30).then(() => child.stdout?.resume())
  })
  const { exitCode, stdout } = await ended
  expect([exitCode, stdout.length]).toEqual([4, megabytes * 1_000_000])
})
