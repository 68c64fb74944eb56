import { applyStatus } from './checklist-life.ts'
import { awkwardFilenames, awkwardProjectName, awkwardTemplates, checklistTemplates } from './checklist-templates.ts'
import type { ChecklistTemplate, QuestionTemplate } from './checklist-templates.ts'
import { chooseAddress, choosePerson } from './places.ts'
import { SeededRandom, sampleId } from './seeded-random.ts'
import type {
  ChecklistStatus,
  SampleChecklist,
  SamplePhoto,
  SamplePlace,
  SampleProject,
  SampleQuestion,
  Scene,
} from './site-types.ts'

/** Everything that a sample's data depends on. */
export interface SitePlan {
  readonly seed: string
  readonly checklistsPerProject: number
  /** `null` for the numbers of the templates. */
  readonly photosPerQuestion: number | null
  /** Photo questions of each checklist, or `null` for the questions of its template. */
  readonly photoQuestionsPerChecklist: number | null
  /** Assigned to the checklists in turn, project after project. */
  readonly statuses: readonly ChecklistStatus[]
  /** The third project has names that no file system accepts unchanged. */
  readonly awkwardNames: boolean
}

/** With four checklists a project these show every status in the first two projects, a failed PDF in the third. */
export const usualStatuses: readonly ChecklistStatus[] = [
  'completed',
  'completed',
  'awaitingMedia',
  'draft',
  'completed',
  'pdfProcessing',
  'formSubmitted',
  'completed',
  'completed',
  'completed',
  'pdfProcessingFailed',
  'completed',
]

/**
 * The sample's first day. It is fixed so that a restarted service serves the same checklists, unchanged, instead of
 * making every archive of it stale.
 */
const firstDayMs = Date.UTC(2026, 5, 1, 15)
const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** Returns a template for benchmarks: a number of photo questions, spread over the usual sections. */
function evenTemplate(template: ChecklistTemplate, photoQuestions: number): ChecklistTemplate {
  const labels = ['Roof', 'Attic', 'Electrical', 'Site']
  const scenes = { Roof: 'roof', Attic: 'attic', Electrical: 'panel', Site: 'house' } as const
  const sections = labels.map((label) => ({ label, questions: [] as QuestionTemplate[] }))
  for (let index = 0; index < photoQuestions; index++) {
    const section = sections[index % sections.length]
    if (!section) break
    const scene = scenes[section.label as keyof typeof scenes]
    section.questions.push({
      label: `${section.label} photos ${section.questions.length + 1}`,
      kind: 'photo',
      scene,
      photos: 2,
    })
  }
  return { title: template.title, sections: sections.filter((section) => section.questions.length > 0) }
}

function chooseTemplate(plan: SitePlan, project: number, checklist: number, awkward: boolean): ChecklistTemplate {
  const templates = awkward ? awkwardTemplates : checklistTemplates
  const offset = awkward ? 0 : project * 4
  const template = templates[(offset + checklist) % templates.length]
  if (!template) throw new RangeError('There are no checklist templates')
  const round = Math.floor(checklist / templates.length)
  const titled = round === 0 ? template : { ...template, title: `${template.title} ${round + 1}` }
  return plan.photoQuestionsPerChecklist === null ? titled : evenTemplate(titled, plan.photoQuestionsPerChecklist)
}

