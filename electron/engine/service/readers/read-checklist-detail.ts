import type { RemoteChecklistDetail } from '../service-types.ts'
import { reportsError } from './error-marks.ts'
import { isJsonObject, valuesOf, type JsonObject } from './json-object.ts'
import {
  hasChecklistContent,
  hasQuestionLists,
  isSurelyChecklist,
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

/**
 * Reads `GET checklist/{projectId}/{checklistId}` (the service's specification, sections 2.4 and 4.3, which do not show
 * the nesting): the bare checklist, in wrappers, as the only element of a list, or as the one with the right id among
 * others. An answer without an id is taken for the requested checklist. Throws `unreadable-answer` if it has only other
 * ids, reports an error, or contains nothing of a checklist.
 */
export function readChecklistDetail(
  answer: unknown,
  checklistId: string,
  baseUrl?: string,
  redact?: Redact,
): RemoteChecklistDetail {
  const candidates = [...candidatesIn(answer, checklistId, { depth: 0, count: { objects: 0 } })]
  const asked = candidates.find(
    (candidate) => readChecklistId(candidate) === checklistId || hasId(candidate, checklistId),
  )
  const nameless = candidates.filter((candidate) => readChecklistId(candidate) === null)
  // Around and inside it there may be other objects without an id that have a status or a title: an envelope, a
  // section.
  const checklist = asked ?? nameless.find(hasQuestionLists) ?? nameless.at(-1)
  if (checklist === undefined) {
    const isOther = candidates.some((candidate) => readChecklistId(candidate) !== null)
    throw unreadableAnswer(subject, isOther ? 'it is about another checklist' : 'it contains no checklist')
  }
  const head = readChecklistHead(checklist, checklistId, baseUrl)
  if (head === null) throw unreadableAnswer(subject, 'it has no ID')
  return { ...head, id: checklistId, ...readSections(checklist, redact) }
}

/** Returns whether the id is under any of its names, not only the one that is read first. */
function hasId(object: JsonObject, id: string): boolean {
  return valuesOf(object, ['id', 'checklistid', 'uuid']).some((value) => value === id)
}

interface Search {
  readonly depth: number
  /** Number of objects that were looked at so far. */
  readonly count: { objects: number }
}

/** Yields every object that could be a checklist, outer ones first. */
function* candidatesIn(value: unknown, checklistId: string, { depth, count }: Search): Generator<JsonObject> {
  if (depth > maxWrappers) return
  const inside = { depth: depth + 1, count }
  if (Array.isArray(value)) {
    for (const item of value) {
      if (isJsonObject(item)) yield* candidatesIn(item, checklistId, inside)
    }
    return
  }
  if (!isJsonObject(value)) return
  if (++count.objects > maxObjects) {
    throw unreadableAnswer(subject, 'it has more parts than any list of checklists', { parts: maxObjects })
  }
  if (isCandidate(value)) {
    yield value
    // The objects inside a checklist are its sections, which may also have ids and titles.
    if (isSurelyChecklist(value) || readChecklistId(value) === checklistId) return
  }
  for (const inner of valuesOf(value, wrapperNames)) yield* candidatesIn(inner, checklistId, inside)
  const byId = Object.hasOwn(value, checklistId) ? value[checklistId] : undefined
  if (isJsonObject(byId)) yield* candidatesIn({ id: checklistId, ...byId }, checklistId, inside)
}

function isCandidate(object: JsonObject): boolean {
  return hasChecklistContent(object) && (isSurelyChecklist(object) || !reportsError(object))
}
