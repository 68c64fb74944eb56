import { countOf, formatCount, formatDateTime, formatDuration, photosAndReports } from '../../../shared/format.ts'
import type { ActivityFacts, ActivityGroup, ActivityKind } from '../../../shared/activity.ts'
import type { AssetKind } from '../../../shared/domain.ts'
import { type ErrorCode, errorPolicy } from '../../../shared/error-policy.ts'
import { blockerTitle, checklistStatus, orderStatusSentence } from '../../../shared/status-text.ts'
import { settingChangeSentence } from '../../labels/setting-labels.ts'
import type { Tone } from '../../labels/status-labels.ts'

export const groupLabels: Readonly<Record<ActivityGroup, string>> = {
  changes: 'Changes at the service',
  archived: 'Archived',
  problems: 'Problems',
  verify: 'Verify',
  yours: 'Your actions',
}

/** Display of an activity. The sentence names no project or checklist: they follow it as links. */
export interface ActivityPresentation {
  readonly sentence: string
  readonly icon: string
  readonly tone: Tone
}

function filesOf(count: number, kind: AssetKind): string {
  if (kind === 'report') return countOf(count, 'report')
  return kind === 'photo' ? countOf(count, 'photo') : countOf(count, 'thumbnail')
}

type Row<Kind extends ActivityKind> = {
  readonly [Each in Kind]: { readonly kind: Each; readonly at: string; readonly facts: ActivityFacts<Each> }
}[Kind]

export function activityPresentation<Kind extends ActivityKind>({ kind, facts, at }: Row<Kind>): ActivityPresentation {
  return presentations[kind](facts, at)
}

