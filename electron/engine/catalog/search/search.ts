import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { knownChecklistStatuses } from '../../../../shared/domain.ts'
import { AppError } from '../../../../shared/errors.ts'
import { type SearchKind, searchKinds } from '../../../../shared/search-kinds.ts'
import { orderStates } from '../../../../shared/order/order-views.ts'
import { maxTotal, type SearchHit, type SearchPage, type SearchQuery } from '../../../../shared/search.ts'
import type { Store } from '../../store/create-store.ts'
import { documentKinds, type DocumentKind, idsPerKind } from '../../store/search-schema.ts'
import type { FoundRow, SearchStore } from '../../store/search-store.ts'
import { isArchived } from '../../checklists/completeness.ts'
import { versionOf } from '../describe-checklist-view.ts'
import { documentFilter, expand, plainStatus, type Hit, type Search } from './find-hits.ts'
import { findParts, findPartsOfNewest, type PartsStage } from './find-parts.ts'
import { findTerms, makeSnippet } from './match-text.ts'
import { type ParsedQuery, parseQuery } from './parse-query.ts'
import { planSearch, type Stage } from './plan-search.ts'

/**
 * Documents that one call looks at: about 40 ms. Rare filters need several calls; the cursor says where to continue.
 */
const maxExamined = 20_000

/** Likewise by identifiers: about 20 ms. They take longer, and most of those that are left out are so all together. */
const maxExaminedParts = 4_000

/**
 * Documents that are found at once: for the first page and its total, whose hits are mostly the photos of a few hundred
 * questions, and then.
 */
const [firstBatch, nextBatch] = [250, 1_000]

/** Documents whose hits are read at once. They take more time than finding the documents. */
const maxExpanded = 100

/** Projects that a text in `project:` may mean: a query of FTS5 names each of them. */
const maxProjects = 200

/** Highlighted matches of a question, at most. */
const maxQuestionMarks = 50

/** One hit, and where the search continues after it. */
interface Found extends Hit {
  readonly next: Position
}

/** Start of the next page: the first document below an id, without the first hits of that document. */
interface Position {
  readonly stage: number
  readonly below: number
  readonly skip: number
}

const topId = 8 * idsPerKind
const topPosition: Position = { stage: 0, below: topId, skip: 0 }

interface Limits {
  /** Documents that are looked at. */
  readonly examined: number
  /** Documents that are found by identifiers at once. After so many, a search ends once it has hits. */
  readonly parts: number
}

const pageLimits: Limits = { examined: maxExamined, parts: nextBatch + 1 }
const noLimits: Limits = { examined: Infinity, parts: Number.MAX_SAFE_INTEGER }

/**
 * Finds what matches all words of a query, the best first; see `planSearch`. Within a stage, projects come first, then
 * orders, checklists, questions and photos, and pages of reports, the newest of each first. Throws `wrong-usage` for an
 * invalid cursor and for one of another search.
 */
export function search(store: Store, query: SearchQuery): Omit<SearchPage, 'isReading'> {
  return store.reading(() => {
    const { parsed, plan } = understand(store.search, query)
    const isIndexing = store.search.isIncomplete()
    const from = query.cursor === undefined ? undefined : readCursor(query.cursor, query)
    const none = { total: 0, isCapped: false, hits: [], cursor: null, isIndexing, problems: [...parsed.problems] }
    if (plan === undefined) return none
    const found: Found[] = []
    let [total, isCapped, hasMore] = [0, false, false]
    let stopped: Position | null = null
    for (const item of findAll(store.search, plan, { start: from ?? topPosition, limits: pageLimits })) {
      if (!('kind' in item)) {
        isCapped = true
        stopped = item
        break
      }
      total += 1
      if (found.length < query.limit) {
        found.push(item)
        continue
      }
      hasMore = true
      isCapped = total > maxTotal
      // Later pages have the total of the first one.
      if (isCapped || from !== undefined) break
    }
    const next = hasMore ? (found.at(-1)?.next ?? null) : stopped
    const counted = from ?? { total: Math.min(total, maxTotal), isCapped }
    return {
      ...none,
      total: counted.total,
      isCapped: counted.isCapped,
      hits: found.flatMap((item) => describe(store.search, item, parsed) ?? []),
      cursor: next === null ? null : writeCursor({ ...next, total: counted.total, isCapped: counted.isCapped }, query),
    }
  })
}

/**
 * Yields everything that matches, which `search` limits: for what has to be complete. Throws `wrong-usage` for a query
 * of which something was ignored. Only what is indexed is found: see `isIncomplete`. To be read within `store.reading`.
 */
