import type { Hook } from '../../../shared/hooks.ts'
import type { EngineSettings } from '../../engine/engine.ts'

/** Returns the hooks that events are recorded for, without their targets and secrets. */
export function subscriptionsOf(hooks: readonly Hook[]): NonNullable<EngineSettings['hooks']> {
  return hooks.filter(({ isOn }) => isOn).map(({ id, events, gapDays }) => ({ id, events, gapDays }))
}

/** Returns the setting of the engine for hooks; an empty object without any. */
export function hookSettings(hooks: readonly Hook[] | undefined): Pick<EngineSettings, 'hooks'> {
  return hooks === undefined ? {} : { hooks: subscriptionsOf(hooks) }
}

/** Returns what of hooks must not be shown or logged: secrets, and addresses, which may contain one. */
export function hookSecrets(hooks: readonly Hook[]): string[] {
  return hooks.flatMap(({ target }) => (target.kind === 'webhook' ? [target.secret, target.url] : []))
}
