import { existsSync, writeFileSync } from 'node:fs'

/**
 * Loaded with `--import` into a process that is to wait, with everything loaded that it will need, until it is let go:
 * a tracer attaches meanwhile. `HOLD_FILE` plus `.ready` comes to be when it waits, plus `.go` is what it waits for.
 */
const file = process.env['HOLD_FILE'] ?? ''
await import('../../../electron/headless/main.ts')
await import('../../../electron/headless/with-session.ts')
writeFileSync(`${file}.ready`, '')
const never = new Int32Array(new SharedArrayBuffer(4))
while (!existsSync(`${file}.go`)) Atomics.wait(never, 0, 0, 2)
