import type { ActivityFacts, ActivityKind } from '../../../shared/activity.ts'
import type { AssetKind } from '../../../shared/domain.ts'
import type { Db } from './open-database.ts'

/** What happened. `at` is ISO 8601 UTC; of several files `assetId` is the first. */
export interface NewActivity<Kind extends ActivityKind = ActivityKind> {
  readonly at: string
  readonly kind: Kind
  readonly facts: ActivityFacts<Kind>
  readonly projectId?: string | null | undefined
  readonly checklistKey?: number | null | undefined
  readonly assetId?: number | null | undefined
}

/** A row with the names of now; `facts` is JSON without the count. */
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

/** Ids are exclusive; `kinds` null: all. */
export interface ActivityCut {
  readonly before: number | null
  readonly after: number | null
  readonly kinds: readonly string[] | null
  readonly projectId: string | null
  readonly limit: number
}

/**
 * More rows than anybody scrolls through: a year of an office with fifty events a day, in about 4 MB. The oldest rows are
 * deleted: the archive itself says what is in it; the activity is about recent events.
 */
export const maxActivityRows = 20_000

/** What happens again within this is counted in the row that tells of it. About as long as a pass over a big project. */
const countedTogetherMs = 10 * 60_000

const columns = `y.id, y.at, y.kind, y.count, y.facts, y.project_id AS projectId, p.name AS projectName,
  c.id AS checklistId, c.title AS checklistTitle, y.asset_id AS assetId, a.kind AS assetKind, a.path AS assetPath`
const joins = `LEFT JOIN projects p ON p.id = y.project_id LEFT JOIN checklists c ON c.key = y.checklist_key
  LEFT JOIN assets a ON a.id = y.asset_id`

interface Note {
  readonly at: string
  readonly kind: string
  readonly projectId: string | null
  readonly checklistKey: number | null
  readonly assetId: number | null
  readonly count: number | null
  readonly facts: string
}

/** What happened. Each row is written in the transaction of what it tells of. */
export function createActivityStore(db: Db) {
  const insert = db.prepare<Note>(
    `INSERT INTO activity (at, kind, project_id, checklist_key, asset_id, count, facts)
     VALUES (:at, :kind, :projectId, :checklistKey, :assetId, :count, :facts)`,
  )
  const forget = db.prepare<[number]>('DELETE FROM activity WHERE id <= ?')
  // The few rows of a checklist's last minutes; what counts more than a look at its end is not worth being counted together.
  const countMore = db.prepare<Note & { since: string }, { id: number }>(
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
  let onNoted: (id: number) => void = () => undefined

  const toNote = <Kind extends ActivityKind>({ at, kind, facts, ...of }: NewActivity<Kind>): Note => {
    const { count = null, ...others } = facts as { count?: number }
    const { projectId = null, checklistKey = null, assetId = null } = of
    return { at, kind, projectId, checklistKey, assetId, count, facts: JSON.stringify(others) }
  }

  function add(note: Note): void {
    const id = Number(insert.run(note).lastInsertRowid)
    forget.run(id - maxActivityRows)
    onNoted(id)
  }

  return {
    /** To be called in the transaction of what it tells of. */
    record: <Kind extends ActivityKind>(activity: NewActivity<Kind>) => {
      add(toNote(activity))
    },
    /**
     * Like `note`, for what may happen to very many files: where the checklist's last minutes have a row that differs in
     * nothing but the count, it counts these too.
     */
    count: <Kind extends ActivityKind>(activity: NewActivity<Kind> & { readonly checklistKey: number }) => {
      const note = toNote(activity)
      const since = new Date(Date.parse(note.at) - countedTogetherMs).toISOString()
      const counted = countMore.get({ ...note, since })
      if (counted === undefined) add(note)
      else onNoted(counted.id)
    },
    /** The newest first. */
    list: ({ kinds, ...cut }: ActivityCut) =>
      list.all({ ...cut, kinds: kinds === null ? null : JSON.stringify(kinds) }),
    /** Those of these ids that are there, the newest first. */
    listSome: (ids: readonly number[]) => listSome.all(JSON.stringify(ids)),
    /** Told the id of each row that is written or counts more, in its transaction: it may still be rolled back. */
    setListener: (listener: (id: number) => void) => {
      onNoted = listener
    },
  }
}
