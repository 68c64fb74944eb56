import { inProject, maxIndexedPrefix } from '../../store/search-store.ts'
import { amountAt, isPart, minPrefix, tokensOf } from './match-text.ts'
import type { ParsedQuery, Term } from './parse-query.ts'

/**
 * One way to find documents; they are tried in order. Queries are those of FTS5, in which every text is quoted. No
 * document is found by two of them.
 */
export type Stage =
  /** All documents whose text matches. */
  | { readonly kind: 'words'; readonly match: string }
  /**
   * Documents and file names that contain `parts`. Everything else of the query has to match the document itself, or
   * the question of the file, by `rest`, unless the document or name contains all of the query; `all` matches what is
   * found by words alone.
   */
  | {
      readonly kind: 'parts'
      /**
       * True for a stage before the one with all: files of the newest questions that match `rest`. Where very many
       * files have the identifiers, it would take long to find these.
       */
      readonly isOfNewest: boolean
      readonly match: string
      /** Matches what an earlier stage found; `match` leaves it out. */
      readonly earlier: string | null
      readonly parts: readonly Term[]
      /** Only names of files are looked at: a word in a longer text is found by words. */
      readonly filesOnly: boolean
      readonly rest: string | null
      /** Matches what contains all of the query; its `scope` is that of the search. `null`: `parts` are all of it. */
      readonly whole: { readonly match: string; readonly parts: readonly Term[]; readonly scope: string | null } | null
      /** Matches what is excluded. */
      readonly without: string | null
      readonly all: string | null
    }
  /** Every document that `without` does not match: FTS5 cannot exclude from all documents. */
  | { readonly kind: 'every'; readonly without: string | null }

/** The stages of a search, and queries for all documents that match by words (`all`) or are excluded (`without`). */
export interface SearchPlan {
  readonly stages: readonly Stage[]
  readonly all: string | null
  readonly without: string | null
}

/** Returns all words of the index that start with a text, or `undefined` if they are too many to look for each. */
type Complete = (start: string) => readonly string[] | undefined

/**
 * Returns how to find what a query asks for. Best first: all words in a document's own text, identifiers, some words in
 * its own text and the others in what it belongs to, and last what belongs to something that matches. `projects` are
 * the numbers of the projects to which the search is limited; `undefined`: all.
 */
export function planSearch(
  query: ParsedQuery,
  projects: readonly number[] | undefined,
  complete: Complete,
): SearchPlan {
  // Signs beside words need not match: "Delgado & Sons". Alone, they may be part of an identifier.
  const withWords = query.terms.filter(({ text }) => tokensOf(text).length > 0)
  const terms = withWords.length > 0 ? withWords : query.terms.filter((term) => isPart(term))
  const without = query.excluded.flatMap((term) => wordsOf({ ...term, isPrefix: false }, complete) ?? [])
  const scope = projects?.map((number) => inProject(number)).join(' OR ')
  const anyExcluded = without.length === 0 ? null : without.join(' OR ')
  if (terms.length === 0 && query.terms.length > 0) return { stages: [], all: null, without: anyExcluded }
  const match = (condition: string | null): string | null => {
    const all = [...(scope === undefined ? [] : [`(${scope})`]), ...(condition === null ? [] : [condition])].join(
      ' AND ',
    )
    if (all === '') return null
    return anyExcluded === null ? all : `(${all}) NOT (${anyExcluded})`
  }
  if (terms.length === 0) {
    const all = match(null)
    const stage: Stage = all === null ? { kind: 'every', without: anyExcluded } : { kind: 'words', match: all }
    return { stages: [stage], all, without: anyExcluded }
  }
  const typed = query.terms.map(({ text }) => text).join(' ')
  const clauses = clausesOf(terms, complete)
  const all = clauses.length === 0 ? null : match(clauses.join(' AND '))
  const stages = [
    ...wordStages(clauses, match),
    ...partStages(terms, complete, { typed, match, without: anyExcluded, all }),
  ]
  return { stages: stages.toSorted((one, other) => one.rank - other.rank), all, without: anyExcluded }
}

type Match = (condition: string | null) => string | null
type RankedStage = Stage & { readonly rank: number }

