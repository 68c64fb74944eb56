import { z } from 'zod'
import type { PagingHeaders } from '../http-exchange.ts'
import { firstOf, hasAny, isJsonObject, type JsonObject, valuesOf } from './json-object.ts'
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
  ...[
    'payload',
    'body',
    'content',
    'embedded',
    'checklists',
    'media',
    'photos',
    'servicerequests',
    'orders',
    'projects',
  ],
]
const totalNames = ['total', 'totalcount', 'totalitems', 'totaldocs', 'totalrecords', 'totalresults', 'totalelements']
/** What other services call the number of all. Some mean the entries of this page by it, never fewer. */
const countNames = ['count']
const pageCountNames = ['totalpages', 'totalpagecount', 'pagecount', 'pagestotal', 'numpages', 'pages', 'lastpage']
const lastNames = ['last', 'islast', 'islastpage']
const moreNames = ['hasmore', 'hasnextpage', 'hasnext', 'moreavailable', 'istruncated', 'truncated']
const nextNames = [
  ...['next', 'nextpage', 'nextcursor', 'nexttoken', 'nextpagetoken', 'nextpageurl', 'nexturl', 'nextlink'],
  ...['nextoffset', 'continuationtoken'],
]

/** What the head of an answer says of pages. */
interface AnswerHead {
  readonly status: number
  readonly paging: PagingHeaders
}

/**
 * Whether a list's answer says, in its body or its head, that there is more than the `count` entries it carries. The
 * service documents no pages, so nothing is asked for again; it must not go unnoticed, though.
 */
export function saysThereIsMore(answer: unknown, count: number, head?: AnswerHead): boolean {
  return bodySaysMore(answer, count) || (head !== undefined && headSaysMore(head, count))
}

function bodySaysMore(answer: unknown, count: number): boolean {
  if (lacksEntry(answer)) return true
  if (Array.isArray(answer) && answer.length === 1) return isPage(answer[0]) && bodySaysMore(answer[0], count)
  if (!isJsonObject(answer)) return false
  const places = [answer, ...pagesIn(answer), ...pagesIn(answer).flatMap(pagesIn)]
  // An entry that stands alone may speak of the next step of its own work, or of the pages of its report.
  const hasList = places.some((place) => Object.values(place).some((value) => Array.isArray(value)))
  return places.some(
    (place) =>
      (firstOf(place, totalNames, readCount) ?? 0) > count ||
      firstOf(place, moreNames, readFlag) === true ||
      (hasList && valuesOf(place, nextNames).some(leadsOn)) ||
      Object.values(place).some(lacksEntry) ||
      (hasList && !hasAny(place, ['id']) && countsMore(place, count)),
  )
}

/** Whether a list has null in the place of an entry: there is one, and nothing of it came. */
function lacksEntry(value: unknown): boolean {
  return Array.isArray(value) && value.includes(null) && value.some(isJsonObject)
}

/** Names that an entry could have as well. Of several pages, one alone was asked for. */
function countsMore(place: JsonObject, count: number): boolean {
  return (
    (firstOf(place, countNames, readCount) ?? 0) > count ||
    (firstOf(place, pageCountNames, readCount) ?? 0) > 1 ||
    valuesOf(place, lastNames).some((value) => value === false || value === 'false')
  )
}

/** Whether an object is one page in a list of pages, see `find-list.ts`: an entry would have some text in it. */
function isPage(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const values = Object.values(value)
  return values.some((inner) => Array.isArray(inner)) && !values.some((inner) => typeof inner === 'string')
}

function headSaysMore({ status, paging }: AnswerHead, count: number): boolean {
  const range = /^\s*[\w-]+\s+(?:(\d+)-(\d+)|\*)\/(\d+|\*)\s*$/.exec(paging.contentRange ?? '')
  const [, start, end, total] = range ?? []
  const isWholeRange = start !== undefined && Number(start) === 0 && total === String(Number(end) + 1)
  return (
    leadsToNext(paging.link ?? '') ||
    (readCount(paging.totalCount?.trim()) ?? 0) > count ||
    (status === 206 ? !isWholeRange : total !== undefined && total !== '*' && !isWholeRange && Number(total) > count)
  )
}

/** `<...?page=2>; rel="next"`. What stands between the angle brackets says nothing. */
function leadsToNext(link: string): boolean {
  const parameters = link.slice(0, 8192).replace(/<[^>]*>/g, '')
  return [...parameters.matchAll(/;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]*))/gi)].some(([, quoted, plain]) =>
    (quoted ?? plain ?? '').toLowerCase().split(/\s+/).includes('next'),
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