export function* searchAll(store: Store, query: Omit<SearchQuery, 'cursor' | 'limit'>): Generator<SearchHit> {
  const { parsed, plan } = understand(store.search, query)
  const [problem] = parsed.problems
  if (problem !== undefined) throw new AppError('wrong-usage', problem.message)
  if (plan === undefined) return
  for (const item of findAll(store.search, plan, { start: topPosition, limits: noLimits })) {
    const hit = 'kind' in item ? describe(store.search, item, parsed) : undefined
    if (hit !== undefined) yield hit
  }
}

/** Reads a query. Without a `plan`, it asks for nothing that exists. */
function understand(
  index: SearchStore,
  query: Pick<SearchQuery, 'query' | 'kinds' | 'projectId'>,
): { readonly parsed: ParsedQuery; readonly plan?: Search } {
  const understood = parseQuery(query.query)
  const named = new Map(understood.projects.map((text) => [text, index.projectNumbers(text, maxProjects + 1)]))
  const parsed = ignoreUnknown(index, understood, named)
  if (isEmpty(parsed, query)) return { parsed }
  const kinds = kindsOf(parsed, query)
  const scope = scopeOf(index, parsed.projects, { named, projectId: query.projectId })
  if (kinds?.size === 0 || scope?.length === 0) return { parsed }
  return { parsed, plan: { ...planSearch(parsed, scope, index.wordsStarting), parsed, kinds } }
}

function isEmpty(
  { terms, projects, statuses, kinds, before, after, missingOnly }: ParsedQuery,
  query: Pick<SearchQuery, 'projectId'>,
) {
  const filters = [...projects, ...statuses, ...kinds, before, after].filter((filter) => filter !== null)
  return terms.length === 0 && filters.length === 0 && !missingOnly && query.projectId === undefined
}

/** Numbers of the projects that a text in `project:` means, of one too many at most. */
type NamedProjects = ReadonlyMap<string, readonly number[]>

/** Returns a query without statuses that nothing has and projects that do not exist, and with a problem for each. */
function ignoreUnknown(index: SearchStore, parsed: ParsedQuery, named: NamedProjects): ParsedQuery {
  const isIn = (all: readonly string[]) => (status: string) =>
    all.some((one) => plainStatus(one) === plainStatus(status))
  const isUsual = isIn([...knownChecklistStatuses, ...orderStates, ''])
  const isUsed = isIn(parsed.statuses.every(isUsual) ? [] : index.statuses())
  const isKnown = (status: string) => isUsual(status) || isUsed(status)
  const exists = (project: string) => named.get(project)?.length !== 0
  const known = { statuses: parsed.statuses.filter(isKnown), projects: parsed.projects.filter(exists) }
  const ofStatuses = parsed.statuses
    .filter((status) => !isKnown(status))
    .map((status) => ({
      text: `status:${status}`,
      message:
        `There is no status "${status}". Checklists have ${knownChecklistStatuses.join(', ')}; orders those ` +
        'of the service.',
    }))
  const ofProjects = parsed.projects
    .filter((project) => !exists(project))
    .map((project) => ({
      text: `project:${project}`,
      message: `No project has "${project}" as its ID or in its name.`,
    }))
  const ofNames = known.projects
    .filter((project) => (named.get(project)?.length ?? 0) > maxProjects)
    .map((project) => ({
      text: `project:${project}`,
      isLimit: true,
      message:
        `More than ${maxProjects} projects have "${project}" in their names, and only the newest ${maxProjects} are ` +
        'searched. Type more of the name.',
    }))
  return { ...parsed, ...known, problems: [...parsed.problems, ...ofStatuses, ...ofProjects, ...ofNames] }
}

/** Returns the kinds that a query asks for; `undefined`: all. */
function kindsOf(parsed: ParsedQuery, query: Pick<SearchQuery, 'kinds'>): ReadonlySet<SearchKind> | undefined {
  const wanted = [parsed.kinds, query.kinds ?? []].filter((kinds) => kinds.length > 0).map((kinds) => new Set(kinds))
  if (parsed.missingOnly) wanted.push(new Set(['photo']))
  return wanted.length === 0
    ? undefined
    : new Set(searchKinds.filter((kind) => wanted.every((kinds) => kinds.has(kind))))
}

