import { randomBytes } from 'node:crypto'
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
    set: (key: string, value: string) => void set.run({ key, value }),
    remove: (key: string) => void remove.run(key),
  }
}

export type MetaStore = ReturnType<typeof createMetaStore>

const installationKey = 'installation'

/** Returns a new random id of twelve hex digits, which distinguishes the installations that share an archive. */
export function newInstallationId(): string {
  return randomBytes(6).toString('hex')
}

/** Returns the installation's id, creating it at first use. */
export function installationId({ meta }: { readonly meta: MetaStore }): string {
  const known = meta.get(installationKey)
  if (known !== undefined) return known
  const id = newInstallationId()
  meta.set(installationKey, id)
  return id
}
