import type { PreviewRow } from '../composables/use-project-preview.ts'
import type { StatusLook } from './status-words.ts'

/** What adding a row would do. */
export const previewLooks: Readonly<Record<PreviewRow['state'], StatusLook>> = {
  new: { label: 'New', icon: 'i-lucide-plus', tone: 'success' },
  known: { label: 'Already here', icon: 'i-lucide-check', tone: 'neutral' },
  duplicate: { label: 'Repeated', icon: 'i-lucide-copy', tone: 'neutral' },
  wrong: { label: 'Cannot be added', icon: 'i-lucide-triangle-alert', tone: 'error' },
}

/** A row's problem as a sentence of its own. */
export function problemSentence(problem: string): string {
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`
}
