import type { Db } from './open-database.ts'

/** Key-value pairs that belong to no other table. */
export function createMetaStore(db: Db) {
  const get = db.prepare<[string], { value: string }>('SELECT value FROM meta WHERE key = ?')
  const set = db.prepare<{ key: string; value: string }>(
    'INSERT INTO meta (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  )
  const remove = db.prepare<[string]>('DELETE FROM meta WHERE key = ?')
  return {
    get: (key: string) => get.get(key)?.value,
    set: (key: string, value: string) => {
      set.run({ key, value })
    },
    remove: (key: string) => {
      remove.run(key)
    },
  }
}

export type MetaStore = ReturnType<typeof createMetaStore>
