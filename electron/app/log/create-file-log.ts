import { pino } from 'pino'
import type { Clock, LogFields, Log } from '../../engine/lib/ports.ts'
import type { Redactor } from '../../engine/lib/redact.ts'
import { logFolder } from './log-files.ts'
import type { LogLevel } from '../../../shared/setting-names.ts'
import { plainFields, redactLine } from './log-line.ts'
import { RotatingFile } from './rotating-file.ts'
import { errorPolicy } from '../../../shared/error-policy.ts'
import { type AppError, concernsDataFolder, toAppError } from '../../../shared/errors.ts'

export interface LogOptions {
  /** The data folder; the log is `logs/solarchive.log` in it. */
  readonly homeFolder: string
  readonly redactor: Redactor
  readonly clock: Clock
  /** Default `info`: one line per call or file would hide the important ones. */
  readonly level?: LogLevel | undefined
  /** Called once if the log cannot be written. */
  readonly onBroken: (message: string) => void
  /** Size of one file. Default 5 MB: weeks of passes over a few hundred projects. */
  readonly maxBytes?: number
}

/** A log whose level can be changed at any time. */
export interface FileLog extends Log {
  setLevel(level: LogLevel): void
}

const defaultMaxBytes = 5_000_000

/** Enough to investigate the last month, and small compared with any archive. */
const maxFiles = 5

/** Interval between attempts to write to a full disk or a read-only folder. */
const retryAfterMs = 60_000

/**
 * Creates the log of this process: pino's lines of JSON with `level`, `time` (ISO 8601, UTC), `pid`, `fields` and
 * `msg`, each redacted, in files that are rotated by size. Nothing is created before the first line. A log that cannot
 * be written never stops the work: it warns once, drops lines for a minute, then tries again.
 */
export function createFileLog(options: LogOptions): FileLog {
  const { homeFolder, redactor, clock, level = 'info', onBroken, maxBytes = defaultMaxBytes } = options
  const file = new RotatingFile({ folder: logFolder(homeFolder), maxBytes, maxFiles })
  let retryAtMs: number | undefined
  let lost = 0
  let hasWarned = false

  const drop = (error: unknown) => {
    lost += 1
    retryAtMs = clock.monotonicMs() + retryAfterMs
    if (hasWarned) return
    hasWarned = true
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    onBroken(`The log ${file.path} cannot be written${code}; continuing without it.`)
  }
  const writeLine = (line: string) => {
    if (retryAtMs !== undefined && clock.monotonicMs() < retryAtMs) {
      lost += 1
      return
    }
    try {
      file.append(line)
    } catch (error) {
      drop(error)
      return
    }
    retryAtMs = undefined
    if (lost === 0) return
    const lines = lost
    lost = 0
    logger.warn({ lines }, 'Lines before this one are lost: the log could not be written')
  }
  const logger = pino(
    {
      level,
      // No host name: it often contains a person's name.
      base: { pid: process.pid },
      // A field must not replace one of pino's own with the same name.
      nestedKey: 'fields',
      timestamp: () => `,"time":"${new Date(clock.nowMs()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: plainFields },
      hooks: { streamWrite: (line) => redactLine(line, redactor) },
    },
    { write: writeLine },
  )
  const write = (lineLevel: LogLevel, message: string, fields: LogFields = {}) => {
    try {
      logger[lineLevel](fields, message)
    } catch {
      // A getter or toJSON of the fields threw.
      logger[lineLevel]({ left: 'out' }, message)
    }
  }
  return {
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
    setLevel(next) {
      logger.level = next
    },
  }
}

/** Logs an error unless it is only a notice. Returns it as an AppError. */
export function recordError(log: Log, thrown: unknown): AppError {
  const error = toAppError(thrown)
  if (isLogged(error)) log.error('A command ended with an error', { code: error.code, cause: error.cause })
  return error
}

/**
 * A second Solarchive must not write into the log of the one that owns the data folder. Wrong settings are found before
 * the owner is known, and are shown to the user who can fix them.
 */
function isLogged(error: AppError): boolean {
  // The log is in the data folder, too; only a disk that reports an error may still take a line.
  const isWritable = !concernsDataFolder(error) || error.details?.['dataFolder'] === 'failed'
  return isWritable && errorPolicy[error.code].severity !== 'notice'
}
