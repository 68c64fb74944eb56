import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const cache = new Map<string, Promise<Buffer>>()

/** Returns the folder `resources/sample`, seen from the sources, from the bundle, and from the packaged app alike. */
function resourceFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const candidate = join(folder, 'resources', 'sample')
    if (existsSync(candidate)) return candidate
    if (dirname(folder) === folder) throw new Error(`No folder resources/sample above ${import.meta.dirname}`)
  }
}

/**
 * Returns the bytes of a file of `resources/sample`. All of them together are 3.3 MB, so each is read once and kept.
 */
export function readResource(path: string): Promise<Buffer> {
  const bytes = cache.get(path) ?? readFile(join(resourceFolder(), path))
  cache.set(path, bytes)
  return bytes
}
