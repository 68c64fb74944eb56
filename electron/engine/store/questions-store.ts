import type { Db } from './open-database.ts'
import { damagedError } from './store-error.ts'

export interface QuestionRow {
  readonly key: number
  readonly checklistKey: number
  readonly position: number
  readonly sectionLabel: string
  readonly label: string
  readonly sectionFolder: string
  readonly folder: string
  readonly mediaCategoryId: string | null
  /** `null` if the service does not say which files the question has. */
  readonly clientRefIds: readonly string[] | null
  readonly mediaReadAt: string | null
  /** Time of the first answer without photos while its checklist was completed. */
  readonly firstEmptyAnswerAt: string | null
  readonly present: 0 | 1
}

export type NewQuestion = Omit<QuestionRow, 'key' | 'mediaReadAt' | 'firstEmptyAnswerAt' | 'present'> & Answer

interface Answer {
  /** The answer as one text, for the search; `null` without one. */
  readonly answer: string | null
}

type StoredQuestion = Omit<QuestionRow, 'clientRefIds'> & { readonly clientRefIds: string | null }

const columns = `q.key, q.checklist_key AS checklistKey, q.position, q.section_label AS sectionLabel, q.label,
  q.section_folder AS sectionFolder, q.folder, q.media_category_id AS mediaCategoryId,
  q.client_ref_ids AS clientRefIds, q.media_read_at AS mediaReadAt,
  q.said_empty_at AS firstEmptyAnswerAt, q.present`

function fromStored(row: StoredQuestion): QuestionRow {
  return {
    ...row,
    clientRefIds: row.clientRefIds === null ? null : readIds(row.clientRefIds),
  }
}

function readIds(text: string): readonly string[] {
  try {
    const ids: unknown = JSON.parse(text)
    if (isTexts(ids)) return ids
    throw new Error('client_ref_ids is not a list of texts')
  } catch (error) {
    throw damagedError(error, { column: 'client_ref_ids' })
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const toText = (ids: readonly string[] | null) => (ids === null ? null : JSON.stringify(ids))

/** Questions of checklists, as last read. */
export function createQuestionsStore(db: Db) {
  const listForChecklist = db.prepare<[number], StoredQuestion>(
    `SELECT ${columns} FROM questions q WHERE q.checklist_key = ? ORDER BY q.present DESC, q.position, q.key`,
  )
  const listForChecklists = db.prepare<[string], StoredQuestion>(
    `SELECT ${columns} FROM questions q WHERE q.checklist_key IN (SELECT value FROM json_each(?))
     ORDER BY q.checklist_key, q.present DESC, q.position, q.key`,
  )
  const listForCategory = db.prepare<{ projectId: string; categoryId: string }, StoredQuestion>(
    `SELECT ${columns} FROM questions q JOIN checklists c ON c.key = q.checklist_key
     WHERE c.project_id = :projectId AND q.media_category_id = :categoryId AND q.present = 1
     ORDER BY c.key, q.position`,
  )
  const get = db.prepare<[number], StoredQuestion>(`SELECT ${columns} FROM questions q WHERE q.key = ?`)
  const insert = db.prepare<Omit<StoredQuestion, 'key' | 'mediaReadAt' | 'firstEmptyAnswerAt' | 'present'> & Answer>(
    `INSERT INTO questions (checklist_key, position, section_label, label, section_folder, folder, media_category_id,
       client_ref_ids, answer)
     VALUES (:checklistKey, :position, :sectionLabel, :label, :sectionFolder, :folder, :mediaCategoryId,
       :clientRefIds, :answer)`,
  )
  const update = db.prepare<
    Pick<StoredQuestion, 'key' | 'position' | 'sectionLabel' | 'label' | 'mediaCategoryId' | 'clientRefIds'> &
      Answer & { isChanged: 0 | 1 }
  >(
    `UPDATE questions SET position = :position, section_label = :sectionLabel, label = :label,
       media_category_id = :mediaCategoryId, client_ref_ids = :clientRefIds, answer = :answer,
       present = 1, media_read_at = NULL,
       said_empty_at = CASE WHEN :isChanged THEN NULL ELSE said_empty_at END WHERE key = :key`,
  )
  const setAnswer = db.prepare<{ key: number; answer: string }>(
    'UPDATE questions SET answer = :answer WHERE key = :key',
  )
  const markAbsent = db.prepare<[number]>('UPDATE questions SET present = 0 WHERE key = ?')
  const markMediaRead = db.prepare<{ key: number; at: string }>(
    'UPDATE questions SET media_read_at = :at WHERE key = :key',
  )
  const recordEmptyAnswer = db.prepare<{ key: number; at: string }>(
    'UPDATE questions SET said_empty_at = :at WHERE key = :key',
  )

  return {
    /** In the checklist's order; questions that are no longer in it come last. */
    listForChecklist: (checklistKey: number) => listForChecklist.all(checklistKey).map(fromStored),
    /** Like `listForChecklist`, for several checklists. */
    listForChecklists: (checklistKeys: readonly number[]) =>
      listForChecklists.all(JSON.stringify(checklistKeys)).map(fromStored),
    /** Returns the current questions of all of a project's checklists that use this media category. */
    listForCategory: (projectId: string, categoryId: string) =>
      listForCategory.all({ projectId, categoryId }).map(fromStored),
    get: (key: number) => {
      const row = get.get(key)
      return row === undefined ? undefined : fromStored(row)
    },
    insert: (question: NewQuestion) => void insert.run({ ...question, clientRefIds: toText(question.clientRefIds) }),
    /**
     * Updates a question that was read again: its folders are kept, its media must be read again. `isChanged` means
     * that the checklist's state differs from the last read, so unconfirmed answers about its photos no longer count.
     */
    update: (
      question: Pick<QuestionRow, 'key' | 'position' | 'sectionLabel' | 'label' | 'mediaCategoryId' | 'clientRefIds'> &
        Answer,
      isChanged: boolean,
    ) => void update.run({ ...question, clientRefIds: toText(question.clientRefIds), isChanged: isChanged ? 1 : 0 }),
    setAnswer: (key: number, answer: string) => void setAnswer.run({ key, answer }),
    markAbsent: (key: number) => void markAbsent.run(key),
    markMediaRead: (key: number, at: string) => void markMediaRead.run({ key, at }),
    /** Records an unconfirmed answer without photos: the media must be read again. */
    recordEmptyAnswer: (key: number, at: string) => void recordEmptyAnswer.run({ key, at }),
  }
}
