import type { SyncSchedule } from '../../../shared/settings.ts'

/** What each schedule is called, and what it means. */
export const scheduleWords: Readonly<Record<SyncSchedule, { readonly label: string; readonly description: string }>> = {
  automatic: {
    label: 'Automatic',
    description: 'About every minute while photos arrive, less and less often when nothing changes.',
  },
  hourly: {
    label: 'At most once an hour',
    description: 'Photos that arrive now are found up to an hour later.',
  },
  daily: {
    label: 'At most once a day',
    description: 'Photos that arrive now are found up to a day later.',
  },
  manual: {
    label: 'Only when I ask',
    description: 'Nothing new is looked for until you press Sync now, also for projects that you add.',
  },
}
