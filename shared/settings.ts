import { z } from 'zod'
import { authoritySchema } from './evidence.ts'
import { isProxySetting } from './service-address.ts'
import { concurrencyRange, fixableSettings, logLevels } from './setting-names.ts'

/**
 * Kinds of notifications: a checklist is fully archived; something needs attention (the network, the disk, a token,
 * failed files); a missing or changed file was found; an order changed its status.
 */
export const notificationKinds = ['checklistArchived', 'attention', 'damagedFile', 'orderChanged'] as const
export type NotificationKind = (typeof notificationKinds)[number]

export const appearances = ['system', 'light', 'dark'] as const
export type Appearance = (typeof appearances)[number]

/**
 * How often the continuous sync polls a project. `automatic`: as often as it is likely to change; `hourly` and `daily`:
 * at most that often, also while photos arrive; `manual`: only when a user starts a sync. Known files are downloaded
 * and retried under each schedule.
 */
export const syncSchedules = ['automatic', 'hourly', 'daily', 'manual'] as const
export type SyncSchedule = (typeof syncSchedules)[number]

function wholeNumber(lowest: number, highest: number, error: string) {
  return z.int({ error }).min(lowest, { error }).max(highest, { error })
}

function timeOfDay() {
  const error = 'must be a time of the day such as "22:00"'
  return z.string({ error }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error })
}

/** 0 removes the limit. */
export const apiCallsPerMinuteSchema = wholeNumber(
  0,
  Number.MAX_SAFE_INTEGER,
  'must be a whole number, 0 (no limit) or more',
)
/** Maximum number of parallel downloads. */
export const concurrencySchema = wholeNumber(
  concurrencyRange.min,
  concurrencyRange.max,
  `must be a whole number from ${concurrencyRange.min} to ${concurrencyRange.max}`,
)
/** Local times; the span may cross midnight. */
export const quietHoursSchema = z
  .strictObject({ start: timeOfDay(), end: timeOfDay() }, { error: 'must be {"start": "22:00", "end": "06:00"}' })
  .refine(({ start, end }) => start !== end, { error: 'must start and end at different times' })
