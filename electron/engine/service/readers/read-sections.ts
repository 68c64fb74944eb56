import { isLink } from '../../lib/redact.ts'
import type { RemoteChecklistDetail } from '../service-types.ts'
import { firstOf, hasAny, isJsonObject, plainName, valuesOf, type JsonObject } from './json-object.ts'
import { maxDepth } from './json-bounds.ts'
import { QuestionBook, type QuestionOwner, type Redact } from './question-book.ts'
import { readAnswer } from './read-answer.ts'
import { readClientRefs } from './read-client-refs.ts'
import { isScalar, readId, readLabel, readLink, readText } from './read-scalars.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

const labelNames = ['label', 'title', 'name', 'question', 'text', 'prompt', 'heading', 'legend', 'caption']
const categoryIdNames = ['mediacategoryid', 'mediacategoryids']
/** Name of a category's ID, or of an object that describes it. */
const categoryName = 'mediacategory'
/** Only plural names: the singular is a media record's own reference, not a question's list. */
const refNames = ['clientrefids', 'clientrefs']
const carrierNames = [...categoryIdNames, categoryName, ...refNames]
/** Name of a question's categories. Around questions, it is the catalog from which they are chosen. */
const catalogName = 'mediacategories'
/** Names of a category in an object of a question's files. In other objects, they are of something else. */
const fileCategoryNames = ['categoryid', 'categoryids', catalogName]
/** Types of form members that are not questions. */
const silentTypes = ['button', 'content', 'htmlelement', 'hidden', 'divider']

/** Types of form members that hold others. */
const containerTypes = [
  'panel',
  'fieldset',
  'well',
  'container',
  'columns',
  'table',
  'tabs',
  'section',
  'group',
  'page',
]

/** Maximum number of media categories of one question, which has one. */
const maxCategories = 100

/** Lists whose members are questions, unless they contain questions themselves. */
const questionLists = ['questions', 'question', 'subquestions', 'followups', 'fields', 'inputs', 'prompts']
/** Lists whose members are questions if nothing is inside them; form builders also put sections here. */
const mixedLists = ['components', 'items', 'elements', 'children', 'controls']
/** Lists whose members are sections, even if a section has media itself. */
const sectionLists = ['sections', 'section', 'pages', 'groups', 'panels', 'steps', 'tabs', 'categories']

/** Lists whose members are files if they look like files. */
const fileLists = [
  'media',
  'medias',
  'mediafiles',
  'mediaitems',
  'mediarecords',
  'photos',
  'images',
  'pictures',
  'videos',
  'files',
  'attachments',
  'uploads',
  'thumbnails',
]

/** Position of the traversal. */
interface Spot {
  /** Labels of the enclosing containers, outermost first. */
  readonly path: readonly string[]
  /** The labeled object of which this is a part without a list in between. */
  readonly owner: QuestionOwner | null
  /** Kind of the list of which this is a member. */
  readonly list: 'questions' | 'mixed' | 'sections' | null
  /** True if this is in a list of files. */
  readonly isInFiles: boolean
  /** The labeled object whose files this describes. */
  readonly fileOwner: QuestionOwner | null
  /** Media categories of the enclosing question. */
  readonly categories: readonly string[]
  /** Label for an object without one: its key in an object of members, or its position in a list. */
  readonly keyLabel: string | null
  readonly position: number | null
  readonly depth: number
}

/**
 * Finds the sections and questions of a checklist at any depth by their content: a question is an object with a
 * `mediaCategoryId` or `clientRefIds`, or a labeled member of a list of questions with no question inside. Without a
 * category of its own, it has that of its files (`media: { categoryId }`) or those in `mediaCategories`. Its section
 * is the nearest labeled container; sections with the same label are distinguished by the labels around them. Questions
 * without a section are in "General". Duplicates, such as the same list under two names, count once. `isPartial` if a
 * list of questions or sections, or an object of them by name, has `null` for one of them, or if a question has media
 * that cannot be asked for or counted, which would be an unnoticed gap. Without `redact`, there are no secrets in it.
 */
