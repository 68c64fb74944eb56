import type { FindingState } from '../../../shared/views.ts'
import type { Db } from './open-database.ts'

/** The project and checklist of a path in the archive; `null` if unknown. */
export interface PathFacts {
  readonly projectId: string | null
  readonly projectName: string | null
  readonly checklistId: string | null
  readonly checklistTitle: string | null
}

/** Keys are paths relative to the archive root, in a form that ignores case. */
export interface PathKeys {
  readonly projectFolder: string
  readonly checklistFolder: string
}

/**
 * A finding about a file other than the reports, photos, and thumbnails. `at` is ISO 8601 UTC, `path` archive-relative.
 */
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

/** Problems found on the disk by the last check of each file, and the lookup of a path's project and checklist. */
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
  const clearOthers = db.prepare<{ projectId: string; isUnexpected: 0 | 1; paths: string }>(
    `DELETE FROM findings WHERE project_id = :projectId AND (state = 'unexpected') = :isUnexpected
       AND path NOT IN (SELECT value FROM json_each(:paths))`,
  )
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
    /** Uses only index searches. */
    factsOf: (keys: PathKeys) => facts.get(keys),
    put: (finding: NewFinding) => void put.run(finding),
    /** Removes the finding of a file that is intact again. */
    clear: (path: string) => void clear.run(path),
    /**
     * Removes the findings of a project that a check did not find again. Those that it did are left: hooks are notified
     * of new ones.
     */
    clearOthers: (projectId: string, found: { damaged: readonly string[]; unexpected: readonly string[] }) => {
      clearOthers.run({ projectId, isUnexpected: 0, paths: JSON.stringify(found.damaged) })
      clearOthers.run({ projectId, isUnexpected: 1, paths: JSON.stringify(found.unexpected) })
    },
    /** Counts of all projects; damaged reports, photos, and thumbnails are included. */
    count: () => count.get() ?? { damaged: 0, unexpected: 0 },
    /** Missing files first, then changed ones, then unexpected ones. */
    page: (offset: number, limit: number) => page.all({ offset, limit }),
  }
}
