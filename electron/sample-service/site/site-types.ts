/** Subjects of the photos, and how many pictures of each `resources/sample` has. */
export const pictureCounts = {
  roof: 4,
  array: 4,
  measure: 3,
  attic: 2,
  panel: 3,
  meter: 2,
  inverter: 2,
  labels: 2,
  house: 2,
  yard: 2,
} as const
export type Scene = keyof typeof pictureCounts

/** The checklist statuses of the specification, section 3.1. */
export const checklistStatuses = [
  'draft',
  'formSubmitted',
  'awaitingMedia',
  'pdfProcessing',
  'pdfProcessingFailed',
  'completed',
] as const
export type ChecklistStatus = (typeof checklistStatuses)[number]

/** Decimal degrees, WGS 84. */
export interface SamplePlace {
  readonly latitude: number
  readonly longitude: number
}

/**
 * Where a photo is on its way: `planned` nobody knows of it yet; `taken` the phone has it and its question's
 * `clientRefIds` lists it; `uploaded` the service has it and a media record for it.
 */
export type PhotoState = 'planned' | 'taken' | 'uploaded'

export interface SamplePhoto {
  /** The media record's own id, which is also the file's name on the file host. */
  readonly id: string
  /** What the question's `clientRefIds` lists. */
  readonly clientRefId: string
  readonly projectId: string
  readonly checklistId: string
  readonly filename: string
  readonly scene: Scene
  /** Number of the photo among the checklist's photos of that scene, which decides its picture (0 is the first). */
  readonly picture: number
  readonly place: SamplePlace
  /** ISO 8601, UTC. */
  readonly takenAt: string
  state: PhotoState
  /** How often the photo was replaced by another picture; another revision has other bytes. */
  revision: number
  /** ISO 8601, UTC: when the file came to be what it is. */
  fileChangedAt: string
}

export interface SampleQuestion {
  readonly label: string
  readonly kind: 'photo' | 'text' | 'choice' | 'number'
  /** What was answered, for questions that are not about photos. */
  readonly answer: string | null
  /** Null for questions that cannot have media. Two questions of one checklist can share a category. */
  readonly mediaCategoryId: string | null
  readonly photos: SamplePhoto[]
}

interface SampleSection {
  readonly label: string
  readonly questions: readonly SampleQuestion[]
}

/** The PDF of a checklist as it was when it was made: later changes to the checklist do not change its bytes. */
export interface SampleReport {
  /** 0 for the first PDF, one more for each that replaced it. */
  readonly revision: number
  /** ISO 8601, UTC. */
  readonly madeAt: string
  readonly title: string
  readonly sections: readonly {
    readonly label: string
    readonly questions: readonly {
      readonly label: string
      readonly answer: string | null
      readonly photoCount: number
    }[]
  }[]
}

export interface SampleChecklist {
  readonly id: string
  readonly projectId: string
  title: string
  status: ChecklistStatus
  /** ISO 8601, UTC. */
  readonly createdAt: string
  /** ISO 8601, UTC; grows with every change. */
  updatedAt: string
  readonly sections: readonly SampleSection[]
  /** The file of `resources/sample/reports` that its PDF is made of. */
  readonly reportFile: string
  /** Null until the checklist was completed for the first time. */
  report: SampleReport | null
}

export interface SampleProject {
  readonly id: string
  name: string
  /** Street, city, state and ZIP code in one line. */
  readonly address: string
  readonly homeownerName: string
  readonly status: string
  readonly mode: string
  readonly place: SamplePlace
  readonly altitudeMetres: number
  /** Local time's distance from UTC in minutes (-360 for Denver in summer). */
  readonly utcOffsetMinutes: number
  /** ISO 8601, UTC. */
  readonly createdAt: string
  /** Made when first looked at; what is in the list is what is served. */
  readonly checklists: SampleChecklist[]
}

/** The photos of a checklist in the order of its questions. */
export function photosOf(checklist: SampleChecklist): SamplePhoto[] {
  return checklist.sections.flatMap((section) => section.questions.flatMap((question) => question.photos))
}
