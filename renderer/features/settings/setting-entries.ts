import { type AppInfo, type NotificationKind, notificationKinds } from '../../../shared/settings.ts'
import { notificationLabels, settingLabels } from '../../labels/setting-labels.ts'

/** A setting that the palette finds. Tests compare the entries with the rows of the page. */
export interface SettingEntry {
  /** ID of its section on the page. */
  readonly section: string
  /** Label of its row. */
  readonly label: string
  /** Other words that it is found by. */
  readonly words: string
  /** Host whose page has it; every host's if absent. */
  readonly host?: AppInfo['host']
}

const notificationWords: Readonly<Record<NotificationKind, string>> = {
  checklistArchived: 'notify notification alert',
  attention: 'notify notification alert problem',
  damagedFile: 'notify notification alert missing changed',
  orderChanged: 'notify notification alert status',
}

export const settingEntries: readonly SettingEntry[] = [
  { section: 'connection', label: 'Service and token', words: 'address url access key connect login account' },
  { section: 'connection', label: settingLabels.proxy, words: 'network firewall http https_proxy no_proxy' },
  { section: 'connection', label: settingLabels.caFile, words: 'tls ssl certificate authority ca pem trust' },
  { section: 'archive', label: settingLabels.archiveFolder, words: 'location disk drive move directory' },
  { section: 'sync', label: settingLabels.apiCallsPerMinute, words: 'api rate limit' },
  { section: 'sync', label: settingLabels.concurrency, words: 'parallel concurrency speed' },
  { section: 'sync', label: settingLabels.schedule, words: 'often interval hourly daily manual automatic' },
  { section: 'sync', label: settingLabels.quietHours, words: 'night pause time' },
  { section: 'sync', label: settingLabels.readPhotos, words: 'ocr qr barcode serial search recognize' },
  ...notificationKinds.map((kind) => ({
    section: 'notifications',
    label: notificationLabels[kind],
    words: notificationWords[kind],
  })),
  { section: 'evidence', label: settingLabels.stampDaily, words: 'evidence proof rfc 3161 trusted timestamp' },
  { section: 'evidence', label: settingLabels.stampAuthority, words: 'tsa address evidence timestamp' },
  { section: 'evidence', label: settingLabels.stampFallback, words: 'tsa address evidence fallback timestamp' },
  { section: 'evidence', label: 'Last time stamp', words: 'stamp now evidence timestamp' },
  { section: 'hooks', label: 'Webhooks and programs', words: 'hook automation crm http script run deliveries' },
  {
    section: 'machine',
    label: settingLabels.startAtLogin,
    words: 'autostart startup boot background',
    host: 'desktop',
  },
  { section: 'machine', label: settingLabels.pauseOnBattery, words: 'power laptop energy', host: 'desktop' },
  { section: 'appearance', label: settingLabels.appearance, words: 'dark light colors appearance mode' },
  { section: 'browsers', label: 'Browser sessions', words: 'log out everywhere logout', host: 'browser' },
  { section: 'diagnostics', label: 'Support bundle', words: 'diagnostics help logs zip create' },
  { section: 'diagnostics', label: settingLabels.logLevel, words: 'logs debug level' },
  { section: 'diagnostics', label: 'API calls left this minute', words: 'rate limit' },
  { section: 'diagnostics', label: settingLabels.looksForUpdates, words: 'update upgrade version', host: 'desktop' },
  { section: 'about', label: 'Version and folders', words: 'data folder logs about' },
  { section: 'about', label: 'Third-party software', words: 'licenses notices open source' },
]
