import type { GapReason } from '../../shared/domain.ts'
import type { ProjectSummary } from '../../shared/views.ts'

/** A colour of the theme. */
export type Tone = 'success' | 'info' | 'warning' | 'error' | 'neutral'

/** The class that gives an icon its tone. */
export const toneText: Readonly<Record<Tone, string>> = {
  success: 'text-success',
  info: 'text-info',
  warning: 'text-warning',
  error: 'text-error',
  neutral: 'text-muted',
}

/** A state as it is shown: never by its colour alone. */
export interface StatusLook {
  readonly label: string
  /** A shape of its own for each state. */
  readonly icon: string
  readonly tone: Tone
}

export const looks = {
  complete: { label: 'Complete', icon: 'i-lucide-circle-check-big', tone: 'success' },
  incomplete: { label: 'Incomplete', icon: 'i-lucide-circle-dashed', tone: 'warning' },
  waiting: { label: 'Waiting', icon: 'i-lucide-clock-3', tone: 'neutral' },
  working: { label: 'Downloading', icon: 'i-lucide-arrow-down-to-line', tone: 'info' },
  failed: { label: 'Needs attention', icon: 'i-lucide-triangle-alert', tone: 'error' },
  unsynced: { label: 'Not synced yet', icon: 'i-lucide-circle', tone: 'neutral' },
  empty: { label: 'No checklists', icon: 'i-lucide-circle-slash', tone: 'neutral' },
  gone: { label: 'No longer at the service', icon: 'i-lucide-archive', tone: 'neutral' },
} satisfies Record<string, StatusLook>

/** What one word says best of a project. */
export function lookOfProject(project: ProjectSummary): StatusLook {
  if (project.problem !== null || project.failedFiles + project.troubledChecklists > 0) return looks.failed
  if (project.waitingFiles > 0) return looks.working
  if (project.lastSyncedAt === null) return looks.unsynced
  if (project.checklists === 0) return looks.empty
  if (project.checklists === project.completeChecklists) return looks.complete
  if (project.checklists === project.completeChecklists + project.waitingChecklists) return looks.waiting
  return looks.incomplete
}

const checklistStatuses: Readonly<Record<string, string>> = {
  draft: 'Draft',
  formSubmitted: 'Form submitted',
  awaitingMedia: 'Awaiting photos',
  pdfProcessing: 'Making the report',
  pdfProcessingFailed: 'Report failed',
  completed: 'Completed',
}

/** The service's status in a contractor's words; one that is not known, as the service says it. */
export function checklistStatus(status: string): string {
  return checklistStatuses[status] ?? status
}

const gapSentences: Readonly<Record<GapReason, string>> = {
  'not uploaded yet': 'The phone has not uploaded it yet.',
  'not downloaded yet': 'Waiting to be downloaded.',
  'not read yet': 'The checklist changed and has not been read again yet.',
  'not checked yet': 'Archived; whether it is the newest is checked with the next sync.',
  'no photos listed yet':
    'The service lists no photos for this question; it is asked once more before that is believed.',
  'no questions found': 'The service sent no questions for this checklist.',
  'link refused': 'The file server refused the download; it is tried again by itself.',
  'file invalid': 'What the file server sent was not the file; it is tried again by itself.',
  'too large': 'The disk has no room for it. Free some space; it is tried again by itself.',
  gone: 'The file server no longer has it.',
  damaged: 'Missing or changed on the disk; verify with repair fetches it again.',
  'report failed': 'The service could not make the PDF report.',
  unreachable: 'The file server did not deliver it; it is tried again by itself.',
  disk: 'It could not be written to your disk.',
}

/** Why files are missing, as a sentence. */
export function gapSentence(reason: GapReason): string {
  return gapSentences[reason]
}
