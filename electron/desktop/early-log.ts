import type { Log, LogFields } from '../engine/lib/ports.ts'

type Level = keyof Log

/** A log that can be used before the log file is open: its first lines are kept until then. */
export class EarlyLog implements Log {
  #log: Log | undefined
  #kept: (readonly [Level, string, LogFields | undefined])[] = []
  readonly debug = this.#writerOf('debug')
  readonly info = this.#writerOf('info')
  readonly warn = this.#writerOf('warn')
  readonly error = this.#writerOf('error')

  /** Sets the log for all lines, including those of before. */
  open(log: Log): void {
    this.#log = log
    for (const [level, message, fields] of this.#kept) log[level](message, fields)
    this.#kept = []
  }

  #writerOf(level: Level): Log[Level] {
    return (message, fields) => {
      if (this.#log === undefined) this.#kept.push([level, message, fields])
      else this.#log[level](message, fields)
    }
  }
}
