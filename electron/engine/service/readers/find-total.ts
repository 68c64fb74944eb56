import { z } from 'zod'
import { firstOf, isJsonObject, type JsonObject, valuesOf } from './json-object.ts'
import { isScalar, readFlag } from './read-scalars.ts'

const countSchema = z
  .union([
    z.int(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .pipe(z.int().min(0))

const pageNames = ['meta', 'metadata', 'pagination', 'paging', 'page', 'pageinfo', 'data', 'result', 'response']
const totalNames = ['total', 'totalcount', 'totalitems', 'totaldocs', 'totalrecords', 'totalresults', 'totalelements']

/**
 * Whether a list's answer says that there is more than the `count` entries it carries. The service documents no pages,
 * so nothing is asked for again; it must not go unnoticed, though.
 */
export function saysThereIsMore(answer: unknown, count: number): boolean {
  if (!isJsonObject(answer)) return false
  const places: JsonObject[] = [answer, ...valuesOf(answer, pageNames).filter(isJsonObject)]
  return places.some(
    (place) =>
      (firstOf(place, totalNames, readCount) ?? 0) > count ||
      firstOf(place, ['hasmore', 'hasnextpage', 'hasnext'], readFlag) === true,
  )
}

function readCount(value: unknown): number | null {
  return isScalar(value) ? (countSchema.safeParse(value).data ?? null) : null
}
