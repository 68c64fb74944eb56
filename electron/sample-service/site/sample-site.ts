import { buildProject, type SitePlan } from './build-project.ts'
import { photosOf, type SampleChecklist, type SamplePhoto, type SampleProject } from './site-types.ts'

/** All projects, indexed by id. */
export class SampleSite {
  readonly projects: SampleProject[]
  #nextNumber: number
  readonly #byId = new Map<string, SampleProject>()
  readonly #plan: SitePlan

  constructor(plan: SitePlan, projects: number) {
    this.#plan = plan
    this.#nextNumber = projects
    this.projects = Array.from({ length: projects }, (_, number) => buildProject(plan, number))
    for (const project of this.projects) this.#byId.set(project.id, project)
  }

  /** Adds a project, with the checklists that it would have in a larger sample. */
  addProject(): SampleProject {
    const project = buildProject(this.#plan, this.#nextNumber++)
    this.projects.push(project)
    this.#byId.set(project.id, project)
    return project
  }

  removeProject(projectId: string): void {
    if (!this.#byId.delete(projectId)) throw new RangeError(`There is no project ${projectId}`)
    this.projects.splice(
      this.projects.findIndex(({ id }) => id === projectId),
      1,
    )
  }

  project(projectId: string): SampleProject | undefined {
    return this.#byId.get(projectId)
  }

  /** Returns the project of that id. Throws a RangeError if there is none. */
  findProject(projectId: string): SampleProject {
    const project = this.project(projectId)
    if (!project) throw new RangeError(`There is no project ${projectId}`)
    return project
  }

  checklist(projectId: string, checklistId: string): SampleChecklist | undefined {
    return this.project(projectId)?.checklists.find((checklist) => checklist.id === checklistId)
  }

  photo(projectId: string, checklistId: string, photoId: string): SamplePhoto | undefined {
    const checklist = this.checklist(projectId, checklistId)
    return checklist && photosOf(checklist).find(({ id }) => id === photoId)
  }

  /** Returns the uploaded photos of a media category. */
  media(projectId: string, categoryId: string): SamplePhoto[] {
    const sections = (this.project(projectId)?.checklists ?? []).flatMap((checklist) => checklist.sections)
    const questions = sections.flatMap((section) => section.questions)
    return questions
      .filter(({ mediaCategoryId }) => mediaCategoryId === categoryId)
      .flatMap(({ photos }) => photos)
      .filter(({ state }) => state === 'uploaded')
  }

  /** Returns the checklist of that id, from any project. Throws a RangeError if there is none. */
  findChecklist(checklistId: string): SampleChecklist {
    for (const project of this.projects) {
      const checklist = project.checklists.find(({ id }) => id === checklistId)
      if (checklist) return checklist
    }
    throw new RangeError(`There is no checklist ${checklistId}`)
  }

  /** Returns the photo of that id, from any project. Throws a RangeError if there is none. */
  findPhoto(photoId: string): SamplePhoto {
    for (const project of this.projects) {
      for (const checklist of project.checklists) {
        const photo = photosOf(checklist).find(({ id }) => id === photoId)
        if (photo) return photo
      }
    }
    throw new RangeError(`There is no photo ${photoId}`)
  }
}
