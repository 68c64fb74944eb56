import { z } from 'zod'
import { parseJson } from '../../lib/parse-json.ts'
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
  'meta',
  'metadata',
  'pagination',
  'paging',
  'page',
  'pageinfo',
  'data',
  'result',
  'response',
  'links',
  'cursor',
  'cursors',
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
]
const totalNames = ['total', 'totalcount', 'totalitems', 'totaldocs', 'totalrecords', 'totalresults', 'totalelements']
/** Names of the total in other APIs. Some use them for the number of entries in the page, but never for fewer. */
const countNames = ['count', 'numresults']
const pageCountNames = ['totalpages', 'totalpagecount', 'pagecount', 'pagestotal', 'numpages', 'pages', 'lastpage']
const lastNames = ['last', 'islast', 'islastpage']
const moreNames = ['hasmore', 'hasnextpage', 'hasnext', 'moreavailable', 'istruncated', 'truncated']
const nextNames = [
  'next',
  'nextpage',
  'nextcursor',
  'nexttoken',
  'nextpagetoken',
  'nextpageurl',
  'nextpagelink',
  'nexturl',
  'nextlink',
  'nextoffset',
  'continuationtoken',
]
/** Names of the last entry's key, which is sent only if there is a next page. */
const lastKeyNames = ['lastevaluatedkey']
const linkListNames = ['links', 'link']
const hrefNames = ['href', 'url', 'uri', 'link']

/** Maximum length of a header that is read. */
const maxHeaderLength = 8192

/** Status and headers of an answer that may mention pages. */
interface AnswerHead {
  readonly status: number
  readonly paging: PagingHeaders
}

/**
 * Returns whether a list's answer says, in its body or its headers, that there are more than the `count` entries in it.
 * `ownTotals` are names (normalized) of a total that only this kind of list has: around another, it is of something
 * else. The service documents no pages, so none are requested, but this must not go unnoticed.
 */
export function saysThereIsMore(
  answer: unknown,
  count: number,
  head?: AnswerHead,
  ownTotals: readonly string[] = [],
): boolean {
  return bodySaysMore(answer, count, ownTotals) || (head !== undefined && headSaysMore(head, count))
}

function bodySaysMore(answer: unknown, count: number, ownTotals: readonly string[]): boolean {
  if (lacksEntry(answer)) return true
  if (Array.isArray(answer) && answer.length === 1) {
    // Several entries from one object were in a list in it.
    return (count > 1 || isPage(answer[0])) && bodySaysMore(answer[0], count, ownTotals)
  }
  if (!isJsonObject(answer)) return false
  const objects = [answer, ...pagesIn(answer), ...pagesIn(answer).flatMap(pagesIn)]
  // A single entry may mention the next step of its own work, or the pages of its report.
  const hasList = objects.some((object) => Object.values(object).some((value) => Array.isArray(value)))
  return objects.some(
    (object) =>
      (firstOf(object, totalNames, readCount) ?? 0) > count ||
      firstOf(object, moreNames, readFlag) === true ||
      Object.values(object).some(lacksEntry) ||
      (hasList &&
        (hasNextPage(object) || valuesOf(object, ownTotals).some((total) => (readCount(total) ?? 0) > count))) ||
      (hasList && !hasAny(object, ['id']) && countsMore(object, count)),
  )
}

/** Returns whether a list has `null` instead of an entry, which then exists but was not sent. */
function lacksEntry(value: unknown): boolean {
  return Array.isArray(value) && value.includes(null) && value.some(isJsonObject)
}

/** Checks names that an entry could have as well. If there are several pages, only one was requested. */
function countsMore(object: JsonObject, count: number): boolean {
  return (
    (firstOf(object, countNames, readCount) ?? 0) > count ||
    (firstOf(object, pageCountNames, readCount) ?? 0) > 1 ||
    firstOf(object, ['more'], readFlag) === true ||
    valuesOf(object, lastNames).some((value) => value === false || value === 'false')
  )
}

