import { z } from 'zod'

/** From the most to the least talkative. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const
/** Lines of the log below this level are not written. */
export type LogLevel = (typeof logLevels)[number]

/**
 * What a person can be told about outside the app's window: a checklist was archived without a gap; something needs attention
 * (the network, the disk, a token, files that could not be archived); a file was found that is not as it was archived; an order
 * changed its status.
 */
export const notificationKinds = ['checklistArchived', 'attention', 'damagedFile', 'orderChanged'] as const
export type NotificationKind = (typeof notificationKinds)[number]

export const appearances = ['system', 'light', 'dark'] as const
export type Appearance = (typeof appearances)[number]

/**
 * How often the continuous sync looks at a project by itself. `automatic`: as often as it is likely to change; `hourly` and
 * `daily`: at most so often, also while photos arrive; `manual`: only when a person asks. Files that are known are
 * downloaded, and tried again, under all of them.
 */
export const syncSchedules = ['automatic', 'hourly', 'daily', 'manual'] as const
export type SyncSchedule = (typeof syncSchedules)[number]

function wholeNumber(lowest: number, highest: number, error: string) {
  return z.int({ error }).min(lowest, { error }).max(highest, { error })
}

function timeOfDay() {
  const error = 'has to be a time of the day such as "22:00"'
  return z.string({ error }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error })
}

/** 0 lifts the limit. */
export const apiCallsPerMinuteSchema = wholeNumber(
  0,
  Number.MAX_SAFE_INTEGER,
  'has to be a whole number, 0 (no limit) or more',
)
/** Files downloaded at the same time. */
export const concurrencySchema = wholeNumber(1, 64, 'has to be a whole number from 1 to 64')
/** Local time; over midnight too. */
export const quietHoursSchema = z
  .strictObject({ start: timeOfDay(), end: timeOfDay() }, { error: 'has to be {"start": "22:00", "end": "06:00"}' })
  .refine(({ start, end }) => start !== end, { error: 'has to start and end at different times' })
export const scheduleSchema = z.enum(syncSchedules, { error: `has to be one of ${syncSchedules.join(', ')}` })
export const logLevelSchema = z.enum(logLevels, { error: `has to be one of ${logLevels.join(', ')}` })
export const appearanceSchema = z.enum(appearances, { error: `has to be one of ${appearances.join(', ')}` })
export const toggleSchema = z.boolean({ error: 'has to be true or false' })
/** Which kinds are told; those that are left out are as they were. */
export const notificationsPatchSchema = z.strictObject({
  checklistArchived: toggleSchema.optional(),
  attention: toggleSchema.optional(),
  damagedFile: toggleSchema.optional(),
  orderChanged: toggleSchema.optional(),
} satisfies Record<NotificationKind, z.ZodType>)

/** What a flag or the environment can say instead of the settings, so that the app cannot change it. */
export const fixableSettings = [
  'serviceUrl',
  'archiveFolder',
  'token',
  'apiCallsPerMinute',
  'concurrency',
  'logLevel',
  'sample', // started with --sample: there is no other service
] as const
export type FixableSetting = (typeof fixableSettings)[number]
const fixedSchema = z.array(z.enum(fixableSettings))

/** The settings as they are in force; what nobody chose is the default. `fixed` cannot be changed in the app. */
export const settingsSchema = z.object({
  serviceUrl: z.string(),
  apiCallsPerMinute: z.int().min(0),
  concurrency: z.int().min(1),
  schedule: z.enum(syncSchedules),
  /** Null: never. */
  quietHours: z.object({ start: z.string(), end: z.string() }).nullable(),
  logLevel: z.enum(logLevels),
  notifications: z.record(z.enum(notificationKinds), z.boolean()),
  appearance: z.enum(appearances),
  /** The installed app waits while its machine runs on the battery. */
  pauseOnBattery: z.boolean(),
  /** Of the app, where it was packaged with an address to look at: see `AppInfo.canUpdate`. */
  looksForUpdates: z.boolean(),
  fixed: fixedSchema,
})
export type Settings = z.infer<typeof settingsSchema>

/**
 * What is to change; the rest stays. `quietHours` null: none any more. `token`: the one for `serviceUrl`, required where that is of
 * another scheme, host or port than before and there is a token: a stored one is sent to no other service.
 */
