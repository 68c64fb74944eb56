import type { ExitCode } from '../../../shared/error-policy.ts'
import { styleText } from 'node:util'
import type { Io, TextStream } from '../io.ts'
import type { JsonList } from './json-list.ts'

/** Each write is a system call. */
const linesAtOnce = 500

export interface OutputOptions extends Pick<Io, 'stdout' | 'stderr' | 'env' | 'redactor'> {
  readonly json: boolean
  readonly quiet: boolean
}

/**
 * Console of the command line: the command's result on stdout, everything else on stderr. Each text passes the
 * redactor, even those that should contain no secret.
 */
export class ConsoleOutput {
  readonly paint: Painter
  readonly #options: OutputOptions
  readonly #errorPaint: Painter
  #liveLine = ''
  #now: (() => Date) | undefined
  #isByLine = false

  constructor(options: OutputOptions) {
    this.#options = options
    this.paint = createPainter(showsColors(options.stdout, options.env))
    this.#errorPaint = createPainter(showsColors(options.stderr, options.env))
  }

  /** True if a line of stderr can be overwritten. */
  get isLive(): boolean {
    return this.#options.stderr.isTTY === true && this.#options.env['TERM'] !== 'dumb'
  }

  get isQuiet(): boolean {
    return this.#options.quiet
  }

  /** Columns that a live line may fill: not the last one, where some terminals wrap. Some report a width of 0. */
  get columns(): number {
    return (this.#options.stderr.columns || 80) - 1
  }

  printOutcome({ document, list, summary = [], answer = [], problems = [] }: Outcome): void {
    const { json, quiet } = this.#options
    if (json) {
      if (list !== undefined) this.#printList(list, document)
      else if (document !== undefined) this.printDocument(document)
      for (const line of problems) this.#writeError(line)
      return
    }
    this.printLines([...(quiet ? [] : summary), ...answer, ...problems])
  }

  /** Prints the one JSON document of `--json`. */
  printDocument(document: unknown): void {
    this.#options.stdout.write(`${this.#toJson(document, this.#isByLine ? 0 : 2)}\n`)
  }

  /** Prints a document in one line from now on, as a command does that prints events. */
  printByLine(): void {
    this.#isByLine = true
  }

  /** Returns a value as it is printed in a list at the top of a document; see `Outcome.list`. */
  toListed(value: unknown): string {
    // Not every line break of a regular expression is one of JSON: texts may contain U+2028 and U+2029.
    return `\n    ${this.#toJson(value).replaceAll('\n', '\n    ')}`
  }

  #toJson(value: unknown, indent = 2): string {
    const { redactor } = this.#options
    const clean = (_key: string, part: unknown) =>
      typeof part === 'string' ? redactor.evidence.redactText(part) : part
    return JSON.stringify(value, clean, indent)
  }

