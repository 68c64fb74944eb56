import { Notification } from 'electron'
import type { EventMessage, EventValue } from '../../../shared/contract.ts'
import type { Bridge } from '../../app/api/create-api.ts'
import type { Clock, Log } from '../../engine/lib/ports.ts'
import { gather, noNews, takeDue } from './group-news.ts'
import { kindOfTopic, notificationOf, type NotificationText } from './notification-words.ts'

export interface NotifierParts {
  readonly bridge: Bridge
  /** Absolute path. The other systems take the app's own. */
  readonly icon: string
  /** Whether the person looks at the window, where all of it stands. */
  readonly isLooking: () => boolean
  readonly open: (view: string) => void
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly log: Log
}

/** As many as a notification centre shows at once; those before are forgotten with their click. */
const mostKept = 20

/** Tells the person what happened, by the settings, until what it answers is called. */
export function startNotifier({ bridge, icon, isLooking, open, clock, log }: NotifierParts): () => void {
  let gathered = noNews
  let settings: EventValue<'settings-state'> | undefined
  let archive = ''
  let timer: NodeJS.Timeout | undefined
  /** What nobody holds is collected, and its click with it. */
  const kept: Notification[] = []

  function show({ title, body, view }: NotificationText): void {
    const notification = new Notification({ title, body, ...(process.platform === 'linux' && { icon }) })
    notification.on('click', () => open(view))
    notification.on('failed', (_event, error) => log.debug('A notification could not be shown', { cause: error }))
    notification.show()
    kept.push(notification)
    if (kept.length > mostKept) kept.shift()
  }

  function tellDue(): void {
    const due = takeDue(gathered, clock.monotonicMs())
    gathered = due.after
    for (const group of due.groups) {
      const isWanted = settings?.notifications[kindOfTopic[group.topic]] === true
      if (isWanted && !isLooking() && Notification.isSupported()) show(notificationOf(group))
    }
    clearTimeout(timer)
    if (due.nextInMs !== null) timer = setTimeout(tellDue, due.nextInMs)
  }

  /** Another archive has a database of its own, whose rows are numbered anew. */
  function followArchive({ usesSample, serviceUrl }: EventValue<'setup-state'>): void {
    const next = usesSample ? 'sample' : serviceUrl
    if (next !== archive) gathered = noNews
    archive = next
  }

  function take({ name, value }: EventMessage): void {
    if (name === 'settings-state') settings = value as EventValue<'settings-state'>
    if (name === 'setup-state') followArchive(value as EventValue<'setup-state'>)
    if (name !== 'activity') return
    gathered = gather(gathered, value as EventValue<'activity'>, clock.monotonicMs())
    tellDue()
  }

  const unsubscribe = bridge.subscribe(take)
  return () => {
    unsubscribe()
    clearTimeout(timer)
  }
}
