import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'
import { writeCleanShutdownMarker } from '../../electron/engine/store/clean-shutdown-marker.ts'
import { databaseName } from '../../electron/engine/store/database-files.ts'
import { openStore } from '../../electron/engine/store/open-store.ts'
import { silentLogger } from './silent-logger.ts'

/**
 * Returns a function that makes a data folder before it is first used, with a database as the first start leaves it. The
 * engine would do the same; its migrations take ten times as long as this copy. A folder that exists stays as it is, and
 * one that a test removes later is left to the engine.
 */
export function newDataFolder(home: string): () => void {
  let isUsed = false
  return () => {
    if (!isUsed && !existsSync(home)) {
      mkdirSync(home, { mode: 0o700 })
      const file = join(home, databaseName)
      writeFileSync(file, (newDatabase ??= readNewDatabase()), { mode: 0o600 })
      writeCleanShutdownMarker(file)
    }
    isUsed = true
  }
}

/** Bytes of a new database. */
let newDatabase: Buffer | undefined

function readNewDatabase(): Buffer {
  const home = mkdtempSync(join(tmpdir(), 'solarchive-new-'))
  try {
    openStore({ homeFolder: home, clock: systemClock, logger: silentLogger }).close()
    return readFileSync(join(home, databaseName))
  } finally {
    rmSync(home, { recursive: true })
  }
}
