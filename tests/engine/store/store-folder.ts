import { join } from 'node:path'
import type { LogFields } from '../../../electron/engine/lib/ports.ts'
import type { Store } from '../../../electron/engine/store/create-store.ts'
import { openStore } from '../../../electron/engine/store/open-store.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A new data folder, deleted after the test, with functions to open its database as the engine does. */
export function storeFolder() {
  const home = temporaryFolder()
  const log: string[] = []
  const note = (message: string, fields?: LogFields) => void log.push(JSON.stringify({ message, ...fields }))
  const logger = { debug: note, info: note, warn: note, error: note, showMessage: note }
  const clock = new FakeClock()
  return {
    home,
    file: join(home, 'solarchive.sqlite3'),
    backups: join(home, 'backups'),
    log,
    logger,
    clock,
    open: (): Store => openStore({ homeFolder: home, clock, logger }),
    /** Number of times the database was checked. */
    checks: () => log.filter((line) => line.includes('Checking the database')).length,
  }
}

export const dayMs = 24 * 60 * 60_000
