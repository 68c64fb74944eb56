import type { SettingChange } from '../../shared/activity.ts'
import { formatCount } from '../../shared/format.ts'
import type { LogLevel } from '../../shared/setting-names.ts'
import type { Appearance, ListedSetting, NotificationKind, SyncSchedule } from '../../shared/settings.ts'

export const scheduleLabels: Readonly<Record<SyncSchedule, string>> = {
  automatic: 'Automatic',
  hourly: 'At most once an hour',
  daily: 'At most once a day',
  manual: 'Only when I ask',
}

export const levelLabels: Readonly<Record<LogLevel, string>> = {
  debug: 'Everything',
  info: 'Normal',
  warn: 'Warnings and errors',
  error: 'Errors only',
}

export const themeLabels: Readonly<Record<Appearance, string>> = { system: 'System', light: 'Light', dark: 'Dark' }

export const notificationLabels: Readonly<Record<NotificationKind, string>> = {
  checklistArchived: 'A checklist is archived',
  attention: 'Something needs attention',
  damagedFile: 'A file is damaged',
  orderChanged: 'An order changed',
}

/** Labels as on the page of the settings. */
export const settingLabels = {
  serviceUrl: 'Service address',
  archiveFolder: 'Archive folder',
  apiCallsPerMinute: 'Calls to the service per minute',
  concurrency: 'Downloads at the same time',
  proxy: 'Proxy',
  caFile: 'Additional certificates',
  schedule: 'Sync schedule',
  quietHours: 'Quiet hours',
  readPhotos: 'Read text on photos',
  stampDaily: 'Daily time stamps',
  stampAuthority: 'Time-stamping authority',
  stampFallback: 'Second authority',
  logLevel: 'Log',
  appearance: 'Theme',
  pauseOnBattery: 'Pause on battery',
  looksForUpdates: 'Check for updates',
  startAtLogin: 'Start when you log in',
} as const satisfies Partial<Record<ListedSetting, string>>

/** Returns a change as a sentence: "Theme changed: System → Dark". */
export function settingChangeSentence({ setting, from, to }: SettingChange): string {
  switch (setting) {
    case 'allowHttp':
      return to === true ? 'Connection without encryption accepted' : 'Connection without encryption no longer accepted'
    case 'checklistArchived':
    case 'attention':
    case 'damagedFile':
    case 'orderChanged':
      return `Notification “${notificationLabels[setting]}” ${onOrOff(to)}`
    case 'readPhotos':
    case 'stampDaily':
    case 'pauseOnBattery':
    case 'looksForUpdates':
    case 'startAtLogin':
      return `“${settingLabels[setting]}” ${onOrOff(to)}`
    default:
      return `${settingLabels[setting]} changed: ${valueLabel(setting, from)} → ${valueLabel(setting, to)}`
  }
}

const onOrOff = (value: SettingChange['to']) => (value === true ? 'turned on' : 'turned off')

function valueLabel(setting: ListedSetting, value: SettingChange['to']): string {
  const labels: Readonly<Partial<Record<ListedSetting, Readonly<Record<string, string>>>>> = {
    schedule: scheduleLabels,
    logLevel: levelLabels,
    appearance: themeLabels,
    apiCallsPerMinute: { 0: 'no limit' },
    proxy: { environment: 'from the environment', none: 'none' },
  }
  if (value === null) return 'off'
  return labels[setting]?.[String(value)] ?? (typeof value === 'number' ? formatCount(value) : String(value))
}
