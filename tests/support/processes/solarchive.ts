import { existsSync, writeFileSync } from 'node:fs'
import { runMain } from '../../../electron/headless/main.ts'

/**
 * The command line as one process of many: bundled, it is there in half the time. With `HOLD_FILE` it waits, with everything
 * loaded that it will need, until it is let go: a tracer attaches meanwhile. That plus `.ready` comes to be when it waits, plus
 * `.go` is what it waits for.
 */
const file = process.env['HOLD_FILE']
if (file !== undefined) {
  await import('../../../electron/headless/session.ts')
  writeFileSync(`${file}.ready`, '')
  const never = new Int32Array(new SharedArrayBuffer(4))
  while (!existsSync(`${file}.go`)) Atomics.wait(never, 0, 0, 2)
}
await runMain()
