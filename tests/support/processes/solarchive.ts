import { existsSync, writeFileSync } from 'node:fs'
import { runMain } from '../../../electron/headless/main.ts'

/**
 * The command line for tests that start many processes: bundled, it starts in half the time. With `HOLD_FILE` it loads
 * all modules, creates that file plus `.ready`, and waits for the file plus `.go`, so that a tracer can attach
 * meanwhile.
 */
const file = process.env['HOLD_FILE']
if (file !== undefined) {
  await import('../../../electron/headless/session.ts')
  writeFileSync(`${file}.ready`, '')
  const never = new Int32Array(new SharedArrayBuffer(4))
  while (!existsSync(`${file}.go`)) Atomics.wait(never, 0, 0, 2)
}
await runMain()
