import { documentKinds, type DocumentKind, idsPerKind } from '../../store/search-schema.ts'
import { documentOf, type DocumentRange, type SearchStore } from '../../store/search-store.ts'
import { fileNameOf } from '../describe-checklist-view.ts'
import { fold } from './match-text.ts'
import type { Term } from './parse-query.ts'
import type { Stage } from './plan-search.ts'

type PartsStage = Extract<Stage, { kind: 'parts' }>

/** Questions whose file names are read if very many files have the identifier. */
const maxQuestions = 300

/** Shorter parts of ids are found at their beginning only, in characters. */
const minPartOfId = 6

const kindsWithIds: ReadonlySet<DocumentKind> = new Set(['project', 'order', 'checklist'])

const idOfQuestion = (key: number) => documentKinds.question * idsPerKind + key
const idOfFile = (assetId: number) => documentKinds.file * idsPerKind + assetId
const top = 8 * idsPerKind

/**
 * Returns the ids of documents and files that contain identifiers, highest first, without those that are found by words
 * alone. Of more than `limit` that contain them, the newest are found.
 */
export function findParts(
  index: SearchStore,
  { match, parts, filesOnly, rest, whole, without, all }: PartsStage,
  limit: number,
): number[] {
  const range = filesOnly ? { below: idOfFile(idsPerKind), from: idOfFile(0) } : { below: top, from: idsPerKind }
  const containing = index.parts(match, { ...range, limit })
  const owners = ownersOf(index, containing)
  if (rest !== null) {
    const near = new Set(index.wordsAmong(rest, [...new Set(owners.values())]))
    for (const [id, document] of owners) if (!near.has(document)) owners.delete(id)
    for (const [id, document] of ownersOfWhole(index, whole, { ...range, limit })) owners.set(id, document)
    if (containing.length === limit) {
      for (const { id, question } of filesOfNewest(index, parts, rest)) owners.set(id, question)
    }
  }
  const documents = [...new Set(owners.values())]
  const left = new Set([all, without].flatMap((other) => (other === null ? [] : index.wordsAmong(other, documents))))
  const found = [...owners].filter(([, document]) => !left.has(document)).map(([id]) => id)
  const sorted = found.toSorted((one, other) => other - one)
  return oncePerPhoto(index, withoutMiddlesOfIds(index, sorted, parts))
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

/** Leaves out texts on photos that were found by their names or by another text. */
function oncePerPhoto(index: SearchStore, ids: readonly number[]): number[] {
  if (!ids.some((id) => documentOf(id).kind === 'text')) return [...ids]
  const photoOf = new Map(index.photosOf(ids).map(({ id, assetId }) => [id, assetId]))
  const seen = new Set<number>()
  return ids.filter((id) => {
    const photo = photoOf.get(id)
    if (photo === undefined) return true
    const isFirst = !seen.has(photo)
    seen.add(photo)
    return isFirst
  })
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
  const owners = ownersOf(index, index.parts(whole.match, range))
  if (whole.scope === null) return owners
  const inScope = new Set(index.wordsAmong(whole.scope, [...new Set(owners.values())]))
  return new Map([...owners].filter(([, document]) => inScope.has(document)))
}

/** Returns the files with the identifiers in their names of the newest questions that match, and their questions. */
function filesOfNewest(index: SearchStore, parts: readonly Term[], match: string) {
  const wanted = parts.map(({ text }) => text.toLowerCase())
  const questions = index.words(match, { from: idOfQuestion(0), below: idOfQuestion(idsPerKind), limit: maxQuestions })
  return index.questions(questions.map((id) => documentOf(id).key)).flatMap(({ key, assetId, path }) => {
    const name = fileNameOf(path ?? '').toLowerCase()
    if (assetId === null || !wanted.every((part) => name.includes(part))) return []
    return [{ id: idOfFile(assetId), question: idOfQuestion(key) }]
  })
}
