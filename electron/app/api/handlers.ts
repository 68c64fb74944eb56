import type { CallName, CallOutput, ParsedInput } from '../../../shared/contract/calls.ts'
import type { ConnectionTest, SetupState } from '../../../shared/settings.ts'
import type { EngineHolder } from '../engine-holder.ts'
import type { Mover } from '../move/mover.ts'
import type { AppPorts, SettingsSource } from '../ports.ts'
import type { Configuration } from '../settings/configuration.ts'
import type { ConnectionToTest } from '../settings/connection-tester.ts'
import type { SettingsChanger, SettingsQueue } from '../settings/change-settings.ts'
import type { RecordAction } from '../settings/settings-activity.ts'
import type { BackgroundTasks } from './background-tasks.ts'

/** Functions that answer the calls of the contract, by call name. Each feature provides its own. */
export type Handlers = {
  readonly [Name in CallName]: (input: ParsedInput<Name>) => CallOutput<Name> | Promise<CallOutput<Name>>
}

export interface HandlersDeps {
  readonly source: SettingsSource
  readonly ports: AppPorts
  readonly configuration: Configuration
  readonly engines: EngineHolder
  readonly tasks: BackgroundTasks
  readonly mover: Mover
  readonly changer: SettingsChanger
  readonly queue: SettingsQueue
  readonly setupState: () => SetupState
  readonly takeOver: () => Promise<void>
  readonly testConnection: (asked: ConnectionToTest) => Promise<ConnectionTest>
  readonly recordAction: RecordAction
  /** Throws while the archive is being moved: it may only be read then, and some files are in the other folder. */
  readonly requireWritableArchive: () => void
  /** Aborts when the app closes. */
  readonly signal: AbortSignal
}
