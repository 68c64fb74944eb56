import { randomBytes } from 'node:crypto'
import type { Store } from './create-store.ts'

const key = 'installation'

/** Returns a new random id of twelve hex digits, which tells apart the installations that share an archive. */
export function newInstallationId(): string {
  return randomBytes(6).toString('hex')
}

/** Returns the installation's id, creating it at first use. */
export function installationId(store: Store): string {
  const known = store.meta.get(key)
  if (known !== undefined) return known
  const id = newInstallationId()
  store.meta.set(key, id)
  return id
}
