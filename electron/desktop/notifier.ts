import { Notification } from 'electron'
import type { CallOutput } from '../../shared/contract/calls.ts'
import type { EventValue } from '../../shared/contract/events.ts'
import type { NotificationKind } from '../../shared/settings.ts'
import type { Api } from '../app/api/create-api.ts'
import type { Clock, Log } from '../engine/lib/ports.ts'
import {
  addRows,
  attentionNews,
  failuresOf,
  noFailuresNotified,
  nothingPending,
  takeDue,
} from './notification-groups.ts'
import { kindOfTopic, notificationOf, notificationOfFailures, type NotificationText } from './notification-labels.ts'

export interface NotifierDeps {
  readonly api: Api
  /** Absolute path of the icon, for Linux. The other systems use the app's own. */
  readonly icon: string
  /** Returns true while the user looks at the window, which shows everything already. */
  readonly isLooking: () => boolean
  /** Called with a view of the app when the user clicks a notification. */
  readonly open: (view: string) => void
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Log
}

/** About as many as a notification center shows at once. Clicks on older ones have no effect. */
const maxKept = 20

/** Notifies the user of new activity, and of what the badge counts, as the settings allow. */
export function startNotifier({ api, icon, isLooking, open, clock, log }: NotifierDeps) {
  let pending = nothingPending
  let failures = noFailuresNotified
  let settings: EventValue<'settings-state'> | undefined
  let archive = ''
  let timer: NodeJS.Timeout | undefined
  /** A notification without a reference is garbage-collected together with its click handler. */
  const kept: Notification[] = []

  function show({ title, body, view }: NotificationText): void {
    const notification = new Notification({ title, body, ...(process.platform === 'linux' && { icon }) })
    notification.on('click', () => open(view))
    notification.on('failed', (_event, error) => log.debug('A notification could not be shown', { cause: error }))
    notification.show()
    kept.push(notification)
    if (kept.length > maxKept) kept.shift()
  }

  function notify(kind: NotificationKind, text: NotificationText): void {
    if (settings?.notifications[kind] === true && !isLooking() && Notification.isSupported()) show(text)
  }

  /** A blocker of every sync has its own notification; failures that remain after it are news. */
  function onOverview(overview: CallOutput<'overview'>): void {
    if (overview.watch.kind === 'blocked') return
    const { news, after } = attentionNews(failures, failuresOf(overview), clock.monotonicMs())
    failures = after
    if (news !== null) notify('attention', notificationOfFailures(news))
  }

  function showDue(): void {
    const due = takeDue(pending, clock.monotonicMs())
    pending = due.after
    for (const group of due.groups) {
      notify(kindOfTopic[group.topic], notificationOf(group))
    }
    clearTimeout(timer)
    if (due.nextInMs !== null) timer = setTimeout(showDue, due.nextInMs)
  }

  /** Another archive has its own database, whose rows are numbered from 1. */
  function followArchive({ usesSample, serviceUrl }: EventValue<'setup-state'>): void {
    const next = usesSample ? 'sample' : serviceUrl
    if (next !== archive) {
      pending = nothingPending
      failures = noFailuresNotified
    }
    archive = next
  }

  const unsubscribe = api.subscribe(({ name, value }) => {
    if (name === 'settings-state') settings = value
    if (name === 'setup-state') followArchive(value)
    if (name !== 'activity') return
    pending = addRows(pending, value, clock.monotonicMs())
    showDue()
  })
  return {
    /** To be called with each count of the badge. */
    onOverview,
    close() {
      unsubscribe()
      clearTimeout(timer)
    },
  }
}