export function readSections(
  checklist: JsonObject,
  redact: Redact = (text) => text,
): Pick<RemoteChecklistDetail, 'sections' | 'isPartial'> {
  const book = new QuestionBook(redact)
  const ownCategories = categoriesOf(checklist)
  if (hasUnreadableMedia(checklist, ownCategories, true)) book.isPartial = true
  if (ownCategories.length > 0) {
    const label = book.label(firstOf(checklist, labelNames, readOwnLabel) ?? 'Checklist')
    book.add(
      { label, path: [], drafts: [], offered: new Set(), answer: null },
      ownCategories,
      firstOf(checklist, refNames, readClientRefs),
    )
  }
  const start = { path: [], owner: null, list: null, isInFiles: false, fileOwner: null, categories: ownCategories }
  visitMembers(checklist, { ...start, keyLabel: null, position: null, depth: 0 }, book)
  return { sections: book.sections(), isPartial: book.isPartial }
}

/** Visits a value. Returns whether a question was found in it. */
function visit(value: unknown, spot: Spot, book: QuestionBook): boolean {
  if (spot.depth > maxDepth) throw unreadableAnswer('a checklist', 'it is nested too deeply')
  if (Array.isArray(value)) {
    if (spot.list !== null && lacksMember(value)) book.isPartial = true
    const inner = { ...spot, owner: null, keyLabel: null, depth: spot.depth + 1 }
    return anyOf(value, (item, index) => visit(item, { ...inner, position: index + 1 }, book))
  }
  return isJsonObject(value) && visitObject(value, spot, book)
}

function visitObject(object: JsonObject, spot: Spot, book: QuestionBook): boolean {
  book.countObject()
  if (isMediaRecord(object, spot)) return false
  const named = firstOf(object, labelNames, readOwnLabel) ?? spot.keyLabel
  const label = named === null ? null : book.label(named)
  const categoryIds = categoriesOf(object)
  const whole = label === null ? spot.owner : null
  const isInCategory =
    categoryIds.length > 0 || whole?.drafts.some(({ mediaCategoryId }) => mediaCategoryId !== null) === true
  const refs = firstOf(object, refNames, readClientRefs)
  if (hasUnreadableMedia(object, categoryIds, isInCategory || refs !== null)) book.isPartial = true
  const hasMediaField = hasAny(object, carrierNames)
  const hasMedia = categoryIds.length > 0 || (refs !== null && refs.length > 0)
  const fileCategories = spot.fileOwner === null || categoryIds.length > 0 ? [] : fileCategoriesOf(object)
  if (whole !== null || !hasMediaField) for (const id of fileCategories) spot.fileOwner?.offered.add(id)
  if (hasMediaField && whole !== null) {
    book.addPart(whole, categoryIds, refs)
    visitMembers(object, spot, book)
    return true
  }
  const own: QuestionOwner = {
    label: label ?? `Question ${spot.position ?? 1}`,
    path: spot.path,
    drafts: [],
    offered: new Set(hasMediaField ? fileCategories : []),
    answer: readAnswer(object, book.redact),
  }
  const catalog = spot.list === null ? [] : offersIn(valuesOf(object, [catalogName]).flat())
  if (hasMedia || (hasMediaField && spot.list === 'questions')) {
    book.add(own, categoryIds, refs)
    for (const id of catalog) own.offered.add(id)
    const before = book.size
    visitMembers(object, { ...spot, owner: own, categories: categoryIds }, book)
    // Follow-ups stay in the section of their question, unless it is itself a section or is not in one.
    const isSection = spot.list === 'sections' || spot.path.length === 0
    if (isSection && label !== null && book.size > before) book.moveInto(own, before, label)
    return true
  }
  const inside: Spot = label === null ? spot : { ...spot, path: [...spot.path, label], owner: own }
  const hasQuestions = visitMembers(object, inside, book)
  if (!hasQuestions || spot.list === 'questions') for (const id of catalog) own.offered.add(id)
  const mayBeSection = spot.list === 'mixed' || containerTypes.includes(typeOf(object) ?? '')
  const isEmptySection = mayBeSection && own.offered.size === 0 && own.answer === null && isEmpty(object)
  const isQuestion = hasMediaField || (label !== null && isQuestionOfItsList(object, spot) && !isEmptySection)
  if (isQuestion && !hasQuestions) book.add(own, categoryIds, refs)
  else if (own.offered.size > 0) book.addOffer({ ...own, path: hasQuestions ? inside.path : own.path })
  // An object with nothing but an offer may be a choice of the question around it.
  return isQuestion || hasQuestions
}

