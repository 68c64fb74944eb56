/**
 * Templates of packets that were made here, and what a person decided about the questions of a template's slots, for
 * all checklists of a title.
 */
export const packetsSchema = `
CREATE TABLE packet_templates (
  id TEXT PRIMARY KEY,
  template TEXT NOT NULL CHECK (json_valid(template))
) STRICT, WITHOUT ROWID;

CREATE TABLE packet_corrections (
  template_id TEXT NOT NULL,              -- also one that came with Solarchive
  title_key TEXT NOT NULL,                -- of the checklist, in one letter case
  section TEXT NOT NULL,
  question TEXT NOT NULL,
  slot_id TEXT NOT NULL,
  checklist_title TEXT NOT NULL,
  fills INTEGER NOT NULL CHECK (fills IN (0, 1)),
  PRIMARY KEY (template_id, title_key, section, question, slot_id)
) STRICT, WITHOUT ROWID;
`
