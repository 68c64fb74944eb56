import { posix } from 'node:path'
import type { Db } from './open-database.ts'
import { fold } from '../catalog/search/match-text.ts'
import { unlistedPhotosOf } from './conditions.ts'
import { joinProjectOfOrder } from './orders-store.ts'
import {
  documentKinds,
  type DocumentKind,
  idOf,
  idsPerKind,
  queue,
  queueChecklists,
  searchVersion,
} from './search-schema.ts'

/** Pages of 4 KB that a merge writes at once: 2 ms, at most 9. */
const mergedPages = 16

/**
 * Marks the number of a project in `context`. It is a character for private use, which is removed from queries and from
 * the text of documents.
 */
const scopeMark = '\u{E000}'

/** Returns an FTS5 query for all documents of a project. */
export const inProject = (number: number) => `{context} : "${scopeMark}${number}"`

/** Prefixes of up to this length have an index of their own, in characters. */
export const maxIndexedPrefix = 3

/** More words with the same beginning are looked for by their prefix. */
const maxWordsStarting = 16

/** Text of a document. `parts` are identifiers that are found by any part of them. */
interface DocumentText {
  /** Number of the project that the document belongs to. */
  readonly project: number | null
  readonly own: string | null
  readonly context: string | null
  readonly parts: string | null
  /** Lines with ids, likewise, but short parts only at their beginning; `undefined`: none. */
  readonly ids?: string
}

const lines = (...texts: string[]) => texts.map((text) => `COALESCE(${text}, '')`).join(` || char(10) || `)
const ofProject = ['p.name', 'p.address']
const joinProject = `JOIN projects p ON p.id = c.project_id AND p.removed_at IS NULL
  JOIN search_numbers n ON n.project_id = p.id`
/** Condition on a question `q`: it is shown, because the checklist has it, or archived photos of it. */
const isShown = `(q.present = 1 OR EXISTS (SELECT 1 FROM assets a INDEXED BY assets_for_ledger
  WHERE a.checklist_key = q.checklist_key AND a.question_key = q.key AND a.kind = 'photo' AND a.sha256 IS NOT NULL))`

/** SQL of the text of a document by the key of its row; of files, see `textOf`. */
const texts: Readonly<Record<Exclude<DocumentKind, 'file'>, string>> = {
  project: `SELECT n.number AS project, ${lines('p.name', 'p.address', 'p.id')} AS own, NULL AS context,
      ${lines('p.name', 'p.address')} AS parts, p.id AS ids
    FROM search_numbers n JOIN projects p ON p.id = n.project_id AND p.removed_at IS NULL WHERE n.number = ?`,
  order: `SELECT n.number AS project,
      ${lines(...['homeownerName', 'projectAddress', 'designOneModule', 'tierLevel'].map(orderText), 'o.id')} AS own,
      p.name AS context,
      ${lines(orderText('designOneModule'), orderText('projectAddress'))} AS parts,
      ${lines('o.service_id', 'o.project_id')} AS ids
    FROM orders o ${joinProjectOfOrder} LEFT JOIN search_numbers n ON n.project_id = p.id
    WHERE o.id = ?`,
  checklist: `SELECT n.number AS project, c.title AS own, ${lines(...ofProject)} AS context, '' AS parts, c.id AS ids
    FROM checklists c ${joinProject} WHERE c.key = ?`,
  question: `SELECT n.number AS project, ${lines('q.label', 'q.answer')} AS own,
      ${lines(...ofProject, 'c.title', 'q.section_label')} AS context,
      IIF(q.answer GLOB '*[0-9]*', q.answer, NULL) AS parts
    FROM questions q JOIN checklists c ON c.key = q.checklist_key ${joinProject}
    WHERE q.key = ? AND ${isShown}`,
  text: `SELECT n.number AS project, t.text AS own,
      ${lines(...ofProject, 'c.title', 'q.section_label', 'q.label')} AS context,
      t.text AS parts
    FROM photo_texts t JOIN assets a ON a.id = t.asset_id JOIN checklists c ON c.key = a.checklist_key
    ${joinProject} LEFT JOIN questions q ON q.key = a.question_key WHERE t.id = ?`,
  page: `SELECT n.number AS project, r.text AS own, ${lines(...ofProject, 'c.title', `'report'`)} AS context,
      NULL AS parts
    FROM report_pages r JOIN assets a ON a.id = r.asset_id JOIN checklists c ON c.key = a.checklist_key
    ${joinProject} WHERE r.id = ?`,
}

