import { advanceChecklist, changeStatus, makeReport, touch } from './checklist-life.ts'
import type { SampleSite } from './sample-site.ts'
import { sampleId } from './seeded-random.ts'
import type {
  ChecklistStatus,
  PhotoState,
  SampleChecklist,
  SamplePhoto,
  SampleProject,
  SampleQuestion,
} from './site-types.ts'

/** An object or its id. Ids are looked up in all projects. */
type Ref<T> = T | string

/**
 * Changes to a site while it is watched. Every change of a checklist raises its `updatedAt`, as at the service. Each
 * function throws a RangeError for an id that does not exist.
 */
export interface SiteChanges {
  /** Sets a checklist's status; its photos and report follow (`completed` uploads all and creates a PDF). */
  setStatus(checklist: Ref<SampleChecklist>, status: ChecklistStatus): SampleChecklist
  /** Moves a checklist one step toward completion. */
  advance(checklist: Ref<SampleChecklist>): SampleChecklist
  renameChecklist(checklist: Ref<SampleChecklist>, title: string): SampleChecklist
  /** Replaces the PDF by one of the checklist's current content. */
  replaceReport(checklist: Ref<SampleChecklist>): SampleChecklist
  removeChecklist(checklist: Ref<SampleChecklist>): void
  /** Replaces the picture under the same record and file name. */
  replacePhoto(photo: Ref<SamplePhoto>): SamplePhoto
  /** Adds a photo, by default an uploaded one, to the photo question of that number (0, the default, is the first). */
  addPhoto(
    checklist: Ref<SampleChecklist>,
    options?: { question?: number; filename?: string; state?: PhotoState },
  ): SamplePhoto
  removePhoto(photo: Ref<SamplePhoto>): void
  /** `taken` withholds a photo's media record while `clientRefIds` lists it; `uploaded` delivers it. */
  setPhotoState(photo: Ref<SamplePhoto>, state: PhotoState): SamplePhoto
  addProject(): SampleProject
  removeProject(project: Ref<SampleProject>): void
  renameProject(project: Ref<SampleProject>, name: string): SampleProject
}

export function createSiteChanges(site: SampleSite, nowMs: () => number): SiteChanges {
  let added = 0
  const checklistOf = (ref: Ref<SampleChecklist>): SampleChecklist =>
    typeof ref === 'string' ? site.findChecklist(ref) : ref
  const photoOf = (ref: Ref<SamplePhoto>): SamplePhoto => (typeof ref === 'string' ? site.findPhoto(ref) : ref)
  const projectOf = (ref: Ref<SampleProject>): SampleProject => (typeof ref === 'string' ? site.findProject(ref) : ref)
  const ownerOf = (photo: SamplePhoto): SampleChecklist => {
    const checklist = site.checklist(photo.projectId, photo.checklistId)
    if (!checklist) throw new RangeError(`The photo ${photo.id} no longer belongs to a checklist`)
    return checklist
  }
  const recordFileChange = (photo: SamplePhoto): void => {
    const checklist = ownerOf(photo)
    touch(checklist, nowMs())
    photo.fileChangedAt = checklist.updatedAt
  }

  return {
    setStatus(ref, status) {
      const checklist = checklistOf(ref)
      changeStatus(checklist, status, nowMs())
      return checklist
    },
    advance(ref) {
      const checklist = checklistOf(ref)
      advanceChecklist(checklist, nowMs())
      return checklist
    },
    renameChecklist(ref, title) {
      const checklist = checklistOf(ref)
      checklist.title = title
      touch(checklist, nowMs())
      return checklist
    },
    replaceReport(ref) {
      const checklist = checklistOf(ref)
      touch(checklist, nowMs())
      makeReport(checklist)
      return checklist
    },
    removeChecklist(ref) {
      const checklist = checklistOf(ref)
      const list = projectOf(checklist.projectId).checklists
      list.splice(list.indexOf(checklist), 1)
    },
    replacePhoto(ref) {
      const photo = photoOf(ref)
      photo.revision++
      recordFileChange(photo)
      return photo
    },
    addPhoto(ref, { question: number = 0, filename, state = 'uploaded' } = {}) {
      const checklist = checklistOf(ref)
      const question = photoQuestion(checklist, number)
      touch(checklist, nowMs())
      const takenAt = checklist.updatedAt
      const key = `${checklist.id}/added/${added++}`
      const neighbor = question.photos.at(-1)
      const photo: SamplePhoto = {
        id: sampleId(`${key}/media`, Date.parse(takenAt)),
        clientRefId: sampleId(`${key}/ref`, Date.parse(takenAt)),
        projectId: checklist.projectId,
        checklistId: checklist.id,
        filename: filename ?? `IMG_${7000 + added}.jpg`,
        scene: neighbor?.scene ?? 'house',
        picture: (neighbor?.picture ?? 0) + 1,
        place: neighbor?.place ?? projectOf(checklist.projectId).place,
        takenAt,
        state,
        revision: 0,
        fileChangedAt: takenAt,
      }
      question.photos.push(photo)
      return photo
    },
    removePhoto(ref) {
      const photo = photoOf(ref)
      const checklist = ownerOf(photo)
      for (const section of checklist.sections) {
        for (const { photos } of section.questions) {
          if (photos.includes(photo)) photos.splice(photos.indexOf(photo), 1)
        }
      }
      touch(checklist, nowMs())
    },
    setPhotoState(ref, state) {
      const photo = photoOf(ref)
      photo.state = state
      recordFileChange(photo)
      return photo
    },
    addProject: () => site.addProject(),
    removeProject: (ref) => site.removeProject(projectOf(ref).id),
    renameProject(ref, name) {
      const project = projectOf(ref)
      project.name = name
      return project
    },
  }
}

/** Returns the photo question of that number. Throws a RangeError if there is none. */
function photoQuestion(checklist: SampleChecklist, number: number): SampleQuestion {
  const questions = checklist.sections.flatMap(({ questions }) => questions.filter(({ kind }) => kind === 'photo'))
  const question = questions[number]
  if (!question) throw new RangeError(`The checklist ${checklist.id} has no photo question ${number}`)
  return question
}
