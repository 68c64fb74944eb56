import type { LogLevel } from '../../shared/settings.ts'
import type { Engine } from '../engine/engine.ts'
import type { Redactor } from '../engine/lib/redact.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import { createFileLog, type FileLog } from './log/create-file-log.ts'
import { prepareHomeFolder } from './prepare-home-folder.ts'
import { TokenSource } from './token/token-source.ts'

export interface DataFolderOptions {
  readonly homeFolder: string
  readonly logLevel?: LogLevel | undefined
  /** The environment's. */
  readonly accessToken: string | undefined
  readonly platform: NodeJS.Platform
  readonly redactor: Redactor
  /** A sentence for the person who is there, not for the log. */
  readonly tell: (message: string) => void
}

/** What a data folder gives before there is an engine. */
export interface DataFolder {
  readonly log: FileLog
  readonly tokens: TokenSource
  /** Lets the token's source know when this engine's service refuses the token. */
  readonly followRefusals: (engine: Engine) => void
}

/** Makes the data folder where there is none. Throws `wrong-settings`. */
export function openDataFolder(options: DataFolderOptions): DataFolder {
  const { homeFolder, logLevel, accessToken, platform, redactor, tell } = options
  const log = createFileLog({ homeFolder, redactor, clock: systemClock, level: logLevel, onBroken: tell })
  const tokens = new TokenSource({ homeFolder, environmentToken: accessToken, platform, redactor, tell })
  prepareHomeFolder(homeFolder)
  return {
    log,
    tokens,
    followRefusals(engine) {
      engine.events.on('watch-state', (state) => {
        if (state.kind === 'blocked' && state.obstacle === 'token') tokens.noteRefusal()
      })
    },
  }
}