/** Returns whether an object is one page in a list of pages (see `find-list.ts`): an entry would have some text. */
function isPage(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const values = Object.values(value)
  return values.some((inner) => Array.isArray(inner)) && !values.some((inner) => typeof inner === 'string')
}

/** Returns whether the status or a header of an answer says that it is only a part, or has a total above `count`. */
export function headSaysMore({ status, paging }: AnswerHead, count: number): boolean {
  const range = /^\s*[\w-]+\s+(?:(\d+)-(\d+)|\*)\/(\d+|\*)\s*$/.exec(paging.contentRange ?? '')
  const [, start, end, total] = range ?? []
  const isWholeRange = start !== undefined && Number(start) === 0 && total === String(Number(end) + 1)
  return (
    leadsToNext(paging.link ?? '') ||
    paging.totals.some((text) => (readCount(text?.trim()) ?? 0) > count) ||
    (readCount(paging.totalPages?.trim()) ?? 0) > 1 ||
    isNextPage(paging.nextPage) ||
    paginationSaysMore(paging.pagination ?? '', count) ||
    (status === 206 ? !isWholeRange : total !== undefined && total !== '*' && !isWholeRange && Number(total) > count)
  )
}

/** Reads a header that describes the page as JSON, as in `{"TotalCount":30,"HasNext":true}`. */
function paginationSaysMore(text: string, count: number): boolean {
  const page = parseJson(text.slice(0, maxHeaderLength))
  return isJsonObject(page) && bodySaysMore({ page, list: [] }, count, [])
}

/**
 * Returns whether a `Link` header has a next page, as in `<...?page=2>; rel="next"`. The URLs themselves are ignored.
 */
function leadsToNext(link: string): boolean {
  const parameters = link.slice(0, maxHeaderLength).replace(/<[^>]*>/g, '')
  return [...parameters.matchAll(/;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,]*))/gi)].some(([, quoted, plain]) =>
    (quoted ?? plain ?? '').toLowerCase().split(/\s+/).includes('next'),
  )
}

function pagesIn(object: JsonObject): JsonObject[] {
  return valuesOf(object, pageNames).filter(isJsonObject)
}

/** Returns whether an object has a next page under a usual name, or in a list of links: `[{ rel: 'next', href }]`. */
function hasNextPage(object: JsonObject): boolean {
  if (valuesOf(object, nextNames).some(isNextPage)) return true
  if (valuesOf(object, lastKeyNames).some((key) => isNextPage(key) || hasMembers(key))) return true
  const lists = valuesOf(object, linkListNames).filter((value) => Array.isArray(value))
  // A single entry may have links of its own.
  const hasOtherList = Object.values(object).filter((value) => Array.isArray(value)).length > lists.length
  return (hasOtherList || !hasAny(object, ['id'])) && lists.flat().some(isNextLink)
}

const hasMembers = (value: unknown) => isJsonObject(value) && Object.keys(value).length > 0

function isNextLink(link: unknown): boolean {
  if (!isJsonObject(link)) return false
  const relations = valuesOf(link, ['rel']).flatMap((rel) => readText(rel)?.toLowerCase().split(/\s+/) ?? [])
  return relations.includes('next') && valuesOf(link, hrefNames).some(isNextPage)
}

/** Returns whether a value refers to a next page: a number, a cursor, a link, or an object around it. */
function isNextPage(value: unknown): boolean {
  if (isJsonObject(value)) return Object.values(value).some((inner) => !isJsonObject(inner) && isNextPage(inner))
  if (typeof value === 'boolean') return value
  const text = readText(value)?.trim().toLowerCase() ?? ''
  return !['', '0', '-1', 'null', 'none', 'false'].includes(text)
}

function readCount(value: unknown): number | null {
  return isScalar(value) ? (countSchema.safeParse(value).data ?? null) : null
}
