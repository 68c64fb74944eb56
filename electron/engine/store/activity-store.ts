import type { ActivityFacts, ActivityKind } from '../../../shared/activity.ts'
import type { AssetKind } from '../../../shared/domain.ts'
import type { Db } from './open-database.ts'

/** An event to record. `at` is ISO 8601 UTC; if several files are concerned, `assetId` is the first of them. */
export interface NewActivity<Kind extends ActivityKind = ActivityKind> {
  readonly at: string
  readonly kind: Kind
  readonly facts: ActivityFacts<Kind>
  readonly projectId?: string | null | undefined
  readonly checklistKey?: number | null | undefined
  readonly assetId?: number | null | undefined
}

/** A stored event with the current names of its project and checklist. `facts` is JSON without the count. */
export interface ActivityRow {
  readonly id: number
  readonly at: string
  readonly kind: string
  readonly count: number | null
  readonly facts: string
  readonly projectId: string | null
  readonly projectName: string | null
  readonly checklistId: string | null
  readonly checklistTitle: string | null
  readonly assetId: number | null
  readonly assetKind: AssetKind | null
  readonly assetPath: string | null
}

/** A page of events. `before` and `after` are exclusive ids; `kinds` is `null` for all kinds. */
export interface ActivityCut {
  readonly before: number | null
  readonly after: number | null
  readonly kinds: readonly string[] | null
  readonly projectId: string | null
  readonly limit: number
}

/**
 * Rows kept: more than anybody scrolls through. A year of an office with fifty events a day takes about 4 MB. The
 * oldest rows are deleted: the archive itself is the record of its contents; the activity covers recent events.
 */
export const maxActivityRows = 20_000

/** Equal events within this time are counted in one row. About as long as a pass over a large project. */
const countedTogetherMs = 10 * 60_000

const columns = `y.id, y.at, y.kind, y.count, y.facts, y.project_id AS projectId, p.name AS projectName,
  c.id AS checklistId, c.title AS checklistTitle, y.asset_id AS assetId, a.kind AS assetKind, a.path AS assetPath`
const joins = `LEFT JOIN projects p ON p.id = y.project_id LEFT JOIN checklists c ON c.key = y.checklist_key
  LEFT JOIN assets a ON a.id = y.asset_id`

/** A row as it is recorded, of which `count` is what was counted now. `facts` is JSON without it. */
export interface RecordedActivity {
  readonly at: string
  readonly kind: string
  readonly projectId: string | null
  readonly checklistKey: number | null
  readonly assetId: number | null
  readonly count: number | null
  readonly facts: string
}

/**
 * Recent events. Each row is written in the transaction of the change that it reports, in which `notify` is called,
 * too.
 */
export function createActivityStore(db: Db, notify: (recorded: RecordedActivity) => void) {
  const insert = db.prepare<RecordedActivity>(
    `INSERT INTO activity (at, kind, project_id, checklist_key, asset_id, count, facts)
     VALUES (:at, :kind, :projectId, :checklistKey, :assetId, :count, :facts)`,
  )
  const deleteUpTo = db.prepare<[number]>('DELETE FROM activity WHERE id <= ?')
  // Searches only the last rows of the checklist: counting older events together is not worth a longer search.
  const countMore = db.prepare<RecordedActivity & { since: string }, { id: number }>(
    `UPDATE activity SET count = count + :count WHERE id = (
       SELECT id FROM (SELECT id, at, kind, facts FROM activity INDEXED BY activity_by_checklist
         WHERE checklist_key = :checklistKey ORDER BY id DESC LIMIT 20)
       WHERE kind = :kind AND facts = :facts AND at BETWEEN :since AND :at LIMIT 1)
     RETURNING id`,
  )
  const list = db.prepare<Omit<ActivityCut, 'kinds'> & { kinds: string | null }, ActivityRow>(
    `SELECT ${columns} FROM activity y ${joins}
     WHERE (:before IS NULL OR y.id < :before) AND (:after IS NULL OR y.id > :after)
       AND (:projectId IS NULL OR y.project_id = :projectId)
       AND (:kinds IS NULL OR y.kind IN (SELECT value FROM json_each(:kinds)))
     ORDER BY y.id DESC LIMIT :limit`,
  )
  const listSome = db.prepare<[string], ActivityRow>(
    `SELECT ${columns} FROM activity y ${joins} WHERE y.id IN (SELECT value FROM json_each(?)) ORDER BY y.id DESC`,
  )
  let onRecorded: (id: number) => void = () => undefined

  const toRow = <Kind extends ActivityKind>({ at, kind, facts, ...of }: NewActivity<Kind>): RecordedActivity => {
    const { count = null, ...others } = facts as { count?: number }
    const { projectId = null, checklistKey = null, assetId = null } = of
    return { at, kind, projectId, checklistKey, assetId, count, facts: JSON.stringify(others) }
  }

  function add(row: RecordedActivity): void {
    const id = Number(insert.run(row).lastInsertRowid)
    deleteUpTo.run(id - maxActivityRows)
    onRecorded(id)
  }

  return {
    /** Must be called in the transaction of the change that it reports. */
    record: <Kind extends ActivityKind>(activity: NewActivity<Kind>) => {
      const row = toRow(activity)
      add(row)
      notify(row)
    },
    /**
     * Like `record`, for events that may concern very many files: if a recent row of the checklist differs only in its
     * count, the count is increased instead of adding a row.
     */
    count: <Kind extends ActivityKind>(activity: NewActivity<Kind> & { readonly checklistKey: number }) => {
      const row = toRow(activity)
      const since = new Date(Date.parse(row.at) - countedTogetherMs).toISOString()
      const counted = countMore.get({ ...row, since })
      if (counted === undefined) add(row)
      else onRecorded(counted.id)
      notify(row)
    },
    /** Newest first. */
    list: ({ kinds, ...cut }: ActivityCut) =>
      list.all({ ...cut, kinds: kinds === null ? null : JSON.stringify(kinds) }),
    /** Returns the rows that exist for these ids, newest first. */
    listSome: (ids: readonly number[]) => listSome.all(JSON.stringify(ids)),
    /**
     * Called with the id of each row that is added or counted up, within its transaction, which may still be rolled
     * back.
     */
    setListener: (listener: (id: number) => void) => {
      onRecorded = listener
    },
  }
}