const presentations: {
  readonly [Kind in ActivityKind]: (facts: ActivityFacts<Kind>, at: string) => ActivityPresentation
} = {
  'checklists-new': ({ count }) => present(countOf(count, 'new checklist'), 'i-lucide-clipboard-plus', 'info'),
  'checklist-status': ({ from, to }) =>
    present(`${checklistStatus(from)} → ${checklistStatus(to)}`, 'i-lucide-arrow-right-left', 'info'),
  'checklists-gone': ({ count }) =>
    present(
      `${countOf(count, 'checklist')} no longer at the service; archived files are kept`,
      'i-lucide-archive',
      'neutral',
    ),
  'checklists-back': ({ count }) =>
    present(`${countOf(count, 'checklist')} back at the service`, 'i-lucide-archive-restore', 'info'),
  'files-replaced': ({ count, fileKind }) =>
    present(
      `${filesOf(count, fileKind)} replaced at the service; the earlier version is kept`,
      'i-lucide-file-diff',
      'info',
    ),
  'order-status': ({ to }) => present(orderStatusSentence(to), 'i-lucide-arrow-right-left', 'info'),

  'checklist-archived': ({ count }) =>
    present(`Complete: ${photosAndReports(count)} archived`, 'i-lucide-circle-check-big', 'success'),

  'checklist-incomplete': ({ missing }) =>
    present(
      missing === 0
        ? 'Changed at the service and is being checked'
        : `No longer complete: ${countOf(missing, 'file')} missing`,
      'i-lucide-circle-dashed',
      'warning',
    ),
  'files-failed': ({ count, code }) =>
    present(
      `${countOf(count, 'file')} could not be archived: ${failureReasons[code]}`,
      'i-lucide-triangle-alert',
      'error',
    ),
  obstacle: (facts) => present(`${blockerTitle(facts)}; syncing waits`, 'i-lucide-octagon-alert', 'error'),
  'obstacle-gone': (facts) =>
    present(
      `Resolved: ${blockerTitle(facts).toLowerCase()} since ${formatDateTime(facts.since)}`,
      'i-lucide-circle-check',
      'success',
    ),
  outage: (facts, at) => present(outageSentence(facts, at), 'i-lucide-unplug', 'neutral'),
  'database-rebuilt': (facts) => present(rebuiltSentence(facts), 'i-lucide-database-backup', 'warning'),
  'evidence-failed': () => present('No time stamp from the authority; it is tried again', 'i-lucide-stamp', 'warning'),
  'order-unconfirmed': () => present('Order sent, not confirmed yet', 'i-lucide-circle-help', 'warning'),
  'order-late': () => present('The service recorded an order late: check for a duplicate', 'i-lucide-copy', 'warning'),

  verified: ({ count }) => present(`Verified: ${allFiles(count)} unchanged`, 'i-lucide-shield-check', 'success'),
  'archive-read': ({ since }) =>
    present(`Every archived file was verified since ${formatDateTime(since)}`, 'i-lucide-shield-check', 'success'),
  'verify-findings': findingsPresentation,
  'files-missing': ({ count }) =>
    present(`${countOf(count, 'archived file')} missing from the disk`, 'i-lucide-file-x', 'error'),
  'files-set-aside': ({ count }) =>
    present(`${countOf(count, 'changed file')} kept as “(edited …)”`, 'i-lucide-file-pen', 'warning'),
  'files-repaired': ({ count }) => present(`${countOf(count, 'file')} archived again`, 'i-lucide-wrench', 'success'),
  'folders-restored': ({ count }) =>
    present(
      `Original ${count === 1 ? 'name' : 'names'} restored for ${countOf(count, 'renamed folder')}`,
      'i-lucide-folder-sync',
      'success',
    ),
  'evidence-stamped': ({ signedBy }) => present(`Checksums stamped by ${signedBy}`, 'i-lucide-stamp', 'success'),

  'projects-added': ({ count, by }) =>
    present(
      `${countOf(count, 'project')} added${by === 'service' ? ' from the service’s list' : ''}`,
      'i-lucide-plus',
      'neutral',
    ),
  'project-removed': () => present('Removed from the list; its files stay', 'i-lucide-minus', 'neutral'),
  'order-placed': () => present('Order placed', 'i-lucide-clipboard-check', 'success'),
  'order-settled': ({ outcome }) =>
    outcome === 'placed'
      ? present('The order was placed after all', 'i-lucide-clipboard-check', 'success')
      : present('The order was not placed; it is a draft again', 'i-lucide-clipboard-pen', 'neutral'),
  paused: ({ until }) =>
    present(
      until === null ? 'Syncing paused' : `Syncing paused until ${formatDateTime(until)}`,
      'i-lucide-circle-pause',
      'neutral',
    ),
  resumed: ({ by }) =>
    present(
      by === 'person' ? 'Syncing resumed' : 'Syncing resumed: the pause ended',
      'i-lucide-circle-play',
      'neutral',
    ),
  'set-up': ({ serviceUrl, archiveFolder }) =>
    present(`Set up: ${serviceUrl} is archived in ${archiveFolder}`, 'i-lucide-plug', 'neutral'),
  'settings-changed': ({ changes }) =>
    present(changes.map(settingChangeSentence).join('; '), 'i-lucide-settings', 'neutral'),
  'hooks-changed': ({ programs, webhooks }) =>
    present(
      `Hooks changed: ${countOf(programs, 'program')}, ${countOf(webhooks, 'webhook')}`,
      'i-lucide-webhook',
      'neutral',
    ),
  'token-changed': ({ keptIn }) =>
    present(
      `New access token stored ${keptIn === 'keychain' ? 'in the keychain' : 'in a private file'}`,
      'i-lucide-key-round',
      'neutral',
    ),
  'archive-moved': ({ from, to }) => present(`Archive moved from ${from} to ${to}`, 'i-lucide-folder-input', 'success'),
  'archive-move-undone': ({ from, to, code }) =>
    code === 'cancelled'
      ? present(`Move of the archive to ${to} stopped: it is still in ${from}`, 'i-lucide-folder-x', 'neutral')
      : present(`The archive could not be moved to ${to}: it is still in ${from}`, 'i-lucide-folder-x', 'error'),
}

