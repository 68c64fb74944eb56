import type { ChecklistDetail, ChecklistSummary } from '../../../../shared/views.ts'

type Sections = ChecklistDetail['sections']

/** Words for the parts of a site that matter most to a designer. */
const roofWords = [
  'roofs?',
  'roofing',
  'rooflines?',
  'ridges?',
  'eaves?',
  'rakes?',
  'valleys?',
  'hips?',
  'attics?',
  'rafters?',
  'truss(es)?',
  'shingles?',
  'skylights?',
  'parapets?',
  'vents?',
  'dormers?',
  'azimuth',
  'planes?',
]
const mentionsRoof = new RegExp(String.raw`\b(${roofWords.join('|')})\b`, 'i')

/** Returns the questions with photos or an answer, those about the roof first. */
export function roofFirst(sections: Sections): Sections {
  const part = (isOfRoof: boolean) =>
    sections
      .map(({ label, questions }) => ({
        label,
        questions: questions.filter(
          (question) =>
            (question.photos.length > 0 || question.answer !== null) &&
            mentionsRoof.test(`${label} ${question.label}`) === isOfRoof,
        ),
      }))
      .filter(({ questions }) => questions.length > 0)
  return [...part(true), ...part(false)]
}

const mentionsSite = /\bsite[\s-]+(survey|visit|assessment|audit|inspection)s?\b/i

/** Returns true if a checklist's title mentions the roof or a site survey. */
export function isOfRoof({ title }: Pick<ChecklistSummary, 'title'>): boolean {
  return mentionsRoof.test(title) || mentionsSite.test(title)
}

/** Returns true if a checklist has photos of the roof. */
export function showsRoof(sections: Sections): boolean {
  return sections.some(({ label, questions }) =>
    questions.some(({ label: question, photos }) => photos.length > 0 && mentionsRoof.test(`${label} ${question}`)),
  )
}

/**
 * Returns checklists sorted by their value to a designer: with archived files, about the roof or site, completed, and
 * by number of archived files.
 */
export function bestFirst(checklists: readonly ChecklistSummary[]): ChecklistSummary[] {
  const rank = (checklist: ChecklistSummary) =>
    (checklist.archivedFiles > 0 ? 4 : 0) + (isOfRoof(checklist) ? 2 : 0) + (checklist.status === 'completed' ? 1 : 0)
  return checklists.toSorted((one, other) => rank(other) - rank(one) || other.archivedFiles - one.archivedFiles)
}
