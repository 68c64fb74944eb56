import { createAssetsStore } from './assets-store.ts'
import { createChecklistsStore } from './checklists-store.ts'
import { createHeldFilesStore } from './held-files-store.ts'
import { createJobsStore } from './jobs-store.ts'
import { createMetaStore } from './meta-store.ts'
import { openDatabase } from './open-database.ts'
import { createProjectsStore } from './projects-store.ts'
import { createQuestionsStore } from './questions-store.ts'
import { createVersionsStore } from './versions-store.ts'

/** Opens the database and the one store a subject on it. See `openDatabase` for what it throws. */
export function createStore(databaseFile: string) {
  const db = openDatabase(databaseFile)
  return {
    meta: createMetaStore(db),
    projects: createProjectsStore(db),
    checklists: createChecklistsStore(db),
    questions: createQuestionsStore(db),
    assets: createAssetsStore(db),
    heldFiles: createHeldFilesStore(db),
    jobs: createJobsStore(db),
    versions: createVersionsStore(db),
    /** Runs synchronous work in one transaction: all of it is recorded, or nothing. */
    transaction: <T>(work: () => T): T => db.transaction(work).immediate(),
    close: () => {
      db.close()
    },
  }
}

export type Store = ReturnType<typeof createStore>