function wordStages(clauses: readonly string[], match: Match): RankedStage[] {
  if (clauses.length === 0) return []
  const all = clauses.join(' AND ')
  const own = `{own} : (${all})`
  const someOwn = `{own} : (${clauses.join(' OR ')})`
  const stage = (rank: number, condition: string): RankedStage => ({
    kind: 'words',
    rank,
    match: match(condition) ?? condition,
  })
  return [
    stage(0, own),
    ...(clauses.length === 1 ? [] : [stage(2, `((${all}) AND ${someOwn}) NOT (${own})`)]),
    stage(3, `(${all}) NOT (${someOwn})`),
  ]
}

/**
 * Words with digits or signs are probably identifiers, and are looked for together. Otherwise any single word may be
 * part of one, or all of them. All words may be in one identifier in any case, or the query as it was typed if it has
 * words that are too short to be looked for: "Photo at 9 41.jpg".
 */
function partStages(
  terms: readonly Term[],
  complete: Complete,
  { typed, match, without, all }: { typed: string; match: Match; without: string | null; all: string | null },
): RankedStage[] {
  const long = terms.filter((term) => isPart(term))
  const identifiers = long.filter(({ text }) => /[^\p{L}\p{M}]/u.test(text))
  const sets = identifiers.length > 0 ? [identifiers] : long.length > 1 ? [long, ...long.map((term) => [term])] : [long]
  const contains = (parts: readonly Term[]) => parts.map(({ text }) => quoted(text)).join(' AND ')
  const whole = long.length === terms.length ? long : [{ text: typed, isPhrase: true, isPrefix: false }]
  return sets
    .filter((parts) => parts.length > 0)
    .flatMap((parts): RankedStage[] => {
      const others = clausesOf(
        terms.filter((term) => !parts.includes(term)),
        complete,
      )
      const rest = match(others.length === 0 ? null : others.join(' AND '))
      const earlier = parts === sets[0] ? null : contains(long)
      const stage = {
        kind: 'parts',
        rank: 1,
        // Exclude documents that contain all of them: the first set found those.
        match: earlier === null ? contains(parts) : `${contains(parts)} NOT (${earlier})`,
        earlier,
        parts,
        filesOnly: identifiers.length === 0 && terms.length > 1,
        rest,
        whole:
          parts === sets[0] && parts.length < terms.length
            ? { match: contains(whole), parts: whole, scope: match(null) }
            : null,
        without,
        all,
      } as const
      const isOfNewest = { ...stage, isOfNewest: true }
      return [...(rest === null ? [] : [isOfNewest]), { ...stage, isOfNewest: false }]
    })
}

/**
 * Returns a query for each term that has words. A number and its unit match with and without the space between them, as
 * in "200 A".
 */
function clausesOf(terms: readonly Term[], complete: Complete): string[] {
  const find = (term: Term) => wordsOf(term, complete)
  const clauses: string[] = []
  for (let at = 0; at < terms.length; at += 1) {
    const amount = amountAt(terms, at)
    const used = amount?.terms ?? terms.slice(at, at + 1)
    const words = used.flatMap((term) => find(term) ?? []).join(' AND ')
    if (words === '') continue
    if (amount === undefined) {
      clauses.push(words)
      continue
    }
    const other = find(used.length > 1 ? amount.joined : amount.spaced)
    clauses.push(`((${words}) OR ${other})`)
    at += used.length - 1
  }
  return clauses
}

/**
 * Returns a query for the words of a term, or `undefined` if it has none. For a prefix that has no index of its own,
 * FTS5 merges the documents of all its words each time that a query has it, so these are looked for where they are few.
 */
function wordsOf({ text, isPrefix }: Term, complete: Complete): string | undefined {
  const tokens = tokensOf(text)
  const last = tokens.at(-1)
  if (last === undefined) return undefined
  const words = tokens.map(({ start, end }) => text.slice(start, end))
  const whole = quoted(words.join(' '))
  const length = [...last.word].length
  if (!isPrefix || length < minPrefix) return whole
  const ends = length > maxIndexedPrefix ? (complete(last.word) ?? []) : []
  if (ends.length === 0) return `${whole} *`
  const completed = ends.map((end) => quoted([...words.slice(0, -1), end].join(' ')))
  return completed.length === 1 ? completed[0] : `(${completed.join(' OR ')})`
}

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
