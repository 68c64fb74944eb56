import { z } from 'zod'
import { firstOf, isJsonObject, type JsonObject, valuesOf } from './json-object.ts'
import { isScalar, readFlag, readText } from './read-scalars.ts'

const countSchema = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .pipe(z.int().min(0))

const pageNames = [
  ...['meta', 'metadata', 'pagination', 'paging', 'page', 'pageinfo', 'data', 'result', 'response', 'links', 'cursors'],
]
const totalNames = ['total', 'totalcount', 'totalitems', 'totaldocs', 'totalrecords', 'totalresults', 'totalelements']
const moreNames = ['hasmore', 'hasnextpage', 'hasnext', 'moreavailable']
const nextNames = [
  ...['next', 'nextpage', 'nextcursor', 'nexttoken', 'nextpagetoken', 'nextpageurl', 'nexturl', 'nextlink'],
  ...['nextoffset', 'continuationtoken'],
]

/**
 * Whether a list's answer says that there is more than the `count` entries it carries. The service documents no pages,
 * so nothing is asked for again; it must not go unnoticed, though.
 */
export function saysThereIsMore(answer: unknown, count: number): boolean {
  if (!isJsonObject(answer)) return false
  const places = [answer, ...pagesIn(answer), ...pagesIn(answer).flatMap(pagesIn)]
  // An entry that stands alone may speak of the next step of its own work.
  const hasList = places.some((place) => Object.values(place).some((value) => Array.isArray(value)))
  return places.some(
    (place) =>
      (firstOf(place, totalNames, readCount) ?? 0) > count ||
      firstOf(place, moreNames, readFlag) === true ||
      (hasList && valuesOf(place, nextNames).some(leadsOn)),
  )
}

function pagesIn(object: JsonObject): JsonObject[] {
  return valuesOf(object, pageNames).filter(isJsonObject)
}

/** Whether what stands as the next page is one: a number, a cursor, a link, or an object around it. */
function leadsOn(value: unknown): boolean {
  if (isJsonObject(value)) return Object.values(value).some((inner) => !isJsonObject(inner) && leadsOn(inner))
  if (typeof value === 'boolean') return value
  const text = readText(value)?.trim().toLowerCase() ?? ''
  return !['', '0', '-1', 'null', 'none', 'false'].includes(text)
}

function readCount(value: unknown): number | null {
  return isScalar(value) ? (countSchema.safeParse(value).data ?? null) : null
}
