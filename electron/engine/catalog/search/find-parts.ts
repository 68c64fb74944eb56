import { posix } from 'node:path'
import { documentKinds, type DocumentKind, idsPerKind } from '../../store/search-schema.ts'
import { documentOf, type DocumentRange, type SearchStore } from '../../store/search-store.ts'
import { fold } from './match-text.ts'
import type { Term } from './parse-query.ts'
import type { Stage } from './plan-search.ts'

export type PartsStage = Extract<Stage, { kind: 'parts' }>

/** Questions whose file names are read if very many files have the identifier. */
const maxQuestions = 300

/** Shorter parts of ids are found at their beginning only, in characters. */
const minPartOfId = 6

const kindsWithIds: ReadonlySet<DocumentKind> = new Set(['project', 'order', 'checklist'])

const idOfQuestion = (key: number) => documentKinds.question * idsPerKind + key
const idOfFile = (assetId: number) => documentKinds.file * idsPerKind + assetId

/** The documents of a window, from the newest down to the id `last`, and those of them that are found. */
interface FoundParts {
  readonly ids: readonly number[]
  readonly examined: number
  readonly last: number
  /** True if older documents may contain the identifiers, too. */
  readonly isFull: boolean
}

/**
 * Returns the ids, highest first, of documents and files that contain the identifiers, among the newest `limit` in a
 * range that do. Leaves out those that words alone find.
 */
export function findParts(
  index: SearchStore,
  { match, parts, filesOnly, rest, whole, without, all }: PartsStage,
  window: DocumentRange,
): FoundParts {
  const containing = index.parts(match, window)
  const last = containing.at(-1) ?? window.from
  const newer = [
    ...(filesOnly
      ? []
      : questionsOf(index, containing).filter((id) => id >= window.below && containsAll(index, id, parts))),
    ...newerOfSamePhotos(index, containing, parts, window.below),
  ]
  const owners = ownersOf(index, [...containing, ...newer])
  if (rest !== null) {
    const near = new Set(index.wordsAmong(rest, [...new Set(owners.values())]))
    const others = ownersOfWhole(index, whole, { ...window, from: last })
    const isWhole = (id: number) =>
      others.has(id) || (id >= window.below && whole !== null && containsAll(index, id, whole.parts))
    for (const [id, document] of owners) if (!near.has(document) && !isWhole(id)) owners.delete(id)
  }
  const documents = [...new Set(owners.values())]
  const left = new Set([all, without].flatMap((other) => (other === null ? [] : index.wordsAmong(other, documents))))
  const found = [...owners].filter(([, document]) => !left.has(document)).map(([id]) => id)
  const sorted = found.toSorted((one, other) => other - one)
  const ids = oncePerPhoto(index, withoutMiddlesOfIds(index, sorted, parts)).filter((id) => id < window.below)
  return { ids, examined: containing.length, last, isFull: containing.length === window.limit }
}

/** Leaves out what has a short part only in the middle of an id, where it is there by chance. */
function withoutMiddlesOfIds(index: SearchStore, ids: readonly number[], parts: readonly Term[]): readonly number[] {
  const short = parts.map(({ text }) => text.toLowerCase()).filter((text) => [...text].length < minPartOfId)
  if (short.length === 0) return ids
  return ids.filter((id) => {
    if (!kindsWithIds.has(documentOf(id).kind)) return true
    const text = index.textOf(id)
    const lines = text?.ids?.toLowerCase().split('\n') ?? []
    const other = fold(text?.parts ?? '')
    return short.every((part) => other.includes(fold(part)) || lines.some((line) => line.startsWith(part)))
  })
}

/**
 * Leaves out photos that were found with their question, and texts on photos that were found by their names or by
 * another text.
 */
