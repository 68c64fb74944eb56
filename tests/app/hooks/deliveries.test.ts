import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { HookRunner } from '../../../electron/app/hooks/hook-runner.ts'
import { subscriptionsOf } from '../../../electron/app/hooks/hook-settings.ts'
import type { Engine } from '../../../electron/engine/engine.ts'
import type { Clock } from '../../../electron/engine/lib/ports.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { type Hook, hooksSchema } from '../../../shared/hooks.ts'
import { recordSnapshots, takeSnapshot } from '../../support/record-snapshots.ts'
import { checklistOf, readFiles, type SampleArchive, sampleArchive } from '../../support/sample-archive.ts'
import { silentLogger } from '../../support/silent-logger.ts'
import { hookSecret, type Receiver, withReceiver } from '../../support/webhook-receiver.ts'
import { closedPort, withRawServer, withServer } from '../../support/with-server.ts'

const signal = new AbortController().signal
const never = () => false

function webhook(url: string, more: Partial<Hook> = {}, allowPrivate = true): Hook[] {
  const target = { kind: 'webhook', url, secret: hookSecret, allowPrivate }
  const events = ['checklist-complete', 'report-replaced', 'damage-found', 'order-status']
  return hooksSchema.parse([{ id: 'office', name: 'Office', events, target, ...more }])
}

const runnerOf = (hooks: readonly Hook[]) =>
  new HookRunner({ clock: systemClock, log: silentLogger, hooks: () => hooks })

/** A clock that is ahead of the machine's. */
const ahead = (ms: number): Clock => ({ ...systemClock, nowMs: () => systemClock.nowMs() + ms })

/** Runs `work`, then delivers what is due, as a process does. */
function run<T>(
  archive: SampleArchive,
  hooks: readonly Hook[],
  work: (engine: Engine) => Promise<T>,
  clock: Clock = systemClock,
) {
  return archive.withEngine(
    async (engine) => {
      const result = await work(engine)
      await runnerOf(hooks).deliverDue(engine, signal, never, true)
      return { result, ...engine.hookDeliveries({ offset: 0, limit: 100 }) }
    },
    { hooks: subscriptionsOf(hooks), writeMode: 'inline' },
    { clock },
  )
}

const oneChecklist = {
  projects: 1,
  checklistsPerProject: 1,
  statuses: ['completed' as const],
  photoQuestionsPerChecklist: 1,
  awkwardNames: false,
}
const sync = (engine: Engine) => engine.sync()
const nothing = () => Promise.resolve()
const day = 24 * 60 * 60_000

