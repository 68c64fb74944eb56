/**
 * Kinds of documents of the search index. A document's id is its kind times 2^40 plus the key of its row, so that the
 * highest ids are those of projects, and the newest rows of each kind come first.
 */
export const documentKinds = { page: 1, text: 2, file: 3, question: 4, checklist: 5, order: 6, project: 7 } as const
export type DocumentKind = keyof typeof documentKinds

/** Ids of one kind; keys of rows are smaller. */
export const idsPerKind = 2 ** 40

/** Identifies the rules by which documents are made of rows: raise it whenever they change. */
export const searchVersion = 2

/** Returns SQL of a document's id. `key` is SQL. */
export const idOf = (kind: DocumentKind, key: string) => `${documentKinds[kind] * idsPerKind} + ${key}`

/**
 * Returns SQL that queues documents. `select` is SQL that returns their ids as `id`. Within a trigger, the changing
 * statement says what a conflict does, so those in the queue are looked for.
 */
export const queue = (select: string) => `INSERT INTO search_queue SELECT d.id FROM (${select}) d
    WHERE NOT EXISTS (SELECT 1 FROM search_queue q WHERE q.id = d.id);`

/**
 * Returns statements that queue the documents of checklists `c` and of everything in them. `where` chooses checklists.
 */
export const queueChecklists = (where: string): readonly string[] =>
  [
    `SELECT ${idOf('checklist', 'c.key')} AS id FROM checklists c WHERE ${where}`,
    `SELECT ${idOf('question', 'q.key')} AS id FROM checklists c ` +
      `CROSS JOIN questions q ON q.checklist_key = c.key WHERE ${where}`,
    `SELECT ${idOf('page', 'r.id')} AS id FROM checklists c
       CROSS JOIN assets a INDEXED BY assets_for_ledger ON a.checklist_key = c.key
       CROSS JOIN report_pages r ON r.asset_id = a.id WHERE ${where} AND a.question_key IS NULL`,
    `SELECT ${idOf('text', 't.id')} AS id FROM checklists c
       CROSS JOIN assets a INDEXED BY assets_for_ledger ON a.checklist_key = c.key
       CROSS JOIN photo_texts t ON t.asset_id = a.id WHERE ${where} AND a.kind = 'photo'`,
  ].map(queue)

/** Returns a trigger that queues documents after a change of a row, if `when` holds. */
function onChange(table: string, event: string, when: string, work: string): string {
  const name = `${table}_${event.slice(0, 6).toLowerCase()}_queues_search`
  return `CREATE TRIGGER ${name} AFTER ${event} ON ${table} WHEN ${when}\nBEGIN\n  ${work}\nEND;`
}

const differs = (...columns: string[]) =>
  `(${columns.map((name) => `OLD.${name}`).join(', ')}) IS NOT (${columns.map((name) => `NEW.${name}`).join(', ')})`

const ordersWith = (where: string) => queue(`SELECT ${idOf('order', 'id')} AS id FROM orders WHERE ${where}`)

/**
 * Returns the triggers of projects. `ofNew` and `ofChanged` are SQL that queues the orders of a project that was added
 * or has another name or address.
 */
function onProjects({ ofNew, ofChanged }: { readonly ofNew: readonly string[]; readonly ofChanged: string }): string {
  const project = queue(`SELECT ${idOf('project', 'number')} AS id FROM search_numbers WHERE project_id = NEW.id`)
  const number = `INSERT INTO search_numbers (project_id)
    SELECT NEW.id WHERE NOT EXISTS (SELECT 1 FROM search_numbers WHERE project_id = NEW.id);`
  const checklists = queueChecklists('c.project_id = NEW.id').join('\n')
  const isChanged = `${differs('name', 'address')} OR (OLD.removed_at IS NULL) <> (NEW.removed_at IS NULL)`
  return [
    onChange('projects', 'INSERT', 'TRUE', [number, project, ...ofNew].join('\n  ')),
    onChange(
      'projects',
      'UPDATE OF name, address, removed_at',
      isChanged,
      [project, ofChanged, checklists].join('\n  '),
    ),
  ].join('\n')
}

/**
 * The search index; see `docs/decisions/0037-search.md`. All of it can be computed again from other tables. Triggers
 * queue the documents of a changed row in the transaction of the change, which hides them from searches; they are
 * indexed again in small steps. `search_words` finds words of prose, `search_parts` any part of an identifier of three
 * characters or more. `own` is a document's own text, `context` that of what it belongs to.
 */
