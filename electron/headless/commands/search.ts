import { exitCodes } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import { countOf, formatCount } from '../../../shared/format.ts'
import { maxQueryLength, type SearchKind, searchKinds } from '../../../shared/search-kinds.ts'
import type { SearchHit, SearchPage } from '../../../shared/search.ts'
import { plainText } from '../../app/log/plain-text.ts'
import type { ArchiveReader } from '../../engine/engine.ts'
import { readChoices } from '../flags.ts'
import type { Outcome, Painter } from '../output/console-output.ts'
import type { Session } from '../session.ts'

export interface SearchFlags {
  readonly project?: string
  readonly kind?: string
  readonly limit?: string
}

const [defaultLimit, maxLimit] = [20, 10_000]

/** Hits that are asked for at once. */
const pageSize = 200

/** `search QUERY... [--project ID] [--kind KINDS] [--limit N]` */
export async function searchCommand(
  { engine, output, signal, owner }: Session<ArchiveReader>,
  words: readonly string[],
  flags: SearchFlags,
  /** Returns what to do about an empty list of projects. */
  describeNoProjects: () => Promise<string>,
): Promise<Outcome> {
  const query = words.join(' ').trim()
  if (query === '') throw new AppError('wrong-usage', 'Enter a search query.')
  if (query.length > maxQueryLength) {
    throw new AppError(
      'wrong-usage',
      `A search has at most ${maxQueryLength} characters, and this one ${query.length}.`,
    )
  }
  const limit = readLimit(flags.limit)
  const kinds = flags.kind === undefined ? undefined : readChoices(flags.kind, searchKinds, 'kind')
  const projectId = flags.project?.trim()
  if (projectId !== undefined && !engine.projects.list().some(({ id }) => id === projectId)) {
    throw new AppError('not-found', `The project ${plainText(projectId)} is not in the list of projects.`, {
      details: { projectId },
    })
  }
  if (engine.search({ query: '', limit: 1 }).isIndexing) {
    // Beside an owner, that one indexes.
    if (owner === undefined) {
      output.note('Indexing the archive for the search. This may take a minute, and is done once.')
    }
    await engine.completeIndex(signal)
  }
  const found = findHits(engine, { query, ...(kinds && { kinds }), ...(projectId && { projectId }) }, limit, signal)
  const { hits, total, isCapped, isIndexing, isReading, problems } = found
  return {
    exitCode: exitCodes.done,
    document: { query, total, hits: hits.map(toPublic), isCapped, indexing: isIndexing || isReading },
    answer: [...hits.flatMap((hit) => [...describeHit(hit, output.paint), '']), summarize(found)],
    problems: [
      ...problems.map(({ message }) => plainText(message)),
      ...(isIndexing
        ? ['The running Solarchive is still indexing the archive: something may be missing here. Search again later.']
        : []),
      ...(isReading && !isIndexing ? [stillReading] : []),
      ...(hits.length === 0 && engine.projects.list().length === 0 ? [await describeNoProjects()] : []),
    ],
  }
}

const stillReading =
  'Some archived files were not read for their text yet, which a running Solarchive does: their text is missing here.'

type Found = Pick<SearchPage, 'total' | 'isCapped' | 'isIndexing' | 'isReading' | 'problems'> & {
  readonly hits: readonly SearchHit[]
}

/** Collects hits page by page. Throws `wrong-usage` if a part of the query means nothing, such as a wrong date. */
function findHits(
  engine: ArchiveReader,
  query: { query: string; kinds?: SearchKind[]; projectId?: string },
  limit: number,
  signal: AbortSignal,
): Found {
  const hits: SearchHit[] = []
  let [total, isCapped] = [0, false]
  for (let cursor: string | undefined; ;) {
    signal.throwIfAborted()
    const page = engine.search({ ...query, limit: Math.min(pageSize, limit - hits.length), ...(cursor && { cursor }) })
    const problem = page.problems.find(({ isLimit = false }) => !isLimit)
    if (problem !== undefined) throw new AppError('wrong-usage', plainText(problem.message))
    hits.push(...page.hits)
    if (cursor === undefined) ({ total, isCapped } = page)
    if (page.cursor === null) return { ...page, hits, total: hits.length, isCapped: false }
    if (hits.length >= limit)
      return { ...page, hits, total: Math.max(total, hits.length), isCapped: isCapped || total < hits.length }
    cursor = page.cursor
  }
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit
  const limit = /^\d{1,5}$/.test(text.trim()) ? Number(text) : Number.NaN
  if (limit >= 1 && limit <= maxLimit) return limit
  throw new AppError('wrong-usage', `--limit is a whole number from 1 to ${formatCount(maxLimit)}.`)
}

/** Returns the fields of a hit that are a public interface. */
function toPublic(hit: SearchHit) {
  const { kind, projectId, projectName, checklistId, checklistTitle, section, question } = hit
  const { path, page, snippet, state, takenAt, status, orderId } = hit
  const location = { kind, projectId, projectName, checklistId, checklistTitle, section, question }
  return { ...location, path, page, snippet, state, takenAt, status, orderId }
}

const indent = ' '.repeat(11)

/** Returns where a hit is, what was found, and its file. */
function describeHit(hit: SearchHit, paint: Painter): string[] {
  const { kind, projectName, checklistTitle, section, question, page, path, state, orderId } = hit
  const trail = [
    projectName,
    ...[checklistTitle, section, question].filter((name) => name !== null),
    ...(page === null ? [] : [`page ${page}`]),
    ...(orderId === null ? [] : [`order ${orderId}`]),
  ]
  const file =
    state === 'missing' ? paint.waiting('not in the archive yet') : path === null ? '' : paint.faint(plainText(path))
  return [
    `${kind.padEnd(indent.length)}${trail.map((name) => plainText(name)).join(' › ')}`,
    ...[paintMarks(hit, paint), file].filter((line) => line !== '').map((line) => `${indent}${line}`),
  ]
}

/** Returns the snippet with what was found in bold. */
function paintMarks({ snippet, marks }: SearchHit, paint: Painter): string {
  // Spaces at the ends of a part stay.
  const clean = (text: string) => plainText(`.${text}.`).slice(1, -1)
  let at = 0
  const parts = marks.flatMap(([start, end]) => {
    const before = snippet.slice(at, start)
    at = end
    return [clean(before), paint.title(clean(snippet.slice(start, end)))]
  })
  return [...parts, clean(snippet.slice(at))].join('')
}

function summarize({ hits, total, isCapped }: Found): string {
  if (hits.length === 0) return 'Nothing was found.'
  const all = isCapped ? `${formatCount(total)}+ hits` : countOf(total, 'hit')
  return hits.length < total || isCapped
    ? `${all}; the first ${formatCount(hits.length)} are shown. --limit shows more.`
    : `${all}.`
}
