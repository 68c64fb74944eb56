import { expect, it } from 'vitest'
import { FairSlots, type DownloadSource } from '../../../electron/engine/downloads/fair-slots.ts'

const checkMs = 20
const fast = 64 * 1024

/** A file in a slot: receives `bytesPerCheck` bytes per check until it is ended or has to make room. */
class File {
  readonly source: DownloadSource
  isRunning = false
  timesMoved = 0
  checksReceived = 0
  readonly ended: Promise<void>
  #end = Promise.withResolvers<void>()

  constructor(slots: FairSlots, source: DownloadSource, bytesPerCheck: number, signal = new AbortController().signal) {
    this.source = source
    this.ended = this.#run(slots, bytesPerCheck, signal)
    // Some tests abort the wait.
    this.ended.catch(() => undefined)
  }

  end(): void {
    this.#end.resolve()
  }

  async #run(slots: FairSlots, bytesPerCheck: number, signal: AbortSignal): Promise<void> {
    for (let isDone = false; !isDone;) {
      isDone = await slots.use(this.source, signal, async (slot) => {
        this.isRunning = true
        let bytes = 0
        slot.setBytes(bytes)
        const receiving = setInterval(() => {
          slot.setBytes((bytes += bytesPerCheck))
          this.checksReceived++
        }, checkMs / 4)
        const moved = new Promise<boolean>((resolve) => {
          slot.stop.signal.addEventListener('abort', () => resolve(false))
        })
        const hasEnded = await Promise.race([this.#end.promise.then(() => true), moved])
        clearInterval(receiving)
        this.isRunning = false
        return hasEnded
      })
      if (!isDone) this.timesMoved++
    }
  }
}

const running = (files: readonly File[]) => files.filter(({ isRunning }) => isRunning).length
const start = (slots: FairSlots, count: number, source: DownloadSource, bytesPerCheck: number) =>
  Array.from({ length: count }, () => new File(slots, source, bytesPerCheck))

async function endAll(...files: readonly File[]): Promise<void> {
  for (const file of files) file.end()
  await Promise.all(files.map(({ ended }) => ended))
}

it('one project on one host uses all slots', async () => {
  const slots = new FairSlots(8, checkMs)
  const files = start(slots, 20, { project: 'a', host: 'h' }, 1)
  await expect.poll(() => running(files)).toBe(8)
  await endAll(...files)
  expect(files.every(({ timesMoved }) => timesMoved === 0)).toBe(true)
})

it.each<[string, DownloadSource, DownloadSource]>([
  ['host', { project: 'a', host: 'slow' }, { project: 'a', host: 'fast' }],
  ['project', { project: 'slow', host: 'h' }, { project: 'fast', host: 'h' }],
  ['project with a host per file', { project: 'slow', host: null }, { project: 'fast', host: 'h' }],
])('a slow %s makes room for another, down to half of the slots', async (_name, slow, fine) => {
  const slots = new FairSlots(8, checkMs)
  const hoarding = Array.from(
    { length: 24 },
    (_, index) => new File(slots, { ...slow, host: slow.host ?? `h${index}` }, 1),
  )
  await expect.poll(() => running(hoarding)).toBe(8)
  const others = start(slots, 8, fine, fast)
  await expect.poll(() => [running(hoarding), running(others)]).toEqual([4, 4])
  // One that ends makes room for the next of its kind: neither has more than its half while the other waits.
  const [first] = others.filter(({ isRunning }) => isRunning)
  first?.end()
  await expect.poll(() => running(others.filter((file) => file !== first))).toBe(4)
  expect(running(hoarding)).toBe(4)
  await endAll(...others)
  await expect.poll(() => running(hoarding)).toBe(8)
  await endAll(...hoarding)
})

it('fast files are not moved, and free slots go to who has fewest', async () => {
  const slots = new FairSlots(4, checkMs)
  const first = start(slots, 12, { project: 'a', host: 'h' }, fast)
  await expect.poll(() => running(first)).toBe(4)
  const second = start(slots, 4, { project: 'b', host: 'h' }, fast)
  for (const file of first.slice(0, 2)) file.end()
  await expect.poll(() => [running(first), running(second)]).toEqual([2, 2])
  await expect.poll(() => Math.max(...second.map((file) => file.checksReceived))).toBeGreaterThan(40)
  expect([...first, ...second].every(({ timesMoved }) => timesMoved === 0)).toBe(true)
  await endAll(...first, ...second)
})

it('a file that leaves its slot early makes room for one other', async () => {
  const slots = new FairSlots(1, checkMs)
  const { signal } = new AbortController()
  const source = { project: 'a', host: 'h' }
  const written = Promise.withResolvers<void>()
  const early = slots.use(source, signal, async (slot) => {
    slot.leave()
    slot.leave()
    await written.promise
  })
  const others = start(slots, 2, source, fast)
  await expect.poll(() => running(others)).toBe(1)
  written.resolve()
  await early
  expect(running(others)).toBe(1)
  await endAll(...others)
})

it('a wait for a slot ends with its signal, and takes no slot', async () => {
  const slots = new FairSlots(1, checkMs)
  const holder = new File(slots, { project: 'a', host: 'h' }, fast)
  await expect.poll(() => holder.isRunning).toBe(true)
  const stop = new AbortController()
  const waiting = new File(slots, { project: 'b', host: 'h' }, fast, stop.signal)
  const next = new File(slots, { project: 'b', host: 'h' }, fast)
  stop.abort(new Error('enough'))
  await expect(waiting.ended).rejects.toThrow('enough')
  holder.end()
  await expect.poll(() => next.isRunning).toBe(true)
  await endAll(next)
})
