import type { Database } from 'better-sqlite3'
import { AppError } from '../../../shared/errors.ts'
import { initialSchema } from './migrations/001-initial.ts'
import { continuousSync } from './migrations/002-continuous-sync.ts'
import { activityTable } from './migrations/003-activity.ts'
import { backlogIndexes } from './migrations/004-backlog-indexes.ts'
import { emptyAnswers } from './migrations/005-empty-answers.ts'
import { damageFound } from './migrations/006-damage.ts'
import { ordersTables } from './migrations/007-orders.ts'
import { ordersService } from './migrations/008-orders-service.ts'
import { batchRows } from './migrations/009-batch-rows.ts'
import { lostHash } from './migrations/010-lost-hash.ts'

/**
 * The migrations in order; the index plus one is the `user_version` after it. A released migration never changes: add a
 * new one.
 */
const migrations: readonly string[] = [
  ...[initialSchema, continuousSync, activityTable, backlogIndexes, emptyAnswers],
  ...[damageFound, ordersTables, ordersService, batchRows, lostHash],
]

/**
 * Brings the schema to the newest version, each step in its own transaction. Throws `database-newer` if a newer
 * Solarchive wrote the database.
 */
export function migrate(db: Database): void {
  const current = Number(db.pragma('user_version', { simple: true }))
  if (current > migrations.length) {
    throw new AppError(
      'database-newer',
      `The data folder was written by a newer Solarchive (format ${current}, this one knows ${migrations.length}). ` +
        'Nothing was changed. Install the newer version again.',
    )
  }
  migrations.slice(current).forEach((sql, offset) => {
    db.transaction(() => {
      db.exec(sql)
      db.pragma(`user_version = ${current + offset + 1}`)
    }).immediate()
  })
}
