import type { Log, LogFields } from '../engine/lib/ports.ts'

type Level = keyof Log

/** A log that can be used before the log file is open: its first lines are kept until then. */
export class EarlyLog implements Log {
  #log: Log | undefined
  #kept: (readonly [Level, string, LogFields | undefined])[] = []

  /** Sets the log for all lines, including those of before. */
  open(log: Log): void {
    this.#log = log
    for (const [level, message, fields] of this.#kept) log[level](message, fields)
    this.#kept = []
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields)
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields)
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields)
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields)
  }

  #write(level: Level, message: string, fields: LogFields | undefined): void {
    if (this.#log === undefined) this.#kept.push([level, message, fields])
    else this.#log[level](message, fields)
  }
}
