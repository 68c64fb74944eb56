import { settleStatus } from './checklist-life.ts'
import type { ChecklistTemplate, QuestionTemplate } from './checklist-templates.ts'
import { SeededRandom, sampleId } from './seeded-random.ts'
import type {
  ChecklistStatus,
  SampleChecklist,
  SamplePhoto,
  SampleProject,
  SampleQuestion,
  Scene,
} from './site-types.ts'

/** What decides a checklist, beside its template. */
export interface ChecklistPlan {
  /** Names the checklist for its repeatable choices. */
  readonly key: string
  readonly status: ChecklistStatus
  readonly createdAtMs: number
  /** Photos of each photo question; null leaves it to the template. */
  readonly photosPerQuestion: number | null
  /** How each photo's file is called, by the photo's number in the checklist (0 is the first). */
  readonly filename: (photoNumber: number) => string
}

const hourMs = 3_600_000

/** A checklist of a project with its photos, as it stands in the planned status. */
export function buildChecklist(
  project: Omit<SampleProject, 'checklists'>,
  template: ChecklistTemplate,
  plan: ChecklistPlan,
): SampleChecklist {
  const { key, createdAtMs } = plan
  const random = new SeededRandom(key)
  const id = sampleId(`${key}/checklist`, createdAtMs)
  const categories = new Map<string, string>()
  // The visit begins on the morning after, local time.
  const morningMs =
    Math.floor(createdAtMs / (24 * hourMs)) * 24 * hourMs + 33 * hourMs - project.utcOffsetMinutes * 60_000
  let clockMs = morningMs + random.whole(0, 90) * 60_000
  let photoNumber = 0
  const picturesTaken = new Map<Scene, number>()

  const buildPhoto = (question: QuestionTemplate & { kind: 'photo' }, category: string): SamplePhoto => {
    clockMs += random.whole(25, 170) * 1000
    const picture = picturesTaken.get(question.scene) ?? 0
    picturesTaken.set(question.scene, picture + 1)
    const photoKey = `${key}/${category}/photo/${photoNumber}`
    const takenAt = new Date(clockMs).toISOString()
    return {
      id: sampleId(`${photoKey}/media`, clockMs),
      clientRefId: sampleId(`${photoKey}/ref`, clockMs),
      projectId: project.id,
      checklistId: id,
      filename: plan.filename(photoNumber++),
      scene: question.scene,
      picture,
      // Within some fifteen metres of the house.
      place: {
        latitude: project.place.latitude + random.between(-0.00013, 0.00013),
        longitude: project.place.longitude + random.between(-0.00016, 0.00016),
      },
      takenAt,
      state: 'planned',
      revision: 0,
      fileChangedAt: takenAt,
    }
  }

  const buildQuestion = (question: QuestionTemplate, place: string): SampleQuestion => {
    if (question.kind !== 'photo') {
      const { label, kind } = question
      return { label, kind, answer: random.pick(question.answers), mediaCategoryId: null, photos: [] }
    }
    const category = question.sharedCategory ?? place
    const mediaCategoryId = categories.get(category) ?? sampleId(`${key}/category/${category}`, createdAtMs)
    categories.set(category, mediaCategoryId)
    const count = plan.photosPerQuestion ?? question.photos
    const photos = Array.from({ length: count }, () => buildPhoto(question, category))
    return { label: question.label, kind: 'photo', answer: null, mediaCategoryId, photos }
  }

  const sections = template.sections.map((section, sectionIndex) => ({
    label: section.label,
    questions: section.questions.map((question, index) => buildQuestion(question, `${sectionIndex}.${index}`)),
  }))
  const checklist: SampleChecklist = {
    id,
    projectId: project.id,
    title: template.title,
    status: 'draft',
    createdAt: new Date(createdAtMs).toISOString(),
    updatedAt: new Date(clockMs + random.whole(2, 50) * 60_000).toISOString(),
    sections,
    reportFile: template.reportFile ?? 'general.pdf',
    report: null,
  }
  settleStatus(checklist, plan.status)
  return checklist
}