  /** Prints a document with a long list, which is its first field, as `printDocument` would. */
  #printList({ key, items }: NonNullable<Outcome['list']>, document: unknown): void {
    const { stdout } = this.#options
    stdout.write(`{\n  ${JSON.stringify(key)}: [`)
    for (const text of items.texts()) stdout.write(text)
    stdout.write(`${items.length === 0 ? '' : '\n  '}],${this.#toJson(document).slice(1)}\n`)
  }

  /** Prints one line of NDJSON: the form of `--json` for a command that keeps running. */
  printEvent(event: object): void {
    const { redactor, stdout } = this.#options
    stdout.write(`${JSON.stringify(redactor.evidence.redactJson(event))}\n`)
  }

  /** Prints the app's address, whose one-time token is the only secret that is not redacted. */
  printAddress(address: string, at: string): void {
    const { json, stdout } = this.#options
    stdout.write(json ? `${JSON.stringify({ event: 'address', at, url: address })}\n` : `${address}\n`)
  }

  /** Prints a note and other forms of that address; prints nothing with `--quiet` or `--json`. */
  printOtherAddresses(text: string, addresses: readonly string[]): void {
    if (this.isJson || this.#options.quiet || addresses.length === 0) return
    this.note(text)
    this.#options.stderr.write(addresses.map((address) => `${address}\n`).join(''))
  }

  get isJson(): boolean {
    return this.#options.json
  }

  /** Prints a text unchanged, such as a template. */
  printText(text: string): void {
    this.#options.stdout.write(text)
  }

  /** Prints lines on stdout. */
  printLines(lines: readonly string[]): void {
    const { stdout, redactor } = this.#options
    for (let start = 0; start < lines.length; start += linesAtOnce) {
      const some = lines.slice(start, start + linesAtOnce).map((line) => `${redactor.evidence.redactText(line)}\n`)
      stdout.write(some.join(''))
    }
  }

  /** Prints the help on stdout if it was asked for, else on stderr. */
  printHelp(text: string, asked: boolean): void {
    const { stdout, stderr } = this.#options
    const stream = asked ? stdout : stderr
    stream.write(text)
  }

  /** Starts every note and warning from now on with the local date and time, "2026-11-21 15:05:09". */
  stampTimes(now: () => Date): void {
    if (!this.isJson) this.#now = now
  }

  #stamped(text: string): string {
    const now = this.#now?.()
    if (now === undefined) return text
    const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000)
    return `${local.toISOString().slice(0, 19).replace('T', ' ')}  ${text}`
  }

  /** Prints information while a command runs; nothing with `--quiet`. */
  note(text: string): void {
    if (!this.#options.quiet) this.#writeError(this.#stamped(text))
  }

  warn(text: string): void {
    this.#writeError(this.#errorPaint.waiting(this.#stamped(text)))
  }

  error(text: string): void {
    this.#writeError(this.#errorPaint.bad(text))
  }

  /** Shows a line on stderr that the next one replaces; an empty one removes it. Only if `isLive`. */
  showLive(line: string): void {
    const { stderr, redactor } = this.#options
    if (line === this.#liveLine) return
    this.#liveLine = line
    stderr.write(`\r${redactor.redactText(line)}\u001B[K`)
  }

  #writeError(text: string): void {
    const live = this.#liveLine
    if (live !== '') this.showLive('')
    this.#options.stderr.write(`${this.#options.redactor.redactText(text)}\n`)
    if (live !== '') this.showLive(live)
  }
}

/** By the convention of no-color.org, any value but an empty one turns colors off. */
function showsColors(stream: TextStream, env: OutputOptions['env']): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
}

/** Roles of color in what is printed. No information is in the color alone. */
export interface Painter {
  readonly title: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly waiting: (text: string) => string
  readonly faint: (text: string) => string
}

type Format = Parameters<typeof styleText>[0]

/** Returns a painter that colors text for a terminal, or leaves it unchanged. */
export function createPainter(useColors: boolean): Painter {
  const paint = (format: Format) => (text: string) =>
    useColors ? styleText(format, text, { validateStream: false }) : text
  return {
    title: paint('bold'),
    good: paint('green'),
    bad: paint('red'),
    waiting: paint('yellow'),
    faint: paint('dim'),
  }
}

/** Result of a command. Lines are plain sentences or tables, colors included. */
export interface Outcome {
  readonly exitCode: ExitCode
  /** JSON document of `--json`; absent if the command has printed events. */
  readonly document?: unknown
  /** A long list that is the first field of the document, which has others: its name, and its values (`toListed`). */
  readonly list?: { readonly key: string; readonly items: JsonList } | undefined
  /** Success messages; omitted with `--quiet`. */
  readonly summary?: readonly string[]
  /** Lines of the requested information. */
  readonly answer?: readonly string[]
  /** True if the command runs until it is stopped: a signal is its regular end, and the exit code stands. */
  readonly endsByStop?: boolean
  /** Problems, and what to do about them. */
  readonly problems?: readonly string[]
}
