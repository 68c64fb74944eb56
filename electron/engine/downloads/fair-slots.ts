/** Project and host of a file. */
export interface DownloadSource {
  readonly project: string
  /** Host and port of its link; `null` if it is not known yet. */
  readonly host: string | null
}

/** Time between two checks of what each file received, if others wait. */
const defaultCheckMs = 2_000

/** Bytes per second of a file that need not make room: the minimum rate of a download. */
const minBytesPerSecond = 8 * 1024

/** One of the slots in which files are downloaded, while a file has it. */
export class Slot {
  readonly source: DownloadSource
  readonly signal: AbortSignal
  /**
   * Aborts if the file has to make room for another, and with the signal of whoever has it. Others may abort it, too.
   */
  readonly stop = new AbortController()
  /** Releases the slot to another file before the work in it is done: for a file that only waits for the disk. */
  readonly leave: () => void
  #bytes: number | null = null
  #bytesAtCheck: number | null = null

  constructor(source: DownloadSource, signal: AbortSignal, onLeave: (slot: Slot) => void) {
    this.source = source
    this.signal = signal
    this.leave = () => onLeave(this)
  }

  /** To be called when the request is sent, and with the bytes on disk after each chunk. */
  setBytes(bytes: number): void {
    this.#bytes = bytes
  }

  /** Returns whether fewer than `minBytes` arrived since the last check. A file that starts over is not slow. */
  isSlow(minBytes: number): boolean {
    const [before, now] = [this.#bytesAtCheck, this.#bytes]
    this.#bytesAtCheck = now
    return before !== null && now !== null && now >= before && now - before < minBytes
  }
}

interface Waiter {
  readonly source: DownloadSource
  readonly signal: AbortSignal
  /** Position in the order of arrival. */
  readonly number: number
  readonly grant: (slot: Slot) => void
  readonly reject: (reason: unknown) => void
}

/** Files of one signal, which is listened to once for all of them. */
interface Requests {
  files: number
  readonly onAbort: () => void
}

/**
 * A fixed number of slots, shared fairly between projects and between hosts:
 *
 * - A free slot goes to a file whose project and host have less than half of the slots, if one waits; among several to
 *   the project with the fewest slots, then to the host with the fewest, then to the file that waits longest. Nothing
 *   is held back: without other work, one project or one host uses all slots.
 * - An equal part (half of the slots for two hosts or two projects) is what each can get back. If a host or a project
 *   has more than its part while a file of another one waits that has less, files that arrive slower than the minimum
 *   rate make room. They wait for their next slot, which counts as no failure.
 *
 * A slow host or project can therefore block at most its own share of the slots, apart from the seconds until it is
 * noticed.
 */
export class FairSlots {
  readonly #count: number
  readonly #checkMs: number
  readonly #running = new Set<Slot>()
  /** By project and host, in the order of arrival: of each, only the first is next. No list is empty. */
  readonly #waiting = new Map<string, Waiter[]>()
  readonly #requests = new Map<AbortSignal, Requests>()
  #arrived = 0
  #checks: NodeJS.Timeout | undefined

  constructor(count: number, checkMs = defaultCheckMs) {
    this.#count = count
    this.#checkMs = checkMs
  }

  /** Runs `work` in a slot. Rejects with the signal's reason if it aborts before there is one. */
  async use<T>(source: DownloadSource, signal: AbortSignal, work: (slot: Slot) => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    this.#watch(signal)
    let slot: Slot | undefined
    try {
      slot = await this.#wait(source, signal)
      return await work(slot)
    } finally {
      if (slot !== undefined) this.#running.delete(slot)
      this.#unwatch(signal)
      this.#grantFree()
    }
  }

  #leave(slot: Slot): void {
    if (this.#running.delete(slot)) this.#grantFree()
  }

  #watch(signal: AbortSignal): void {
    const requests = this.#requests.get(signal) ?? { files: 0, onAbort: () => this.#abort(signal) }
    if (requests.files === 0) signal.addEventListener('abort', requests.onAbort, { once: true })
    requests.files += 1
    this.#requests.set(signal, requests)
  }

