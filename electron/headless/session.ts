import { isTokenError } from '../../shared/error-policy.ts'
import { AppError } from '../../shared/errors.ts'
import { recordError } from '../app/log/create-file-log.ts'
import { requireNoMove } from '../app/move/move-record.ts'
import { type DataFolder, openDataFolder } from '../app/data-folder.ts'
import type { HostSettings } from '../app/settings/resolve-settings.ts'
import { type SampleLoader, startSample } from '../app/start-sample.ts'
import type { TokenAdvice } from '../app/token/token-reader.ts'
import { createEngine } from '../engine/create-engine.ts'
import type { Engine } from '../engine/engine.ts'
import type { Log, Logger } from '../engine/lib/ports.ts'
import type { Redactor } from '../engine/lib/redact.ts'
import { systemClock } from '../engine/lib/system-clock.ts'
import type { ConsoleOutput } from './output/console-output.ts'

/** Context of a command. */
export interface Session {
  readonly engine: Engine
  readonly settings: HostSettings
  readonly output: ConsoleOutput
  readonly log: Log
  readonly tokenAdvice: TokenAdvice
  /** Returns the access token, if there is one. */
  readonly readToken: () => Promise<string | undefined>
  /** Aborts when the user or a supervisor stops the command. */
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
 * Opens the engine, and with `--sample` the embedded service, for one command, and always closes them. Rejects only
 * with an AppError.
 */
export async function withSession<T>(options: SessionOptions, use: (session: Session) => Promise<T>): Promise<T> {
  const { settings, output, redactor, platform } = options
  const warn = (message: string) => output.warn(message)
  const dataFolder = openDataFolder({ ...settings, platform, redactor, showMessage: warn })
  try {
    return await openSession(options, dataFolder, use)
  } catch (thrown) {
    const error = recordError(dataFolder.log, thrown)
    throw isTokenError(error.code) ? withAdvice(error, dataFolder.tokens.advice) : error
  }
}

async function openSession<T>(
  { settings: configured, output, redactor, signal }: SessionOptions,
  { log, tokens, followRefusals }: DataFolder,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  await requireNoMove(configured.homeFolder, configured.archiveFolder)
  const sample = configured.useSample ? await startSample(loadSample) : undefined
  try {
    const settings = sample === undefined ? configured : { ...configured, serviceUrl: sample.url }
    if (sample !== undefined) redactor.addSecret(sample.token)
    const secrets = sample === undefined ? tokens : { accessToken: () => Promise.resolve(sample.token) }
    const engine = createEngine(settings, { clock: systemClock, logger: withConsole(log, output), secrets })
    followRefusals(engine)
    try {
      if (sample !== undefined && engine.projects.list().length === 0) engine.projects.add(sample.projects)
      const readToken = () => tokens.accessToken()
      return await use({ engine, settings, output, log, tokenAdvice: tokens.advice, readToken, signal })
    } finally {
      await engine.close()
    }
  } finally {
    await sample?.close()
  }
}

/** Adds the token file to the message, which is printed and never logged. */
function withAdvice({ code, message, cause }: AppError, advice: TokenAdvice): AppError {
  return new AppError(code, `${message} ${advice.next}`, { cause })
}

export const loadSample: SampleLoader = () => import('../sample-service/start-sample-service.ts')

/** Warnings that the commands print themselves, with the file and the reason. */
const printedByCommands: ReadonlySet<string> = new Set(['A file could not be archived'])

/** Returns a logger that also prints warnings. Errors are printed when the command ends with one. */
export function withConsole(log: Log, output: ConsoleOutput): Logger {
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn(message, fields) {
      if (!output.isQuiet && !printedByCommands.has(message)) output.warn(message)
      log.warn(message, fields)
    },
    error: (message, fields) => log.error(message, fields),
    showMessage: (message) => output.warn(message),
  }
}
