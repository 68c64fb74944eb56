import { createHash } from 'node:crypto'
import { checkFile } from '../archive/check-file.ts'
import { checksumsPath } from '../archive/layout.ts'
import type { Store } from '../store/create-store.ts'
import { checksumsText } from '../checklists/archive-records.ts'
import type { Finding, HeldChecksums } from './record-findings.ts'

/**
 * Compares a project's SHA256SUMS with what the rows say that it holds. Undefined where there is nothing to compare: no
 * file is archived, or a pass that runs will write it anew.
 */
export async function checkChecksums(
  store: Store,
  root: string,
  projectId: string,
  folder: string,
  signal: AbortSignal,
): Promise<Finding | 'ok' | undefined> {
  const text = store.projects.get(projectId)?.checksumsStale === 0 ? checksumsText(store, projectId, folder) : undefined
  if (text === undefined) return undefined
  const sha256 = createHash('sha256').update(text).digest('hex')
  const file: HeldChecksums = { kind: 'checksums', projectId, path: checksumsPath(folder) }
  const state = await checkFile(root, { path: file.path, sha256, sizeBytes: Buffer.byteLength(text) }, { signal })
  return state === 'ok' ? 'ok' : { file, state }
}
