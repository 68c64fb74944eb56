import { countOf, formatCount, formatDateTime, formatDuration, photosAndReports } from '../../../shared/format.ts'
import type { Activity, ActivityFacts, ActivityGroup } from '../../../shared/activity.ts'
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
  return kind === 'photo' ? countOf(count, 'photo') : countOf(count, 'preview')
}

export function activityPresentation(row: Activity): ActivityPresentation {
  switch (row.kind) {
    case 'checklists-new':
      return present(`${countOf(row.facts.count, 'new checklist')}`, 'i-lucide-clipboard-plus', 'info')
    case 'checklist-status':
      return present(
        `${checklistStatus(row.facts.from)} → ${checklistStatus(row.facts.to)}`,
        'i-lucide-arrow-right-left',
        'info',
      )
    case 'checklists-gone':
      return present(
        `${countOf(row.facts.count, 'checklist')} no longer at the service; archived files are kept`,
        'i-lucide-archive',
        'neutral',
      )
    case 'checklists-back':
      return present(`${countOf(row.facts.count, 'checklist')} back at the service`, 'i-lucide-archive-restore', 'info')
    case 'files-replaced':
      return present(
        `${filesOf(row.facts.count, row.facts.fileKind)} replaced at the service; the earlier version is kept`,
        'i-lucide-file-diff',
        'info',
      )
    case 'checklist-archived':
      return present(`Complete: ${photosAndReports(row.facts.count)} archived`, 'i-lucide-circle-check-big', 'success')
    case 'checklist-incomplete':
      return present(
        row.facts.missing === 0
          ? 'Changed at the service and is being checked'
          : `No longer complete: ${countOf(row.facts.missing, 'file')} missing`,
        'i-lucide-circle-dashed',
        'warning',
      )
    case 'files-failed':
      return present(
        `${countOf(row.facts.count, 'file')} could not be archived: ${failureReasons[row.facts.code]}`,
        'i-lucide-triangle-alert',
        'error',
      )
    case 'obstacle':
      return present(`${blockerTitle(row.facts)}; syncing waits`, 'i-lucide-octagon-alert', 'error')
    case 'obstacle-gone':
      return present(
        `Resolved: ${blockerTitle(row.facts).toLowerCase()} since ${formatDateTime(row.facts.since)}`,
        'i-lucide-circle-check',
        'success',
      )
    case 'outage':
      return present(outageSentence(row), 'i-lucide-unplug', 'neutral')
    case 'database-rebuilt':
      return present(rebuiltSentence(row.facts), 'i-lucide-database-backup', 'warning')
    case 'verified':
      return present(`Verified: ${allFiles(row.facts.count)} unchanged`, 'i-lucide-shield-check', 'success')
    case 'archive-read':
      return present(
        `Every archived file was verified since ${formatDateTime(row.facts.since)}`,
        'i-lucide-shield-check',
        'success',
      )
    case 'verify-findings':
      return findingsPresentation(row.facts)
    case 'files-missing':
      return present(`${countOf(row.facts.count, 'archived file')} gone from the disk`, 'i-lucide-file-x', 'error')
    case 'files-set-aside':
      return present(`${countOf(row.facts.count, 'changed file')} kept as “(edited …)”`, 'i-lucide-file-pen', 'warning')
    case 'files-repaired':
      return present(`${countOf(row.facts.count, 'file')} archived again`, 'i-lucide-wrench', 'success')
    case 'folders-restored':
      return present(
        `${countOf(row.facts.count, 'renamed folder')} with ${row.facts.count === 1 ? 'its name' : 'their names'} back`,
        'i-lucide-folder-sync',
        'success',
      )
    case 'projects-added':
      return present(
        `${countOf(row.facts.count, 'project')} added${row.facts.by === 'service' ? ' from the service’s list' : ''}`,
        'i-lucide-plus',
        'neutral',
      )
    case 'project-removed':
      return present('Removed from the list; its files stay', 'i-lucide-minus', 'neutral')
    case 'order-placed':
      return present('Order placed', 'i-lucide-clipboard-check', 'success')
    case 'order-unconfirmed':
      return present('Order sent, not confirmed yet', 'i-lucide-circle-help', 'warning')
    case 'evidence-stamped':
      return present(`Checksums stamped by ${row.facts.signedBy}`, 'i-lucide-stamp', 'success')
    case 'evidence-failed':
      return present('No time stamp from the authority; it is tried again', 'i-lucide-stamp', 'warning')
    case 'order-late':
      return present('The service recorded an order late: check for a duplicate', 'i-lucide-copy', 'warning')
    case 'order-settled':
      return row.facts.outcome === 'placed'
        ? present('The order was placed after all', 'i-lucide-clipboard-check', 'success')
        : present('The order was not placed; it is a draft again', 'i-lucide-clipboard-pen', 'neutral')
    case 'order-status':
      return present(orderStatusSentence(row.facts.to), 'i-lucide-arrow-right-left', 'info')
    case 'paused':
      return present(
        row.facts.until === null ? 'Syncing paused' : `Syncing paused until ${formatDateTime(row.facts.until)}`,
        'i-lucide-circle-pause',
        'neutral',
      )
    case 'resumed':
      return present(
        row.facts.by === 'person' ? 'Syncing resumed' : 'Syncing resumed: the pause ended',
        'i-lucide-circle-play',
        'neutral',
      )
    case 'set-up':
      return present(
        `Set up: ${row.facts.serviceUrl} is archived in ${row.facts.archiveFolder}`,
        'i-lucide-plug',
        'neutral',
      )
    case 'settings-changed':
      return present(row.facts.changes.map(settingChangeSentence).join('; '), 'i-lucide-settings', 'neutral')
    case 'hooks-changed':
      return present(
        `Hooks changed: ${countOf(row.facts.programs, 'program')}, ${countOf(row.facts.webhooks, 'webhook')}`,
        'i-lucide-webhook',
        'neutral',
      )
    case 'token-changed':
      return present(
        `New access token stored ${row.facts.keptIn === 'keychain' ? 'in the keychain' : 'in a private file'}`,
        'i-lucide-key-round',
        'neutral',
      )
    case 'archive-moved':
      return present(`Archive moved from ${row.facts.from} to ${row.facts.to}`, 'i-lucide-folder-input', 'success')
    case 'archive-move-undone':
      return present(
        row.facts.code === 'cancelled'
          ? `Move of the archive to ${row.facts.to} stopped: it is still in ${row.facts.from}`
          : `The archive could not be moved to ${row.facts.to}: it is still in ${row.facts.from}`,
        'i-lucide-folder-x',
        row.facts.code === 'cancelled' ? 'neutral' : 'error',
      )
  }
}

function outageSentence({ at, facts: { host, code, since } }: Extract<Activity, { kind: 'outage' }>): string {
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
  return count === 1 ? 'the one file' : `all ${countOf(count, 'file')}`
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
  'rate-limited': 'the service limits requests',
  'service-error': 'the download server answered with an error',
  'unreadable-answer': notProvided,
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
