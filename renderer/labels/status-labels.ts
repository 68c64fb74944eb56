import type { ProjectSummary } from '../../shared/views.ts'

/** A color of the theme. */
export type Tone = 'success' | 'info' | 'warning' | 'error' | 'neutral'

/** Class of an icon by its tone. */
export const toneText: Readonly<Record<Tone, string>> = {
  success: 'text-success',
  info: 'text-info',
  warning: 'text-warning',
  error: 'text-error',
  neutral: 'text-muted',
}

/** How a state is displayed: label and icon differ by state, so that color is never the only cue. */
export interface StatePresentation {
  readonly label: string
  readonly icon: string
  readonly tone: Tone
}

export const statusPresentations = {
  complete: { label: 'Complete', icon: 'i-lucide-circle-check-big', tone: 'success' },
  incomplete: { label: 'Incomplete', icon: 'i-lucide-circle-dashed', tone: 'warning' },
  waiting: { label: 'Waiting', icon: 'i-lucide-clock-3', tone: 'neutral' },
  working: { label: 'Downloading', icon: 'i-lucide-arrow-down-to-line', tone: 'info' },
  retrying: { label: 'Retrying', icon: 'i-lucide-rotate-cw', tone: 'neutral' },
  failed: { label: 'Needs attention', icon: 'i-lucide-triangle-alert', tone: 'error' },
  unsynced: { label: 'Not synced yet', icon: 'i-lucide-circle', tone: 'neutral' },
  empty: { label: 'No checklists', icon: 'i-lucide-circle-slash', tone: 'neutral' },
  gone: { label: 'No longer at the service', icon: 'i-lucide-archive', tone: 'neutral' },
} satisfies Record<string, StatePresentation>

/** Returns the most important state of a project. */
export function projectPresentation(project: ProjectSummary): StatePresentation {
  if (project.needsAttention) return statusPresentations.failed
  if (project.waitingFiles > 0) return statusPresentations.working
  if (project.problem !== null || project.failedFiles + project.failedPreviews > 0) return statusPresentations.retrying
  if (project.lastSyncedAt === null) return statusPresentations.unsynced
  if (project.checklists === 0) return statusPresentations.empty
  if (project.checklists === project.completeChecklists) return statusPresentations.complete
  if (project.checklists === project.completeChecklists + project.waitingChecklists) return statusPresentations.waiting
  return statusPresentations.incomplete
}
