import type { RemoteChecklistDetail, RemoteQuestion } from '../service-types.ts'
import { reportsError } from './error-marks.ts'
import { saysThereIsMore } from './find-total.ts'
import { hasAny, isJsonObject, valuesOf, type JsonObject } from './json-object.ts'
import {
  hasChecklistContent,
  hasQuestionLists,
  hasTime,
  isSurelyChecklist,
  isUsualHead,
  readChecklistHead,
  readChecklistId,
} from './read-checklist-head.ts'
import type { Redact } from './question-book.ts'
import { readSections } from './read-sections.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

const subject = 'a checklist'

const wrapperNames = [
  'checklist',
  'checklists',
  'sitechecklist',
  'data',
  'result',
  'results',
  'item',
  'items',
  'record',
  'records',
  'doc',
  'docs',
  'rows',
  'response',
  'payload',
  'body',
  'value',
  'node',
  'attributes',
]

/** Nesting of wrappers: an envelope, a list, an entry's wrapper, and one to spare. */
const maxWrappers = 4

/** Maximum number of objects among which the checklist is searched: each takes some microseconds. */
const maxObjects = 20_000

/** Names of what sections and questions have, and checklists do not. */
const partNames = ['questions', 'mediacategoryid', 'clientrefids']

/**
 * Reads `GET checklist/{projectId}/{checklistId}` (the service's specification, sections 2.4 and 4.3, which do not show
 * the nesting): the bare checklist, in wrappers, as the only element of a list, or as the one with the right id among
 * others. Its sections or questions may be beside its head, or a list without a checklist around it. An answer without
 * an id is taken for the requested checklist. Throws `unreadable-answer` if it has only other ids, reports an error, or
 * contains nothing of a checklist.
 */
export function readChecklistDetail(
  answer: unknown,
  checklistId: string,
  baseUrl?: string,
  redact?: Redact,
): RemoteChecklistDetail {
  const search = { depth: 0, count: { objects: 0 }, list: null, holder: null, around: null }
  const candidates = [...candidatesIn(answer, checklistId, search)]
  const found = findChecklist(candidates, checklistId)
  const head = readChecklistHead(found.checklist, checklistId, baseUrl)
  if (head === null) throw unreadableAnswer(subject, 'it has no ID')
  const { sections, isPartial } = readSections(found.checklist, redact)
  if (found.mustHaveMedia && !sections.some(({ questions }) => questions.some(hasMedia))) {
    throw unreadableAnswer(subject, 'it contains no checklist')
  }
  const lacksSome = found.list !== null && saysThereIsMore(answer, found.list.items.length)
  return { ...head, id: checklistId, sections, isPartial: isPartial || lacksSome }
}

/** The checklist in an answer. */
interface FoundChecklist {
  readonly checklist: JsonObject
  /** The list of which its sections or questions are the members, if it was put together from one. */
  readonly list: SiblingList | null
  /** True if nothing else shows that the members of the list are questions. */
  readonly mustHaveMedia: boolean
}

function findChecklist(candidates: readonly Candidate[], checklistId: string): FoundChecklist {
  const own = candidates.filter(({ object }) => readChecklistId(object) === checklistId || hasId(object, checklistId))
  const [asked] = own
  // Sections may each have the id of their checklist.
  const areParts = own.length > 1 && own.every(({ object, list }) => list === asked?.list && !isSurelyChecklist(object))
  if (asked !== undefined && !(areParts && asked.list !== null)) {
    return { checklist: withListsAround(asked), list: null, mustHaveMedia: false }
  }
  // Around and inside it there may be other objects without an id that have a status or a title: an envelope, a
  // section.
  const nameless = candidates.filter(({ object }) => readChecklistId(object) === null)
  const chosen =
    asked ??
    nameless.find(({ object, list }) => list === null && isUsualHead(object)) ??
    nameless.find(({ object }) => hasQuestionLists(object)) ??
    nameless.at(-1) ??
    candidates.find(({ list }) => list !== null)
  const isOther = candidates.some(({ object }) => readChecklistId(object) !== null)
  if (chosen === undefined) {
    throw unreadableAnswer(subject, isOther ? 'it is about another checklist' : 'it contains no checklist')
  }
  const isInside = ({ list }: Candidate) => list !== null && list.holder === chosen.object
  const list = hasQuestionLists(chosen.object) ? chosen.list : (candidates.find(isInside)?.list ?? chosen.list)
  const others =
    hasQuestionLists(chosen.object) && list === null
      ? []
      : candidates.filter((one) => one !== chosen || readChecklistId(one.object) !== null)
  // Sections may have ids and times of their own. Without the names of parts, and a head around them, they are
  // checklists.
  const hasHead = readChecklistId(chosen.object) === null && isUsualHead(chosen.object)
  const isTimed = ({ object, list: around }: Candidate) =>
    !hasHead &&
    around !== null &&
    readChecklistId(object) !== null &&
    !hasId(object, checklistId) &&
    hasTime(object) &&
    !hasAny(object, ['label', 'mediacategoryid', 'clientrefids'])
  if (others.some((one) => isTimed(one) || isOtherChecklist(one.object, checklistId))) {
    throw unreadableAnswer(subject, 'it is about another checklist')
  }
  if (list === null) return { checklist: withListsAround(chosen), list, mustHaveMedia: false }
  if (list.holder !== null && reportsError(list.holder)) throw unreadableAnswer(subject, 'it reports an error')
  const areSections = list.items.filter(isJsonObject).every(hasQuestionLists)
  const mustHaveMedia = !areSections && !isUsualHead(chosen.object)
  return { checklist: checklistAround(list, areSections), list, mustHaveMedia }
}

