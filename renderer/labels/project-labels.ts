import { countOf } from '../../shared/format.ts'
import type { ProjectQuery } from '../../shared/views.ts'

type Filter = ProjectQuery['filter']
type Sort = ProjectQuery['sort']

/** Labels of the filters of the project list. */
export const filterLabels: Readonly<Record<Filter, string>> = {
  all: 'All projects',
  attention: 'Needs attention',
  complete: 'Complete',
  incomplete: 'Not complete yet',
  'some-complete': 'With complete checklists',
  unsynced: 'Not synced yet',
  unread: 'Not read yet',
  working: 'Downloading',
  quiet: 'Nothing to do',
  drafts: 'Draft',
  submitted: 'Form submitted',
  photos: 'Waiting for photos',
  report: 'Waiting for the report',
  'report-failed': 'Report failed',
  archiving: 'Not fully archived',
  'not-uploaded': 'Photos not uploaded',
  'not-checked': 'Not checked yet',
  'report-pending': 'Reports not ready',
  gone: 'No longer at the service',
}

export const sortLabels: Readonly<Record<Sort, string>> = {
  name: 'By name',
  added: 'By date added',
  synced: 'By last sync',
}

export function isFilter(text: unknown): text is Filter {
  return typeof text === 'string' && Object.hasOwn(filterLabels, text)
}

export function isSort(text: unknown): text is Sort {
  return typeof text === 'string' && Object.hasOwn(sortLabels, text)
}

/** Returns the message about selected projects that were removed in the meantime. */
export function goneSentence(count: number): string {
  const many = countOf(count, 'project')
  return count === 1
    ? `${many} is no longer in the list; add it again to resume archiving.`
    : `${many} are no longer in the list; add them again to resume archiving.`
}