export const searchSchema = `
ALTER TABLE questions ADD COLUMN answer TEXT;   -- as one text; NULL without an answer, and in rows of versions that did not store it

CREATE VIRTUAL TABLE search_words USING fts5(own, context, content='', contentless_delete=1,
  tokenize='unicode61 remove_diacritics 2', prefix='2 3');
CREATE VIRTUAL TABLE search_parts USING fts5(own, content='', contentless_delete=1, tokenize='trigram');

-- Segments are merged in steps of their own: FTS5 itself would do it within a transaction, for up to 100 ms.
INSERT INTO search_words (search_words, rank) VALUES ('automerge', 0), ('crisismerge', 64);
INSERT INTO search_parts (search_parts, rank) VALUES ('automerge', 0), ('crisismerge', 64);

-- Projects have text as their id.
CREATE TABLE search_numbers (number INTEGER PRIMARY KEY, project_id TEXT NOT NULL UNIQUE) STRICT;
-- Documents that are to be indexed again.
CREATE TABLE search_queue (id INTEGER PRIMARY KEY) STRICT;
-- One row: of which rules the index is the result, and up to which checklist it was built.
CREATE TABLE search_state (version INTEGER NOT NULL, checklist_key INTEGER NOT NULL) STRICT;
INSERT INTO search_state SELECT IIF(EXISTS (SELECT 1 FROM projects), 0, 2), 0;
INSERT INTO search_numbers (project_id) SELECT id FROM projects;
${queue(`SELECT ${idOf('project', 'number')} AS id FROM search_numbers`)}
${queue(`SELECT ${idOf('order', 'id')} AS id FROM orders`)}

${onProjects({ ofNew: [], ofChanged: ordersWith('project_id = NEW.id') })}
${onChange('checklists', 'INSERT', 'TRUE', queue(`SELECT ${idOf('checklist', 'NEW.key')} AS id`))}
${onChange('checklists', 'UPDATE OF title', differs('title'), queueChecklists('c.key = NEW.key').join('\n'))}
${onChange('questions', 'INSERT', 'TRUE', queue(`SELECT ${idOf('question', 'NEW.key')} AS id`))}
${onChange(
  'questions',
  'UPDATE OF section_label, label, answer, present',
  differs('section_label', 'label', 'answer', 'present'),
  `${queue(`SELECT ${idOf('question', 'NEW.key')} AS id`)}
  ${queue(`SELECT ${idOf('text', 't.id')} AS id FROM assets a INDEXED BY assets_for_ledger
    CROSS JOIN photo_texts t ON t.asset_id = a.id
    WHERE a.checklist_key = NEW.checklist_key AND a.question_key = NEW.key AND a.kind = 'photo'`)}`,
)}
${onChange('assets', 'INSERT', `NEW.kind = 'photo'`, queue(`SELECT ${idOf('file', 'NEW.id')} AS id`))}
${onChange(
  'assets',
  'UPDATE OF path, file_name',
  `NEW.kind = 'photo' AND ${differs('path', 'file_name')}`,
  queue(`SELECT ${idOf('file', 'NEW.id')} AS id`),
)}
${onChange('orders', 'INSERT', 'TRUE', queue(`SELECT ${idOf('order', 'NEW.id')} AS id`))}
${onChange(
  'orders',
  'UPDATE OF texts, project_id, service_id',
  differs('texts', 'project_id', 'service_id'),
  queue(`SELECT ${idOf('order', 'NEW.id')} AS id`),
)}
${onChange('orders', 'DELETE', 'TRUE', queue(`SELECT ${idOf('order', 'OLD.id')} AS id`))}
${(['report_pages', 'photo_texts'] as const)
  .flatMap((table) => {
    const id = (row: string) => idOf(table === 'report_pages' ? 'page' : 'text', `${row}.id`)
    return [
      onChange(table, 'INSERT', 'TRUE', queue(`SELECT ${id('NEW')} AS id`)),
      onChange(table, 'UPDATE OF text', differs('text'), queue(`SELECT ${id('NEW')} AS id`)),
      onChange(table, 'DELETE', 'TRUE', queue(`SELECT ${id('OLD')} AS id`)),
    ]
  })
  .join('\n')}
`

const ordersOfProject = ordersWith('project_id = NEW.id COLLATE NOCASE')

/**
 * Orders have the name of their project in the index also if the project was added after them, or has its id in other
 * capitals. Queues all orders once.
 */
export const searchOrdersSchema = `
CREATE INDEX projects_by_plain_id ON projects (id COLLATE NOCASE);
CREATE INDEX orders_by_plain_project ON orders (project_id COLLATE NOCASE);

DROP TRIGGER projects_insert_queues_search;
DROP TRIGGER projects_update_queues_search;
${onProjects({ ofNew: [ordersOfProject], ofChanged: ordersOfProject })}
${queue(`SELECT ${idOf('order', 'id')} AS id FROM orders`)}
`
