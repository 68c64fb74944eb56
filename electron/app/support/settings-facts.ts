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

/** The settings as far as they can be had: a support bundle is wanted most when something is wrong with them. */
export interface FoundSettings {
  readonly homeFolder: string
  readonly file: SettingsFile | undefined
  /** What was wrong with the file, or is not known in it; may name paths. */
  readonly remarks: readonly string[]
  readonly effective: Omit<HostSettings, 'accessToken'> | undefined
  readonly hasToken: boolean
}

/** Reads and resolves settings. */
export async function findSettings(started: StartSettings, environment: HostEnvironment): Promise<FoundSettings> {
  const homeFolder = resolveHomeFolder(started, environment)
  const remarks: string[] = []
  // Its place is known: a sentence that starts with it would be cut there.
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

/** A copy of a JSON value with every text of it as `clean` answers it. */
export function withCleanTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withCleanTexts(item, clean))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withCleanTexts(item, clean)]))
}
