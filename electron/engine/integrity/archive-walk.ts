import { z } from 'zod'
import { checksumsPath } from '../archive/layout.ts'
import type { Store } from '../store/create-store.ts'
import type { HeldFile } from '../store/held-files-store.ts'
import type { HeldChecksums } from './record-findings.ts'

/** A place on the way through everything that the archive holds: behind the row `after` of a kind. */
export const walkPlaceSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('assets'), after: z.int() }),
  z.object({ kind: z.literal('documents'), after: z.int() }),
  z.object({ kind: z.literal('versions'), after: z.string() }),
  z.object({ kind: z.literal('checksums'), after: z.string() }),
])
export type WalkPlace = z.infer<typeof walkPlaceSchema>

export const walkStart: WalkPlace = { kind: 'assets', after: 0 }

/** A file on the way, and the place behind it. */
export interface WalkStep {
  readonly file: HeldFile | HeldChecksums
  readonly behind: WalkPlace
}

/**
 * The next files behind a place, at most `limit`; none at the end. In the order of keys, which no clock can disturb: what
 * is added comes in its turn, what is deleted is passed over, and every file comes once a round.
 */
export function nextSteps(store: Store, place: WalkPlace, limit: number): WalkStep[] {
  const steps = stepsOfKind(store, place, limit)
  const next = steps.length > 0 ? undefined : followingKind(place)
  return next === undefined ? steps : nextSteps(store, next, limit)
}

function stepsOfKind(store: Store, place: WalkPlace, limit: number): WalkStep[] {
  switch (place.kind) {
    case 'assets':
      return store.heldFiles
        .assets(place.after, limit)
        .map((file) => ({ file, behind: { kind: 'assets', after: file.id } }))
    case 'documents':
      return store.heldFiles
        .documents(place.after, limit)
        .map((file) => ({ file, behind: { kind: 'documents', after: file.checklistKey } }))
    case 'versions':
      return store.heldFiles
        .versions(place.after, limit)
        .map((file) => ({ file, behind: { kind: 'versions', after: file.path } }))
    case 'checksums':
      return store.projects
        .listAll()
        .flatMap(({ id, folder }) => (folder === null || id <= place.after ? [] : [{ id, folder }]))
        .slice(0, limit)
        .map(({ id, folder }) => ({
          file: { kind: 'checksums', projectId: id, path: checksumsPath(folder) },
          behind: { kind: 'checksums', after: id },
        }))
  }
}

function followingKind({ kind }: WalkPlace): WalkPlace | undefined {
  switch (kind) {
    case 'assets':
      return { kind: 'documents', after: 0 }
    case 'documents':
      return { kind: 'versions', after: '' }
    case 'versions':
      return { kind: 'checksums', after: '' }
    case 'checksums':
      return undefined
  }
}
