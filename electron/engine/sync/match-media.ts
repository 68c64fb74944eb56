import type { RemoteMedia } from '../service/service-types.ts'
import { isLink, withoutLink } from '../lib/redact.ts'
import { hashText, strictUrlIdentityOf, urlIdentityOf } from '../lib/link-identity.ts'

/** A question of a media category, with the facts that decide which records are its own. */
export interface CategoryQuestion {
  readonly key: number
  readonly clientRefIds: readonly string[] | null
  /** Remote keys of its known photos. */
  readonly knownKeys: ReadonlySet<string>
}

/**
 * Assigns the records of a category to the questions that share it. A record goes to the question that refers to it, or
 * to each of several, because a photo can answer more than one; else it stays where it was; else it goes to the first
 * with room (more references than records), else to the first. Every record is assigned: nothing that the service lists
 * is left out.
 */
export function assignMedia(
  records: readonly RemoteMedia[],
  questions: readonly CategoryQuestion[],
): Map<number, RemoteMedia[]> {
  const assigned = new Map<number, RemoteMedia[]>(questions.map((question) => [question.key, []]))
  const first = questions[0]
  if (first === undefined) return assigned
  const undecided: RemoteMedia[] = []
  const references = Map.groupBy(
    questions.flatMap((question) => [...new Set(question.clientRefIds)].map((id) => ({ id, question }))),
    ({ id }) => id,
  )
  const withLinks = haveLinks([...references.keys()])
  for (const record of records) {
    const key = remoteKey(record)
    const referring = referencesOf(record, withLinks)
      .map((id) => references.get(id)?.map(({ question }) => question))
      .find((own) => own !== undefined)
    const owners = referring ?? questions.filter((question) => question.knownKeys.has(key)).slice(0, 1)
    if (owners.length === 0) undecided.push(record)
    for (const owner of owners) assigned.get(owner.key)?.push(record)
  }
  for (const record of undecided) {
    const withRoom = questions.find(
      ({ key, clientRefIds }) => clientRefIds === null || clientRefIds.length > (assigned.get(key)?.length ?? 0),
    )
    assigned.get((withRoom ?? first).key)?.push(record)
  }
  return assigned
}

/** Returns the records that one of `own` refers to, or that no question refers to. */
export function recordsFor(
  own: readonly CategoryQuestion[],
  all: readonly CategoryQuestion[],
  records: readonly RemoteMedia[],
): RemoteMedia[] {
  const ids = (questions: readonly CategoryQuestion[]) => new Set(questions.flatMap((q) => q.clientRefIds ?? []))
  const ours = ids(own)
  const anybodys = ids(all)
  const withLinks = haveLinks([...anybodys])
  return records.filter((record) => {
    const references = referencesOf(record, withLinks)
    return references.some((id) => ours.has(id)) || !references.some((id) => anybodys.has(id))
  })
}

/**
 * Returns every value of a record that could be the reference by which a question names it. `withLinks` if a question
 * names a link: hashing those of a record takes up to 20 µs.
 */
function referencesOf(record: RemoteMedia, withLinks: boolean): string[] {
  const values = typeof record.raw === 'object' && record.raw !== null ? Object.values(record.raw) : []
  const texts = values.filter((value) => typeof value === 'string' || typeof value === 'number').map(String)
  const stem = record.filename?.replace(/\.[^.]*$/, '')
  const names = stem === undefined ? texts : [...texts, stem]
  // Earlier versions stored links unchanged.
  return withLinks ? [...names, ...names.filter(isLink).map(storedReference), ...names.map(exactReference)] : names
}

/**
 * Returns a reference as it is stored: of a link, a hash that stays the same when it is signed again. Links that may
 * lead to different files have different ones.
 */
export function storedReference(reference: string): string {
  if (!isLink(reference)) return reference
  // The base makes links without a host comparable, too.
  const url = URL.parse(reference, 'https://service.invalid')
  return linkStart + (strictUrlIdentityOf(url?.href ?? null) ?? hashText(reference))
}

/**
 * Returns a hash of a reference as sent: for one that cannot be stored, or whose link differs from that of another
 * reference only in what may be a signature.
 */
export const exactReference = (reference: string) => linkStart + hashText(reference)

const linkStart = 'link:'
const haveLinks = (references: readonly string[]) => references.some((reference) => reference.startsWith(linkStart))

/**
 * Returns the identity of a media record across calls: its id if it has one, else its file name together with the
 * identity of its URL.
 */
export function remoteKey(record: RemoteMedia): string {
  if (record.id !== null) return `id:${hashText(record.id)}`
  return `file:${hashText(JSON.stringify([record.filename, urlIdentityOf(record.imgUrl ?? record.thumbnailUrl)]))}`
}

/** An asset or a record, with the facts by which they are matched. */
export interface Matchable {
  readonly remoteKey: string
  readonly fileName: string | null
  /** Of a record: its file name as earlier versions stored it. */
  readonly earlierName?: string | null
}

export interface AssetMatch<Local, Remote> {
  readonly pairs: readonly (readonly [Local, Remote])[]
  readonly created: readonly Remote[]
  readonly gone: readonly Local[]
}

/**
 * Matches records with assets: by key first; then, for those without an id, by file name in order, since their key
 * contains the URL identity and a host may move its files. A record listed twice counts once.
 */
export function matchAssets<Local extends Matchable, Remote extends Matchable>(
  assets: readonly Local[],
  records: readonly Remote[],
): AssetMatch<Local, Remote> {
  const left = new Map(assets.map((asset) => [asset.remoteKey, asset]))
  const pairs: (readonly [Local, Remote])[] = []
  const unmatched: Remote[] = []
  for (const record of new Map(records.map((item) => [item.remoteKey, item])).values()) {
    const asset = left.get(record.remoteKey)
    if (asset === undefined) unmatched.push(record)
    else pairs.push([asset, record])
    left.delete(record.remoteKey)
  }
  const created = unmatched.filter((record) => {
    const asset = [...left.values()].find(
      (candidate) =>
        (nameOf(candidate) === record.fileName || candidate.fileName === record.earlierName) &&
        !hasOwnId(candidate) &&
        !hasOwnId(record),
    )
    if (asset === undefined) return true
    left.delete(asset.remoteKey)
    pairs.push([asset, record])
    return false
  })
  return { pairs, created, gone: [...left.values()] }
}

/** Returns the file name as it is now: earlier versions stored it with its query. */
const nameOf = ({ fileName }: Matchable) => (fileName === null ? null : withoutLink(fileName))

const hasOwnId = ({ remoteKey }: Matchable) => remoteKey.startsWith('id:')
