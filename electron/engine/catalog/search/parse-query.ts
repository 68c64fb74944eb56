import { searchKinds, type SearchKind } from '../../../../shared/search-kinds.ts'

/** A word or a phrase of a query. */
export interface Term {
  readonly text: string
  /** True for text in quotes: its words follow each other, and the last one is complete. */
  readonly isPhrase: boolean
  /** True if it is still being typed, so that words that start with it match, too. */
  readonly isPrefix: boolean
}

/** A query as it was understood. All terms and filters have to match. */
export interface ParsedQuery {
  readonly terms: readonly Term[]
  readonly excluded: readonly Term[]
  /** Ids of projects, or parts of their names. */
  readonly projects: readonly string[]
  /** In lower case. */
  readonly statuses: readonly string[]
  readonly kinds: readonly SearchKind[]
  /** ISO 8601 UTC: the hit's date is before it. */
  readonly before: string | null
  /** ISO 8601 UTC: the hit's date is not before it. */
  readonly after: string | null
  /** Only photos that are expected and not archived. */
  readonly missingOnly: boolean
  /** Parts that are ignored, and why. */
  readonly problems: readonly { readonly text: string; readonly message: string; readonly isLimit?: boolean }[]
}

/** Maximum number of terms: more than anyone types, and few enough for SQLite's limits. */
const maxTerms = 32

const fields = ['project', 'status', 'kind', 'before', 'after'] as const
type Field = (typeof fields)[number]

/** One part of a query: a sign, a field, and a text in quotes or without. */
const part =
  /(?<sign>-?)(?:(?<field>project|status|kind|before|after):)?(?:["“”](?<quoted>[^"“”]*)["“”]?|(?<bare>\S+))/giy

/**
 * Parses what a user typed. Every text is a query: what has no special meaning is searched for. Words match in any
 * order. Dates are whole years, months, or days in local time.
 */
export function parseQuery(query: string): ParsedQuery {
  const clean = query
    .toWellFormed()
    .normalize('NFC')
    .replace(/\p{Cc}|\p{Cs}|\p{Co}/gu, ' ')
  const terms: Term[] = []
  const excluded: Term[] = []
  const problems: { text: string; message: string }[] = []
  const values: Record<Field, string[]> = { project: [], status: [], kind: [], before: [], after: [] }
  let missingOnly = false
  let firstTooMany: string | undefined
  for (const { groups, text, isLast } of partsOf(clean)) {
    const { sign = '', field, quoted, bare } = groups
    const value = (quoted ?? bare ?? '').trim()
    if (value === '') continue
    if (field !== undefined && sign === '') {
      const name = field.toLowerCase() as Field
      values[name].push(value)
      continue
    }
    if (sign === '' && quoted === undefined && value.toLowerCase() === 'missing') {
      missingOnly = true
      continue
    }
    const whole = field === undefined ? value : text.slice(sign.length)
    const term = { text: whole, isPhrase: quoted !== undefined && field === undefined, isPrefix: isLast && sign === '' }
    const list = sign === '' ? terms : excluded
    if (terms.length + excluded.length < maxTerms) list.push({ ...term, isPrefix: term.isPrefix && !term.isPhrase })
    else firstTooMany ??= text
  }
  if (firstTooMany !== undefined) {
    problems.push({
      text: firstTooMany,
      message: `A search has at most ${maxTerms} words, and the rest starts at ${firstTooMany}.`,
    })
  }
  const kinds = values.kind.flatMap((value) => value.split(',')).flatMap((name) => kindOf(name, problems))
  return {
    terms,
    excluded,
    missingOnly,
    kinds,
    projects: values.project,
    statuses: values.status.flatMap((value) => value.split(',')).map((status) => status.trim().toLowerCase()),
    before: earliest(values.before.flatMap((value) => dateOf('before', value, problems))),
    after: latest(values.after.flatMap((value) => dateOf('after', value, problems))),
    problems,
  }
}

function* partsOf(query: string) {
  const space = /\s*/y
  let at = 0
  for (;;) {
    space.lastIndex = at
    space.exec(query)
    part.lastIndex = space.lastIndex
    const match = part.exec(query)
    if (match === null) return
    at = part.lastIndex
    yield { groups: match.groups ?? {}, text: match[0], isLast: at === query.length }
  }
}

type Problems = { text: string; message: string }[]

function kindOf(name: string, problems: Problems): SearchKind[] {
  const wanted = name.trim().toLowerCase()
  const kind = searchKinds.find((known) => known === wanted || `${known}s` === wanted)
  if (kind !== undefined) return [kind]
  if (wanted !== '') {
    problems.push({ text: `kind:${name}`, message: `There is no kind "${name}". Use ${searchKinds.join(', ')}.` })
  }
  return []
}

/** Returns the start of a year, month, or day in local time, as ISO 8601 UTC. */
function dateOf(field: Field, value: string, problems: Problems): string[] {
  const [, year = '', month = '1', day = '1'] = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(value) ?? []
  const date = new Date(Number(year), Number(month) - 1, Number(day))
  const isReal = year !== '' && date.getMonth() === Number(month) - 1 && date.getDate() === Number(day)
  if (isReal && Number(year) >= 1000) return [date.toISOString()]
  problems.push({
    text: `${field}:${value}`,
    message: `"${value}" is not a date. Use a year, a month, or a day, such as 2026, 2026-05, or 2026-05-31.`,
  })
  return []
}

const earliest = (dates: readonly string[]) => dates.toSorted().at(0) ?? null
const latest = (dates: readonly string[]) => dates.toSorted().at(-1) ?? null