function orderText(field: string): string {
  return `json_extract(o.texts, '$.${field}')`
}

/** Columns of every hit. */
const head = `p.id AS projectId, COALESCE(p.name, p.id) AS projectName, c.id AS checklistId, c.title AS checklistTitle,
  c.status, q.section_label AS section, q.label AS question`
const photo = `a.id AS assetId, a.path, a.sha256, a.damage, a.taken_at AS takenAt,
  s.id AS thumbnailAssetId, s.sha256 AS thumbnailSha256`
const upward = `JOIN checklists c ON c.key = a.checklist_key JOIN projects p ON p.id = c.project_id
  LEFT JOIN questions q ON q.key = a.question_key`
const joinThumbnail = `LEFT JOIN assets s ON s.id =
  (SELECT t.id FROM assets t INDEXED BY assets_for_ledger WHERE t.checklist_key = a.checklist_key
    AND t.question_key = a.question_key AND t.kind = 'thumbnail' AND t.remote_key = a.remote_key
    AND t.sha256 IS NOT NULL AND t.damage IS NULL LIMIT 1)`

/** The row behind a hit. Columns that its kind does not have are missing. */
export interface FoundRow {
  readonly projectId: string
  readonly projectName: string
  readonly checklistId?: string | null
  readonly checklistTitle?: string | null
  readonly status?: string | null
  readonly section?: string | null
  readonly question?: string | null
  /** Lines to search for what was found; the first one is shown if nothing is. */
  readonly text: string | null
  readonly folder?: string | null
  readonly page?: number
  readonly orderId?: number
  readonly assetId?: number
  readonly path?: string
  readonly sha256?: string | null
  readonly damage?: string | null
  readonly takenAt?: string | null
  readonly thumbnailAssetId?: number | null
  readonly thumbnailSha256?: string | null
  readonly textSource?: 'code' | 'print'
}

/** SQL of the rows behind hits, by a key. */
const rows = {
  project: `SELECT p.id AS projectId, COALESCE(p.name, p.id) AS projectName, p.folder,
      ${lines('p.name', 'p.address', 'p.id')} AS text
    FROM search_numbers n JOIN projects p ON p.id = n.project_id WHERE n.number = ?`,
  order: `SELECT o.project_id AS projectId, COALESCE(p.name, o.project_id) AS projectName, o.id AS orderId,
      COALESCE(o.status, o.state) AS status,
      ${lines(...['homeownerName', 'designOneModule', 'projectAddress', 'tierLevel'].map(orderText), 'o.service_id')}
        AS text
    FROM orders o ${joinProjectOfOrder} WHERE o.id = ?`,
  checklist: `SELECT p.id AS projectId, COALESCE(p.name, p.id) AS projectName, c.id AS checklistId,
      c.title AS checklistTitle, c.status, c.folder, ${lines('c.title', 'c.id')} AS text
    FROM checklists c JOIN projects p ON p.id = c.project_id WHERE c.key = ?`,
  question: `SELECT ${head}, ${lines('q.label', 'q.answer')} AS text
    FROM questions q JOIN checklists c ON c.key = q.checklist_key JOIN projects p ON p.id = c.project_id
    WHERE q.key = ?`,
  answer: `SELECT ${head}, q.answer AS text
    FROM questions q JOIN checklists c ON c.key = q.checklist_key JOIN projects p ON p.id = c.project_id
    WHERE q.key = ?`,
  file: `SELECT ${head}, ${photo}, ${lines('q.label', 'q.answer')} AS text
    FROM assets a ${upward} ${joinThumbnail} WHERE a.id = ?`,
  text: `SELECT ${head}, ${photo}, t.text, t.source AS textSource
    FROM photo_texts t JOIN assets a ON a.id = t.asset_id ${upward} ${joinThumbnail} WHERE t.id = ?`,
  page: `SELECT ${head}, a.id AS assetId, a.path, a.sha256, a.damage, r.text, r.page
    FROM report_pages r JOIN assets a ON a.id = r.asset_id ${upward} WHERE r.id = ?`,
} as const
export type RowKind = keyof typeof rows

