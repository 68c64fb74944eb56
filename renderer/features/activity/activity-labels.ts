import type { Activity, ActivityFacts, ActivityGroup } from '../../../shared/activity.ts'
import type { AssetKind } from '../../../shared/domain.ts'
import { countOf, formatCount } from '../../labels/format-numbers.ts'
import { formatDateTime } from '../../labels/format-times.ts'
import { checklistStatus, type Tone } from '../../labels/status-labels.ts'
import { obstacleTitle } from '../../../shared/sync-words.ts'

export const groupLabels: Readonly<Record<ActivityGroup, string>> = {
  changes: 'Changes at the service',
  archived: 'Archived',
  problems: 'Problems',
  verify: 'Verify',
  yours: 'Your actions',
}

/** A row of the activity: its sentence, without the project and checklist, which stand beside it as links. */
export interface ActivityLook {
  readonly sentence: string
  readonly icon: string
  readonly tone: Tone
}

function filesOf(count: number, kind: AssetKind): string {
  if (kind === 'report') return countOf(count, 'report')
  return kind === 'photo' ? countOf(count, 'photo') : countOf(count, 'thumbnail')
}

export function lookOfActivity(row: Activity): ActivityLook {
  switch (row.kind) {
    case 'checklists-new':
      return look(`${countOf(row.facts.count, 'new checklist')}`, 'i-lucide-clipboard-plus', 'info')
    case 'checklist-status':
      return look(
        `${checklistStatus(row.facts.from)} → ${checklistStatus(row.facts.to)}`,
        'i-lucide-arrow-right-left',
        'info',
      )
    case 'checklists-gone':
      return look(
        `${countOf(row.facts.count, 'checklist')} no longer at the service; what is archived stays`,
        'i-lucide-archive',
        'neutral',
      )
    case 'checklists-back':
      return look(`${countOf(row.facts.count, 'checklist')} back at the service`, 'i-lucide-archive-restore', 'info')
    case 'files-replaced':
      return look(
        `${filesOf(row.facts.count, row.facts.fileKind)} replaced at the service; the earlier version is kept`,
        'i-lucide-file-diff',
        'info',
      )
    case 'checklist-archived':
      return look(`Complete: ${countOf(row.facts.count, 'file')} archived`, 'i-lucide-circle-check-big', 'success')
    case 'checklist-incomplete':
      return look(
        row.facts.missing === 0
          ? 'Changed at the service and is being checked'
          : `No longer complete: ${countOf(row.facts.missing, 'file')} missing`,
        'i-lucide-circle-dashed',
        'warning',
      )
    case 'files-failed':
      return look(
        `${countOf(row.facts.count, 'file')} could not be archived: ${failureWords(row.facts.code)}`,
        'i-lucide-triangle-alert',
        'error',
      )
    case 'obstacle':
      return look(`${obstacleTitle(row.facts)}; syncing waits`, 'i-lucide-octagon-alert', 'error')
    case 'obstacle-gone':
      return look(
        `Over: ${obstacleTitle(row.facts).toLowerCase()} since ${formatDateTime(row.facts.since)}`,
        'i-lucide-circle-check',
        'success',
      )
    case 'database-rebuilt':
      return look(
        `The database was rebuilt from ${row.facts.from === 'backup' ? 'a backup' : 'the archive folder'}: ` +
          `${countOf(row.facts.projects, 'project')}, ${countOf(row.facts.checklists, 'checklist')}, ${countOf(row.facts.files, 'file')}`,
        'i-lucide-database-backup',
        'warning',
      )
    case 'verified':
      return look(`Verified: ${allFiles(row.facts.count)} as archived`, 'i-lucide-shield-check', 'success')
    case 'archive-read':
      return look(
        `Every archived file was read again since ${formatDateTime(row.facts.since)}`,
        'i-lucide-shield-check',
        'success',
      )
    case 'verify-findings':
      return lookOfFindings(row.facts)
    case 'files-missing':
      return look(`${countOf(row.facts.count, 'archived file')} gone from the disk`, 'i-lucide-file-x', 'error')
    case 'files-set-aside':
      return look(
        `${countOf(row.facts.count, 'changed file')} set aside as “(edited …)”`,
        'i-lucide-file-pen',
        'warning',
      )
    case 'files-repaired':
      return look(`${countOf(row.facts.count, 'file')} archived again`, 'i-lucide-wrench', 'success')
    case 'projects-added':
      return look(
        `${countOf(row.facts.count, 'project')} added${row.facts.by === 'service' ? ' from the service’s list' : ''}`,
        'i-lucide-plus',
        'neutral',
      )
    case 'project-removed':
      return look('Removed from the list; its files stay', 'i-lucide-minus', 'neutral')
    case 'order-placed':
      return look('Order placed', 'i-lucide-clipboard-check', 'success')
    case 'order-unconfirmed':
      return look('An order was sent, and whether it was placed is not known', 'i-lucide-circle-help', 'warning')
    case 'order-settled':
      return row.facts.outcome === 'placed'
        ? look('The order was placed after all', 'i-lucide-clipboard-check', 'success')
        : look('The order was not placed; it is a draft again', 'i-lucide-clipboard-pen', 'neutral')
    case 'order-status':
      return look(
        `Order: ${row.facts.from === null ? '' : `${row.facts.from} → `}${row.facts.to}`,
        'i-lucide-arrow-right-left',
        'info',
      )
    case 'paused':
      return look(
        row.facts.until === null ? 'Syncing paused' : `Syncing paused until ${formatDateTime(row.facts.until)}`,
        'i-lucide-circle-pause',
        'neutral',
      )
    case 'resumed':
      return look(
        row.facts.by === 'person' ? 'Syncing resumed' : 'Syncing goes on: the pause was over',
        'i-lucide-circle-play',
        'neutral',
      )
  }
}

