import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { HookRunner } from '../../../electron/app/hooks/hook-runner.ts'
import { subscriptionsOf } from '../../../electron/app/hooks/hook-settings.ts'
import { createHookOutbox } from '../../../electron/engine/hooks/create-hook-outbox.ts'
import type { Clock, Log } from '../../../electron/engine/lib/ports.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { Outbound } from '../../../electron/engine/service/outbound.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { AppError } from '../../../shared/errors.ts'
import { hooksSchema } from '../../../shared/hooks.ts'
import { silentLogger } from '../../support/silent-logger.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/watching.ts'
import { hookSecret, type Receiver, withReceiver } from '../../support/webhook-receiver.ts'

/** A runner need not rest for seconds here. */
const clock: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal) }

/** Notes the message, then ends as soon as the file 'go' exists. */
const script = `import { appendFileSync, existsSync, readFileSync } from 'node:fs'
const [notes, go] = process.argv.slice(2)
appendFileSync(notes, readFileSync(0, 'utf8'))
const waiting = setInterval(() => existsSync(go) && clearInterval(waiting), 10)`

/** A program that is notified of orders and runs for long, and a webhook that is notified of damage. */
function slowAndQuick({ url }: Receiver) {
  const folder = temporaryFolder()
  const program = join(folder, 'hook.mjs')
  const notes = join(folder, 'notes')
  const go = join(folder, 'go')
  writeFileSync(program, script)
  const hooks = hooksSchema.parse([
    {
      id: 'slow',
      name: 'Slow',
      events: ['order-status'],
      target: { kind: 'program', path: process.execPath, args: [program, notes, go], timeoutSeconds: 3600 },
    },
    {
      id: 'quick',
      name: 'Quick',
      events: ['damage-found'],
      target: { kind: 'webhook', url, secret: hookSecret, allowPrivate: true },
    },
  ])
  const file = join(folder, 'solarchive.sqlite3')
  const store = createStore(file)
  onTestFinished(() => store.close())
  const db = new Database(file)
  onTestFinished(() => void db.close())
  db.exec(`INSERT INTO projects (id, name, added_at) VALUES ('p', 'Maple', 'then')`)
  const outbox = createHookOutbox({ store, clock, outbound: new Outbound() })
  outbox.subscribe(subscriptionsOf(hooks))
  const infos: string[] = []
  const warnings: string[] = []
  const errors: string[] = []
  const log: Log = {
    ...silentLogger,
    info: (message) => void infos.push(message),
    warn: (message) => void warnings.push(message),
    error: (message) => void errors.push(message),
  }
  const stop = new AbortController()
  // Nothing is left behind by a test that fails.
  onTestFinished(() => stop.abort())
  return {
    db,
    infos,
    warnings,
    errors,
    stop,
    engine: { hooks: outbox },
    runner: new HookRunner({ clock, log, hooks: () => hooks }),
    notify: (orderId: number) => {
      const facts = { orderId, from: null, to: 'complete' }
      store.transaction(() => store.activity.record({ at: new Date().toISOString(), kind: 'order-status', facts }))
    },
    /** Records damage that was found a minute ago. */
    damage: (path: string) => {
      store.findings.put({ path, projectId: 'p', state: 'missing', at: new Date(Date.now() - 60_000).toISOString() })
    },
    /** Orders that the program was notified of. */
    noted: () =>
      (existsSync(notes) ? readFileSync(notes, 'utf8') : '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { readonly orderId: number }).orderId),
    letGo: () => writeFileSync(go, ''),
    states: () => store.hooks.page({ offset: 0, limit: 100 }).items.map(({ state, tries }) => ({ state, tries })),
  }
}

test('a program that runs for long, with a long queue, keeps no other hook waiting', async () => {
  await withReceiver(async (receiver) => {
    const { runner, engine, stop, notify, damage, noted, letGo, errors } = slowAndQuick(receiver)
    for (let order = 1; order <= 150; order += 1) notify(order)
    damage('x/.versions/1')
    const running = runner.run(engine, stop.signal)
    await until('the program runs', () => noted().length === 1)
    await until('the webhook is notified', () => receiver.messages.length === 1)
    // What happens meanwhile is collected, too.
    damage('x/.versions/2')
    await until('the webhook is notified again', () => receiver.messages.length === 2)
    expect(noted()).toEqual([1])
    letGo()
    await until('the program is notified of the next orders', () => noted().length >= 3)
    expect(noted().slice(0, 3)).toEqual([1, 2, 3])
    stop.abort()
    await running
    expect(errors).toEqual([])
  })
})

test('a command that is done waits for the delivery in flight, and begins no other', async () => {
  await withReceiver(async (receiver) => {
    const { runner, engine, stop, notify, noted, letGo, states } = slowAndQuick(receiver)
    notify(1)
    notify(2)
    const isDone = new AbortController()
    const running = runner.run(engine, stop.signal, isDone.signal)
    await until('the program runs', () => noted().length === 1)
    isDone.abort()
    letGo()
    await running
    // The newest first.
    expect(states()).toEqual([
      { state: 'waiting', tries: 0 },
      { state: 'delivered', tries: 1 },
    ])
  })
})

test.each(['run', 'finish'] as const)(
  'an error of the database is logged once, and `%s` waits for the other delivery in flight',
  async (method) => {
    await withReceiver(async (receiver) => {
      const { runner, engine, stop, db, notify, damage, noted, letGo, infos, errors } = slowAndQuick(receiver)
      const answers: ServerResponse[] = []
      receiver.answer = (response) => void answers.push(response)
      notify(1)
      notify(2)
      damage('x/.versions/1')
      let hasEnded = false
      const ended = runner[method](engine, stop.signal).then(() => {
        hasEnded = true
      })
      await until('both are notified', () => noted().length === 1 && answers.length === 1)
      db.exec('DROP TABLE hook_deliveries')
      answers[0]?.writeHead(204).end()
      await until('that cannot be recorded', () => infos.includes('A hook was notified of an event'))
      expect(hasEnded).toBe(false)
      letGo()
      await ended
      expect(errors).toEqual(['Hooks are not run any more'])
      expect(noted()).toEqual([1])
    })
  },
)

test.each(['disk-full', 'data-folder-locked'] as const)(
  'what happens while nothing can be recorded (%s) is delivered later, and the cause is logged once',
  async (code) => {
    await withReceiver(async (receiver) => {
      const { runner, engine, stop, damage, warnings, errors } = slowAndQuick(receiver)
      let tries = 0
      let isBlocked = true
      const hooks: typeof engine.hooks = {
        ...engine.hooks,
        begin(delivery) {
          tries += 1
          if (isBlocked) throw new AppError(code, 'Nothing can be recorded.')
          return engine.hooks.begin(delivery)
        },
      }
      damage('x/.versions/1')
      const running = runner.run({ hooks }, stop.signal)
      await until('a delivery is tried again', () => tries >= 3)
      isBlocked = false
      await until('the webhook is notified', () => receiver.messages.length === 1)
      stop.abort()
      await running
      expect({ warnings, errors }).toEqual({
        warnings: ['Hooks wait until the database can be written to'],
        errors: [],
      })
    })
  },
)
