import type { AttentionGroup } from '../../../shared/attention.ts'
import { countOf, formatCount } from '../../../shared/format.ts'

/** A failing project, checklist (`checklistId`), or file (`fileName`), as the engine lists it. */
export interface MessageSubject {
  readonly projectId: string
  readonly projectName: string
  readonly checklistId?: string
  readonly checklistTitle?: string
  readonly fileName?: string
}

const maxLines = 20
const maxFilesPerLine = 5

/**
 * Returns a message to the service's support about a group, to copy: what is wrong, and the ids of its first subjects.
 * It contains no link, since links are access rights, even if the service put one into a name.
 */
export function supportMessage(
  group: Pick<AttentionGroup, 'cause' | 'projects' | 'checklists' | 'files' | 'previews' | 'message'>,
  request: string,
  subjects: readonly MessageSubject[],
  checkedAt: Date,
): string {
  const lines = [...Map.groupBy(subjects, ({ projectId, checklistId }) => JSON.stringify([projectId, checklistId]))]
  const shown = lines.slice(0, maxLines).map(([, [first, ...others]]) => lineOf(first, others))
  const named = lines.slice(0, maxLines).reduce((sum, [, members]) => sum + members.length, 0)
  const more = group.projects + group.checklists + group.files + group.previews - named
  const seen = group.message === null ? [] : [`Message: ${withoutLinks(group.message)}`]
  return [
    ...['Hello,', '', request, '', ...shown],
    ...(more > 0 ? [`- and ${formatCount(more)} more`] : []),
    ...['', ...seen, `Error: ${group.cause}`, `Time: ${checkedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
    ...['', 'Thank you.'],
  ].join('\n')
}

function lineOf(first: MessageSubject | undefined, others: readonly MessageSubject[]): string {
  if (first === undefined) return ''
  const { projectId, projectName, checklistId, checklistTitle = '' } = first
  const project = `Project ${named(projectId, projectName)}`
  const checklist = checklistId === undefined ? '' : `, checklist ${named(checklistId, checklistTitle)}`
  const files = [first, ...others].flatMap(({ fileName }) => (fileName === undefined ? [] : [withoutLinks(fileName)]))
  const rest = files.length - maxFilesPerLine
  const list = files.slice(0, maxFilesPerLine).join(', ') + (rest > 0 ? `, and ${countOf(rest, 'more file')}` : '')
  return `- ${project}${checklist}${list === '' ? '' : `: ${list}`}`
}

function named(id: string, name: string): string {
  const shown = withoutLinks(name)
  return shown === '' || name === id ? withoutLinks(id) : `${withoutLinks(id)} (${shown})`
}

function withoutLinks(text: string): string {
  return text
    .replaceAll(/\b[a-z][a-z\d+.-]*:\/\/\S*/gi, '[link]')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