/** Returns the numbers of the projects that a query names; `undefined`: all. */
function scopeOf(
  index: SearchStore,
  projects: readonly string[],
  { named, projectId }: { named: NamedProjects; projectId: string | undefined },
): number[] | undefined {
  const chosen = projectId === undefined ? undefined : [index.projectNumber(projectId) ?? []].flat()
  if (projects.length === 0) return chosen
  const meant = new Set(projects.flatMap((project) => named.get(project)?.slice(0, maxProjects) ?? []))
  return chosen?.filter((number) => meant.has(number)) ?? [...meant]
}

/** Yields hits, and at last a position if too many documents were looked at. */
function* findAll(
  index: SearchStore,
  plan: Search,
  { start, limits }: { start: Position; limits: Limits },
): Generator<Found | Position> {
  let [examined, hasHits] = [0, false]
  const ofNewest = new Map<string, readonly number[]>()
  for (let stage = start.stage; stage < plan.stages.length; stage += 1) {
    const current = plan.stages[stage]
    if (current === undefined) continue
    const from = stage === start.stage ? start : { stage, below: topId, skip: 0 }
    for (const batch of batches(index, current, plan, { start: from.below, limits, ofNewest })) {
      for (const ids of chunksOf(batch.ids)) {
        const hits = expand(index, withoutExcluded(index, ids, current), plan)
        for (const id of ids) {
          const skipped = id === from.below - 1 ? from.skip : 0
          for (const [at, hit] of (hits.get(id) ?? []).entries()) {
            if (at < skipped) continue
            hasHits = true
            yield { ...hit, next: { stage, below: id + 1, skip: at + 1 } }
          }
        }
        examined += ids.length
        const last = ids.at(-1)
        if (examined >= limits.examined && last !== undefined) {
          yield { stage, below: last, skip: 0 }
          return
        }
      }
      examined += batch.leftOut
      if (batch.resumeBelow !== undefined && (hasHits || examined >= maxExaminedParts)) {
        yield { stage, below: batch.resumeBelow, skip: 0 }
        return
      }
    }
  }
}

function* chunksOf(ids: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < ids.length; at += maxExpanded) yield ids.slice(at, at + maxExpanded)
}

/** Documents of a stage. */
interface Batch {
  /** Highest first. */
  readonly ids: readonly number[]
  /** Number of documents that were looked at besides. */
  readonly leftOut: number
  /** Position of the next page if the search ends here, as it does once it has hits; else undefined. */
  readonly resumeBelow: number | undefined
}

interface BatchOptions {
  /** Only documents below this id. */
  readonly start: number
  readonly limits: Limits
  /** Results of `findPartsOfNewest` by the query of the stage; the stage after that leaves them out. */
  readonly ofNewest: Map<string, readonly number[]>
}

const wholeBatch = (ids: readonly number[]): Batch => ({ ids, leftOut: 0, resumeBelow: undefined })

/** Yields the documents of a stage below an id, highest first. */
function* batches(
  index: SearchStore,
  stage: Stage,
  plan: Search,
  { start, limits, ofNewest }: BatchOptions,
): Generator<Batch> {
  const isWanted = documentFilter(plan)
  if (stage.kind === 'parts') {
    yield* batchesOfParts(index, stage, isWanted, { start, limits, ofNewest })
    return
  }
  let limit = firstBatch
  for (const { from, to } of rangesOf(kindsWithWords, isWanted)) {
    let below = Math.min(start, to)
    while (below > from) {
      const range = { below, from, limit }
      const ids = stage.kind === 'every' ? index.all(range) : index.words(stage.match, range)
      if (ids.length > 0) yield wholeBatch(ids)
      if (ids.length < limit) break
      below = ids.at(-1) ?? from
      limit = nextBatch
    }
  }
}

/** Yields the documents of a stage of identifiers. */
function* batchesOfParts(
  index: SearchStore,
  stage: PartsStage,
  isWanted: (kind: DocumentKind) => boolean,
  { start, limits, ofNewest }: BatchOptions,
): Generator<Batch> {
  const newest = ofNewest.get(stage.match) ?? (isWanted('file') ? findPartsOfNewest(index, stage, limits.parts) : [])
  ofNewest.set(stage.match, newest)
  if (stage.isOfNewest) {
    yield wholeBatch(newest.filter((id) => id < start))
    return
  }
  const known = new Set(newest)
  for (const { from, to } of rangesOf(stage.filesOnly ? ['file'] : kindsWithParts, isWanted)) {
    let below = Math.min(start, to)
    while (below > from) {
      const found = findParts(index, stage, { below, from, limit: limits.parts })
      const ids = found.ids.filter((id) => !known.has(id))
      const leftOut = found.examined - ids.length
      yield { ids, leftOut, resumeBelow: found.isFull ? found.last : undefined }
      if (!found.isFull) break
      below = found.last
    }
  }
}

