import type { ChecklistDetail, ChecklistSummary } from '../../../../shared/views.ts'

type Sections = ChecklistDetail['sections']

/** What a designer looks at first. */
const speaksOfRoof =
  /\b(roofs?|roofing|rooflines?|ridges?|eaves?|rakes?|valleys?|hips?|attics?|rafters?|truss(es)?|shingles?|skylights?|parapets?|vents?|dormers?|azimuth|planes?)\b/i

/** The questions that have photos, those that speak of the roof first, else in the checklist's order. */
export function roofFirst(sections: Sections): Sections {
  const part = (isOfRoof: boolean) =>
    sections
      .map(({ label, questions }) => ({
        label,
        questions: questions.filter(
          (question) => question.photos.length > 0 && speaksOfRoof.test(`${label} ${question.label}`) === isOfRoof,
        ),
      }))
      .filter(({ questions }) => questions.length > 0)
  return [...part(true), ...part(false)]
}

const speaksOfSite = /\bsite[\s-]+(survey|visit|assessment|audit|inspection)s?\b/i

/** Whether a checklist is of the roof or a survey of the site, by its title. */
export function isOfRoof({ title }: Pick<ChecklistSummary, 'title'>): boolean {
  return speaksOfRoof.test(title) || speaksOfSite.test(title)
}

/** Whether a checklist has photos of the roof. */
export function showsRoof(sections: Sections): boolean {
  return sections.some(({ label, questions }) =>
    questions.some(({ label: asked, photos }) => photos.length > 0 && speaksOfRoof.test(`${label} ${asked}`)),
  )
}

/**
 * Checklists, those that tell a designer most first: of the roof or the site by title, completed, with most archived files. One
 * of which nothing is archived tells nothing.
 */
export function bestFirst(checklists: readonly ChecklistSummary[]): ChecklistSummary[] {
  const rank = (checklist: ChecklistSummary) =>
    (checklist.archivedFiles > 0 ? 4 : 0) + (isOfRoof(checklist) ? 2 : 0) + (checklist.status === 'completed' ? 1 : 0)
  return checklists.toSorted((one, other) => rank(other) - rank(one) || other.archivedFiles - one.archivedFiles)
}
