import { isUnusualProjectId } from '../../../shared/project-id.ts'
import type { ProjectPreview } from '../../../shared/project-preview.ts'
import type { StatusLook } from '../../labels/status-labels.ts'

type PreviewRow = ProjectPreview['rows'][number]

/** What adding a row would do. */
export const previewLooks: Readonly<Record<PreviewRow['state'], StatusLook>> = {
  new: { label: 'New', icon: 'i-lucide-plus', tone: 'success' },
  known: { label: 'Already here', icon: 'i-lucide-check', tone: 'neutral' },
  duplicate: { label: 'Repeated', icon: 'i-lucide-copy', tone: 'neutral' },
  wrong: { label: 'Cannot be added', icon: 'i-lucide-triangle-alert', tone: 'error' },
}

/** What stands beside a row's id: its problem, or its name and address, with a warning where the id may be a slip. */
export function describeRow({ id, state, problem, name, address }: Omit<PreviewRow, 'line'>): string {
  if (problem !== null) return problemSentence(problem)
  const told = [name, address].filter((part) => part !== null).join(', ')
  if (state !== 'new' || !isUnusualProjectId(id)) return told
  return told === '' ? unusualId : `${unusualId} · ${told}`
}

const unusualId = 'Unusual id: check it'

/** A row's problem as a sentence of its own. */
function problemSentence(problem: string): string {
  return `${problem.charAt(0).toUpperCase()}${problem.slice(1)}.`
}

/** How the columns of a list were read: "Id from Ref, name from Customer, address from Street, City. Not used: Owner." */
export function readingSentence({ id, name, address, ignored }: NonNullable<ProjectPreview['reading']>): string {
  const parts = [`Id from ${id}`]
  if (name.length > 0) parts.push(`name from ${name.join(', ')}`)
  if (address.length > 0) parts.push(`address from ${address.join(', ')}`)
  const left = ignored.length === 0 ? '' : ` Not used: ${ignored.join(', ')}.`
  return `${parts.join(', ')}.${left}`
}
