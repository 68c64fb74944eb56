import { isTokenError } from '../../shared/error-policy.ts'
import { AppError } from '../../shared/errors.ts'
import { noteError } from '../app/log/log-error.ts'
import { requireNoMove } from '../app/move/move-record.ts'
import { type DataFolder, openDataFolder } from '../app/data-folder.ts'
import type { HostSettings } from '../app/settings/resolve-settings.ts'
import type { TokenAdvice } from '../app/token/token-source.ts'
import { createEngine } from '../engine/create-engine.ts'
import type { Engine } from '../engine/engine.ts'
import type { Log, Logger } from '../engine/lib/ports.ts'
import type { Redactor } from '../engine/lib/redact.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import type { ConsoleOutput } from './output/console-output.ts'

/** What every command is given. */
export interface Session {
  readonly engine: Engine
  readonly settings: HostSettings
  readonly output: ConsoleOutput
  readonly log: Log
  readonly tokenAdvice: TokenAdvice
  /** Aborts when the person, or a supervisor, wants an end. */
  readonly signal: AbortSignal
}

export interface SessionOptions {
  readonly settings: HostSettings
  readonly output: ConsoleOutput
  readonly redactor: Redactor
  readonly platform: NodeJS.Platform
  readonly signal: AbortSignal
}

/**
 * Opens the engine, and with `--sample` the embedded service, for one command, and closes them whatever happens.
 * Every rejection is an AppError.
 */
export async function withSession<T>(options: SessionOptions, use: (session: Session) => Promise<T>): Promise<T> {
  const { settings, output, redactor, platform } = options
  const tell = (message: string) => output.warn(message)
  const dataFolder = openDataFolder({ ...settings, platform, redactor, tell })
  try {
    return await openSession(options, dataFolder, use)
  } catch (thrown) {
    const error = noteError(dataFolder.log, thrown)
    throw isTokenError(error.code) ? withAdvice(error, dataFolder.tokens.advice) : error
  }
}

async function openSession<T>(
  { settings: given, output, redactor, signal }: SessionOptions,
  { log, tokens, followRefusals }: DataFolder,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  await requireNoMove(given.homeFolder, given.archiveFolder)
  const sample = given.useSample ? await startSample() : undefined
  try {
    const settings = sample === undefined ? given : { ...given, serviceUrl: sample.url }
    if (sample !== undefined) redactor.addSecret(sample.token)
    const secrets = sample === undefined ? tokens : { accessToken: () => Promise.resolve(sample.token) }
    const engine = createEngine(settings, { clock: systemClock, logger: withConsole(log, output), secrets })
    followRefusals(engine)
    try {
      if (sample !== undefined && engine.projects.list().length === 0) engine.projects.add(sample.projects)
      return await use({ engine, settings, output, log, tokenAdvice: tokens.advice, signal })
    } finally {
      await engine.close()
    }
  } finally {
    await sample?.close()
  }
}

/** Names the token file, in the message, which is told and never logged. */
function withAdvice({ code, message, cause }: AppError, advice: TokenAdvice): AppError {
  return new AppError(code, `${message} ${advice.next}`, { cause })
}

/** Starts the sample service, loaded only when it is asked for. */
export async function startSample() {
  const { startSampleService } = await import('../sample-service/start-sample-service.ts')
  try {
    return await startSampleService()
  } catch (error) {
    throw new AppError('internal', 'The sample service could not be started on this machine.', { cause: error })
  }
}

/** What the commands tell themselves, with the file and the reason. */
const toldByCommands: ReadonlySet<string> = new Set(['A file could not be archived'])

/** Warnings are for the person at the console too. Errors are told by what the command ends with. */
export function withConsole(log: Log, output: ConsoleOutput): Logger {
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn(message, fields) {
      if (!output.isQuiet && !toldByCommands.has(message)) output.warn(message)
      log.warn(message, fields)
    },
    error: (message, fields) => log.error(message, fields),
    tell: (message) => output.warn(message),
  }
}
