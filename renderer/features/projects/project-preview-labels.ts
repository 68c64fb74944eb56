import { capitalized } from '../../../shared/format.ts'
import { type ProjectPreview, isUnusualProjectId } from '../../../shared/project-list.ts'
import type { StatePresentation } from '../../labels/status-labels.ts'

export type PreviewRow = ProjectPreview['rows'][number]

/** Display of what adding a row would do. */
export const previewPresentations: Readonly<Record<PreviewRow['state'], StatePresentation>> = {
  new: { label: 'New', icon: 'i-lucide-plus', tone: 'success' },
  known: { label: 'Already here', icon: 'i-lucide-check', tone: 'neutral' },
  duplicate: { label: 'Repeated', icon: 'i-lucide-copy', tone: 'neutral' },
  wrong: { label: 'Cannot be added', icon: 'i-lucide-triangle-alert', tone: 'error' },
}

/** Returns a row's problem, or its name and address, with a warning if the ID may be mistyped. */
export function describeRow({ id, state, problem, name, address }: Omit<PreviewRow, 'line'>): string {
  if (problem !== null) return `${capitalized(problem)}.`
  const known = [name, address].filter((part) => part !== null).join(', ')
  if (state !== 'new' || !isUnusualProjectId(id)) return known
  return known === '' ? unusualId : `${unusualId} · ${known}`
}

const unusualId = 'Unusual ID: check it'

/** Returns the mapping of columns: "ID from Ref, name from Customer, address from Street, City. Not used: Owner." */
export function readingSentence({ id, name, address, ignored }: NonNullable<ProjectPreview['reading']>): string {
  const parts = [`ID from ${id}`]
  if (name.length > 0) parts.push(`name from ${name.join(', ')}`)
  if (address.length > 0) parts.push(`address from ${address.join(', ')}`)
  const unused = ignored.length === 0 ? '' : ` Not used: ${ignored.join(', ')}.`
  return `${parts.join(', ')}.${unused}`
}