function withoutExcluded(index: SearchStore, ids: readonly number[], stage: Stage): readonly number[] {
  if (stage.kind !== 'every' || stage.without === null) return ids
  const excluded = new Set(index.wordsAmong(stage.without, ids))
  return ids.filter((id) => !excluded.has(id))
}

const kindsWithWords = ['project', 'order', 'checklist', 'question', 'text', 'page'] as const
const kindsWithParts = ['project', 'order', 'checklist', 'question', 'file', 'text'] as const

/**
 * Returns the ranges of the ids of wanted documents, highest first. `kinds` are all that an index has, highest first.
 */
function rangesOf(
  kinds: readonly DocumentKind[],
  isWanted: (kind: DocumentKind) => boolean,
): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = []
  let isOpen = false
  for (const kind of kinds) {
    const from = documentKinds[kind] * idsPerKind
    const last = ranges.at(-1)
    if (isWanted(kind) && isOpen && last !== undefined) last.from = from
    else if (isWanted(kind)) ranges.push({ from, to: from + idsPerKind })
    isOpen = isWanted(kind)
  }
  return ranges
}

/** Returns a hit, or `undefined` if its row is gone. */
function describe(
  index: SearchStore,
  { kind, row: rowKind, key }: Found,
  { terms }: ParsedQuery,
): SearchHit | undefined {
  const row = index.row(rowKind, key)
  if (row === undefined) return undefined
  const hasFile = row.assetId !== undefined
  const isStored = hasFile && isStoredFile(row)
  const fileName = row.path === undefined ? null : posix.basename(row.path)
  const isPhoto = kind === 'photo'
  // The text of a photo's question, unless its name was found.
  const text = rowKind === 'file' ? `${row.text ?? ''}\n${fileName ?? ''}` : (row.text ?? '')
  return {
    kind,
    projectId: row.projectId,
    projectName: row.projectName,
    checklistId: row.checklistId ?? null,
    checklistTitle: row.checklistTitle ?? null,
    section: row.section ?? null,
    question: row.question ?? null,
    path: hasFile ? (isStored ? (row.path ?? null) : null) : (row.folder ?? null),
    page: row.page ?? null,
    ...makeSnippet(text, terms),
    questionMarks: kind === 'answer' ? findTerms(row.question ?? '', terms).slice(0, maxQuestionMarks) : [],
    assetId: row.assetId ?? null,
    version: isStored ? versionOf(row.sha256) : null,
    thumbnailAssetId: row.thumbnailAssetId ?? null,
    thumbnailVersion: versionOf(row.thumbnailSha256),
    fileName,
    state: isPhoto ? (isStored ? 'archived' : 'missing') : null,
    takenAt: row.takenAt ?? null,
    orderId: row.orderId ?? null,
    status: row.status ?? null,
    textSource: row.textSource ?? null,
  }
}

function isStoredFile({ sha256 = null, damage = null }: FoundRow): boolean {
  return isArchived({ sha256, damage: damage as Parameters<typeof isArchived>[0]['damage'] })
}

type Cursor = Position & Pick<SearchPage, 'total' | 'isCapped'>

/** Identifies a search: pages of any size continue each other. */
function searchId({ query, kinds = [], projectId = '' }: SearchQuery): string {
  return createHash('sha256')
    .update(JSON.stringify([query, kinds.toSorted(), projectId]))
    .digest('hex')
    .slice(0, 16)
}

function writeCursor({ stage, below, skip, total, isCapped }: Cursor, query: SearchQuery): string {
  return [searchId(query), stage, below, skip, total, isCapped ? 1 : 0].join('.')
}

function readCursor(text: string, query: SearchQuery): Cursor {
  const [id, ...numbers] = /^[\da-f]{16}\.\d{1,3}\.\d{1,16}\.\d{1,9}\.\d{1,4}\.[01]$/.test(text) ? text.split('.') : []
  const [stage, below, skip, total, isCapped] = numbers.map(Number)
  const isComplete = stage !== undefined && below !== undefined && skip !== undefined && total !== undefined
  if (!isComplete || id !== searchId(query)) {
    throw new AppError('wrong-usage', 'This is not a cursor of an earlier page of this search. Start the search again.')
  }
  return { stage, below, skip, total, isCapped: isCapped === 1 }
}
