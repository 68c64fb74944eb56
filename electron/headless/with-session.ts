import { AppError, toAppError, tokenCodes } from '../../shared/errors.ts'
import { createEngine } from '../engine/create-engine.ts'
import type { Engine } from '../engine/engine.ts'
import { requireNoMove } from '../engine/installation/move/move-record.ts'
import type { Log } from '../engine/ports.ts'
import type { Redactor } from '../engine/redact.ts'
import { systemClock } from '../engine/system-clock.ts'
import { createFileLog } from './log/create-file-log.ts'
import { concernsTheLog, withConsole } from './log/host-log.ts'
import type { ConsoleOutput } from './output/console-output.ts'
import { prepareHomeFolder } from './prepare-home-folder.ts'
import type { HeadlessSettings } from './settings/resolve-settings.ts'
import { startSample } from './start-sample.ts'
import { type TokenAdvice, TokenSource } from './token/token-source.ts'

/** What every command is given. */
export interface Session {
  readonly engine: Engine
  readonly settings: HeadlessSettings
  readonly output: ConsoleOutput
  readonly log: Log
  readonly tokenAdvice: TokenAdvice
  /** Aborts when the person, or a supervisor, wants an end. */
  readonly signal: AbortSignal
}

export interface SessionOptions {
  readonly settings: HeadlessSettings
  readonly output: ConsoleOutput
  readonly redactor: Redactor
  readonly signal: AbortSignal
}

/**
 * Opens the engine, and with `--sample` the embedded service, for one command, and closes them whatever happens.
 * Every rejection is an AppError.
 */
export async function withSession<T>(options: SessionOptions, use: (session: Session) => Promise<T>): Promise<T> {
  const { output, redactor, signal } = options
  const log = createFileLog({
    homeFolder: options.settings.homeFolder,
    redactor,
    clock: systemClock,
    level: options.settings.logLevel,
    onBroken: (message) => output.warn(message),
  })
  const tokens = new TokenSource({
    homeFolder: options.settings.homeFolder,
    environmentToken: options.settings.accessToken,
    platform: process.platform,
    redactor,
    tell: (message) => output.warn(message),
  })
  prepareHomeFolder(options.settings.homeFolder)
  await requireNoMove(options.settings.homeFolder, options.settings.archiveFolder)
  const sample = options.settings.useSample ? await startSample() : undefined
  try {
    const settings = sample === undefined ? options.settings : { ...options.settings, serviceUrl: sample.url }
    if (sample !== undefined) redactor.addSecret(sample.token)
    const engine = createEngine(settings, {
      clock: systemClock,
      logger: withConsole(log, output),
      secrets: sample === undefined ? tokens : { accessToken: () => Promise.resolve(sample.token) },
    })
    engine.events.on('watch-state', (state) => {
      if (state.kind === 'blocked' && state.obstacle === 'token') tokens.noteRefusal()
    })
    try {
      if (sample !== undefined && engine.projects.list().length === 0) engine.projects.add(sample.projects)
      return await use({ engine, settings, output, log, tokenAdvice: tokens.advice, signal })
    } finally {
      await engine.close()
    }
  } catch (thrown) {
    const error = toAppError(thrown)
    if (concernsTheLog(error)) log.error('A command ended with an error', { code: error.code, cause: error.cause })
    throw tokenCodes.has(error.code) ? withAdvice(error, tokens.advice) : error
  } finally {
    await sample?.close()
  }
}

/** Names the token file, so it is made after the log was written. */
function withAdvice({ code, message, cause }: AppError, advice: TokenAdvice): AppError {
  return new AppError(code, `${message} ${advice.next}`, { cause })
}