function look(sentence: string, icon: string, tone: Tone): ActivityLook {
  return { sentence, icon, tone }
}

function allFiles(count: number): string {
  return count === 1 ? 'the one file' : `all ${countOf(count, 'file')}`
}

/** Damage is red; what was repaired is not damage any more, and what somebody put there never was. */
function lookOfFindings(facts: ActivityFacts<'verify-findings'>): ActivityLook {
  if (facts.missing + facts.changed > 0) return look(findings(facts), 'i-lucide-shield-alert', 'error')
  if (facts.repaired > 0) return look(findings(facts), 'i-lucide-shield-check', 'success')
  return look(findings(facts), 'i-lucide-file-question-mark', 'neutral')
}

function findings(facts: ActivityFacts<'verify-findings'>) {
  const parts = [
    facts.missing > 0 && `${formatCount(facts.missing)} missing`,
    facts.changed > 0 && `${formatCount(facts.changed)} changed`,
    facts.unexpected > 0 && `${countOf(facts.unexpected, 'file')} not part of the archive`,
    facts.repaired > 0 && `${formatCount(facts.repaired)} repaired`,
  ].filter((part) => part !== false)
  return `Verify of ${countOf(facts.checked, 'file')}: ${parts.join(', ')}`
}

/** The end of a sentence for an error code of a file. */
function failureWords(code: string): string {
  switch (code) {
    case 'link-refused':
    case 'link-missing':
    case 'link-unsafe':
      return 'the service gave no usable link'
    case 'file-gone':
      return 'the file server no longer has it'
    case 'file-invalid':
    case 'file-truncated':
      return 'what came was not the whole file'
    case 'file-too-large':
      return 'it is too large'
    case 'disk-full':
      return 'the disk is full'
    case 'disk-error':
    case 'archive-read-only':
    case 'archive-unavailable':
      return 'it could not be written to the disk'
    case 'rate-limited':
      return 'the service asks to wait'
    case 'service-error':
      return 'the file server answered with an error'
    default:
      return code.startsWith('unreachable') ? 'the file server could not be reached' : 'the service did not give it'
  }
}
