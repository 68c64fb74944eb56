import { knownChecklistStatuses, unknownStatus } from '../../../../shared/domain.ts'
import type { RemoteChecklist } from '../service-types.ts'
import { findReportLink } from './find-report-link.ts'
import { firstOf, hasAny, isJsonObject, plainName, valuesOf, type JsonObject } from './json-object.ts'
import { readLabel, readOwnId, readText } from './read-scalars.ts'
import { readTime } from './read-time.ts'

const titleNames = ['title', 'name', 'checklisttitle', 'checklistname', 'label']
const statusNames = ['status', 'checkliststatus', 'state']
const updatedNames = [
  'updatedat',
  'updated',
  'updateddate',
  'updatedon',
  'dateupdated',
  'lastupdated',
  'lastupdatedat',
  'updatetime',
  'modifiedat',
  'lastmodified',
  'lastmodifiedat',
  'modified',
  'modifiedon',
]
const contentNames = ['sections', 'components', 'questions', 'pages']

const documented: ReadonlyMap<string, string> = new Map(
  knownChecklistStatuses.map((status) => [plainName(status), status]),
)

/**
 * Reads the fields of a checklist that are both in the list and in its own answer (the service's specification, section
 * 2.4). Returns `null` without an own id and a `fallbackId`.
 */
export function readChecklistHead(
  object: JsonObject,
  fallbackId: string | null,
  baseUrl?: string,
): RemoteChecklist | null {
  const id = readChecklistId(object) ?? fallbackId
  if (id === null) return null
  return {
    id,
    title: firstOf(object, titleNames, readLabel),
    status: readStatus(object) ?? unknownStatus,
    statusText: readStatusText(object),
    updatedAt: firstOf(object, updatedNames, readTime),
    updatedText: readUpdatedText(object),
    reportUrl: findReportLink(object, baseUrl),
    raw: object,
  }
}

/**
 * Returns the update time of a checklist as the service sent it if it is text that is not a time. An object is left
 * out: a signed link in it would change with every answer.
 */
export function readUpdatedText(object: JsonObject): string | null {
  return firstOf(object, updatedNames, readTime) === null ? firstOf(object, updatedNames, readText) : null
}

export function readChecklistId(object: JsonObject): string | null {
  return readOwnId(object, ['checklistid'], null)
}

export function hasQuestionLists(object: JsonObject): boolean {
  return valuesOf(object, contentNames).some((value) => typeof value === 'object' && value !== null)
}

/** Returns whether an object has a documented status beside a title or a time, which an envelope does not have. */
export function isUsualHead(object: JsonObject): boolean {
  return isDocumented(readStatusText(object) ?? '') && hasTitleOrTime(object)
}

/** Returns whether an object has any content of a checklist, apart from its id. */
export function hasChecklistContent(object: JsonObject): boolean {
  return (
    hasAny(object, contentNames) ||
    readStatusText(object) !== null ||
    firstOf(object, titleNames, readLabel) !== null ||
    firstOf(object, updatedNames, readTime) !== null ||
    findReportLink(object) !== null
  )
}

/**
 * Returns whether an object has an id and a documented status, or any status with a title or a time, which an envelope
 * does not have.
 */
export function isSurelyChecklist(object: JsonObject): boolean {
  const status = readStatusText(object)
  if (status === null || readChecklistId(object) === null) return false
  return isDocumented(status) || hasTitleOrTime(object)
}

/** Returns whether an object has a readable update time. */
export function hasTime(object: JsonObject): boolean {
  return firstOf(object, updatedNames, readTime) !== null
}

function hasTitleOrTime(object: JsonObject): boolean {
  return firstOf(object, titleNames, readLabel) !== null || hasTime(object)
}

/**
 * Returns a documented status in its documented spelling, also for `Completed` or `PDF processing`; others unchanged.
 */
export function documentedStatus(status: string): string {
  return documented.get(plainName(status)) ?? status
}

function isDocumented(status: string): boolean {
  return documented.has(plainName(status))
}

function readStatus(object: JsonObject): string | null {
  const text = readStatusText(object)
  return text === null ? null : documentedStatus(text)
}

/** Reads a status as sent: text, or inside an object: `{ status: { name: 'completed' } }`. */
export function readStatusText(object: JsonObject): string | null {
  return firstOf(object, statusNames, (value) =>
    isJsonObject(value)
      ? firstOf(value, ['name', 'value', 'code', 'status', 'label', 'key'], readText)
      : readText(value),
  )
}