function oncePerPhoto(index: SearchStore, ids: readonly number[]): number[] {
  const photoOf = new Map(index.photosOf(ids).map((photo) => [photo.id, photo]))
  const [found, seen] = [new Set(ids), new Set<number>()]
  return ids.filter((id) => {
    const photo = photoOf.get(id)
    if (photo === undefined) return true
    const isFirst = !found.has(photo.question) && !seen.has(photo.assetId)
    seen.add(photo.assetId)
    return isFirst
  })
}

/** Returns the questions of the photos among documents. */
function questionsOf(index: SearchStore, ids: readonly number[]): number[] {
  return [...new Set(index.photosOf(ids).map(({ question }) => question))]
}

/** Returns for documents themselves, and for files their questions. */
function ownersOf(index: SearchStore, ids: readonly number[]): Map<number, number> {
  const photos = index.photosOf(ids.filter((id) => documentOf(id).kind === 'file'))
  return new Map([
    ...ids.filter((id) => documentOf(id).kind !== 'file').map((id): [number, number] => [id, id]),
    ...photos.map(({ id, question }): [number, number] => [id, question]),
  ])
}

/** Returns what contains all of a query, and the owners. */
function ownersOfWhole(index: SearchStore, whole: PartsStage['whole'], range: DocumentRange): Map<number, number> {
  if (whole === null) return new Map()
  const owners = ownersOf(index, withoutMiddlesOfIds(index, index.parts(whole.match, range), whole.parts))
  if (whole.scope === null) return owners
  const inScope = new Set(index.wordsAmong(whole.scope, [...new Set(owners.values())]))
  return new Map([...owners].filter(([, document]) => inScope.has(document)))
}

/**
 * Returns the names and the newer texts of those photos of which a text is among documents, if they contain `parts`.
 */
function newerOfSamePhotos(index: SearchStore, ids: readonly number[], parts: readonly Term[], from: number): number[] {
  const texts = ids.filter((id) => documentOf(id).kind === 'text')
  if (texts.length === 0) return []
  const assetIds = [...new Set(index.photosOf(texts).map(({ assetId }) => assetId))]
  const others = [...assetIds.map(idOfFile), ...index.textsOnPhotos(assetIds).map(({ id }) => id)]
  return others.filter((id) => id >= from && containsAll(index, id, parts))
}

function containsAll(index: SearchStore, id: number, parts: readonly Term[]): boolean {
  const text = index.textOf(id)?.parts?.toLowerCase() ?? ''
  return parts.every((part) => text.includes(part.text.toLowerCase()))
}

/**
 * Returns the ids of files with the identifiers in their names of the newest questions that match the rest of a query,
 * highest first, if at least `limit` files have them: the newest of all may belong to other questions.
 */
export function findPartsOfNewest(
  index: SearchStore,
  { match, earlier, parts, filesOnly, rest, without, all }: PartsStage,
  limit: number,
): number[] {
  if (rest === null || index.parts(match, { from: idOfFile(0), below: idOfFile(idsPerKind), limit }).length < limit) {
    return []
  }
  const wanted = parts.map(({ text }) => text.toLowerCase())
  const questions = index.words(rest, { from: idOfQuestion(0), below: idOfQuestion(idsPerKind), limit: maxQuestions })
  const left = new Set([all, without].flatMap((other) => (other === null ? [] : index.wordsAmong(other, questions))))
  const keys = questions
    .filter((id) => !left.has(id) && (filesOnly || !containsAll(index, id, parts)))
    .map((id) => documentOf(id).key)
  const files = index
    .questions(keys)
    .flatMap(({ assetId, path }) => {
      const name = posix.basename(path ?? '').toLowerCase()
      return assetId !== null && wanted.every((part) => name.includes(part)) ? [idOfFile(assetId)] : []
    })
    .toSorted((one, other) => other - one)
  const [newest, oldest] = [files.at(0), files.at(-1)]
  if (earlier === null || newest === undefined || oldest === undefined) return files
  const range = { from: oldest, below: newest + 1, limit: Number.MAX_SAFE_INTEGER }
  const found = new Set(index.parts(earlier, range))
  return files.filter((id) => !found.has(id))
}
