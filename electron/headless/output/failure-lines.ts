import { countOf } from '../../../shared/format.ts'

/** Told one by one: enough to see what it is about. */
const toldFirst = 5

/** How often the others are counted on a line. */
const countEveryMs = 60_000

/** Tells of files that fail, of which there may be thousands: the first ones each, then a line a minute with their number. */
export class FailureLines {
  readonly #print: (line: string) => void
  #told = 0
  /** Failures since the last line, by reason. */
  #more = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  /** `line` tells of this one alone, `reason` is the sentence that others have too. */
  add(line: string, reason: string): void {
    this.#timer ??= setInterval(() => this.#minute(), countEveryMs).unref()
    if (this.#told < toldFirst) {
      this.#told += 1
      this.#print(line)
    } else this.#more.set(reason, (this.#more.get(reason) ?? 0) + 1)
  }

  /** Tells what is still to be told. */
  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#told = 0
    this.#tellMore()
  }

  #minute(): void {
    // After a minute without failures the next ones are news.
    if (this.#more.size === 0) this.close()
    this.#tellMore()
  }

  #tellMore(): void {
    const [most, ...others] = [...this.#more].sort(([, one], [, other]) => other - one)
    this.#more = new Map()
    if (most === undefined) return
    const count = others.reduce((sum, [, more]) => sum + more, most[1])
    const reason = most[0].replace(/\.$/, '').replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
    const mostly = others.length === 0 ? '' : 'mostly because '
    this.#print(`${countOf(count, 'more file')} could not be archived: ${mostly}${reason}`)
  }
}
