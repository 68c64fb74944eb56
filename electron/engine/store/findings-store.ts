import type { FindingState } from '../../../shared/views.ts'
import type { Db } from './open-database.ts'

/** What the rows know of a path. Ids are null where no checklist or project is known for it. */
export interface PathFacts {
  readonly projectId: string | null
  readonly projectName: string | null
  readonly checklistId: string | null
  readonly checklistTitle: string | null
}

/** Keys are paths without regard to case, relative to the archive root. */
export interface PathKeys {
  readonly projectFolder: string
  readonly checklistFolder: string
}

/** A file that is none of the archive's reports, photos and thumbnails. `at` is ISO 8601 UTC, `path` archive-relative. */
export interface NewFinding {
  readonly path: string
  readonly projectId: string
  readonly state: FindingState
  readonly at: string
}

interface FoundPath {
  readonly path: string
  readonly state: FindingState
}

/** What is known to be wrong on the disk, as the last look at each file found it; and whose a path in the archive is. */
export function createFindingsStore(db: Db) {
  const facts = db.prepare<PathKeys, PathFacts>(
    `SELECT p.id AS projectId, p.name AS projectName, c.id AS checklistId, c.title AS checklistTitle
     FROM (SELECT 1) LEFT JOIN projects p ON p.folder_key = :projectFolder
       LEFT JOIN checklists c ON c.folder_key = :checklistFolder`,
  )
  const put = db.prepare<NewFinding>(
    `INSERT INTO findings (path, project_id, state, found_at) VALUES (:path, :projectId, :state, :at)
     ON CONFLICT (path) DO UPDATE SET project_id = excluded.project_id, state = excluded.state,
       found_at = excluded.found_at WHERE state <> excluded.state`,
  )
  const clear = db.prepare<[string]>('DELETE FROM findings WHERE path = ?')
  const clearProject = db.prepare<[string]>('DELETE FROM findings WHERE project_id = ?')
  const count = db.prepare<[], { damaged: number; unexpected: number }>(
    `SELECT (SELECT COUNT(*) FROM assets INDEXED BY assets_damaged WHERE damage IS NOT NULL) +
       COUNT(*) FILTER (WHERE state <> 'unexpected') AS damaged,
       COUNT(*) FILTER (WHERE state = 'unexpected') AS unexpected FROM findings`,
  )
  const page = db.prepare<{ offset: number; limit: number }, FoundPath>(
    `SELECT path, damage AS state, 0 AS rank FROM assets INDEXED BY assets_damaged WHERE damage IS NOT NULL
     UNION ALL SELECT path, state, state = 'unexpected' FROM findings ORDER BY rank, state DESC, path
     LIMIT :limit OFFSET :offset`,
  )
  return {
    /** Looks in the indexes alone. */
    factsOf: (keys: PathKeys) => facts.get(keys),
    put: (finding: NewFinding) => {
      put.run(finding)
    },
    /** Of a file that is right again. */
    clear: (path: string) => {
      clear.run(path)
    },
    clearProject: (projectId: string) => {
      clearProject.run(projectId)
    },
    /** Of all projects; damaged reports, photos and thumbnails are among them. */
    count: () => count.get() ?? { damaged: 0, unexpected: 0 },
    /** Missing ones first, then changed ones, then what is not of the archive. */
    page: (offset: number, limit: number) => page.all({ offset, limit }),
  }
}
