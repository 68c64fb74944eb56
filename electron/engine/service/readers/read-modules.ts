import { findList, type ListShape, type RecordList } from './find-list.ts'
import { firstOf, hasAny, isJsonObject, type JsonObject } from './json-object.ts'
import { readId, readLabel } from './read-scalars.ts'
import { unreadableAnswer } from './unreadable-answer.ts'

const nameNames = ['name', 'modulename', 'displayname', 'fullname', 'title', 'label']
const makerNames = ['manufacturer', 'manufacturername', 'maker', 'make', 'brand']
const modelNames = ['model', 'modelname', 'modelnumber', 'partnumber']

/** Fields that are typical of modules. */
const ownNames = [
  ...makerNames,
  ...modelNames,
  'wattage',
  'watts',
  'power',
  'pmax',
  'pmp',
  'stcrating',
  'ratedpower',
  'voc',
  'isc',
  'vmp',
  'imp',
  'efficiency',
  'celltype',
]

const isModule = (object: JsonObject) => readName(object) !== null && hasAny(object, ownNames)

const shape: ListShape = {
  subject: 'the module library',
  names: ['modules', 'module', 'modulelibrary', 'library', 'panels', 'panel'],
  isEntry: isModule,
  isSurelyEntry: isModule,
}

/** Maximum nesting: an envelope, a page, the list in it, and a module's own parts. */
const maxLevels = 6

/** Reads the distinct module names of `GET module-library/{userId}`, as objects or texts (known from a client only). */
export function readModuleList(answer: unknown): RecordList<string> {
  const { entries, lacksEntry } = findList(withNames(answer, maxLevels), shape)
  const names = entries.map(({ object }) => readName(object))
  if (names.includes(null)) {
    throw unreadableAnswer(shape.subject, 'a module in it has no name', { entries: entries.length })
  }
  return { list: [...new Set(names.filter((name) => name !== null))], entryCount: entries.length, lacksEntry }
}

/**
 * Returns the id of the user who placed an order (the service's specification, section 2.3), under which the service
 * keeps modules; `null` if the order names none.
 */
export function readOrderUser(order: unknown): string | null {
  return isJsonObject(order) ? firstOf(order, ['userinfo', 'user', 'createdby', 'creator'], readId) : null
}

function readName(object: JsonObject): string | null {
  const model = firstOf(object, modelNames, readLabel)
  const maker = firstOf(object, makerNames, readLabel)
  const name = firstOf(object, nameNames, readLabel) ?? (model === null || maker === null ? model : `${maker} ${model}`)
  return name?.replace(/\s+/g, ' ').trim() ?? null
}

/** Converts texts in lists to modules with only a name. */
function withNames(value: unknown, levels: number): unknown {
  if (levels === 0) return value
  if (Array.isArray(value)) {
    return value.map((item: unknown) => (typeof item === 'string' ? { name: item } : withNames(item, levels - 1)))
  }
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNames(inner, levels - 1)]))
}
