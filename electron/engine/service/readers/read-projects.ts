import type { RemoteProject } from '../service-types.ts'
import { findList, type ListShape, type RecordList } from './find-list.ts'
import { firstOf, isJsonObject, type JsonObject } from './json-object.ts'
import { readLabel, readOwnId, readText } from './read-scalars.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

const nameNames = ['name', 'projectname', 'title', 'displayname', 'label']
const addressNames = [
  'address',
  'fulladdress',
  'formattedaddress',
  'projectaddress',
  'siteaddress',
  'streetaddress',
  'location',
  'site',
]
/** Parts of an address in writing order, each under its usual names. */
const addressPartNames = [
  ['line1', 'address1', 'addressline1', 'street', 'streetaddress', 'street1', 'address'],
  ['line2', 'address2', 'addressline2', 'street2', 'unit'],
  ['city', 'town', 'locality'],
  ['state', 'region', 'province', 'statecode'],
  ['zip', 'zipcode', 'postalcode', 'postcode'],
  ['country', 'countrycode'],
]

const shape: ListShape = {
  subject: 'the projects',
  names: ['projects', 'project'],
  isEntry: (object) => readProjectId(object) !== null && hasProjectContent(object),
  isSurelyEntry: (object) => readProjectId(object) !== null && firstOf(object, addressNames, readAddress) !== null,
}

/**
 * Reads `GET projects` (known from a client only). Throws `unreadable-answer` if an entry has no id, because a project
 * must not be lost silently.
 */
export function readProjects(answer: unknown): RecordList<RemoteProject> {
  const { entries, lacksEntry } = findList(answer, shape)
  const projects = new Map<string, RemoteProject>()
  for (const { object, key } of entries) {
    const project = readProject(object, key)
    if (project === null)
      throw unreadableAnswer(shape.subject, 'a project in it has no ID', { entries: entries.length })
    projects.set(project.id, project)
  }
  return { list: [...projects.values()], entryCount: projects.size, lacksEntry }
}

/**
 * Reads `GET projects/{projectId}`. Throws `unreadable-answer` if the requested project is not in it; a service may write
 * its ID with other capitals.
 */
export function readOneProject(answer: unknown, projectId: string): RemoteProject {
  const projects = findList(answer, { ...shape, subject: 'a project' }).entries.map(({ object, key }) =>
    readProject(object, key),
  )
  const wanted = projectId.toLowerCase()
  const project = projects.find((candidate) => candidate?.id.toLowerCase() === wanted)
  if (project === undefined || project === null) {
    throw unreadableAnswer('a project', 'the requested project is not in it', { entries: projects.length })
  }
  return project
}

function readProject(object: JsonObject, key: string | null): RemoteProject | null {
  const id = readProjectId(object) ?? key
  if (id === null) return null
  return {
    id,
    name: firstOf(object, nameNames, readLabel),
    address: firstOf(object, addressNames, readAddress),
    raw: object,
  }
}

function readProjectId(object: JsonObject): string | null {
  return readOwnId(object, ['projectid'], null)
}

function hasProjectContent(object: JsonObject): boolean {
  return firstOf(object, nameNames, readLabel) !== null || firstOf(object, addressNames, readAddress) !== null
}

/** Reads an address as one line, from text or from its parts. */
function readAddress(value: unknown): string | null {
  if (!isJsonObject(value)) return typeof value === 'string' ? readText(value) : null
  const whole = firstOf(value, ['formatted', 'formattedaddress', 'fulladdress', 'full', 'display'], readText)
  if (whole !== null) return whole
  const parts = addressPartNames.map((names) => firstOf(value, names, readText))
  const [line1, line2, city, state, zip, country] = parts
  const region = [state, zip].filter((part) => typeof part === 'string').join(' ')
  const line = [line1, line2, city, region, country]
    .filter((part) => typeof part === 'string' && part !== '')
    .join(', ')
  return line === '' ? null : line
}
