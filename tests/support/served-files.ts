import type { RequestRecord } from '../../electron/sample-service/http/request-log.ts'
import type { SampleService } from '../../electron/sample-service/start-sample-service.ts'
import { photosOf, type SampleChecklist, type SamplePhoto } from '../../electron/sample-service/site/site-types.ts'
import { sha256 } from './sample-archive.ts'

/** Paths on the sample's file host, which name a file whatever link leads to it. */
export const reportPath = (checklist: Pick<SampleChecklist, 'id' | 'projectId'>) =>
  `/reports/${checklist.projectId}/${checklist.id}.pdf`
export const mediaPath = (kind: string, photo: Pick<SamplePhoto, 'id' | 'projectId' | 'checklistId'>) =>
  `/${kind}s/${photo.projectId}/${photo.checklistId}/${photo.id}.jpg`

/** What the file host serves now for checklists that are completed: the path there to the SHA-256 of the bytes. */
export async function servedFiles(service: SampleService): Promise<Map<string, string>> {
  const served = new Map<string, string>()
  for (const checklist of service.projects.flatMap(({ checklists }) => checklists)) {
    if (checklist.status !== 'completed') continue
    served.set(reportPath(checklist), hashOf(await service.reportBytes(checklist)))
    for (const photo of photosOf(checklist).filter(({ state }) => state === 'uploaded')) {
      served.set(mediaPath('photo', photo), hashOf(await service.photoBytes(photo)))
      served.set(mediaPath('thumbnail', photo), hashOf(await service.thumbnailBytes(photo)))
    }
  }
  return served
}

/** The service keeps the bytes that it made, so thousands of them need be hashed once only. */
const hashes = new WeakMap<Buffer, string>()

function hashOf(bytes: Buffer): string {
  const known = hashes.get(bytes) ?? sha256(bytes)
  hashes.set(bytes, known)
  return known
}

/** Everything that was ever served under a path, also what was replaced or removed since. */
export class ServedHistory {
  readonly #hashes = new Map<string, Set<string>>()

  note(served: ReadonlyMap<string, string>): void {
    for (const [path, hash] of served) {
      const known = this.#hashes.get(path)
      if (known === undefined) this.#hashes.set(path, new Set([hash]))
      else known.add(hash)
    }
  }

  wasServed(path: string, hash: string): boolean {
    return this.#hashes.get(path)?.has(hash) ?? false
  }
}

/**
 * The files that one process had sent whole although they were recorded as archived before it started, or that it had
 * sent whole twice. Where the service has another file by now, sending it is right.
 */
export function downloadedAgain(
  requests: readonly RequestRecord[],
  served: ReadonlyMap<string, string>,
  archivedBefore: ReadonlyMap<string, string>,
): string[] {
  const whole = requests.filter(({ origin, status }) => origin === 'files' && status === 200).map(({ path }) => path)
  const seen = new Set<string>()
  return whole.filter((path) => {
    const again = seen.has(path) || (archivedBefore.has(path) && archivedBefore.get(path) === served.get(path))
    seen.add(path)
    return again
  })
}