/** Returns the project of that number (0 is the first). Its checklists are built on first access. */
export function buildProject(plan: SitePlan, number: number): SampleProject {
  const key = `${plan.seed}/project/${number}`
  const random = new SeededRandom(key)
  const awkward = plan.awkwardNames && number === 2
  const createdAtMs = firstDayMs + (number % 60) * 2 * dayMs + random.whole(0, 40_000) * 1000
  const { line, place, altitudeMeters, utcOffsetMinutes } = chooseAddress(random, number)
  const { firstName, lastName } = choosePerson(random)
  const system = `${(random.whole(42, 128) / 10).toFixed(1)} kW`
  const firstImage = random.whole(1, 900)
  const project = {
    id: sampleId(key, createdAtMs),
    name: awkward ? awkwardProjectName : `${lastName} residence ${system}`,
    address: line,
    homeownerName: `${firstName} ${lastName}`,
    status: 'active',
    mode: 'residential',
    place,
    altitudeMeters,
    utcOffsetMinutes,
    createdAt: new Date(createdAtMs).toISOString(),
  }
  const build = (checklist: number): SampleChecklist => {
    const position = number * plan.checklistsPerProject + checklist
    return buildChecklist(project, chooseTemplate(plan, number, checklist, awkward), {
      key: `${key}/checklist/${checklist}`,
      status: plan.statuses[position % plan.statuses.length] ?? 'completed',
      createdAtMs: createdAtMs + (checklist % 40) * 3 * dayMs + random.whole(0, 18_000) * 1000,
      photosPerQuestion: plan.photosPerQuestion,
      farPhoto: number === 0 && checklist === 0 ? 9 : null,
      filename: (photo) =>
        awkward
          ? (awkwardFilenames[photo % awkwardFilenames.length] ?? '')
          : `IMG_${String(firstImage + checklist * 100 + photo).padStart(4, '0')}.jpg`,
    })
  }
  let checklists: SampleChecklist[] | undefined
  return {
    ...project,
    get checklists() {
      return (checklists ??= Array.from({ length: plan.checklistsPerProject }, (_, checklist) => build(checklist)))
    },
  }
}

/** Everything that a checklist depends on beside its project and template. */
interface ChecklistPlan {
  /** Seed of its random choices. */
  readonly key: string
  readonly status: ChecklistStatus
  readonly createdAtMs: number
  /** Photos of each photo question, or null for the template's number. */
  readonly photosPerQuestion: number | null
  /** Number of a photo that was taken a few hundred meters away, down the street. */
  readonly farPhoto: number | null
  /** Returns the file name of a photo by its number in the checklist (0 is the first). */
  readonly filename: (photoNumber: number) => string
}

/** Returns a position within about 15 meters of the house, or 400 meters away from there. */
function placeNear({ latitude, longitude }: SamplePlace, random: SeededRandom, isFar: boolean): SamplePlace {
  return {
    latitude: latitude + random.between(-0.00013, 0.00013) + (isFar ? 0.0031 : 0),
    longitude: longitude + random.between(-0.00016, 0.00016) + (isFar ? 0.0024 : 0),
  }
}

/** Returns a checklist with its photos in the planned status. */
function buildChecklist(
  project: Omit<SampleProject, 'checklists'>,
  template: ChecklistTemplate,
  plan: ChecklistPlan,
): SampleChecklist {
  const { key, createdAtMs } = plan
  const random = new SeededRandom(key)
  const id = sampleId(`${key}/checklist`, createdAtMs)
  const categories = new Map<string, string>()
  // The visit begins on the morning after, local time.
  const morningMs = Math.floor(createdAtMs / dayMs) * dayMs + 33 * hourMs - project.utcOffsetMinutes * 60_000
  let clockMs = morningMs + random.whole(0, 90) * 60_000
  let photoNumber = 0
  const picturesTaken = new Map<Scene, number>()

  const buildPhoto = (question: QuestionTemplate & { kind: 'photo' }, category: string): SamplePhoto => {
    clockMs += random.whole(25, 170) * 1000
    const picture = picturesTaken.get(question.scene) ?? 0
    picturesTaken.set(question.scene, picture + 1)
    const photosBefore = photoNumber
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
      place: placeNear(project.place, random, plan.farPhoto === photosBefore),
      takenAt,
      state: 'planned',
      revision: 0,
      fileChangedAt: takenAt,
    }
  }

  const buildQuestion = (question: QuestionTemplate, position: string): SampleQuestion => {
    if (question.kind !== 'photo') {
      const { label, kind } = question
      return { label, kind, answer: random.pick(question.answers), mediaCategoryId: null, photos: [] }
    }
    const category = question.sharedCategory ?? position
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
  applyStatus(checklist, plan.status)
  return checklist
}
