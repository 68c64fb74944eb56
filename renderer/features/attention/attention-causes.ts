import { countOf } from '../../../shared/format.ts'
import type { AttentionCause, AttentionGroup } from '../../../shared/attention.ts'
import type { ArchiveCounts } from '../../../shared/views.ts'

type Counts = Pick<AttentionGroup, 'projects' | 'checklists' | 'files' | 'previews'>

/**
 * The action for a cause. `retry`: try again now. `ask`: write to the service's support. `connect`: change
 * the address or the token.
 */
export type CauseAction = 'retry' | 'ask' | 'connect'

interface CausePresentation {
  readonly icon: string
  /** `host` is "service" or "download server". */
  readonly title: (counts: Counts, host: string) => string
  /** Its meaning for the archive, and the next step; `null` if the error's own message says it. */
  readonly advice: string | null
  readonly action: CauseAction
  /** First sentence of a message to the service's support. */
  readonly request?: string
}

const retriesItself = 'Solarchive retries automatically.'
const ofConnection = { icon: 'i-lucide-unplug', action: 'retry' } as const
const ofToken = { icon: 'i-lucide-key-round', action: 'connect', advice: null } as const
const ofDisk = { icon: 'i-lucide-hard-drive', action: 'retry', advice: null } as const
const ofService = { icon: 'i-lucide-server-crash', action: 'ask' } as const
const ofFile = { icon: 'i-lucide-file-warning', action: 'ask' } as const
const ofProgram = { icon: 'i-lucide-triangle-alert', action: 'retry', advice: null } as const

/** Thumbnails are named only if no photo or report has the problem. */
const files = (counts: Counts) =>
  counts.files > 0 ? countOf(counts.files, 'file') : countOf(counts.previews, 'thumbnail')
const couldNotSync = (counts: Counts) => `${subjects(counts)} could not be synced`

