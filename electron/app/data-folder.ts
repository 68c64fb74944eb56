import type { LogLevel } from '../../shared/setting-names.ts'
import type { Engine } from '../engine/engine.ts'
import type { Redactor } from '../engine/lib/redact.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { createFileLog } from './log/create-file-log.ts'
import { prepareHomeFolder } from './prepare-home-folder.ts'
import { TokenReader } from './token/token-reader.ts'

export interface DataFolderOptions {
  readonly homeFolder: string
  readonly logLevel?: LogLevel | undefined
  /** The token in the environment, if any. */
  readonly accessToken: string | undefined
  readonly platform: NodeJS.Platform
  readonly redactor: Redactor
  /** Shows a message to the user; it is not logged. */
  readonly showMessage: (message: string) => void
}

/** An open data folder, before an engine is opened on it. */
export type DataFolder = Readonly<ReturnType<typeof openDataFolder>>

/** Opens the data folder and creates it if needed. Throws `wrong-settings` if it cannot be created. */
export function openDataFolder(options: DataFolderOptions) {
  const { homeFolder, logLevel, accessToken, platform, redactor, showMessage } = options
  const log = createFileLog({ homeFolder, redactor, clock: systemClock, level: logLevel, onBroken: showMessage })
  const tokens = new TokenReader({ homeFolder, environmentToken: accessToken, platform, redactor, showMessage })
  prepareHomeFolder(homeFolder)
  return {
    log,
    tokens,
    /** Notifies the token source if this engine's service refuses the token. */
    followRefusals: (engine: Engine): void => {
      engine.events.on('watch-state', (state) => {
        if (state.kind === 'blocked' && state.obstacle === 'token') tokens.recordRefusal()
      })
    },
  }
}
