import type { AttentionGroup } from '../../../shared/attention.ts'
import { countOf, formatCount } from '../../../shared/format.ts'
import { reasonsOfRejection } from '../../labels/error-labels.ts'

/** A failing project, checklist (`checklistId`), or file (`fileName`), as the engine lists it. */
export interface MessageSubject {
  readonly projectId: string
  readonly projectName: string
  readonly checklistId?: string
  readonly checklistTitle?: string
  readonly fileName?: string
  readonly mediaId?: string | null
}

const maxLines = 20
const maxFilesPerLine = 5

/**
 * Returns a message to the service's support about a group, to copy: what is wrong, and the ids of its first subjects.
 * It contains no link, since links are access rights, even if the service put one into a name.
 */
export function supportMessage(
  group: Pick<AttentionGroup, 'projects' | 'checklists' | 'files' | 'previews' | 'message'>,
  request: string,
  subjects: readonly MessageSubject[],
): string {
  const lines = [...Map.groupBy(subjects, ({ projectId, checklistId }) => JSON.stringify([projectId, checklistId]))]
  const shown = lines.slice(0, maxLines).map(([, [first, ...others]]) => lineOf(first, others))
  const named = lines.slice(0, maxLines).reduce((sum, [, members]) => sum + members.length, 0)
  const more = group.projects + group.checklists + group.files + group.previews - named
  const { status, words } = answerOf(group.message ?? '')
  const answer = [
    ...(status === undefined ? [] : [`HTTP status: ${status}`]),
    ...(words === undefined ? [] : [`Your answer: ${withoutLinks(words)}`]),
  ]
  return [
    'Hello,',
    '',
    request,
    '',
    ...shown,
    ...(more > 0 ? [`- and ${formatCount(more)} more`] : []),
    ...(answer.length === 0 ? [] : ['', ...answer]),
    '',
    'Thank you.',
  ].join('\n')
}

/** Returns the HTTP status and the service's own words, as far as an error's message repeats them. */
function answerOf(message: string) {
  const [, status] = /\(status (\d{3})\)/.exec(message) ?? []
  return { status, words: reasonsOfRejection(message) }
}

function lineOf(first: MessageSubject | undefined, others: readonly MessageSubject[]): string {
  if (first === undefined) return ''
  const { projectId, projectName, checklistId, checklistTitle = '' } = first
  const project = `Project ${named(projectId, projectName)}`
  const checklist = checklistId === undefined ? '' : `, checklist ${named(checklistId, checklistTitle)}`
  const files = [first, ...others].flatMap(({ fileName, mediaId }) =>
    fileName === undefined ? [] : [mediaId == null ? withoutLinks(fileName) : named(mediaId, fileName)],
  )
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
