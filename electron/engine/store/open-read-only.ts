import Database from 'better-sqlite3'
import { createAssetsStore } from './assets-store.ts'
import { createChecklistsStore } from './checklists-store.ts'
import { createJobsStore } from './jobs-store.ts'
import { createQuestionsStore } from './questions-store.ts'
import { storeError } from './store-error.ts'
import { createSupportStore } from './support-store.ts'

/** Time to wait for the owner, whose checkpoints briefly block readers. */
const busyTimeoutMs = 5_000

/**
 * Opens a database for reading while another process owns it: nothing is migrated, changed, or locked for long.
 * SQLite's empty `-wal` and `-shm` files may remain until the next owner closes the database. The stores of `subjects`
 * are created on demand, because they require the current schema. Throws `database-damaged` or `disk-error`.
 */
export function openReadOnly(file: string) {
  const db = guarded(() => {
    const opened = new Database(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs })
    opened.pragma('trusted_schema = OFF')
    return opened
  })
  return {
    support: createSupportStore(db),
    subjects: () => ({
      checklists: createChecklistsStore(db),
      questions: createQuestionsStore(db),
      assets: createAssetsStore(db),
      jobs: createJobsStore(db),
    }),
    close: () => {
      db.close()
    },
  }
}

export type ReadOnlyStore = ReturnType<typeof openReadOnly>

function guarded<T>(open: () => T): T {
  try {
    return open()
  } catch (error) {
    throw storeError(error) ?? error
  }
}
