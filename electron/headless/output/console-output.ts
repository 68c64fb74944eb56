import type { ExitCode } from '../../../shared/error-policy.ts'
import { styleText } from 'node:util'
import type { Redactor } from '../../engine/lib/redact.ts'
import type { TextStream } from '../io.ts'

export interface OutputOptions {
  readonly stdout: TextStream
  readonly stderr: TextStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly redactor: Redactor
  readonly json: boolean
  readonly quiet: boolean
}

/**
 * Everything that the command line prints: the command's answer on stdout, all the rest on stderr. Each text passes the
 * redactor, also those that should hold no secret anyway.
 */
export class ConsoleOutput {
  readonly paint: Painter
  readonly #options: OutputOptions
  readonly #errorPaint: Painter
  #liveLine = ''

  constructor(options: OutputOptions) {
    this.#options = options
    this.paint = createPainter(showsColours(options.stdout, options.env))
    this.#errorPaint = createPainter(showsColours(options.stderr, options.env))
  }

  /** Whether a line of stderr can be written over. */
  get isLive(): boolean {
    return this.#options.stderr.isTTY === true && this.#options.env['TERM'] !== 'dumb'
  }

  get isQuiet(): boolean {
    return this.#options.quiet
  }

  /** Columns that a live line may fill: not the last one, which makes some terminals wrap. Some tell a width of 0. */
  get columns(): number {
    return (this.#options.stderr.columns || 80) - 1
  }

  printOutcome({ document, summary = [], answer = [], problems = [] }: Outcome): void {
    const { json, quiet } = this.#options
    if (json) {
      if (document !== undefined) this.printDocument(document)
      for (const line of problems) this.#writeError(line)
      return
    }
    this.printLines([...(quiet ? [] : summary), ...answer, ...problems])
  }

  /** The one JSON document of `--json`. */
  printDocument(document: unknown): void {
    const { redactor, stdout } = this.#options
    const clean = (_key: string, value: unknown) =>
      typeof value === 'string' ? redactor.evidence.redactText(value) : value
    stdout.write(`${JSON.stringify(document, clean, 2)}\n`)
  }

  /** One line of NDJSON: what `--json` prints of a command that goes on. */
  printEvent(event: object): void {
    const { redactor, stdout } = this.#options
    stdout.write(`${JSON.stringify(redactor.evidence.redactJson(event))}\n`)
  }

  /** The app's address, with the token in it: the one thing that is printed as it is. */
  printAddress(address: string, at: string): void {
    const { json, stdout } = this.#options
    stdout.write(json ? `${JSON.stringify({ event: 'address', at, url: address })}\n` : `${address}\n`)
  }

  get isJson(): boolean {
    return this.#options.json
  }

  /** A document of its own, such as a template, as it is. */
  printText(text: string): void {
    this.#options.stdout.write(text)
  }

  /** Lines for stdout that are no command's outcome. */
  printLines(lines: readonly string[]): void {
    for (const line of lines) this.#writeLine(line)
  }

  /** The help is an answer only to who asked for it. */
  printHelp(text: string, asked: boolean): void {
    const { stdout, stderr } = this.#options
    const stream = asked ? stdout : stderr
    stream.write(text)
  }

  /** What is good to know while a command runs. */
  note(text: string): void {
    if (!this.#options.quiet) this.#writeError(text)
  }

  warn(text: string): void {
    this.#writeError(this.#errorPaint.waiting(text))
  }

  error(text: string): void {
    this.#writeError(this.#errorPaint.bad(text))
  }

  /** Shows a line on stderr that the next one takes the place of; an empty one takes it away. Only where `isLive`. */
  showLive(line: string): void {
    const { stderr, redactor } = this.#options
    if (line === this.#liveLine) return
    this.#liveLine = line
    stderr.write(`\r${redactor.redactText(line)}\u001B[K`)
  }

  #writeLine(line: string): void {
    this.#options.stdout.write(`${this.#options.redactor.evidence.redactText(line)}\n`)
  }

  #writeError(text: string): void {
    const live = this.#liveLine
    if (live !== '') this.showLive('')
    this.#options.stderr.write(`${this.#options.redactor.redactText(text)}\n`)
    if (live !== '') this.showLive(live)
  }
}

/** The convention of no-color.org: any value but an empty one turns colours off. */
function showsColours(stream: TextStream, env: OutputOptions['env']): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
}

/** The few roles that colour plays in what is printed. Nothing is told by colour alone. */
export interface Painter {
  readonly title: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly waiting: (text: string) => string
  readonly faint: (text: string) => string
}

type Format = Parameters<typeof styleText>[0]

/** Colours for a terminal that shows them, or the text as it is. */
export function createPainter(useColours: boolean): Painter {
  const paint = (format: Format) => (text: string) =>
    useColours ? styleText(format, text, { validateStream: false }) : text
  return {
    title: paint('bold'),
    good: paint('green'),
    bad: paint('red'),
    waiting: paint('yellow'),
    faint: paint('dim'),
  }
}

/** What a command ends with; printing it is another's job. Lines are plain sentences or tables, colours included. */
export interface Outcome {
  readonly exitCode: ExitCode
  /** The one JSON document of `--json`; absent when the command has printed events. */
  readonly document?: unknown
  /** What went well; left out with `--quiet`. */
  readonly summary?: readonly string[]
  /** What was asked for. */
  readonly answer?: readonly string[]
  /** The command goes on until it is stopped: a signal is its regular end, and the exit code stands. */
  readonly endsByStop?: boolean
  /** What a person has to know or to do. */
  readonly problems?: readonly string[]
}