describe('a webhook', () => {
  test('is notified of a complete checklist, a replaced report, and damage, each once', async () => {
    const archive = await sampleArchive(oneChecklist)
    await withReceiver(async ({ url, messages }) => {
      const hooks = webhook(url)
      const first = await run(archive, hooks, sync)
      expect(first.items).toMatchObject([{ event: 'checklist-complete', state: 'delivered', tries: 1 }])
      const checklist = checklistOf(archive)
      const { id, name } = archive.service.projects[0] ?? {}
      expect(messages).toMatchObject([
        { event: 'checklist-complete', project: { id, name }, checklist: { id: checklist.id }, files: 2 },
      ])
      archive.service.replaceReport(checklist)
      await run(archive, hooks, sync)
      expect(
        messages
          .slice(1)
          .map(({ event }) => event)
          .toSorted(),
      ).toEqual(['checklist-complete', 'report-replaced'])

      for (const path of readFiles(archive.root).keys()) {
        if (path.endsWith('.jpg') && !path.includes('.versions')) rmSync(join(archive.root, path))
      }
      await run(archive, hooks, (engine) => engine.verify())
      expect(messages.slice(3)).toMatchObject([{ event: 'damage-found', missing: 2, changed: 0 }])
      // The same damage is no news, and what was delivered stays so.
      await run(archive, hooks, (engine) => engine.verify(), ahead(day))
      expect(messages).toHaveLength(4)

      // Old versions and documents are files of no checklist.
      const [version = '', document = ''] = ['.versions', 'checklist.json'].map((part) =>
        [...readFiles(archive.root).keys()].find((path) => path.includes(part)),
      )
      for (const path of [version, document]) rmSync(join(archive.root, path))
      for (const days of [2, 3]) await run(archive, hooks, (engine) => engine.verify(), ahead(days * day))
      expect(messages.slice(4)).toMatchObject([{ event: 'damage-found', checklist: null, missing: 2, changed: 0 }])
      // As with photos, a lost file that is there again with other bytes is the same damage.
      writeFileSync(join(archive.root, version), 'not this')
      await run(archive, hooks, (engine) => engine.verify(), ahead(4 * day))
      expect(messages).toHaveLength(5)
    })
  })

  test('is notified of a gap once, after the days that are set', async () => {
    const archive = await sampleArchive({ ...oneChecklist, statuses: ['awaitingMedia'] })
    await withReceiver(async ({ url, messages }) => {
      const hooks = webhook(url, { events: ['gap-old'], gapDays: 3 })
      await run(archive, hooks, sync)
      await run(archive, hooks, nothing, ahead(2 * day))
      expect(messages).toEqual([])
      await run(archive, hooks, nothing, ahead(3 * day + 1))
      await run(archive, hooks, nothing, ahead(9 * day))
      expect(messages).toMatchObject([{ event: 'gap-old', days: 3, checklist: { id: checklistOf(archive).id } }])
    })
  })

  test('that fails is tried again later with the same id and bytes', async () => {
    const archive = await sampleArchive(oneChecklist)
    await withReceiver(async (receiver) => {
      const hooks = webhook(receiver.url)
      receiver.answer = (response) => void response.writeHead(503).end()
      const { items } = await run(archive, hooks, sync)
      expect(items).toMatchObject([{ state: 'waiting', tries: 1, result: 'HTTP status 503' }])
      await run(archive, hooks, nothing)
      expect(receiver.messages).toHaveLength(1)
      await run(archive, hooks, nothing, ahead(day))
      receiver.answer = undefined
      expect(await run(archive, hooks, nothing, ahead(2 * day))).toMatchObject({
        items: [{ state: 'delivered', tries: 3 }],
      })
      expect(new Set(receiver.messages.map((message) => JSON.stringify(message))).size).toBe(1)
    })
  })

  test('gets nothing more once it is removed', async () => {
    const archive = await sampleArchive(oneChecklist)
    await withReceiver(async (receiver) => {
      receiver.answer = (response) => void response.writeHead(503).end()
      await run(archive, webhook(receiver.url), sync)
      const { items } = await run(archive, [], nothing)
      expect(items).toMatchObject([{ state: 'failed' }])
      await run(archive, webhook(receiver.url), nothing, ahead(day))
      expect(receiver.messages).toHaveLength(1)
    })
  })

  test('that is hostile gets nothing but the message', async () => {
    const archive = await sampleArchive(oneChecklist)
    const resultOf = async (url: string, allowPrivate = true) => {
      rmSync(archive.home, { recursive: true, force: true })
      rmSync(archive.root, { recursive: true, force: true })
      const { items } = await run(archive, webhook(url, {}, allowPrivate), sync)
      expect(items).toMatchObject([{ state: 'waiting', tries: 1 }])
      return items[0]?.result
    }
    await withServer(
      (_, response) => void response.writeHead(200).end(),
      async (other) => {
        const redirect = (status: number) =>
          withServer(
            (_, response) => void response.writeHead(status, { location: other.url }).end(),
            ({ url }) => resultOf(url),
          )
        expect(await redirect(307)).toBe('HTTP status 307')
        expect(await redirect(302)).toBe('HTTP status 302')
        expect(other.requests).toEqual([])
        expect(await resultOf(other.url, false)).toMatch(/uses http.*"allowPrivate"/)
        expect(await resultOf(other.url.replace('http:', 'https:'), false)).toContain('leads into a private network')
        expect(await resultOf(other.url.replace('http://127.0.0.1', 'https://localhost'), false)).toContain('private')
        expect(other.requests).toEqual([])
      },
    )
    expect(await resultOf(`http://127.0.0.1:${closedPort}`)).toContain('does not accept connections')
    const garbage = (socket: Socket) => void socket.end('SSH-2.0-x\r\n')
    expect(await withRawServer(garbage, ({ url }) => resultOf(url))).toContain('web server')
    const otherProtocol = (socket: Socket) =>
      void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')
    expect(await withRawServer(otherProtocol, ({ url }) => resultOf(url))).toContain('the connection broke')
  })

  test('is judged by the status of its answer, also if the rest of it is endless or breaks off', async () => {
    const archive = await sampleArchive(oneChecklist)
    const endless = (response: ServerResponse) => {
      const send = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
      }
      response.on('drain', send)
      send()
    }
    const broken = (response: ServerResponse) => void response.write('half', () => response.destroy())
    for (const answerWith of [endless, broken]) {
      for (const [status, state] of [
        [200, 'delivered'],
        [422, 'waiting'],
      ] as const) {
        rmSync(archive.home, { recursive: true, force: true })
        rmSync(archive.root, { recursive: true, force: true })
        const { items } = await withServer(
          (_, response) => answerWith(response.writeHead(status)),
          ({ url }) => run(archive, webhook(url), sync),
        )
        expect(items).toMatchObject([{ state, tries: 1, result: `HTTP status ${status}` }])
      }
    }
  })

  test('that does not answer keeps Solarchive from nothing', async () => {
    const archive = await sampleArchive(oneChecklist)
    await withReceiver(async (receiver) => {
      receiver.answer = () => undefined
      const hooks = webhook(receiver.url)
      await archive.withEngine(
        async (engine) => {
          await engine.sync()
          const stop = new AbortController()
          const running = runnerOf(hooks).run(engine, stop.signal)
          await expect.poll(() => receiver.messages.length).toBe(1)
          stop.abort()
          await running
          expect(engine.hookDeliveries({ offset: 0, limit: 1 }).items).toMatchObject([{ state: 'waiting', tries: 1 }])
        },
        { hooks: subscriptionsOf(hooks) },
      )
    })
  })

  test('gets each event at least once, and under one id, whatever step Solarchive is killed at', async () => {
    const archive = await sampleArchive(oneChecklist)
    await withReceiver(async (receiver) => {
      const hooks = webhook(receiver.url)
      await archive.withEngine(nothing)
      const folders = [archive.home, archive.root]
      const before = takeSnapshot(folders, 'before')
      const seenAt: string[][] = []
      const idsOf = ({ messages }: Receiver) => messages.map(({ id }) => id)
      const snapshots = await recordSnapshots(folders, () => run(archive, hooks, sync))
      before.restore()
      const inRun = new Set(idsOf(receiver))
      expect(inRun.size).toBe(1)
      let resumed = 0
      let unrecorded = 0
      // Before the event's transaction, a kill interrupts a sync like any other: five of these moments are enough.
      for (const { name, restore } of snapshots.toReversed()) {
        if (unrecorded === 5) break
        restore()
        const known = await archive.withEngine(
          (engine) => Promise.resolve(engine.hookDeliveries({ offset: 0, limit: 100 }).items),
          { hooks: subscriptionsOf(hooks) },
        )
        receiver.messages.length = 0
        const { items } = await run(archive, hooks, sync, ahead(day))
        expect(items, name).toMatchObject([{ event: 'checklist-complete', state: 'delivered' }])
        const [{ eventId = '' } = {}] = items
        seenAt.push(idsOf(receiver))
        if (known.length === 0) {
          unrecorded += 1
          continue
        }
        resumed += 1
        // It was recorded before the kill: with the id that a receiver may have seen already.
        expect([...inRun], name).toEqual([eventId])
        expect(known[0]?.state === 'delivered' ? idsOf(receiver) : [...new Set(idsOf(receiver))], name).toEqual(
          known[0]?.state === 'delivered' ? [] : [eventId],
        )
      }
      expect(resumed).toBeGreaterThan(3)
      expect(unrecorded).toBe(5)
      expect(seenAt.some((ids) => ids.length === 0)).toBe(true)
      expect(readdirSync(archive.root).length).toBeGreaterThan(0)
    })
  })
})
