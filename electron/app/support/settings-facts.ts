import { join } from 'node:path'
import { toAppError } from '../../../shared/errors.ts'
import {
  type HostEnvironment,
  type HostSettings,
  resolveHomeFolder,
  resolveSettings,
  type StartSettings,
} from '../settings/resolve-settings.ts'
import { readSettingsFile, type SettingsFile } from '../settings/settings-file.ts'

/** The settings as far as they can be read: a support bundle is most useful when something is wrong with them. */
export interface FoundSettings {
  readonly homeFolder: string
  readonly file: SettingsFile | undefined
  /** Errors and unknown keys in the file; may contain paths. */
  readonly remarks: readonly string[]
  readonly effective: Omit<HostSettings, 'accessToken'> | undefined
  readonly hasToken: boolean
}

/** Reads and resolves settings. Never rejects for invalid settings. */
export async function findSettings(started: StartSettings, environment: HostEnvironment): Promise<FoundSettings> {
  const homeFolder = resolveHomeFolder(started, environment)
  const remarks: string[] = []
  // The full path would cut the sentence off when it is scrubbed.
  const remark = (thrown: unknown) => {
    remarks.push(toAppError(thrown).message.replaceAll(join(homeFolder, 'settings.json'), 'settings.json'))
  }
  let file: SettingsFile | undefined
  let effective: FoundSettings['effective']
  try {
    const read = await readSettingsFile(homeFolder)
    file = read.settings
    if (read.warnings.length > 0) remarks.push(`Keys that are no settings: ${read.warnings.length}`)
  } catch (thrown) {
    remark(thrown)
  }
  try {
    const { accessToken: _, ...settings } = resolveSettings(started, environment, file ?? {})
    effective = settings
  } catch (thrown) {
    remark(thrown)
  }
  return { homeFolder, file, remarks, effective, hasToken: Boolean(environment.env['SOLARCHIVE_TOKEN']?.trim()) }
}

/** Returns a copy of a JSON value with `clean` applied to every string. */
export function withCleanTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withCleanTexts(item, clean))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withCleanTexts(item, clean)]))
}