/** Returns whether the id is under any of its names, not only the one that is read first. */
function hasId(object: JsonObject, id: string): boolean {
  return valuesOf(object, ['id', 'checklistid', 'uuid']).some((value) => value === id)
}

function hasMedia({ mediaCategoryId, clientRefIds }: RemoteQuestion): boolean {
  return mediaCategoryId !== null || clientRefIds !== null
}

/** Returns a checklist with the lists of questions that are around it: `{ checklist: {...}, sections: [...] }`. */
function withListsAround({ object, around }: Candidate): JsonObject {
  return around === null || hasQuestionLists(object) ? object : { ...around, ...object }
}

/** Returns the checklist whose sections, or else questions, are the members of a list. */
function checklistAround({ items, holder }: SiblingList, areSections: boolean): JsonObject {
  const beside = holder === null || readChecklistId(holder) !== null ? [] : Object.entries(holder)
  return {
    ...Object.fromEntries(beside.filter(([, value]) => value !== items)),
    [areSections ? 'sections' : 'components']: items,
  }
}

/** Returns whether an object is a checklist other than the requested one, and no section or question. */
function isOtherChecklist(object: JsonObject, checklistId: string): boolean {
  if (hasId(object, checklistId)) return false
  const hasOwnSections = readChecklistId(object) !== null && hasAny(object, ['sections', 'pages'])
  return hasOwnSections || isSurelyChecklist(object) || (isUsualHead(object) && !hasAny(object, partNames))
}

/** An object that could be the checklist. */
interface Candidate {
  readonly object: JsonObject
  /** The outermost list that it shares with other objects. */
  readonly list: SiblingList | null
  /** The nearest object around it that has lists of questions, and no id of its own. */
  readonly around: JsonObject | null
}

/** A list with several objects. */
interface SiblingList {
  readonly items: readonly unknown[]
  /** The object that has the list. */
  readonly holder: JsonObject | null
}

interface Search extends Omit<Candidate, 'object'> {
  readonly depth: number
  /** Number of objects that were looked at so far. */
  readonly count: { objects: number }
  /** The object that has the value. */
  readonly holder: JsonObject | null
}

/** Yields every object that could be a checklist, outer ones first. */
function* candidatesIn(value: unknown, checklistId: string, search: Search): Generator<Candidate> {
  const { depth, count, list, holder, around } = search
  if (depth > maxWrappers) return
  if (Array.isArray(value)) {
    const objects = value.filter(isJsonObject)
    const isShared = objects.length > 1
    const inside = {
      ...search,
      depth: depth + 1,
      list: list ?? (isShared ? { items: value, holder } : null),
      around: isShared ? null : around,
    }
    for (const item of objects) yield* candidatesIn(item, checklistId, inside)
    return
  }
  if (!isJsonObject(value)) return
  if (++count.objects > maxObjects) {
    throw unreadableAnswer(subject, 'it has more parts than any list of checklists', { parts: maxObjects })
  }
  if (isCandidate(value)) {
    yield { object: value, list, around }
    // The objects inside a checklist are its sections, which may also have ids and titles.
    if (isSurelyChecklist(value) || readChecklistId(value) === checklistId) return
  }
  const hasLists = hasQuestionLists(value) && readChecklistId(value) === null
  const inside = { ...search, depth: depth + 1, holder: value, around: hasLists ? value : around }
  for (const inner of valuesOf(value, wrapperNames)) yield* candidatesIn(inner, checklistId, inside)
  const byId = Object.hasOwn(value, checklistId) ? value[checklistId] : undefined
  if (isJsonObject(byId)) yield* candidatesIn({ id: checklistId, ...byId }, checklistId, inside)
}

function isCandidate(object: JsonObject): boolean {
  return hasChecklistContent(object) && (isSurelyChecklist(object) || !reportsError(object))
}
