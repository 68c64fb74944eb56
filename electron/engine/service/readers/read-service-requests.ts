import type { RemoteServiceRequest } from '../service-types.ts'
import { findList, shapeInProject, type ListShape, type RecordList } from './find-list.ts'
import { firstOf, hasAny, isJsonObject, type JsonObject } from './json-object.ts'
import { readFlag, readId, readLabel, readOwnId, readText } from './read-scalars.ts'
import { readTime } from './read-time.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

const requestIdNames = ['servicerequestid', 'requestid', 'orderid']

/** Fields that only a service request has (the service's specification, section 2.3). */
const ownNames = [
  'tierlevel',
  'projectdesign',
  'designserviceproviderid',
  'isexpedited',
  'modelrevisioncount',
  'addons',
]

const shape: ListShape = {
  subject: 'the orders of a project',
  names: ['servicerequests', 'servicerequest', 'requests', 'orders', 'order'],
  isEntry: (object) => readRequestId(object) !== null && (hasAny(object, ownNames) || readStatus(object) !== null),
  isSurelyEntry: (object) => readRequestId(object) !== null && hasAny(object, ownNames),
  ownNames,
}

/**
 * Reads `GET serviceRequests/project/{projectId}` (known from a client only; object or array). The project `projectId`
 * around the list is no order, although it may have an ID and a status.
 */
export function readServiceRequestList(answer: unknown, projectId?: string): RecordList<RemoteServiceRequest> {
  const { entries, lacksEntry } = findList(answer, shapeInProject(shape, projectId, readRequestId))
  const list = entries.map(({ object, key }) => {
    const request = readServiceRequest(object, key)
    if (request === null) throw unreadableAnswer(shape.subject, 'an order in it has no ID', { entries: entries.length })
    return request
  })
  return { list, entryCount: new Set(list.map(({ id }) => id)).size, lacksEntry }
}

/**
 * Reads the answer of `POST serviceRequests` (the service's specification, sections 2.3 and 4.1): one service request,
 * perhaps wrapped.
 */
export function readCreatedServiceRequest(answer: unknown): RemoteServiceRequest {
  const subject = 'the new order'
  const { entries } = findList(answer, { ...shape, subject })
  const [first] = entries
  const request = first === undefined || entries.length > 1 ? null : readServiceRequest(first.object, first.key)
  if (request === null) throw unreadableAnswer(subject, 'it contains no order with an ID', { entries: entries.length })
  return request
}

function readServiceRequest(object: JsonObject, key: string | null): RemoteServiceRequest | null {
  const id = readRequestId(object) ?? key
  if (id === null) return null
  const within = <T>(names: readonly string[], innerNames: readonly string[], read: (value: unknown) => T | null) =>
    firstOf(object, names, (holder) => (isJsonObject(holder) ? firstOf(holder, innerNames, read) : null))
  return {
    id,
    projectId: firstOf(object, ['projectid', 'project'], readId),
    status: readStatus(object) ?? 'unknown',
    tierLevel: firstOf(object, ['tierlevel', 'tier'], readLabel),
    designId: firstOf(object, ['projectdesign', 'projectdesignid', 'designid', 'design'], readId),
    providerName:
      firstOf(object, ['designserviceprovidername', 'providername'], readText) ??
      within(['designserviceprovider', 'provider'], ['name', 'title'], readText),
    isExpedited: firstOf(object, ['isexpedited', 'expedited'], readFlag),
    isAutomated: firstOf(object, ['isautomated', 'automated'], readFlag),
    revisionCount: firstOf(object, ['modelrevisioncount', 'revisioncount'], readText),
    createdAt: firstOf(object, ['createdat', 'created', 'createdon', 'datecreated'], readTime),
    updatedAt: firstOf(object, ['updatedat', 'updated', 'updatedon', 'dateupdated', 'lastupdated'], readTime),
    form: firstOf(object, ['form'], (value) => (isJsonObject(value) ? value : null)),
    raw: object,
  }
}

function readRequestId(object: JsonObject): string | null {
  return readOwnId(object, requestIdNames, null)
}

function readStatus(object: JsonObject): string | null {
  return firstOf(object, ['status', 'state', 'requeststatus'], readLabel)
}
