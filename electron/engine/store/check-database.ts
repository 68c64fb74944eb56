import Database from 'better-sqlite3'
import { AppError } from '../../../shared/errors.ts'
import { migrate } from './migrate.ts'
import { cacheSize, type Db } from './open-database.ts'
import { storeError } from './store-error.ts'
import type { MetaStore } from './meta-store.ts'

/**
 * SQLite's result codes (sqlite.org/rescode.html) for a damaged page (CORRUPT) and for a file that is not a database
 * (NOTADB).
 */
const damageCodes: ReadonlySet<number> = new Set([11, 26])

/**
 * Columns that contain JSON text without a constraint that says so: flipped bytes there pass SQLite's own checks, which
 * cover constraints.
 */
const jsonColumns = [
  ['questions', 'client_ref_ids'],
  ['assets', 'record'],
  ['checklists', 'entry_raw'],
  ['checklists', 'detail_raw'],
  ['checklist_facts', 'facts'],
  ['project_totals', 'totals'],
  ['orders', 'listed_before'],
  ['orders', 'field_problems'],
  ['orders', 'candidates'],
  ['orders', 'remote'],
  ['orders', 'remote_view'],
  ['order_attempts', 'listed_before'],
] as const

/**
 * Returns a description of the damage of a database for the log, or `undefined` if none is found. With `asOneFile`, it
 * is a single file afterwards, without a log beside it. Uses `integrity_check` rather than `quick_check`: a page that
 * was never written leaves an index that does not match its table, which only the former detects. For 100,000 files
 * (104 MB) it takes 213 ms, the latter 121 ms: no noticeable difference. Throws `disk-error` if the disk could not be
 * read, which says nothing about the database.
 */
export function findDamageIn(
  file: string,
  { asOneFile = false }: { readonly asOneFile?: boolean } = {},
): string | undefined {
  const db = new Database(file)
  try {
    db.pragma(cacheSize)
    if (asOneFile) db.pragma('journal_mode = DELETE')
    return findDamage(db)
  } finally {
    db.close()
  }
}

function findDamage(db: Db): string | undefined {
  try {
    return (
      judgeCheck(db.pragma('integrity_check(10)') as { integrity_check: string }[]) ??
      findWrongSchema(db) ??
      findLooseReferences(db) ??
      findBrokenJson(db)
    )
  } catch (thrown) {
    const error = storeError(thrown)
    if (error?.code === 'database-damaged') return 'it cannot be read to its end'
    throw error ?? thrown
  }
}

/** Returns the first problem in the rows of an `integrity_check`. Throws `disk-error` if the disk could not be read. */
export function judgeCheck(rows: readonly { readonly integrity_check: string }[]): string | undefined {
  const lines = rows.flatMap((row) => row.integrity_check.split('\n')).filter((line) => line !== 'ok')
  for (const line of lines) {
    // Extended codes have the primary code in their lowest byte.
    const code = Number(/error code=(\d+)/.exec(line)?.[1] ?? Number.NaN) & 0xff
    if (code === 0 || damageCodes.has(code)) continue
    throw new AppError(
      'disk-error',
      'The database could not be checked because its disk could not be read. Nothing was changed. ' +
        'Check the disk and the rights on the data folder, then try again.',
      { details: { sqliteCode: code } },
    )
  }
  return lines[0]
}

/** Detects another program's database or a changed schema by comparing the schema with a new one. */
function findWrongSchema(db: Db): string | undefined {
  newSchema ??= createSchema()
  return schemaOf(db) === newSchema ? undefined : 'its tables are not those of Solarchive'
}

/** Schema of a new database, created for the first check; a damaged database has its backups checked too. */
let newSchema: string | undefined

function createSchema(): string {
  const fresh = new Database(':memory:')
  try {
    migrate(fresh)
    return schemaOf(fresh)
  } finally {
    fresh.close()
  }
}

function schemaOf(db: Db): string {
  const rows = db.prepare<[], { sql: string }>(
    `SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name`,
  )
  return JSON.stringify(rows.all())
}

function findLooseReferences(db: Db): string | undefined {
  const rows = db.pragma('foreign_key_check') as { table: string }[]
  return rows[0] === undefined ? undefined : `rows of ${rows[0].table} refer to nothing`
}

function findBrokenJson(db: Db): string | undefined {
  for (const [table, column] of jsonColumns) {
    const broken = db.prepare(
      `SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL AND NOT json_valid(${column}) LIMIT 1`,
    )
    if (broken.get() !== undefined) return `${table}.${column} has unreadable JSON`
  }
  return undefined
}

const key = 'integrity-checked-at'

/** Interval between checks: a week. Bits that flip on a disk leave no other trace. */
const checkEveryMs = 7 * 24 * 60 * 60_000

/** Returns the time of the last check in milliseconds since 1970, or `undefined` if there was none. */
export function lastChecked(meta: MetaStore): number | undefined {
  const at = Date.parse(meta.get(key) ?? '')
  return Number.isNaN(at) ? undefined : at
}

/** Returns whether a check is due; a last check in the future means that the clock was wrong, so it is. */
export function isCheckDue(checkedMs: number | undefined, nowMs: number): boolean {
  return checkedMs === undefined || checkedMs > nowMs || nowMs - checkedMs >= checkEveryMs
}

export function recordCheck(meta: MetaStore, nowMs: number): void {
  meta.set(key, new Date(nowMs).toISOString())
}