  #unwatch(signal: AbortSignal): void {
    const requests = this.#requests.get(signal)
    if (requests === undefined || --requests.files > 0) return
    signal.removeEventListener('abort', requests.onAbort)
    this.#requests.delete(signal)
  }

  #abort(signal: AbortSignal): void {
    for (const slot of this.#running) if (slot.signal === signal) slot.stop.abort()
    for (const waiter of this.#allWaiting()) {
      if (waiter.signal !== signal) continue
      this.#remove(waiter)
      waiter.reject(signal.reason)
    }
  }

  #wait(source: DownloadSource, signal: AbortSignal): Promise<Slot> {
    return new Promise((grant, reject) => {
      const waiter: Waiter = { source, signal, number: (this.#arrived += 1), grant, reject }
      const key = keyOf(source)
      const queue = this.#waiting.get(key)
      if (queue === undefined) this.#waiting.set(key, [waiter])
      else queue.push(waiter)
      this.#grantFree()
    })
  }

  #remove(waiter: Waiter): void {
    const key = keyOf(waiter.source)
    const queue = this.#waiting.get(key) ?? []
    const index = queue.indexOf(waiter)
    if (index >= 0) queue.splice(index, 1)
    if (queue.length === 0) this.#waiting.delete(key)
  }

  #grantFree(): void {
    while (this.#running.size < this.#count && this.#waiting.size > 0) {
      const next = this.#next()
      this.#remove(next)
      const slot = new Slot(next.source, next.signal, (left) => this.#leave(left))
      this.#running.add(slot)
      next.grant(slot)
    }
    if (this.#waiting.size === 0) {
      clearInterval(this.#checks)
      this.#checks = undefined
    } else {
      this.#checks ??= setInterval(() => this.#makeRoom(), this.#checkMs).unref()
    }
  }

  #next(): Waiter {
    const [first, ...others] = [...this.#waiting.values()].flatMap((queue) => queue.slice(0, 1))
    if (first === undefined) throw new Error('No file waits for a slot')
    if (others.length === 0) return first
    const [hosts, projects] = [this.#held('host'), this.#held('project')]
    const half = Math.max(1, Math.floor(this.#count / 2))
    const rankOf = ({ source, number }: Waiter) => {
      const [host, project] = [hosts.get(source.host) ?? 0, projects.get(source.project) ?? 0]
      return [Math.max(host, project) < half ? 0 : 1, project, host, number] as const
    }
    return others.reduce((best, waiter) => (isLess(rankOf(waiter), rankOf(best)) ? waiter : best), first)
  }

  #makeRoom(): void {
    const minBytes = (minBytesPerSecond * this.#checkMs) / 1000
    const slow = new Set([...this.#running].filter((slot) => slot.isSlow(minBytes) && !slot.stop.signal.aborted))
    const parts = { host: this.#part('host'), project: this.#part('project') }
    for (const waiter of this.#allWaiting()) {
      if (slow.size === 0) return
      const [hosts, projects] = [this.#held('host'), this.#held('project')]
      const hasTooMany = ({ source }: Slot) =>
        mustYield(hosts, parts.host, source.host, waiter.source.host) ||
        mustYield(projects, parts.project, source.project, waiter.source.project)
      const victim = [...slow].find(hasTooMany)
      if (victim === undefined) continue
      slow.delete(victim)
      victim.stop.abort()
    }
  }

  /** In the order of arrival. */
  #allWaiting(): Waiter[] {
    return [...this.#waiting.values()].flat().sort((one, other) => one.number - other.number)
  }

  /** Returns the number of slots that each host or project can get back. */
  #part(kind: keyof DownloadSource): number {
    const all = [...this.#running, ...this.#allWaiting()].map(({ source }) => source[kind])
    return Math.max(1, Math.floor(this.#count / new Set(all).size))
  }

  /** Returns the number of slots that each host or project has, without those that are making room. */
  #held(kind: keyof DownloadSource): Held {
    const held = new Map<string | null, number>()
    for (const { source, stop } of this.#running) {
      if (!stop.signal.aborted) held.set(source[kind], (held.get(source[kind]) ?? 0) + 1)
    }
    return held
  }
}

type Held = ReadonlyMap<string | null, number>

function mustYield(held: Held, part: number, holder: string | null, waiter: string | null): boolean {
  return (held.get(holder) ?? 0) > part && (held.get(waiter) ?? 0) < part
}

/** A host has no line break. */
const keyOf = ({ project, host }: DownloadSource): string => `${project}\n${host ?? ''}`

/** Compares two ranks by their first difference. */
function isLess(one: readonly number[], other: readonly number[]): boolean {
  const index = one.findIndex((value, at) => value !== other[at])
  return index >= 0 && (one[index] ?? 0) < (other[index] ?? 0)
}