export const settingsPatchSchema = z.strictObject({
  serviceUrl: z.string().trim().min(1).max(2000).optional(),
  apiCallsPerMinute: apiCallsPerMinuteSchema.optional(),
  concurrency: concurrencySchema.optional(),
  schedule: scheduleSchema.optional(),
  quietHours: quietHoursSchema.nullable().optional(),
  logLevel: logLevelSchema.optional(),
  notifications: notificationsPatchSchema.optional(),
  appearance: appearanceSchema.optional(),
  pauseOnBattery: toggleSchema.optional(),
  token: z.string().trim().max(4096).optional(),
  /** See `token.save`. */
  tokenInFile: z.boolean().optional(),
  looksForUpdates: toggleSchema.optional(),
})
export type SettingsPatch = z.infer<typeof settingsPatchSchema>

/** Where the access token comes from. */
export const tokenSources = ['none', 'environment', 'file', 'keychain'] as const
export type TokenSource = (typeof tokenSources)[number]

/**
 * Where a new token is kept: `file`, a private file of the data folder; `keychain`, unless the person chooses the file; `nowhere`,
 * because this desktop has no keyring: the person has to choose the file.
 */
export const tokenKeepers = ['file', 'keychain', 'nowhere'] as const
export type TokenKeeper = (typeof tokenKeepers)[number]

/** Whether Solarchive knows what to archive and where. */
export const setupStateSchema = z.object({
  /** False: nothing is set up yet; calls that need more answer `setup-needed`. */
  ready: z.boolean(),
  /** The embedded sample service takes the place of the real one, with folders of its own. */
  usesSample: z.boolean(),
  serviceUrl: z.string(),
  /** Absolute; before the set-up where it would be. */
  archiveFolder: z.string(),
  /** The same, but of the real service also while the sample service takes its place. */
  ownArchiveFolder: z.string(),
  /** Of the real service's token. */
  token: z.enum(tokenSources),
  /** Why a token that is stored cannot be used, for a person; null: there is none, or it can. */
  tokenProblem: z.string().nullable(),
  keepsTokenIn: z.enum(tokenKeepers),
  fixed: fixedSchema,
})
export type SetupState = z.infer<typeof setupStateSchema>

/**
 * What came of a look at the service. `bad-address`: no address, or one that leads elsewhere; `not-the-service`: something
 * answers there, but not as the service does; `not-certain`: what answers does not tell whether it is the service; `no-token`:
 * there is none to ask with.
 */
export const connectionOutcomes = [
  'ok',
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

/** `message` is for a person. `projectsFound` null: the service does not tell, or it was not `ok`. */
export const connectionTestSchema = z.object({
  outcome: z.enum(connectionOutcomes),
  message: z.string(),
  projectsFound: z.int().min(0).nullable(),
})
export type ConnectionTest = z.infer<typeof connectionTestSchema>

/** A folder looked at as a place for the archive. */
export const archiveCheckSchema = z.object({
  /** Absolute; `~` is the person's own folder. */
  folder: z.string(),
  /** Whether the archive can be there. An archive that is there already has to be adopted, which is said in so many words. */
  usable: z.boolean(),
  /** Why not, for a person. */
  problem: z.string().nullable(),
  exists: z.boolean(),
  isEmpty: z.boolean(),
  /** It holds an archive of Solarchive's. */
  isArchive: z.boolean(),
  /** Null: the file system does not tell. */
  freeBytes: z.number().min(0).nullable(),
})
export type ArchiveCheck = z.infer<typeof archiveCheckSchema>

/** Where Solarchive runs. Folders are absolute. */
export const appInfoSchema = z.object({
  version: z.string(),
  host: z.enum(['browser', 'desktop']),
  /** As Node names it: `linux`, `darwin`, `win32`. */
  platform: z.string(),
  homeFolder: z.string(),
  logsFolder: z.string(),
  /** Whether the host can open the file manager. */
  canShowFiles: z.boolean(),
  /** Whether the host has a window in which a folder can be chosen. */
  canChooseFolders: z.boolean(),
  /** Whether the app was packaged with an address where newer versions are. */
  canUpdate: z.boolean(),
  /** ISO 8601 UTC. */
  startedAt: z.string(),
})
export type AppInfo = z.infer<typeof appInfoSchema>

/** Whether Solarchive starts with the person's session, in the background. */
export const startAtLoginSchema = z.object({
  /** False: this host cannot, such as a server, or an app that is not installed. */
  canChange: z.boolean(),
  isOn: z.boolean(),
})
export type StartAtLogin = z.infer<typeof startAtLoginSchema>

/** `download`: the browser fetches `path` from where the app came from; `saved`: it is there; `cancelled`: nobody chose a place. */
export const bundleAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('download'), path: z.string() }),
  z.object({ kind: z.literal('saved'), file: z.string() }),
  z.object({ kind: z.literal('cancelled') }),
])
export type BundleAnswer = z.infer<typeof bundleAnswerSchema>
