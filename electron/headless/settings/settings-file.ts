import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { logLevels } from '../log/log-level.ts'

/**
 * `settings.json` in the data folder. Every key may be absent. `archiveFolder` may be relative to the data folder;
 * `apiCallsPerMinute` 0 lifts the limit. There is no key for the access token: settings are shown to others, and the token has a private file of its own.
 */
const settingsFileSchema = z.object({
  serviceUrl: z
    .string({ error: 'has to be an address in quotation marks' })
    .trim()
    .min(1, 'has to be an address')
    .optional(),
  archiveFolder: z
    .string({ error: 'has to be a path in quotation marks' })
    .trim()
    .min(1, 'has to be a path')
    .optional(),
  apiCallsPerMinute: wholeNumber(
    0,
    Number.MAX_SAFE_INTEGER,
    'has to be a whole number, 0 (no limit) or more',
  ).optional(),
  concurrency: wholeNumber(1, 64, 'has to be a whole number from 1 to 64').optional(),
  quietHours: z
    .strictObject({ start: timeOfDay(), end: timeOfDay() }, { error: 'has to be {"start": "22:00", "end": "06:00"}' })
    .refine(({ start, end }) => start !== end, { error: 'has to start and end at different times' })
    .optional(),
  logLevel: z.enum(logLevels, { error: `has to be one of ${logLevels.join(', ')}` }).optional(),
})

export type SettingsFile = z.infer<typeof settingsFileSchema>

function timeOfDay() {
  const error = 'has to be a time of the day such as "22:00"'
  return z.string({ error }).regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error })
}

function wholeNumber(lowest: number, highest: number, error: string) {
  return z.int({ error }).min(lowest, { error }).max(highest, { error })
}

/** What was read, and what a person should be told about it although it does no harm. */
export interface ReadSettings {
  readonly settings: SettingsFile
  readonly warnings: readonly string[]
}

/** The settings in a JSON text. Throws `wrong-settings` that names the file, the key and what is allowed. */
export function parseSettings(text: string, path: string): ReadSettings {
  const json = parseJson(text, path)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new AppError('wrong-settings', `${path} has to hold one JSON object, such as {"concurrency": 8}.`)
  }
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
    return `${path}: "${key}" is ignored. The access token is read from SOLARCHIVE_TOKEN, or from the file "token" beside this one.`
  }
  return `${path}: "${key}" is not a setting and is ignored. The settings are ${known.join(', ')}.`
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    // JSON.parse quotes a piece of the text, which might be a secret in the wrong place.
    throw new AppError('wrong-settings', `${path} is not valid JSON. Put it right, or delete it to go on without it.`, {
      cause: error,
    })
  }
}

/** Reads the settings of a data folder; none when it has no such file. Throws `wrong-settings`. */
export async function readSettingsFile(homeFolder: string): Promise<ReadSettings> {
  const path = join(homeFolder, 'settings.json')
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code === 'ENOENT' || code === 'ENOTDIR') return { settings: {}, warnings: [] }
    throw new AppError('wrong-settings', `${path} cannot be read (${code}).`, { cause: error })
  }
  return parseSettings(text, path)
}
