import type { Activity } from '../../shared/activity.ts'
import { countOf, photosAndReports } from '../../shared/format.ts'
import type { NotificationKind } from '../../shared/settings.ts'
import { blockerTitle, orderStatus, orderStatusSentence } from '../../shared/status-text.ts'
import type { BlockerKind } from '../../shared/watch.ts'
import type { Failures, NotificationGroup, Topic } from './notification-groups.ts'

/** Setting that switches each topic's notifications. */
export const kindOfTopic: Readonly<Record<Topic, NotificationKind>> = {
  archived: 'checklistArchived',
  'report-failed': 'attention',
  blocker: 'attention',
  damaged: 'damagedFile',
  order: 'orderChanged',
}

/** Text of a notification, and the view of the app that a click opens. */
export interface NotificationText {
  readonly title: string
  readonly body: string
  readonly view: string
}

export function notificationOf(group: NotificationGroup): NotificationText {
  const { topic, rows } = group
  switch (topic) {
    case 'archived':
      return archived(group)
    case 'report-failed':
      return {
        title: `The service could not create ${rows.length === 1 ? 'a report' : atLeast(group, rows.length, 'report')}`,
        body: `${where(rows)}The photos are archived nevertheless.`,
        view: onlyChecklist(rows) ?? '/attention',
      }
    case 'damaged':
      return {
        title: `${atLeast(group, sum(rows, damagedFiles), 'archived file')} missing or changed on the disk`,
        body: `${where(rows)}Files that the service still has are downloaded again.`,
        view: onlyChecklist(rows) ?? '/attention',
      }
    case 'order':
      return order(group)
    case 'blocker':
      return blocker(rows)
  }
}

export function notificationOfFailures({ projects, checklists, files }: Failures): NotificationText {
  const parts = [
    ...(projects > 0 ? [countOf(projects, 'project')] : []),
    ...(checklists > 0 ? [countOf(checklists, 'checklist')] : []),
    ...(files > 0 ? [countOf(files, 'file')] : []),
  ]
  const what = projects + checklists === 0 ? 'could not be archived' : 'could not be synced'
  return {
    title: `${new Intl.ListFormat('en-US').format(parts)} ${what}`,
    body: 'Open Attention to see why, and what to do.',
    view: '/attention',
  }
}

function archived(group: NotificationGroup): NotificationText {
  const { rows } = group
  const ids = new Set(rows.map(({ project, checklist }) => `${project?.id} ${checklist?.id}`))
  const files = sum(rows, (row) => (row.kind === 'checklist-archived' ? row.facts.count : 0))
  const [first] = rows
  if (ids.size === 1 && !group.hasMore && first !== undefined) {
    const newest = rows.at(-1)
    const count = newest?.kind === 'checklist-archived' ? newest.facts.count : files
    const body = `${where([first])}${photosAndReports(count)}, nothing is missing.`
    return { title: 'Checklist archived', body, view: onlyChecklist(rows) ?? '/' }
  }
  const projects = new Set(rows.flatMap(({ project }) => (project === null ? [] : [project.id])))
  const [onlyProject] = projects.size === 1 ? projects : []
  const title = `${atLeast(group, ids.size, 'checklist')} archived`
  return {
    title,
    body:
      onlyProject === undefined
        ? `In ${countOf(projects.size, 'project')}. Nothing is missing.`
        : `${where(rows)}Nothing is missing.`,
    view: onlyProject === undefined ? '/activity' : `/projects/${encodeURIComponent(onlyProject)}`,
  }
}

function order(group: NotificationGroup): NotificationText {
  const { rows } = group
  const ids = new Set(rows.flatMap((row) => orderOf(row) ?? []))
  const [orderId] = ids
  const last = rows.at(-1)
  if (ids.size !== 1 || group.hasMore || last === undefined) {
    const title = `${atLeast(group, ids.size, 'order')} changed`
    return { title, body: `${where(rows)}Open Orders to see their status.`, view: '/orders' }
  }
  return { ...orderText(last), view: `/orders/${orderId}` }
}

function orderText(row: Activity): Pick<NotificationText, 'title' | 'body'> {
  if (row.kind === 'order-status') {
    const { from, to } = row.facts
    const previous = from === null ? 'Previous status unknown.' : `Previous status: ${orderStatus(from)}.`
    return { title: orderStatusSentence(to), body: where([row]) + previous }
  }
  if (row.kind === 'order-late') {
    return {
      title: 'Order recorded late',
      body: `${where([row])}Its draft was changed or placed again meanwhile. Check for a duplicate.`,
    }
  }
  if (row.kind === 'order-settled' && row.facts.outcome === 'placed') {
    return { title: 'Order placed', body: `${where([row])}The answer was lost, but the service has the order.` }
  }
  return { title: 'Order not placed', body: `${where([row])}It is a draft again. Place it when you are ready.` }
}

function orderOf(row: Activity): number | undefined {
  const isOfOrder = row.kind === 'order-status' || row.kind === 'order-settled' || row.kind === 'order-late'
  return isOfOrder ? row.facts.orderId : undefined
}

const blockerTexts: Readonly<Record<BlockerKind, { readonly body: string; readonly view: string }>> = {
  token: {
    body: 'Nothing new is archived until the service gets a valid access token. Enter one in the settings.',
    view: '/settings',
  },
  disk: {
    body: 'Nothing new is archived until the archive folder is writable. Solarchive then resumes automatically.',
    view: '/',
  },
  offline: { body: 'Solarchive waits and resumes automatically.', view: '/' },
  service: { body: 'Solarchive waits and resumes automatically.', view: '/' },
}

/** Describes the last row: it is what blocks now. */
function blocker(rows: readonly Activity[]): NotificationText {
  const last = rows.findLast((row) => row.kind === 'obstacle')
  const facts = last?.kind === 'obstacle' ? last.facts : { obstacle: 'service' as const }
  return { title: blockerTitle(facts), ...blockerTexts[facts.obstacle] }
}

function damagedFiles(row: Activity): number {
  return row.kind === 'files-missing' || row.kind === 'files-set-aside' ? row.facts.count : 0
}

/** Returns "12 files", or "More than 12 files" if only so many are known. */
function atLeast({ hasMore }: NotificationGroup, count: number, what: string): string {
  return hasMore ? `More than ${countOf(count, what)}` : countOf(count, what)
}

/** Returns the checklist or the project of all rows as a first sentence, or "" for rows of several projects. */
function where(rows: readonly Activity[]): string {
  const [first] = rows
  const project = first?.project
  if (project === undefined || project === null || rows.some((row) => row.project?.id !== project.id)) return ''
  const checklist = first?.checklist
  if (checklist === undefined || checklist === null || rows.some((row) => row.checklist?.id !== checklist.id)) {
    return `${project.name}. `
  }
  return `${project.name}, ${checklist.title}. `
}

function onlyChecklist(rows: readonly Activity[]): string | undefined {
  const views = new Set(
    rows.map(({ project, checklist }) =>
      project === null || checklist === null
        ? undefined
        : `/projects/${encodeURIComponent(project.id)}/checklists/${encodeURIComponent(checklist.id)}`,
    ),
  )
  return views.size === 1 ? [...views][0] : undefined
}

function sum(rows: readonly Activity[], of: (row: Activity) => number): number {
  return rows.reduce((total, row) => total + of(row), 0)
}