function outageSentence({ host, code, since }: ActivityFacts<'outage'>, at: string): string {
  const who = host === null ? 'The service' : `The download server ${host}`
  const what = errorPolicy[code].scope === 'network' ? 'could not be reached' : 'answered with errors'
  return `${who} ${what} for ${formatDuration(Date.parse(at) - Date.parse(since))}; syncing resumed`
}

function rebuiltSentence({ from, projects, checklists, files }: ActivityFacts<'database-rebuilt'>): string {
  const source = from === 'backup' ? 'a backup' : 'the archive folder'
  const counts = [countOf(projects, 'project'), countOf(checklists, 'checklist'), countOf(files, 'file')]
  return `The database was rebuilt from ${source}: ${counts.join(', ')}`
}

function present(sentence: string, icon: string, tone: Tone): ActivityPresentation {
  return { sentence, icon, tone }
}

function allFiles(count: number): string {
  return count === 1 ? '1 file' : `all ${countOf(count, 'file')}`
}

/** Only damage is red: neither repaired files nor unexpected ones are damage. */
function findingsPresentation(facts: ActivityFacts<'verify-findings'>): ActivityPresentation {
  if (facts.missing + facts.changed > 0) return present(findings(facts), 'i-lucide-shield-alert', 'error')
  if (facts.repaired > 0) return present(findings(facts), 'i-lucide-shield-check', 'success')
  return present(findings(facts), 'i-lucide-file-question-mark', 'neutral')
}

function findings(facts: ActivityFacts<'verify-findings'>) {
  const parts = [
    facts.missing > 0 && `${formatCount(facts.missing)} missing`,
    facts.changed > 0 && `${formatCount(facts.changed)} changed`,
    facts.unexpected > 0 && `${countOf(facts.unexpected, 'item')} not part of the archive`,
    facts.repaired > 0 && `${formatCount(facts.repaired)} repaired`,
  ].filter((part) => part !== false)
  return `Verification of ${countOf(facts.checked, 'file')}: ${parts.join(', ')}`
}

const noLink = 'the service provided no usable link'
const badDownload = 'the download was incomplete or damaged'
const notWritten = 'it could not be written to the disk'
const unreachable = 'the download server could not be reached'
const notProvided = 'the service did not provide it'

/** Reasons of a failed file as the end of a sentence. */
const failureReasons: Readonly<Record<ErrorCode, string>> = {
  'token-refused': notProvided,
  'token-missing': notProvided,
  'no-permission': notProvided,
  'not-found': notProvided,
  rejected: notProvided,
  'rate-limited': 'the service limited requests',
  'service-error': 'the download server answered with an error',
  'unreadable-answer': notProvided,
  'partial-answer': notProvided,
  'unreachable-dns': unreachable,
  'unreachable-tls': unreachable,
  'unreachable-proxy': 'the proxy could not be used',
  'unreachable-refused': unreachable,
  'unreachable-timeout': unreachable,
  'unreachable-reset': unreachable,
  'link-refused': noLink,
  'link-missing': noLink,
  'link-unsafe': noLink,
  'stamp-refused': notProvided,
  'file-gone': 'the download server no longer has it',
  'file-invalid': badDownload,
  'file-truncated': badDownload,
  'file-too-large': 'it is too large',
  'disk-full': 'the disk is full',
  'disk-error': notWritten,
  'archive-read-only': notWritten,
  'archive-unavailable': notWritten,
  'data-folder-locked': notProvided,
  'database-damaged': notProvided,
  'database-newer': notProvided,
  'setup-needed': notProvided,
  'wrong-usage': notProvided,
  'draft-changed': notProvided,
  'wrong-settings': notProvided,
  cancelled: notProvided,
  internal: notProvided,
}