const causes: Readonly<Record<AttentionCause, CausePresentation>> = {
  'report-failed': {
    icon: 'i-lucide-clipboard-x',
    action: 'ask',
    title: ({ checklists }) => `The service could not create ${countOf(checklists, 'PDF report')}`,
    advice: 'Ask the service to create each report again. Solarchive then archives it automatically.',
    request: 'Your service could not create the PDF reports of the checklists below. Please create the reports again.',
  },
  'file-gone': {
    ...ofFile,
    title: (counts) => `${files(counts)} can no longer be downloaded`,
    advice:
      'Still listed by the service, but no longer on its download server. Ask the service to provide each file again.',
    request:
      'Your service lists the files below, but your download server no longer has them. Please provide them again.',
  },
  'file-invalid': {
    ...ofFile,
    title: (counts) => `${files(counts)} cannot be used`,
    advice: 'The download server sent something other than a photo or a report. Ask the service to fix each file.',
    request:
      'Your download server sends something other than a photo or a report for the files below. Please fix them.',
  },
  'link-refused': {
    ...ofFile,
    title: (counts) => `The download server refuses ${files(counts)}`,
    advice: `${retriesItself} Ask the service if this does not change.`,
    request: 'Your download server refuses the links that your service creates for the files below.',
  },
  'link-missing': {
    ...ofFile,
    title: (counts) => `${files(counts)} without a link`,
    advice: 'The service lists each file without saying where to download it. Ask it to add a link to each.',
    request: 'Your service lists the files below without a link to download them.',
  },
  'link-unsafe': {
    ...ofFile,
    title: (counts) => `${files(counts)} with an unsafe link`,
    advice: 'Not downloaded, to protect your network. Ask the service to fix each link.',
    request: 'The links of the files below lead to an address that no file should be downloaded from.',
  },
  'file-truncated': {
    ...ofFile,
    title: (counts) => `${files(counts)} could not be downloaded completely`,
    advice: `${retriesItself} Ask the service if this does not change.`,
    request: 'Your download server sends fewer bytes than it announces for the files below.',
  },
  'file-too-large': {
    ...ofDisk,
    title: (counts) => `${files(counts)} too large`,
    advice: 'Larger than the free space on the disk, or than Solarchive accepts. Free some space, then retry.',
  },
  'service-error': {
    ...ofService,
    title: (_, host) => `The ${host} answers with errors`,
    advice: `What is archived is safe. ${retriesItself} Ask the service if this does not change.`,
    request: 'Your service answers with an error when we ask for the following.',
  },
  'unreadable-answer': {
    ...ofService,
    title: () => 'The service’s answers cannot be read',
    advice: `What is archived is safe. ${retriesItself} Ask the service if this does not change.`,
    request: 'Your service answers with something unexpected when we ask for the following.',
  },
  rejected: {
    ...ofService,
    title: () => 'The service rejects requests',
    advice: null,
    request: 'Your service rejects our requests for the following.',
  },
  'not-found': {
    ...ofService,
    icon: 'i-lucide-house',
    title: (counts) => `The service does not know ${subjects(counts)}`,
    advice:
      'Check the project ID, and that the token belongs to the same company. Remove what was added by mistake. What ' +
      'is archived stays.',
    request: 'Your service says that it does not know the following. Please check whether our token has access.',
  },
  'rate-limited': {
    ...ofConnection,
    icon: 'i-lucide-gauge',
    title: (_, host) => `The ${host} is limiting requests`,
    advice: retriesItself,
  },
  unreachable: {
    ...ofConnection,
    title: (_, host) => `The ${host} cannot be reached`,
    advice: `Check this computer’s network. What is archived is safe. ${retriesItself}`,
  },
  'unreachable-tls': {
    ...ofConnection,
    title: (_, host) => `The connection to the ${host} is not secure`,
    advice: null,
  },
  'unreachable-proxy': {
    icon: 'i-lucide-unplug',
    action: 'connect',
    advice: null,
    title: () => 'The proxy cannot be used',
  },
  'token-refused': { ...ofToken, title: () => 'The service refuses the access token' },
  'token-missing': { ...ofToken, title: () => 'No access token' },
  'no-permission': { ...ofToken, title: (counts) => `The token has no permission for ${subjects(counts)}` },
  'disk-full': { ...ofDisk, title: () => 'The disk is full' },
  'disk-error': { ...ofDisk, title: (counts) => `${subjects(counts)} could not be read or written on the disk` },
  'archive-read-only': { ...ofDisk, title: () => 'The archive folder cannot be written to' },
  'archive-unavailable': { ...ofDisk, title: () => 'The archive folder is not available' },
  'data-folder-locked': { ...ofProgram, title: couldNotSync },
  'database-damaged': { ...ofProgram, title: couldNotSync },
  'database-newer': { ...ofProgram, title: couldNotSync },
  'setup-needed': { ...ofProgram, title: couldNotSync },
  'wrong-usage': { ...ofProgram, title: couldNotSync },
  'draft-changed': { ...ofProgram, title: couldNotSync },
  'wrong-settings': { ...ofProgram, title: couldNotSync },
  // No project, checklist, or file fails this way.
  'partial-answer': { ...ofProgram, title: couldNotSync },
  'stamp-refused': { ...ofProgram, title: couldNotSync },
  cancelled: { ...ofProgram, title: couldNotSync },
  internal: { ...ofProgram, title: (counts) => `Something went wrong with ${subjects(counts)}` },
}

/** Returns how a group is displayed: its title, what to do about it, and the label of its button. */
export function groupPresentation(group: AttentionGroup) {
  const { icon, title, advice, action, request } = causes[group.cause]
  // Files come from download servers, everything else from the service.
  const host = group.projects + group.checklists === 0 ? 'download server' : 'service'
  return { icon, title: title(group, host), advice: advice ?? group.message ?? '', action, request }
}

export const actionLabels: Readonly<Record<CauseAction, string>> = {
  retry: 'Retry now',
  ask: 'Ask the service…',
  connect: 'Test the connection',
}

/** Returns "2 projects, 1 checklist, 166 files, and 20 thumbnails". */
export function subjects({ projects, checklists, files, previews }: Counts): string {
  const parts = [
    ...(projects > 0 ? [countOf(projects, 'project')] : []),
    ...(checklists > 0 ? [countOf(checklists, 'checklist')] : []),
    ...(files > 0 ? [countOf(files, 'file')] : []),
    ...(previews > 0 ? [countOf(previews, 'thumbnail')] : []),
  ]
  return new Intl.ListFormat('en-US').format(parts)
}

/** Returns what failed and is likely to pass by itself as a sentence; `undefined` if there is nothing. */
export function retryingSentence(counts: ArchiveCounts): string | undefined {
  const { projectsRetrying: projects, checklistsRetrying: checklists } = counts
  const { filesRetrying: files, previewsRetrying: previews } = counts
  const total = projects + checklists + files + previews
  if (total === 0) return undefined
  const what = subjects({ projects, checklists, files, previews })
  return `${what} failed just now. Solarchive retries ${total === 1 ? 'it' : 'them'} automatically; nothing to do.`
}
