import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../shared/errors.ts'
import type { ArchiveFolders } from '../archive/archive-folders.ts'
import { formatChecksums } from '../archive/checksums.ts'
import { checksumsFileName } from '../archive/layout.ts'
import { checksumsParts } from '../checklists/archive-records.ts'
import type { Store } from '../store/create-store.ts'
import { copiesFolder, isIncomplete, manifestName, pathOf, readmeName, removeIncomplete } from './evidence-folders.ts'
import { readmeText } from './readme-text.ts'

/** A root manifest, and what it covers. */
export interface RootManifest {
  /** The format of `sha256sum`, with paths relative to its folder. Empty if nothing is archived. */
  readonly text: string
  readonly projects: number
  readonly files: number
}

/**
 * Returns the root manifest of the archive as it is recorded now. `onCopy` is called with the path of each project's
 * copy, relative to the folder of the evidence, and its SHA256SUMS, in parts.
 */
export async function buildManifest(
  store: Store,
  signal: AbortSignal,
  onCopy?: (path: string, parts: readonly Buffer[]) => Promise<void>,
): Promise<RootManifest> {
  const entries: { readonly path: string; readonly sha256: string }[] = []
  let files = 0
  for (const { id, folder } of store.projects.listAll()) {
    signal.throwIfAborted()
    if (folder === null) continue
    const content = createHash('sha256')
    const parts: Buffer[] = []
    for (const text of checksumsParts(store, id, folder)) {
      const part = Buffer.from(text)
      content.update(part)
      parts.push(part)
      files += text.split('\n').length - 1
    }
    if (parts.length === 0) continue
    const path = `${copiesFolder}/${folder}/${checksumsFileName}`
    await onCopy?.(path, parts)
    entries.push({ path, sha256: content.digest('hex') })
    await nextTurn()
  }
  return { text: formatChecksums(entries), projects: entries.length, files }
}

/**
 * Writes a folder of evidence: the copies, how to check them, and last the root manifest, so that a folder with one is
 * complete. One without it is written again: copies of projects that are not in the manifest would look as if somebody
 * had added them. Throws disk errors.
 */
export async function writeEvidence(
  folders: ArchiveFolders,
  store: Store,
  folder: string,
  signal: AbortSignal,
): Promise<RootManifest> {
  if (isIncomplete(folders.root, folder)) await removeIncomplete(folders.root, folder)
  const manifest = await buildManifest(store, signal, (path, parts) => folders.write(pathOf(folder, path), parts))
  if (manifest.projects === 0) throw nothingArchived()
  await folders.write(pathOf(folder, readmeName), readmeText(folder))
  await folders.write(pathOf(folder, manifestName), manifest.text)
  return manifest
}

export function nothingArchived(): AppError {
  return new AppError('wrong-usage', 'Nothing is archived yet, so there is nothing to stamp.')
}