/** A question that was found, once for each of its photos, or once with `assetId` null. */
export interface FoundQuestion {
  readonly key: number
  readonly isAnswered: 0 | 1
  /** Number of photos that the service has announced and not listed. */
  readonly unlisted: number
  readonly assetId: number | null
  readonly path: string | null
  readonly isArchived: 0 | 1
  readonly takenAt: string | null
  readonly status: string
  readonly updatedAt: string | null
}

/** A document about a photo. */
interface PhotoDocument {
  readonly id: number
  readonly assetId: number
  /** Document of the photo's question. */
  readonly question: number
}

/** A range of documents, newest first: ids below `below`, down to `from`. */
export interface DocumentRange {
  readonly below: number
  readonly from: number
  readonly limit: number
}

/** Returns whether a document has the state to be found: it is not about to be indexed again. */
const isCurrent = (table: string) => `NOT EXISTS (SELECT 1 FROM search_queue WHERE id = ${table}.rowid)`

/** Returns SQL of a document's id. The driver binds large numbers as reals, which FTS5 ignores in conditions. */
const integer = (parameter: string) => `CAST(${parameter} AS INTEGER)`

/** The index of the search, and the rows behind its hits; see `search-schema.ts`. */
export function createSearchStore(db: Db) {
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_vocabulary USING fts5vocab(main, search_words, instance)`)
  db.function('fold', { deterministic: true }, (text: string) => fold(text))
  return { ...maintainIndex(db), ...findDocuments(db) }
}

export type SearchStore = ReturnType<typeof createSearchStore>

/** The part of the store that keeps the index up to date. */
function maintainIndex(db: Db) {
  const index = prepareIndex(db)
  const version = () => index.state.get()?.version ?? 0

  function textOf(id: number): DocumentText | undefined {
    const { kind, key } = documentOf(id)
    if (kind !== 'file') return index.texts[kind].get(key)
    const file = index.file.get(key)
    if (file === undefined) return undefined
    const name = posix.basename(file.path)
    const parts = file.name === null || file.name === name ? name : `${name}\n${file.name}`
    return { project: null, own: null, context: null, parts }
  }

  return {
    /** Returns whether the index was built, or its build began, by other rules than those of this Solarchive. */
    isOutdated: () => Math.abs(version()) !== searchVersion,
    /** Returns whether the index is being built. */
    isBuilding: () => version() !== searchVersion,
    /** Returns whether documents wait to be indexed. */
    isIncomplete: () => index.queued.all(1).length > 0 || version() !== searchVersion,
    /** Starts to index everything again, as a negative version; searches find what is indexed meanwhile. */
    beginRebuild: () => {
      db.exec(`UPDATE search_state SET version = ${-searchVersion}, checklist_key = 0;
        ${queue(`SELECT ${idOf('project', 'number')} AS id FROM search_numbers`)}
        ${queue(`SELECT ${idOf('order', 'id')} AS id FROM orders`)}`)
    },
    /** Returns the next checklist to build the index from, or `undefined` after the last one. */
    nextChecklist: () => index.next.get(),
    /** Queues the documents of a checklist, and continues after it. */
    queueChecklist: (key: number) => {
      for (const statement of index.queueChecklist) statement.run({ key })
      index.advance.run(key)
    },
    /** Called after the last checklist was queued. */
    markBuilt: () => void index.built.run(searchVersion),
    queued: (limit: number) => index.queued.all(limit).map(({ id }) => id),
    /** Indexes a document of the queue again, or removes it from the index if its row is gone. */
    indexAgain: (id: number) => {
      const text = textOf(id)
      if (documentOf(id).kind !== 'file') index.removeWords.run(id)
      index.removeParts.run(id)
      if (text !== undefined && text.own !== null) {
        const scope = text.project === null ? '' : `${scopeMark}${text.project}\n`
        index.addWords.run({ id, own: withoutMark(text.own), context: `${scope}${withoutMark(text.context ?? '')}` })
      }
      if (text !== undefined && text.parts !== null) {
        index.addParts.run({ id, parts: text.ids === undefined ? text.parts : `${text.parts}\n${text.ids}` })
      }
      index.done.run(id)
    },
    /** Merges some segments of the index, for some milliseconds. Returns false if there was nothing to merge. */
    mergeSome: () => {
      const changes = () => index.changes.get()?.total ?? 0
      // A command that finds nothing to do counts as one change at most (sqlite.org/fts5.html, section 6.8).
      return index.merge
        .map((merge) => {
          const before = changes()
          merge.run(mergedPages)
          return changes() - before >= 2
        })
        .includes(true)
    },
    /** Returns the text of a document, or undefined if its row is gone. */
    textOf,
  }
}

/** The part of the store that finds documents and their rows. */
function findDocuments(db: Db) {
  const find = prepareFind(db)

  return {
    /**
     * Returns the numbers of the projects with this id or name; without one, of those whose names contain the text.
     * Names are compared without case and diacritics.
     */
    projectNumbers: (project: string, limit: number) => {
      const name = fold(project)
      const found = find.projects.all({ project, name: name === '' ? null : name, limit })
      const exact = found.filter(({ isExact }) => isExact === 1)
      return (exact.length > 0 ? exact : found).map(({ number }) => number)
    },
    projectNumber: (projectId: string) => find.projectById.get(projectId)?.number,
    /**
     * Returns all words of the index that start with a text in lower case, or `undefined` if they are many. Only ASCII
     * is surely a word to FTS5 as it is to Solarchive, and the same word again when a query has it.
     */
    wordsStarting: (start: string): readonly string[] | undefined => {
      const isPlain = (word: string) => /^[a-z0-9]+$/.test(word)
      if (!isPlain(start)) return undefined
      const words: string[] = []
      // The table lists a word once for each place that has it: the next one starts behind all of these.
      for (let from = start; ; from = `${words.at(-1)}\u0001`) {
        const next = find.nextWord.get(from)?.term
        if (next?.startsWith(start) !== true) return words
        if (words.length === maxWordsStarting || !isPlain(next)) return undefined
        words.push(next)
      }
    },
    /** Returns the ids of documents that match, highest first. `match` is an FTS5 query. */
    words: (match: string, range: DocumentRange) => find.words.all({ ...range, match }).map(({ id }) => id),
    /**
     * Returns those of some documents that match. FTS5 would start a query for each `IN`, of milliseconds for a common
     * prefix, so the matches between the first and the last of each kind are read.
     */
    wordsAmong: (match: string, ids: readonly number[]) => {
      const ofKinds = Map.groupBy(ids, (id) => Math.floor(id / idsPerKind))
      return [...ofKinds.values()].flatMap((some) => {
        const [from, below] = some.reduce(
          ([low, high], id) => [Math.min(low, id), Math.max(high, id + 1)],
          [Infinity, 0],
        )
        return find.wordsAmong.all({ match, from, below, ids: JSON.stringify(some) }).map(({ id }) => id)
      })
    },
    /** Like `words`, for identifiers. */
    parts: (match: string, range: DocumentRange) => find.parts.all({ ...range, match }).map(({ id }) => id),
    /** Returns the ids of all documents but files, highest first. */
    all: (range: DocumentRange) => find.all.all({ ...range }).map(({ id }) => id),
    /**
     * Returns the photos of names of files and texts on photos, with the documents of their questions, those of removed
     * projects left out. Other documents are ignored.
     */
    photosOf: (ids: readonly number[]): PhotoDocument[] => {
      const keysOf = (wanted: DocumentKind) =>
        JSON.stringify(ids.map(documentOf).flatMap(({ kind, key }) => (kind === wanted ? [key] : [])))
      return [...find.photosOfFiles.all(keysOf('file')), ...find.photosOfTexts.all(keysOf('text'))]
    },
    /** Returns the documents of texts on photos. */
    textsOnPhotos: (assetIds: readonly number[]) => find.textsOnPhotos.all(JSON.stringify(assetIds)),
    /** Returns questions with their photos, in the order of the keys. */
    questions: (keys: readonly number[]) => find.questions.all(JSON.stringify(keys)),
    /** Returns the statuses of all checklists and orders. */
    statuses: () => find.statuses.all().map(({ status }) => status),
    /** Returns dates and statuses of documents that are neither of questions nor of photos. */
    facts: (kind: 'checklist' | 'order' | 'page', key: number) => find.facts[kind].get(key),
    row: (kind: RowKind, key: number) => find.rows[kind].get(key),
  }
}

const kindNames = new Map(Object.entries(documentKinds).map(([name, code]) => [code as number, name as DocumentKind]))

/** Returns a text that names no project by its number. */
const withoutMark = (text: string) => text.replaceAll(scopeMark, ' ')

/** Returns the kind of a document and the key of its row. */
export function documentOf(id: number): { readonly kind: DocumentKind; readonly key: number } {
  const code = Math.floor(id / idsPerKind)
  const kind = kindNames.get(code)
  if (kind === undefined) throw new Error('A document of the search has an unknown kind')
  return { kind, key: id - code * idsPerKind }
}

/** Prepares the statements that maintain the index. */
function prepareIndex(db: Db) {
  const text = (sql: string) => db.prepare<[number], DocumentText>(sql)
  return {
    texts: {
      project: text(texts.project),
      order: text(texts.order),
      checklist: text(texts.checklist),
      question: text(texts.question),
      text: text(texts.text),
      page: text(texts.page),
    },
    file: db.prepare<[number], { path: string; name: string | null }>(
      `SELECT path, file_name AS name FROM assets WHERE id = ? AND kind = 'photo'`,
    ),
    state: db.prepare<[], { version: number }>('SELECT version FROM search_state'),
    next: db.prepare<[], { key: number; id: string; detail: string | null }>(
      `SELECT c.key, c.id, c.detail_raw AS detail FROM search_state s CROSS JOIN checklists c ON c.key > s.checklist_key
       ORDER BY c.key LIMIT 1`,
    ),
    queueChecklist: [
      ...queueChecklists('c.key = :key'),
      queue(`SELECT ${idOf('file', 'id')} AS id FROM assets INDEXED BY assets_for_ledger
        WHERE checklist_key = :key AND kind = 'photo'`),
    ].map((sql) => db.prepare<{ key: number }>(sql)),
    advance: db.prepare<[number]>('UPDATE search_state SET checklist_key = ?'),
    built: db.prepare<[number]>('UPDATE search_state SET version = ?, checklist_key = 0'),
    queued: db.prepare<[number], { id: number }>('SELECT id FROM search_queue ORDER BY id DESC LIMIT ?'),
    done: db.prepare<[number]>('DELETE FROM search_queue WHERE id = ?'),
    changes: db.prepare<[], { total: number }>('SELECT total_changes() AS total'),
    merge: ['search_words', 'search_parts'].map((table) =>
      db.prepare<[number]>(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`),
    ),
    removeWords: db.prepare<[number]>(`DELETE FROM search_words WHERE rowid = ${integer('?')}`),
    removeParts: db.prepare<[number]>(`DELETE FROM search_parts WHERE rowid = ${integer('?')}`),
    addWords: db.prepare<{ id: number; own: string; context: string }>(
      `INSERT INTO search_words (rowid, own, context) VALUES (${integer(':id')}, :own, :context)`,
    ),
    addParts: db.prepare<{ id: number; parts: string }>(
      `INSERT INTO search_parts (rowid, own) VALUES (${integer(':id')}, :parts)`,
    ),
  }
}

