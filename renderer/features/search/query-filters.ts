import { searchKinds, type SearchKind } from '../../../shared/search-kinds.ts'

/** Fields of a query with a value, as in `kind:photo`. */
export const filterFields = ['project', 'status', 'kind', 'before', 'after'] as const
export type FilterField = (typeof filterFields)[number]

interface QueryPart {
  readonly text: string
  readonly field: FilterField | 'missing' | null
  readonly value: string
}

const part = /-?(?:(project|status|kind|before|after):)?(?:["“”]([^"“”]*)["“”]?|(\S+))/giu

/** Splits a query as the search does: at spaces, except those in quotes. */
function partsOf(query: string): QueryPart[] {
  return [...query.matchAll(part)].map(([text, name, quoted, bare]) => {
    const value = quoted ?? bare ?? ''
    const isMissing = name === undefined && bare?.toLowerCase() === 'missing' && !text.startsWith('-')
    const field = text.startsWith('-') ? null : ((name?.toLowerCase() ?? null) as FilterField | null)
    return { text, value, field: isMissing ? 'missing' : field }
  })
}

/** Returns the value of a filter in a query, or `null`. Of several, the last one. */
export function filterValue(query: string, field: FilterField): string | null {
  return partsOf(query).findLast((one) => one.field === field)?.value ?? null
}

/** Returns the kinds that a query names. */
export function filteredKinds(query: string): SearchKind[] {
  const named = (filterValue(query, 'kind') ?? '').toLowerCase().split(',')
  return searchKinds.filter((kind) => named.includes(kind) || named.includes(`${kind}s`))
}

export const isMissingOnly = (query: string): boolean => partsOf(query).some(({ field }) => field === 'missing')

/**
 * Returns the query with another value of a filter; `null` removes it. Filters come first: the last word is the one
 * that is being typed.
 */
export function withFilter(query: string, field: FilterField | 'missing', value: string | null): string {
  const others = partsOf(query).filter((one) => one.field !== field)
  const filters = others.filter((one) => one.field !== null)
  const words = others.filter((one) => one.field === null)
  const added = value === null ? [] : [{ text: field === 'missing' ? 'missing' : `${field}:${quoted(value)}` }]
  return [...filters, ...added, ...words].map(({ text }) => text).join(' ')
}

/** Returns the query with another project: its name, or its ID if the name has what no value of a filter can have. */
export function withProject(query: string, { id, name }: { readonly id: string; readonly name: string }): string {
  const isValue = name === name.trim() && !/["“”\p{Cc}\p{Cs}\p{Co}]/u.test(name)
  return withFilter(query, 'project', isValue ? name : id)
}

/** Returns the query without filters. */
export function withoutFilters(query: string): string {
  const words = partsOf(query).filter(({ field }) => field === null)
  return words.map(({ text }) => text).join(' ')
}

export const hasFilters = (query: string): boolean => partsOf(query).some(({ field }) => field !== null)

const quoted = (value: string) => (/\s/u.test(value) ? `"${value}"` : value)
