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

/** The checklist statuses of the service's specification, section 3.1. */
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
 * Progress of a photo: `planned`, not taken yet; `taken`, on the phone and listed in its question's `clientRefIds`;
 * `uploaded`, at the service with a media record.
 */
export type PhotoState = 'planned' | 'taken' | 'uploaded'

export interface SamplePhoto {
  /** The media record's own id, which is also the file's name on the file host. */
  readonly id: string
  /** The photo's entry in its question's `clientRefIds`. */
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
  /** Times that the picture was replaced; each revision has its own bytes. */
  revision: number
  /** Time of the file's last change; ISO 8601, UTC. */
  fileChangedAt: string
}

export interface SampleQuestion {
  readonly label: string
  readonly kind: 'photo' | 'text' | 'choice' | 'number'
  /** `null` for photo questions. */
  readonly answer: string | null
  /** `null` for questions that cannot have media. Two questions of one checklist can share a category. */
  readonly mediaCategoryId: string | null
  readonly photos: SamplePhoto[]
}

interface SampleSection {
  readonly label: string
  readonly questions: readonly SampleQuestion[]
}

/** Content of a checklist's PDF at its creation: later changes to the checklist do not change its bytes. */
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
  /** `null` until the checklist is completed for the first time. */
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
  readonly altitudeMeters: number
  /** Local time's distance from UTC in minutes (-360 for Denver in summer). */
  readonly utcOffsetMinutes: number
  /** ISO 8601, UTC. */
  readonly createdAt: string
  /** Built on first access; changes to the list are served. */
  readonly checklists: SampleChecklist[]
}

/** Returns the photos of a checklist in the order of its questions. */
export function photosOf(checklist: SampleChecklist): SamplePhoto[] {
  return checklist.sections.flatMap((section) => section.questions.flatMap((question) => question.photos))
}
