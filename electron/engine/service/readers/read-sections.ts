import type { RemoteSection } from '../service-types.ts'
import { firstOf, hasAny, isJsonObject, plainName, valuesOf, type JsonObject } from './json-object.ts'
import { MAX_DEPTH } from './parse-answer.ts'
import { QuestionBook, type Owner } from './question-book.ts'
import { readClientRefs } from './read-client-refs.ts'
import { readId, readLabel, readLink } from './read-scalars.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

const labelNames = ['label', 'title', 'name', 'question', 'text', 'prompt', 'heading', 'legend', 'caption']
const categoryNames = ['mediacategoryid', 'mediacategoryids', 'mediacategory']
/** The singular is a media record's own reference, not a question's list. */
const refNames = ['clientrefids', 'clientrefs']
const carrierNames = [...categoryNames, ...refNames]
/** Form builders' members that ask nothing. */
const silentTypes = ['button', 'content', 'htmlelement', 'hidden', 'divider']

/** Lists whose members are questions, unless they hold questions themselves. */
const questionLists = ['questions', 'question', 'subquestions', 'followups', 'fields', 'inputs', 'prompts']
/** Lists whose members are questions where nothing is inside them; form builders put sections here, too. */
const mixedLists = ['components', 'items', 'elements', 'children', 'controls']
/** Lists whose members are sections, even where a section carries media itself. */
const sectionLists = ['sections', 'section', 'pages', 'groups', 'panels', 'steps', 'tabs', 'categories']

/** Lists whose members are files, where they look like files. */
const fileLists = [
  ...['media', 'medias', 'mediafiles', 'mediaitems', 'mediarecords', 'photos', 'images', 'pictures', 'videos', 'files'],
  ...['attachments', 'uploads', 'thumbnails'],
]

/** Where the walk stands. */
interface Spot {
  /** Labels of the containers around, outermost first. */
  readonly path: readonly string[]
  /** The labelled object of which this is a part, reached without passing a list. */
  readonly owner: Owner | null
  /** The kind of list of which this is a member. */
  readonly list: 'questions' | 'mixed' | 'sections' | null
  /** Whether this stands in a list of files. */
  readonly isInFiles: boolean
  /** The media categories of the question around. */
  readonly categories: readonly string[]
  /** What to call it when it has no label: its key in an object of members, its place in a list. */
  readonly keyLabel: string | null
  readonly position: number | null
  readonly depth: number
}

/**
 * Finds the sections and questions of a checklist at any depth, by what they carry: a question is an object with a
 * `mediaCategoryId` or `clientRefIds`, or a labelled member of a list of questions with no question inside. A section is
 * the nearest labelled container around; sections of the same label are told apart by the labels around them. Questions
 * without any stand in the section "General". What a service sends twice (the same list under two names) counts once.
 */
export function readSections(checklist: JsonObject): readonly RemoteSection[] {
  const book = new QuestionBook()
  const ownCategories = categoriesOf(checklist)
  if (ownCategories.length > 0) {
    const label = firstOf(checklist, labelNames, readOwnLabel) ?? 'Checklist'
    book.add({ label, path: [], drafts: [] }, ownCategories, firstOf(checklist, refNames, readClientRefs))
  }
  const start = { path: [], owner: null, list: null, isInFiles: false, categories: ownCategories }
  walkMembers(checklist, { ...start, keyLabel: null, position: null, depth: 0 }, book)
  return book.sections()
}

/** Walks into a value and answers whether a question was found in it. */
function walk(value: unknown, spot: Spot, book: QuestionBook): boolean {
  if (spot.depth > MAX_DEPTH) throw unreadableAnswer('a checklist', 'it is nested too deeply')
  if (Array.isArray(value)) {
    const inner = { ...spot, owner: null, keyLabel: null, depth: spot.depth + 1 }
    return anyOf(value, (item, index) => walk(item, { ...inner, position: index + 1 }, book))
  }
  return isJsonObject(value) && walkObject(value, spot, book)
}

