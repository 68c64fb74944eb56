import { type ChecklistStatus, photosOf, type SampleChecklist, type SamplePhoto } from './site-types.ts'

/** Returns now, or a millisecond after the last change if that is later: `updatedAt` always grows. */
function laterThan(updatedAt: string, nowMs: number): string {
  return new Date(Math.max(nowMs, Date.parse(updatedAt) + 1)).toISOString()
}

/** Records a change of a checklist. */
export function touch(checklist: SampleChecklist, nowMs: number): void {
  checklist.updatedAt = laterThan(checklist.updatedAt, nowMs)
}

function upload(photos: readonly SamplePhoto[], uploadedAt: string | null): void {
  for (const photo of photos) {
    if (photo.state === 'uploaded') continue
    photo.state = 'uploaded'
    if (uploadedAt !== null) photo.fileChangedAt = uploadedAt
  }
}

/** Creates the PDF of a checklist from its current content. */
export function makeReport(checklist: SampleChecklist): void {
  checklist.report = {
    revision: checklist.report === null ? 0 : checklist.report.revision + 1,
    madeAt: checklist.updatedAt,
    title: checklist.title,
    sections: checklist.sections.map(({ label, questions }) => ({
      label,
      questions: questions.map((question) => ({
        label: question.label,
        answer: question.answer,
        photoCount: question.photos.length,
      })),
    })),
  }
}

/** Sets a checklist's status and brings its photos and report in line with it; leaves its times unchanged. */
export function applyStatus(
  checklist: SampleChecklist,
  status: ChecklistStatus,
  uploadedAt: string | null = null,
): void {
  const photos = photosOf(checklist)
  checklist.status = status
  const take = (taken: readonly SamplePhoto[]): void => {
    for (const photo of taken) if (photo.state === 'planned') photo.state = 'taken'
  }
  if (status === 'draft') {
    take(photos.slice(0, Math.floor(photos.length * 0.4)))
    return
  }
  take(photos)
  if (status === 'awaitingMedia' && photos.every((photo) => photo.state === 'taken')) {
    upload(photos.slice(0, Math.floor(photos.length / 2)), uploadedAt)
  }
  // The service names a photo that never arrived as a cause of this failure.
  if (status === 'pdfProcessingFailed') upload(photos.slice(0, -1), uploadedAt)
  if (status === 'pdfProcessing' || status === 'completed') upload(photos, uploadedAt)
  if (status === 'completed') makeReport(checklist)
}

export function changeStatus(checklist: SampleChecklist, status: ChecklistStatus, nowMs: number): void {
  touch(checklist, nowMs)
  applyStatus(checklist, status, checklist.updatedAt)
}

/**
 * Moves a checklist one step toward completion: draft, formSubmitted, awaitingMedia (a quarter of the photos arrives
 * with each step), pdfProcessing, completed; a failed PDF is retried. A completed checklist stays unchanged.
 */
export function advanceChecklist(checklist: SampleChecklist, nowMs: number): void {
  const { status } = checklist
  if (status === 'draft') changeStatus(checklist, 'formSubmitted', nowMs)
  else if (status === 'formSubmitted') changeStatus(checklist, 'awaitingMedia', nowMs)
  else if (status === 'awaitingMedia') {
    const photos = photosOf(checklist)
    const waiting = photos.filter((photo) => photo.state !== 'uploaded')
    if (waiting.length === 0) changeStatus(checklist, 'pdfProcessing', nowMs)
    else {
      touch(checklist, nowMs)
      upload(waiting.slice(0, Math.max(1, Math.ceil(photos.length / 4))), checklist.updatedAt)
    }
  } else if (status === 'pdfProcessing') changeStatus(checklist, 'completed', nowMs)
  else if (status === 'pdfProcessingFailed') changeStatus(checklist, 'pdfProcessing', nowMs)
}

/** Returns a function that advances checklists with the clock: each by a step about every `stepMs` since `startMs`. */
export function createSiteLife(
  startMs: number,
  stepMs: number,
): (checklists: readonly SampleChecklist[], nowMs: number) => void {
  const nextStepMs = new WeakMap<SampleChecklist, number>()
  // The id's digits spread the steps of different checklists between 0.75 and 1.25 times `stepMs`.
  const pace = (checklist: SampleChecklist): number =>
    stepMs * (0.75 + Number.parseInt(checklist.id.slice(-4), 16) / 0x1ffff)
  return (checklists, nowMs) => {
    for (const checklist of checklists) {
      let next = nextStepMs.get(checklist) ?? startMs + pace(checklist)
      while (next <= nowMs && checklist.status !== 'completed') {
        advanceChecklist(checklist, next)
        next += pace(checklist)
      }
      nextStepMs.set(checklist, next)
    }
  }
}
