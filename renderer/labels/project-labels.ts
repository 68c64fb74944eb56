import type { ProjectQuery } from '../../shared/views.ts'
import { countOf } from './format-numbers.ts'

type Filter = ProjectQuery['filter']
type Sort = ProjectQuery['sort']

/** The parts of the list of projects, as a person chooses them. */
export const filterLabels: Readonly<Record<Filter, string>> = {
  all: 'All projects',
  attention: 'Needs attention',
  complete: 'Complete',
  incomplete: 'Not complete yet',
  unsynced: 'Not synced yet',
  working: 'Downloading',
  quiet: 'Nothing to do',
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

/** Said of projects that somebody removed since they were chosen. */
export function goneSentence(count: number): string {
  const many = countOf(count, 'project')
  return count === 1
    ? `${many} is not in the list any more; add it again to go on archiving it.`
    : `${many} are not in the list any more; add them again to go on archiving them.`
}
