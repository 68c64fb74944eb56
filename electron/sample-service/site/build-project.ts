import { awkwardFilenames, awkwardProjectName, awkwardTemplates } from './awkward-names.ts'
import { buildChecklist } from './build-checklist.ts'
import { checklistTemplates } from './checklist-templates.ts'
import type { ChecklistTemplate, QuestionTemplate } from './checklist-templates.ts'
import { chooseAddress, choosePerson } from './places.ts'
import { SeededRandom, sampleId } from './seeded-random.ts'
import type { ChecklistStatus, SampleChecklist, SampleProject } from './site-types.ts'

/** What decides the whole sample. */
export interface SitePlan {
  readonly seed: string
  readonly checklistsPerProject: number
  /** Null leaves the number of photos to each question. */
  readonly photosPerQuestion: number | null
  /** Photo questions of each checklist, in place of the believable ones; null keeps those. */
  readonly photoQuestionsPerChecklist: number | null
  /** Given to the checklists in turn, project after project. */
  readonly statuses: readonly ChecklistStatus[]
  /** Whether the third project has names that no file system takes as they are. */
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
const dayMs = 86_400_000

/** The checklist of a benchmark: as many photo questions as asked for, spread over the usual sections. */
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
  const again = Math.floor(checklist / templates.length)
  const titled = again === 0 ? template : { ...template, title: `${template.title} ${again + 1}` }
  return plan.photoQuestionsPerChecklist === null ? titled : evenTemplate(titled, plan.photoQuestionsPerChecklist)
}

/** The project of that number (0 is the first). Its checklists are made when they are first looked at. */
export function buildProject(plan: SitePlan, number: number): SampleProject {
  const key = `${plan.seed}/project/${number}`
  const random = new SeededRandom(key)
  const awkward = plan.awkwardNames && number === 2
  const createdAtMs = firstDayMs + (number % 60) * 2 * dayMs + random.whole(0, 40_000) * 1000
  const { line, place, altitudeMetres, utcOffsetMinutes } = chooseAddress(random, number)
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
    altitudeMetres,
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