/** Returns the categories in an object of a question's files. */
function fileCategoriesOf(object: JsonObject): (string | null)[] {
  // Without a digit, or with a space, a text is the name of a category and not its id.
  const isId = (value: unknown) =>
    /^\S*\d\S*$/.test((isJsonObject(value) ? readCategoryId(value) : readText(value)) ?? '')
  const values = valuesOf(object, ['category']).flat().filter(isId)
  return offersIn([...valuesOf(object, fileCategoryNames).flat(), ...values])
}

/** Reads categories that may be those of a question; `null` stands for what cannot be asked for. */
function offersIn(values: readonly unknown[]): (string | null)[] {
  // Questions, not categories, may be under the same name.
  const categories = values.filter(
    (value) => !saysNothing(value) && !(isJsonObject(value) && hasAny(value, carrierNames)),
  )
  return categories.length > maxCategories ? [null] : categories.map(readCategoryId)
}

function visitMembers(object: JsonObject, spot: Spot, book: QuestionBook): boolean {
  return anyOf(Object.entries(object), ([key, value]) => {
    const name = plainName(key)
    if (typeof value !== 'object' || value === null || carrierNames.includes(name)) return false
    const list = listKind(name)
    const isInFiles = list === null && (spot.isInFiles || fileLists.includes(name))
    const fileOwner = fileLists.includes(name) ? spot.owner : null
    const inner: Spot = { ...spot, list, isInFiles, fileOwner, keyLabel: null, position: null, depth: spot.depth + 1 }
    if (list === null || !isJsonObject(value) || isMember(value)) return visit(value, inner, book)
    // An object of members by name instead of a list: the names are labels.
    const members = Object.entries(value).filter(([memberKey]) => !metaName.test(memberKey))
    if (lacksMember(members.map(([, member]) => member))) book.isPartial = true
    return anyOf(Object.entries(value), ([memberKey, member], index) => {
      const keyLabel = labelOfKey(memberKey)
      return visit(member, { ...inner, owner: null, keyLabel, position: index + 1, depth: inner.depth + 1 }, book)
    })
  })
}

/**
 * Returns whether an object is a media record: it has a category and a reference, too, but is a file and not a
 * question. A question with a picture beside its text is not one: with a category, an object that looks like a file is
 * a file only in a list of files, or inside the question of that category.
 */
function isMediaRecord(object: JsonObject, { list, isInFiles, categories }: Spot): boolean {
  if (hasAny(object, ['label', 'title', 'question', 'prompt', ...refNames])) return false
  const hasImage = firstOf(object, ['imgurl', 'imageurl', 'thumbnailurl', 'thumburl'], readLink) !== null
  const isLikeFile =
    hasAny(object, ['clientrefid', 'filename']) || (hasImage && hasAny(object, ['geolocation', 'thumbnailurl']))
  if (!isLikeFile || isInFiles) return isLikeFile
  const own = categoriesOf(object)
  return own.length === 0 || (list !== 'questions' && list !== 'sections' && own.every((id) => categories.includes(id)))
}

function isQuestionOfItsList(object: JsonObject, { list }: Spot): boolean {
  return (list === 'questions' || list === 'mixed') && !silentTypes.includes(typeOf(object) ?? '')
}

