import { randomBytes } from 'node:crypto'
import type { Store } from './create-store.ts'

const key = 'installation'

/** Twelve hex digits that no other database has: what one of several installations on an archive calls its own there. */
export function newInstallationId(): string {
  return randomBytes(6).toString('hex')
}

/** Returns the installation's id, which is created once. */
export function installationId(store: Store): string {
  const known = store.meta.get(key)
  if (known !== undefined) return known
  const id = newInstallationId()
  store.meta.set(key, id)
  return id
}
