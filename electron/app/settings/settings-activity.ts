import type { SettingChange, UserAction } from '../../../shared/activity.ts'
import { type ListedSetting, listedSettings, type Settings } from '../../../shared/settings.ts'
import type { Log } from '../../engine/lib/ports.ts'
import type { EngineHolder } from '../engine-holder.ts'

/** Called after a user's action, to list it in the activity. Never throws: the action itself is done. */
export type RecordAction = (action: UserAction) => void

/** Returns the recorder of actions in the activity of the current engine; without one there is no activity. */
export function createActionRecorder(engines: EngineHolder, log: Log): RecordAction {
  return (action) => {
    try {
      engines.present?.recordAction(action)
    } catch (cause) {
      log.warn('An action could not be recorded in the activity', { kind: action.kind, cause })
    }
  }
}

type ListedValues = Readonly<Record<Exclude<ListedSetting, 'startAtLogin'>, SettingChange['from']>>

/** Returns the values of the settings as the activity lists them. */
export function listedValues(settings: Settings, archiveFolder: string): ListedValues {
  const { quietHours } = settings
  return {
    ...settings,
    ...settings.notifications,
    archiveFolder,
    quietHours: quietHours === null ? null : `${quietHours.start}–${quietHours.end}`,
  }
}

/**
 * Returns the settings that differ. Consent to an address without encryption is listed by itself only if the address is
 * the same: another address has a consent of its own.
 */
export function settingsChanges(before: ListedValues, after: ListedValues): SettingChange[] {
  const isSameService = before.serviceUrl === after.serviceUrl
  return listedSettings
    .filter((setting) => setting !== 'startAtLogin')
    .filter((setting) => before[setting] !== after[setting] && (setting !== 'allowHttp' || isSameService))
    .map((setting) => ({ setting, from: before[setting], to: after[setting] }))
}