/** Returns the type of a form member in lower case. */
function typeOf(object: JsonObject): string | undefined {
  return firstOf(object, ['type', 'inputtype'], readLabel)?.toLowerCase()
}

/** Returns whether an object of a form has lists for members, and all of them are empty: it is not a question. */
function isEmpty(object: JsonObject): boolean {
  const type = typeOf(object)
  const lists = [...questionLists, ...mixedLists, ...sectionLists]
  const canHoldMembers = type === undefined || containerTypes.includes(type)
  return canHoldMembers && hasAny(object, lists) && valuesOf(object, lists).every(saysNothing)
}

function listKind(name: string): Spot['list'] {
  if (questionLists.includes(name)) return 'questions'
  if (mixedLists.includes(name)) return 'mixed'
  return sectionLists.includes(name) ? 'sections' : null
}

/** Names of what stands beside the members of an object, and may be `null`. */
const metaName = /^(?:next|prev|previous|parent|meta)$|(?:At|By|Id|Url|Count|_at|_by|_id|_url|_count)$/

/**
 * Returns whether a question or section exists but was not sent. Beside scalars, `null` is one of them, such as a
 * choice.
 */
function lacksMember(members: readonly unknown[]): boolean {
  return members.includes(null) && members.some(isJsonObject) && !members.some(isScalar)
}

/** Returns whether an object under the name of a list is a member itself rather than an object of members. */
function isMember(object: JsonObject): boolean {
  return (
    firstOf(object, labelNames, readOwnLabel) !== null ||
    hasAny(object, [...carrierNames, ...questionLists, ...mixedLists, ...sectionLists])
  )
}

/** Reads a label. `{ question: { label, mediaCategoryId } }` is a question inside, not a label by language. */
function readOwnLabel(value: unknown): string | null {
  return isJsonObject(value) && hasAny(value, carrierNames) ? null : readLabel(value)
}

/** Returns a key as a label, unless it consists of digits or looks like an id. */
function labelOfKey(key: string): string | null {
  return /^(?:\d+|[0-9a-f]{12,}|[0-9a-f-]{36})$/i.test(key) || key.trim() === '' ? null : key.trim()
}

/** Returns the media categories of an object that can be asked for. */
function categoriesOf(object: JsonObject): readonly string[] {
  const ids = categoryValuesOf(object)
    .map(readCategoryId)
    .filter((id) => id !== null)
  if (ids.length > maxCategories) throw unreadableAnswer('a checklist', 'a question has too many media categories')
  return [...new Set(ids)]
}

/** Reads the id of a category, which is stored unchanged: a link or half of an emoji in it is unreadable. */
function readCategoryId(value: unknown): string | null {
  const id = readId(value)
  return id === null || isLink(id) || !id.isWellFormed() ? null : id
}

function categoryValuesOf(object: JsonObject): readonly unknown[] {
  return valuesOf(object, [...categoryIdNames, categoryName]).flat()
}

/**
 * Returns whether an object has media that cannot be asked for, or references that cannot be counted. `areCounted` if
 * its references were read, or are in a category, whose media count them. An object may describe the category whose ID
 * is beside it.
 */
function hasUnreadableMedia(object: JsonObject, categoryIds: readonly string[], areCounted: boolean): boolean {
  const isDescription = (value: unknown) => categoryIds.length > 0 && isJsonObject(value)
  const isUnreadable = (value: unknown) =>
    readCategoryId(value) === null && !saysNothing(value) && !isDescription(value)
  return categoryValuesOf(object).some(isUnreadable) || (!areCounted && !valuesOf(object, refNames).every(saysNothing))
}

/** Returns whether a value, and everything in it, says that there is nothing. */
function saysNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(saysNothing)
  return value === undefined || value === null || value === false || (typeof value === 'string' && value.trim() === '')
}

/** Like `some`, but visits every item, because each may contain questions. */
function anyOf<T>(items: readonly T[], found: (item: T, index: number) => boolean): boolean {
  return items.map(found).includes(true)
}
