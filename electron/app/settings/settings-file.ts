import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { authoritySchema } from '../../../shared/evidence.ts'
import {
  allowHttpSchema,
  apiCallsPerMinuteSchema,
  appearanceSchema,
  concurrencySchema,
  logLevelSchema,
  notificationsPatchSchema,
  proxySchema,
  quietHoursSchema,
  savedSearchesSchema,
  scheduleSchema,
  toggleSchema,
} from '../../../shared/settings.ts'
import { hooksSchema } from '../../../shared/hooks.ts'
import { whyNotSaved } from '../../engine/lib/fs/data-folder-error.ts'
import { lstatIfExists } from '../../engine/lib/fs/disk-error.ts'
import { writePrivateFile } from '../../engine/lib/fs/private-files.ts'

/**
 * `settings.json` in the data folder. Every key may be absent. `archiveFolder` and `caFile` may be relative to the data
 * folder; `apiCallsPerMinute` 0 removes the limit; `useSample` runs the app on the sample service, but never the
 * command line. There is no key for the access token: people share their settings, and the token has a private file of
 * its own.
 */
const settingsFileSchema = z.object({
  serviceUrl: z
    .string({ error: 'must be an address in quotation marks' })
    .trim()
    .min(1, 'must be an address')
    .optional(),
  allowHttp: allowHttpSchema.optional(),
  archiveFolder: z.string({ error: 'must be a path in quotation marks' }).trim().min(1, 'must be a path').optional(),
  apiCallsPerMinute: apiCallsPerMinuteSchema.optional(),
  concurrency: concurrencySchema.optional(),
  proxy: proxySchema.optional(),
  caFile: z.string({ error: 'must be a path in quotation marks' }).trim().min(1, 'must be a path').optional(),
  schedule: scheduleSchema.optional(),
  quietHours: quietHoursSchema.optional(),
  readPhotos: toggleSchema.optional(),
  stampDaily: toggleSchema.optional(),
  stampAuthority: authoritySchema.optional(),
  stampFallback: authoritySchema.optional(),
  logLevel: logLevelSchema.optional(),
  // Kinds that other versions of Solarchive wrote are ignored.
  notifications: z.object(notificationsPatchSchema.shape).optional(),
  appearance: appearanceSchema.optional(),
  pauseOnBattery: toggleSchema.optional(),
  looksForUpdates: toggleSchema.optional(),
  savedSearches: savedSearchesSchema.optional(),
  hooks: hooksSchema.optional(),
  useSample: z.boolean({ error: 'must be true or false' }).optional(),
})

export type SettingsFile = z.infer<typeof settingsFileSchema>

/** Settings that were read, and warnings about unknown keys. */
export interface ReadSettings {
  readonly settings: SettingsFile
  readonly warnings: readonly string[]
}

/** Parses settings. Throws `wrong-settings`, which names the file, the key, and what is allowed. */
export function parseSettings(text: string, path: string): ReadSettings {
  return check(parseObject(text, path), path)
}

function check(json: object, path: string): ReadSettings {
  const parsed = settingsFileSchema.safeParse(json)
  if (!parsed.success) {
    const lines = parsed.error.issues.map((issue) => `"${issue.path.join('.')}" ${issue.message}.`)
    throw new AppError('wrong-settings', `${path}: ${lines.join(' ')}`)
  }
  const known = Object.keys(settingsFileSchema.shape)
  const unknown = Object.keys(json).filter((key) => !known.includes(key))
  return { settings: parsed.data, warnings: unknown.map((key) => unknownKeyWarning(key, known, path)) }
}

function unknownKeyWarning(key: string, known: readonly string[], path: string): string {
  if (/token/i.test(key)) {
    const sources = 'SOLARCHIVE_TOKEN, or from the file "token" beside this one'
    return `${path}: "${key}" is ignored. The access token is read from ${sources}.`
  }
  return `${path}: "${key}" is not a setting and is ignored. The settings are ${known.join(', ')}.`
}

function parseObject(text: string, path: string): object {
  const json = parseJson(text, path)
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json
  throw new AppError('wrong-settings', `${path} must hold one JSON object, such as {"concurrency": 8}.`)
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    // The message of JSON.parse quotes part of the text, which may be a secret.
    throw new AppError('wrong-settings', `${path} is not valid JSON. Fix it, or delete it to use the defaults.`, {
      cause: error,
    })
  }
}

/** Returns the text, or undefined if there is no such file. Throws `wrong-settings`. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR'
    // The file that a link leads to may be on a disk that is away: its settings must not be taken for none.
    if (isMissing && (await lstatIfExists(path))?.isSymbolicLink() !== true) return undefined
    let advice = ''
    if (isMissing) {
      advice = ' It is a link to a file that is not there. Connect the disk of that file, or remove the link.'
    } else if (['EACCES', 'EPERM'].includes(code)) {
      advice =
        ' Give the user that runs Solarchive access to the data folder and all files in it, or choose another one ' +
        'with --home or SOLARCHIVE_HOME.'
    }
    throw new AppError('wrong-settings', `${path} cannot be read (${code}).${advice}`, { cause: error })
  }
}

const pathIn = (homeFolder: string) => join(homeFolder, 'settings.json')

/** Reads the settings of a data folder. Without a file, no setting is set. Throws `wrong-settings`. */
export async function readSettingsFile(homeFolder: string): Promise<ReadSettings> {
  const path = pathIn(homeFolder)
  const text = await readText(path)
  return text === undefined ? { settings: {}, warnings: [] } : parseSettings(text, path)
}

/** Change of the file: null removes a value, undefined leaves it unchanged. */
export type SettingsFileChange = { readonly [Key in keyof SettingsFile]?: SettingsFile[Key] | null }

/** Returns the settings with a change applied. Throws `wrong-settings` if the file or the change is invalid. */
export async function changedSettings(homeFolder: string, change: SettingsFileChange): Promise<SettingsFile> {
  return check(await readChanged(pathIn(homeFolder), change), pathIn(homeFolder)).settings
}

/**
 * Changes settings.json atomically, readable by its owner alone. Other keys stay, including unknown ones. Throws
 * `wrong-settings` if the file is invalid or cannot be read or written, and then leaves it unchanged.
 */
export async function writeSettingsFile(homeFolder: string, change: SettingsFileChange): Promise<void> {
  const path = pathIn(homeFolder)
  const changed = await readChanged(path, change)
  check(changed, path)
  try {
    // A symbolic link stays, and its target is written.
    const target = await realpath(path).catch(() => path)
    await writePrivateFile(target, `${JSON.stringify(changed, null, 2)}\n`)
  } catch (error) {
    const why = whyNotSaved(error, homeFolder)
    throw new AppError('wrong-settings', `The settings could not be saved in ${path}: ${why}. Nothing was changed.`, {
      cause: error,
    })
  }
}

async function readChanged(path: string, change: SettingsFileChange): Promise<object> {
  const text = await readText(path)
  const before = text === undefined ? {} : parseObject(text, path)
  const changed = new Map<string, unknown>(Object.entries(before))
  for (const [key, value] of Object.entries(change)) {
    if (value === null) changed.delete(key)
    else if (value !== undefined) changed.set(key, value)
  }
  return Object.fromEntries(changed)
}
