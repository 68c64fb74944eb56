import type { RemoteMedia } from '../service/service-types.ts'
import { hashText, sourceHash } from './url-identity.ts'

/** A question that shares a media category, as far as telling its records apart needs it. */
export interface CategoryQuestion {
  readonly key: number
  readonly clientRefIds: readonly string[] | null
  /** Remote keys of the photos that it already has. */
  readonly knownKeys: ReadonlySet<string>
}

/**
 * Which record belongs to which question, when a category serves several. A record stays where it was; else it goes to
 * the question that refers to it, else to the first with room (more references than records), else to the first.
 * Every record gets a place: nothing that the service lists is left out.
 */
export function assignMedia(
  records: readonly RemoteMedia[],
  questions: readonly CategoryQuestion[],
): Map<number, RemoteMedia[]> {
  const assigned = new Map<number, RemoteMedia[]>(questions.map((question) => [question.key, []]))
  const first = questions[0]
  if (first === undefined) return assigned
  const undecided: RemoteMedia[] = []
  const references = new Map<string, CategoryQuestion>()
  for (const question of questions.toReversed()) {
    for (const id of question.clientRefIds ?? []) references.set(id, question)
  }
  for (const record of records) {
    const key = remoteKey(record)
    const owner =
      questions.find((question) => question.knownKeys.has(key)) ??
      referencesOf(record)
        .map((id) => references.get(id))
        .find((question) => question !== undefined)
    if (owner === undefined) undecided.push(record)
    else assigned.get(owner.key)?.push(record)
  }
  for (const record of undecided) {
    const withRoom = questions.find(
      ({ key, clientRefIds }) => clientRefIds === null || clientRefIds.length > (assigned.get(key)?.length ?? 0),
    )
    assigned.get((withRoom ?? first).key)?.push(record)
  }
  return assigned
}

/** The records that no question refers to, or one of these does: the others belong elsewhere. */
export function recordsFor(
  own: readonly CategoryQuestion[],
  all: readonly CategoryQuestion[],
  records: readonly RemoteMedia[],
): RemoteMedia[] {
  const ids = (questions: readonly CategoryQuestion[]) => new Set(questions.flatMap((q) => q.clientRefIds ?? []))
  const ours = ids(own)
  const anybodys = ids(all)
  return records.filter((record) => {
    const references = referencesOf(record)
    return references.some((id) => ours.has(id)) || !references.some((id) => anybodys.has(id))
  })
}

/** Whatever in a record could be the reference by which a question names it. */
function referencesOf(record: RemoteMedia): string[] {
  const values = typeof record.raw === 'object' && record.raw !== null ? Object.values(record.raw) : []
  const texts = values.filter((value) => typeof value === 'string' || typeof value === 'number').map(String)
  const stem = record.filename?.replace(/\.[^.]*$/, '')
  return stem === undefined ? texts : [...texts, stem]
}

/**
 * Identity of a media record across calls: its id where it has one, else its file name together with its place on the
 * file host.
 */
export function remoteKey(record: RemoteMedia): string {
  if (record.id !== null) return `id:${hashText(record.id)}`
  return `file:${hashText(JSON.stringify([record.filename, sourceHash(record.imgUrl ?? record.thumbnailUrl)]))}`
}