function walkObject(object: JsonObject, spot: Spot, book: QuestionBook): boolean {
  if (isMediaRecord(object, spot)) return false
  const label = firstOf(object, labelNames, readOwnLabel) ?? spot.keyLabel
  const categoryIds = categoriesOf(object)
  const refs = firstOf(object, refNames, readClientRefs)
  const carries = hasAny(object, carrierNames)
  const isSolid = categoryIds.length > 0 || (refs !== null && refs.length > 0)

  if (carries && label === null && spot.owner !== null) {
    book.addPart(spot.owner, categoryIds, refs)
    walkMembers(object, spot, book)
    return true
  }
  const own: Owner = { label: label ?? `Question ${spot.position ?? 1}`, path: spot.path, drafts: [] }
  if (isSolid || (carries && spot.list === 'questions')) {
    book.add(own, categoryIds, refs)
    const before = book.size
    walkMembers(object, { ...spot, owner: own, categories: categoryIds }, book)
    // Follow-ups stay in the section of their question, unless it is itself a section, or the nearest thing to one.
    const isSection = spot.list === 'sections' || spot.path.length === 0
    if (isSection && label !== null && book.size > before) book.moveInto(own, before, label)
    return true
  }
  const inside: Spot = label === null ? spot : { ...spot, path: [...spot.path, label], owner: own }
  if (walkMembers(object, inside, book)) return true
  if (!carries && (label === null || !isQuestionOfItsList(object, spot))) return false
  book.add(own, categoryIds, refs)
  return true
}

function walkMembers(object: JsonObject, spot: Spot, book: QuestionBook): boolean {
  return anyOf(Object.entries(object), ([key, value]) => {
    const name = plainName(key)
    if (typeof value !== 'object' || value === null || carrierNames.includes(name)) return false
    const list = listKind(name)
    const isInFiles = list === null && (spot.isInFiles || fileLists.includes(name))
    const inner: Spot = { ...spot, list, isInFiles, keyLabel: null, position: null, depth: spot.depth + 1 }
    if (list === null || !isJsonObject(value) || isMember(value)) return walk(value, inner, book)
    // An object of members by name where a list was to be expected: the names are labels.
    return anyOf(Object.entries(value), ([memberKey, member], index) => {
      const keyLabel = labelOfKey(memberKey)
      return walk(member, { ...inner, owner: null, keyLabel, position: index + 1, depth: inner.depth + 1 }, book)
    })
  })
}

/**
 * A media record names its category and its reference, too, but it is a file and not a question. A question with a
 * picture beside its text is none: with a category, what looks like a file is one only in a list of files, or inside of
 * the question that has this category.
 */
function isMediaRecord(object: JsonObject, { list, isInFiles, categories }: Spot): boolean {
  if (hasAny(object, ['label', 'title', 'question', 'prompt', ...refNames])) return false
  const hasImage = firstOf(object, ['imgurl', 'imageurl', 'thumbnailurl', 'thumburl'], readLink) !== null
  const isLikeFile =
    hasAny(object, ['clientrefid', 'filename']) || (hasImage && hasAny(object, ['geolocation', 'thumbnailurl']))
  const own = categoriesOf(object)
  if (!isLikeFile || own.length === 0 || isInFiles) return isLikeFile
  return list !== 'questions' && list !== 'sections' && own.every((id) => categories.includes(id))
}

function isQuestionOfItsList(object: JsonObject, { list }: Spot): boolean {
  const type = firstOf(object, ['type', 'inputtype'], readLabel)?.toLowerCase() ?? ''
  return (list === 'questions' || list === 'mixed') && !silentTypes.includes(type)
}

function listKind(name: string): Spot['list'] {
  if (questionLists.includes(name)) return 'questions'
  if (mixedLists.includes(name)) return 'mixed'
  return sectionLists.includes(name) ? 'sections' : null
}

/** Whether an object under the name of a list is a member itself rather than an object of members. */
function isMember(object: JsonObject): boolean {
  return (
    firstOf(object, labelNames, readOwnLabel) !== null ||
    hasAny(object, [...carrierNames, ...questionLists, ...mixedLists, ...sectionLists])
  )
}

/** `{ question: { label, mediaCategoryId } }` is a question inside, not a label in languages. */
function readOwnLabel(value: unknown): string | null {
  return isJsonObject(value) && hasAny(value, carrierNames) ? null : readLabel(value)
}

/** A key made of digits or of an id's characters says nothing to a person. */
function labelOfKey(key: string): string | null {
  return /^(?:\d+|[0-9a-f]{12,}|[0-9a-f-]{36})$/i.test(key) || key.trim() === '' ? null : key.trim()
}

function categoriesOf(object: JsonObject): readonly string[] {
  return [...new Set(valuesOf(object, categoryNames).flatMap(idsOf))]
}

function idsOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.map(readId).filter((id) => id !== null)
}

/** Like `some`, but looks at every item: each may hold questions. */
function anyOf<T>(items: readonly T[], found: (item: T, index: number) => boolean): boolean {
  return items.map(found).includes(true)
}