/** Prepares the statements that find documents and their rows. */
function prepareFind(db: Db) {
  interface Id {
    readonly id: number
  }
  interface Facts {
    readonly status: string
    readonly date: string | null
  }
  const matching = (table: string) =>
    `SELECT rowid AS id FROM ${table} WHERE ${table} MATCH :match
       AND rowid < ${integer(':below')} AND rowid >= ${integer(':from')}
       AND ${isCurrent(table)} ORDER BY rowid DESC LIMIT :limit`
  const row = (sql: string) => db.prepare<[number], FoundRow>(sql)
  const facts = (sql: string) => db.prepare<[number], Facts>(sql)
  const photos = (from: string, id: string) =>
    db.prepare<[string], PhotoDocument>(
      `SELECT ${id} AS id, a.id AS assetId, ${idOf('question', 'a.question_key')} AS question
       FROM json_each(?) k CROSS JOIN ${from} CROSS JOIN checklists c ON c.key = a.checklist_key
         CROSS JOIN projects p ON p.id = c.project_id AND p.removed_at IS NULL
       WHERE a.question_key IS NOT NULL ORDER BY k.key`,
    )
  // For ASCII, both are the same, and a call of `fold` takes most of a microsecond: 6 ms for 10,000 names.
  const foldedName = 'IIF(octet_length(p.name) <> length(p.name), fold(p.name), lower(p.name))'
  const ofChecklist = 'SELECT c.status, c.updated_at AS date FROM'
  return {
    projects: db.prepare<
      { project: string; name: string | null; limit: number },
      { number: number; isExact: 0 | 1 | null }
    >(
      `SELECT n.number, p.id = :project OR ${foldedName} = :name AS isExact
       FROM search_numbers n JOIN projects p ON p.id = n.project_id AND p.removed_at IS NULL
       WHERE p.id = :project OR instr(${foldedName}, :name) > 0
       ORDER BY isExact DESC, n.number DESC LIMIT :limit`,
    ),
    projectById: db.prepare<[string], { number: number }>('SELECT number FROM search_numbers WHERE project_id = ?'),
    nextWord: db.prepare<[string], { term: string }>('SELECT term FROM temp.search_vocabulary WHERE term >= ? LIMIT 1'),
    words: db.prepare<DocumentRange & { match: string }, Id>(matching('search_words')),
    // The plus keeps FTS5 from looking for each id.
    wordsAmong: db.prepare<{ match: string; from: number; below: number; ids: string }, Id>(
      `SELECT rowid AS id FROM search_words WHERE search_words MATCH :match
         AND rowid < ${integer(':below')} AND rowid >= ${integer(':from')}
         AND +rowid IN (SELECT value FROM json_each(:ids)) AND ${isCurrent('search_words')}`,
    ),
    parts: db.prepare<DocumentRange & { match: string }, Id>(matching('search_parts')),
    all: db.prepare<DocumentRange, Id>(
      `SELECT id FROM search_words_docsize WHERE id < :below AND id >= :from
         AND NOT EXISTS (SELECT 1 FROM search_queue q WHERE q.id = search_words_docsize.id)
       ORDER BY id DESC LIMIT :limit`,
    ),
    photosOfFiles: photos('assets a ON a.id = k.value', idOf('file', 'a.id')),
    photosOfTexts: photos(
      'photo_texts t ON t.id = k.value CROSS JOIN assets a ON a.id = t.asset_id',
      idOf('text', 't.id'),
    ),
    textsOnPhotos: db.prepare<[string], { id: number; assetId: number }>(
      `SELECT ${idOf('text', 't.id')} AS id, t.asset_id AS assetId
       FROM json_each(?) k CROSS JOIN photo_texts t ON t.asset_id = k.value`,
    ),
    questions: db.prepare<[string], FoundQuestion>(
      `SELECT q.key, COALESCE(q.answer, '') <> '' AS isAnswered,
         IIF(c.archived_fingerprint IS c.fingerprint OR q.present = 0 OR json_valid(q.client_ref_ids) IS NOT 1,
           0, ${unlistedPhotosOf}) AS unlisted,
         a.id AS assetId, a.path, a.sha256 IS NOT NULL AND a.damage IS NULL AS isArchived, a.taken_at AS takenAt,
         c.status, c.updated_at AS updatedAt
       FROM json_each(?) k CROSS JOIN questions q ON q.key = k.value CROSS JOIN checklists c ON c.key = q.checklist_key
         LEFT JOIN assets a INDEXED BY assets_for_ledger ON a.checklist_key = q.checklist_key AND a.question_key = q.key
           AND a.kind = 'photo' AND (a.present = 1 OR a.sha256 IS NOT NULL OR a.damage IS NOT NULL)
       ORDER BY k.key, a.id`,
    ),
    statuses: db.prepare<[], { status: string }>(
      'SELECT DISTINCT status FROM checklists UNION SELECT COALESCE(status, state) FROM orders',
    ),
    facts: {
      checklist: facts(`${ofChecklist} checklists c WHERE c.key = ?`),
      order: facts(
        'SELECT COALESCE(status, state) AS status, COALESCE(placed_at, created_at) AS date FROM orders WHERE id = ?',
      ),
      page: facts(`${ofChecklist} report_pages r JOIN assets a ON a.id = r.asset_id
        JOIN checklists c ON c.key = a.checklist_key WHERE r.id = ?`),
    },
    rows: {
      project: row(rows.project),
      order: row(rows.order),
      checklist: row(rows.checklist),
      question: row(rows.question),
      answer: row(rows.answer),
      file: row(rows.file),
      text: row(rows.text),
      page: row(rows.page),
    },
  }
}
