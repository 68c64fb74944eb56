import { countOf } from '../../../shared/format.ts'

/** Failures that are printed one by one: enough to see the cause. */
const printedFirst = 5

/** Interval of the lines that count the others. */
const countEveryMs = 60_000

/**
 * Prints failed files, of which there may be thousands: the first ones each, then one line per minute with their
 * number.
 */
export class FailureLines {
  readonly #print: (line: string) => void
  #printed = 0
  /** Failures since the last line, by reason. */
  #more = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  /** `line` describes this failure alone; `reason` is the sentence that it shares with others. */
  add(line: string, reason: string): void {
    this.#timer ??= setInterval(() => this.#minute(), countEveryMs).unref()
    if (this.#printed < printedFirst) {
      this.#printed += 1
      this.#print(line)
    } else this.#more.set(reason, (this.#more.get(reason) ?? 0) + 1)
  }

  /** Prints the last counts. */
  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#printed = 0
    this.#printMore()
  }

  #minute(): void {
    // After a minute without failures the next ones are printed one by one again.
    if (this.#more.size === 0) this.close()
    this.#printMore()
  }

  #printMore(): void {
    const [most, ...others] = [...this.#more].sort(([, one], [, other]) => other - one)
    this.#more = new Map()
    if (most === undefined) return
    const count = others.reduce((sum, [, more]) => sum + more, most[1])
    const reason = most[0].replace(/\.$/, '').replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
    const mostly = others.length === 0 ? '' : 'mostly because '
    this.#print(`${countOf(count, 'more file')} could not be archived: ${mostly}${reason}`)
  }
}
