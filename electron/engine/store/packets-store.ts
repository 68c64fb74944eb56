import type { Db } from './open-database.ts'

interface CorrectionRow {
  readonly checklistTitle: string
  readonly section: string
  readonly question: string
  readonly slotId: string
  readonly fills: 0 | 1
}

/** A correction, and the form of its checklist's title that is compared. */
export interface NewCorrection extends Omit<CorrectionRow, 'fills'> {
  readonly templateId: string
  readonly titleKey: string
}

/** Own templates of packets, and corrections of what fills their slots. */
export function createPacketsStore(db: Db) {
  const templates = db.prepare<[], { template: string }>('SELECT template FROM packet_templates ORDER BY id')
  const save = db.prepare<{ id: string; template: string }>(
    'INSERT INTO packet_templates VALUES (:id, :template) ON CONFLICT (id) DO UPDATE SET template = excluded.template',
  )
  const remove = db.prepare<[string]>('DELETE FROM packet_templates WHERE id = ?')
  const forgetAll = db.prepare<[string]>('DELETE FROM packet_corrections WHERE template_id = ?')
  const corrections = db.prepare<[string], CorrectionRow>(
    `SELECT checklist_title AS checklistTitle, section, question, slot_id AS slotId, fills
     FROM packet_corrections WHERE template_id = ?`,
  )
  const correct = db.prepare<NewCorrection & { fills: 0 | 1 }>(
    `INSERT INTO packet_corrections
     VALUES (:templateId, :titleKey, :section, :question, :slotId, :checklistTitle, :fills)
     ON CONFLICT DO UPDATE SET fills = excluded.fills, checklist_title = excluded.checklist_title`,
  )
  const forget = db.prepare<Omit<NewCorrection, 'checklistTitle'>>(
    `DELETE FROM packet_corrections WHERE template_id = :templateId AND title_key = :titleKey AND section = :section
     AND question = :question AND slot_id = :slotId`,
  )
  return {
    /** JSON texts, sorted by ID. */
    templates: () => templates.all().map(({ template }) => template),
    /** Adds a template, or replaces the one with this ID. */
    save: (id: string, template: string) => void save.run({ id, template }),
    /** Removes a template and its corrections. Returns false if there was none. */
    remove: (id: string) => {
      forgetAll.run(id)
      return remove.run(id).changes > 0
    },
    corrections: (templateId: string) =>
      corrections.all(templateId).map(({ fills, ...row }) => ({ ...row, fills: fills === 1 })),
    /** Remembers a correction, which replaces an earlier one; null forgets it. */
    correct: ({ checklistTitle, ...key }: NewCorrection, fills: boolean | null) => {
      if (fills === null) forget.run(key)
      else correct.run({ ...key, checklistTitle, fills: fills ? 1 : 0 })
    },
  }
}