export const scheduleSchema = z.enum(syncSchedules, { error: `must be one of ${syncSchedules.join(', ')}` })
export const logLevelSchema = z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` })
export const appearanceSchema = z.enum(appearances, { error: `must be one of ${appearances.join(', ')}` })
/** Consent to a service address without encryption; see `isUnencryptedRemote`. */
export const allowHttpSchema = z.boolean({ error: 'must be true or false' })
/** `environment`: the proxies of the environment variables; `none`; or the address of an HTTP proxy. */
export const proxySchema = z
  .string({ error: 'must be text' })
  .trim()
  .refine((typed) => typed.length <= 2000 && isProxySetting(typed), {
    error:
      'must be "environment", "none", or the address of an HTTP proxy such as "http://proxy.example.com:3128", ' +
      'without a user name or password: set these in the environment variable HTTPS_PROXY',
  })
export const toggleSchema = z.boolean({ error: 'must be true or false' })
/** Kinds of notifications to turn on or off; the others stay unchanged. */
export const notificationsPatchSchema = z.strictObject({
  checklistArchived: toggleSchema.optional(),
  attention: toggleSchema.optional(),
  damagedFile: toggleSchema.optional(),
  orderChanged: toggleSchema.optional(),
} satisfies Record<NotificationKind, z.ZodType>)

export const maxSavedSearches = 50
/** In characters. */
export const maxSavedSearchName = 80
const savedSearchSchema = z.strictObject({
  name: z.string().trim().min(1).max(maxSavedSearchName),
  query: z.string().trim().min(1).max(500),
})
/** Searches that a user named, each name once. */
export const savedSearchesSchema = z
  .array(savedSearchSchema, { error: 'must be a list of {"name": "…", "query": "…"}' })
  .max(maxSavedSearches, { error: `must have at most ${maxSavedSearches} searches` })
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, { error: 'must have each name once' })

const fixedSchema = z.array(z.enum(fixableSettings))

/** Settings whose changes the activity lists: all of them, `startAtLogin`, and each kind of notification. */
export const listedSettings = [
  'serviceUrl',
  'allowHttp',
  'archiveFolder',
  'apiCallsPerMinute',
  'concurrency',
  'proxy',
  'caFile',
  'schedule',
  'quietHours',
  'readPhotos',
  'stampDaily',
  'stampAuthority',
  'stampFallback',
  'logLevel',
  'appearance',
  'pauseOnBattery',
  'looksForUpdates',
  'startAtLogin',
  ...notificationKinds,
] as const
export type ListedSetting = (typeof listedSettings)[number]

/** The settings in effect, with defaults filled in. Those in `fixed` cannot be changed in the app. */
export const settingsSchema = z.object({
  serviceUrl: z.string(),
  /** True if a user has accepted that `serviceUrl` is not encrypted; see `isUnencryptedRemote`. */
  allowHttp: z.boolean(),
  apiCallsPerMinute: z.int().min(0),
  concurrency: z.int().min(1),
  /** See `proxySchema`. */
  proxy: z.string(),
  /** Absolute path of a PEM file with certificates to trust in addition; null if there is none. */
  caFile: z.string().nullable(),
  schedule: z.enum(syncSchedules),
  /** Null if there are none. */
  quietHours: z.object({ start: z.string(), end: z.string() }).nullable(),
  /** True to look for codes and print on photos. */
  readPhotos: z.boolean(),
  /** True to have the archive's checksums stamped once a day; see `evidence.state`. */
  stampDaily: z.boolean(),
  /** Addresses of the time-stamping authority, and of the one that is asked if it fails; null if there is none. */
  stampAuthority: z.string().nullable(),
  stampFallback: z.string().nullable(),
  logLevel: z.enum(logLevels),
  notifications: z.record(z.enum(notificationKinds), z.boolean()),
  appearance: z.enum(appearances),
  /** True to pause the installed app while the machine runs on battery. */
  pauseOnBattery: z.boolean(),
  /** True to check for updates of the app; see `AppInfo.canUpdate`. */
  looksForUpdates: z.boolean(),
  savedSearches: z.array(savedSearchSchema),
  fixed: fixedSchema,
})
export type Settings = z.infer<typeof settingsSchema>

/**
 * Settings to change; the others stay. `quietHours`, `caFile`, and the authorities are removed by null; `stampDaily`
 * needs an authority. `token` is for `serviceUrl`, and is required if that has another scheme, host, or port than
 * before and a token is stored: a stored token is sent to no other service. `allowHttp` is a user's consent to a
 * `serviceUrl` without encryption, and is required for one that is new.
 */
export const settingsPatchSchema = z.strictObject({
  serviceUrl: z.string().trim().min(1).max(2000).optional(),
  allowHttp: allowHttpSchema.optional(),
  apiCallsPerMinute: apiCallsPerMinuteSchema.optional(),
  concurrency: concurrencySchema.optional(),
  proxy: proxySchema.optional(),
  caFile: z.string().trim().min(1).max(4096).nullable().optional(),
  schedule: scheduleSchema.optional(),
  quietHours: quietHoursSchema.nullable().optional(),
  readPhotos: toggleSchema.optional(),
  stampDaily: toggleSchema.optional(),
  stampAuthority: authoritySchema.nullable().optional(),
  stampFallback: authoritySchema.nullable().optional(),
  logLevel: logLevelSchema.optional(),
  notifications: notificationsPatchSchema.optional(),
  appearance: appearanceSchema.optional(),
  pauseOnBattery: toggleSchema.optional(),
  token: z.string().trim().max(4096).optional(),
  /** See `token.save`. */
  tokenInFile: z.boolean().optional(),
  looksForUpdates: toggleSchema.optional(),
  savedSearches: savedSearchesSchema.optional(),
})
export type SettingsPatch = z.infer<typeof settingsPatchSchema>

export const tokenSources = ['none', 'environment', 'file', 'keychain'] as const
export type TokenSource = (typeof tokenSources)[number]

/**
 * Place of a new token: `file`, a private file in the data folder; `keychain`, unless the user chooses the file;
 * `nowhere`: this desktop has no keyring, so the user must choose the file.
 */
export const tokenKeepers = ['file', 'keychain', 'nowhere'] as const
export type TokenKeeper = (typeof tokenKeepers)[number]

/** Another process that owns the data folder. */
export const ownerSchema = z.object({
  pid: z.int().min(1),
  /** The command or host that it runs, such as `watch`, `serve`, or `app`; null if unknown. */
  command: z.string().nullable(),
  /** True once it has ended: nothing is archived until this app takes over, or another process starts. */
  hasEnded: z.boolean(),
})
export type OwnerState = z.infer<typeof ownerSchema>

/** State of the setup: which service, which token, which folders. */
export const setupStateSchema = z.object({
  /** The owner of the data folder, if it is another process: this app then only shows the archive. */
  owner: ownerSchema.nullable(),
  /** False before setup: calls that need the archive fail with `setup-needed`. */
  ready: z.boolean(),
  /** True if the embedded sample service replaces the real one, with its own folders. */
  usesSample: z.boolean(),
  serviceUrl: z.string(),
  /** Absolute path; before setup, the default. */
  archiveFolder: z.string(),
  /** Archive folder of the real service, also while the sample service replaces it. */
  ownArchiveFolder: z.string(),
  /** Source of the real service's token. */
  token: z.enum(tokenSources),
  /** Reason, for a user, that the stored token cannot be used; null if there is none, or it can be used. */
  tokenProblem: z.string().nullable(),
  keepsTokenIn: z.enum(tokenKeepers),
  fixed: fixedSchema,
})
export type SetupState = z.infer<typeof setupStateSchema>

/**
 * Outcome of a connection test. `bad-address`: no URL, or one that redirects elsewhere; `not-the-service`: another
 * server answers; `not-certain`: the answer does not show whether it is the service; `no-token`: there is no token to
 * test with; `unencrypted`: nothing was sent, because a user has to accept an address without encryption first.
 */
export const connectionOutcomes = [
  'ok',
  'unencrypted',
  'bad-address',
  'unreachable',
  'bad-tls',
  'no-token',
  'bad-token',
  'no-permission',
  'not-the-service',
  'not-certain',
  'rate-limited',
  'service-error',
] as const
export type ConnectionOutcome = (typeof connectionOutcomes)[number]

/** `message` is for a user. `projectsFound` is null if the test failed, or the service cannot list projects. */
export const connectionTestSchema = z.object({
  outcome: z.enum(connectionOutcomes),
  message: z.string(),
  projectsFound: z.int().min(0).nullable(),
})
export type ConnectionTest = z.infer<typeof connectionTestSchema>

/** Result of checking a folder for the archive. */
export const archiveCheckSchema = z.object({
  /** Absolute path, `~` resolved. */
  folder: z.string(),
  /** True if the archive can be in this folder. An archive that is there already must be adopted explicitly. */
  usable: z.boolean(),
  /** Reason, for a user, that it cannot. */
  problem: z.string().nullable(),
  exists: z.boolean(),
  isEmpty: z.boolean(),
  /** True if the folder holds an archive of Solarchive. */
  isArchive: z.boolean(),
  /** Null if the file system does not report it. */
  freeBytes: z.number().min(0).nullable(),
  /** True if it is on the disk of the current archive, so that a move renames folders; null if that is not asked. */
  isSameDisk: z.boolean().nullable(),
})
export type ArchiveCheck = z.infer<typeof archiveCheckSchema>

/** The running app and its host. Folders are absolute. */
export const appInfoSchema = z.object({
  version: z.string(),
  host: z.enum(['browser', 'desktop']),
  /** As Node names it: `linux`, `darwin`, `win32`. */
  platform: z.string(),
  homeFolder: z.string(),
  logsFolder: z.string(),
  /** True if the host can open the file manager. */
  canShowFiles: z.boolean(),
  /** True if the host can show a folder dialog. */
  canChooseFolders: z.boolean(),
  /** True if the app was packaged with the address of its updates. */
  canUpdate: z.boolean(),
  /** ISO 8601 UTC. */
  startedAt: z.string(),
})
export type AppInfo = z.infer<typeof appInfoSchema>

/** Setting to start Solarchive in the background when the user logs in. */
export const startAtLoginSchema = z.object({
  /** False on hosts that cannot, such as a server, or an app that is not installed. */
  canChange: z.boolean(),
  isOn: z.boolean(),
})
export type StartAtLogin = z.infer<typeof startAtLoginSchema>

/**
 * `download`: the browser fetches `path` from the app's origin; `saved`: in `file`; `canceled`: no file was chosen.
 */
export const bundleAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('download'), path: z.string() }),
  z.object({ kind: z.literal('saved'), file: z.string() }),
  z.object({ kind: z.literal('canceled') }),
])
export type BundleAnswer = z.infer<typeof bundleAnswerSchema>
