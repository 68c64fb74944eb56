import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock, LogFields, Logger } from '../engine/ports.ts'
import type { Redactor } from '../engine/redact.ts'
import { plainText } from './format/plain-text.ts'

export interface LogOptions {
  /** The data folder; the log is `logs/solarchive.log` in it. */
  readonly homeFolder: string
  readonly redactor: Redactor
  readonly clock: Clock
  /** Told once when the log cannot be written. */
  readonly onBroken: (message: string) => void
  /** When the file has grown to this size it becomes `solarchive.1.log`, and the former one of that name goes. */
  readonly maxBytes?: number
}

/** Weeks of passes over a few hundred projects. */
const defaultMaxBytes = 5_000_000

/**
 * A log of plain lines, `<UTC time> <level> <message> <fields as JSON>`, each redacted. The file is opened at the first
 * line. A log that cannot be written never stops the work: it is given up with one warning.
 */
export function createFileLog({
  homeFolder,
  redactor,
  clock,
  onBroken,
  maxBytes = defaultMaxBytes,
}: LogOptions): Logger {
  const folder = join(homeFolder, 'logs')
  const path = join(folder, 'solarchive.log')
  let isBroken = false

  const append = (line: string) => {
    mkdirSync(folder, { recursive: true })
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size > 0 && size + line.length > maxBytes) renameSync(path, join(folder, 'solarchive.1.log'))
    const file = openSync(path, 'a', 0o600)
    try {
      writeSync(file, line)
    } finally {
      closeSync(file)
    }
  }
  const write = (level: string, message: string, fields?: LogFields) => {
    if (isBroken) return
    const time = new Date(clock.nowMs()).toISOString()
    const tail = fields === undefined ? '' : ` ${JSON.stringify(fields, withErrorMessages)}`
    try {
      append(`${redactor.redactText(plainText(`${time} ${level} ${message}${tail}`))}\n`)
    } catch (error) {
      isBroken = true
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
      onBroken(`The log ${path} cannot be written${code}; going on without it.`)
    }
  }
  return {
    // A line a call or a file would bury what matters; the levels from info on tell what a person asks about.
    debug() {},
    info: (message, fields) => write('INFO', message, fields),
    warn: (message, fields) => write('WARN', message, fields),
    error: (message, fields) => write('ERROR', message, fields),
  }
}

/** Errors have no enumerable fields, and JSON would write them as `{}`. */
function withErrorMessages(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value
}
