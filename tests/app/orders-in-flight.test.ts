import { mkdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { accessOver } from '../../electron/app/archive-access.ts'
import { connectToOwner } from '../../electron/app/api/owner-client.ts'
import { createApp, type App } from '../../electron/app/create-app.ts'
import type { CallInput, CallName, CallOutput } from '../../shared/contract/calls.ts'
import type { Answer } from '../../shared/envelope.ts'
import { hostPorts, settingsSource, tokenStore } from '../support/host-ports.ts'
import { sampleArchive } from '../support/sample-archive.ts'
import { until } from '../support/watching.ts'
import { sendJson, withServer } from '../support/with-server.ts'
import { filledIn } from '../engine/orders/order-world.ts'

const projectId = '64b5f0c2a1d3e4f5a6b7c8d9'

interface Setting {
  readonly app: App
  readonly home: string
  readonly call: <Name extends CallName>(name: Name, input: CallInput<Name>) => Promise<Answer<CallOutput<Name>>>
  /** Resolves with the next request that the test has to answer itself. */
  readonly next: () => Promise<{ readonly method: string; readonly response: ServerResponse }>
  /** The bodies of the received orders. */
  readonly sent: () => readonly string[]
  /** Saves settings that need a new engine. Resolves when the current engine is about to be replaced. */
  readonly save: () => Promise<{ readonly saved: Promise<Answer<CallOutput<'settings.save'>>> }>
  readonly draft: (homeownerName: string) => Promise<{ readonly orderId: number; readonly fingerprint: string }>
}

/** Runs `use` with an app on a service where the test answers orders itself, and with `holdsList` their list too. */
async function withApp(
  use: (setting: Setting) => Promise<void>,
  { holdsList = false, tokens = tokenStore('A-token') } = {},
): Promise<void> {
  type Held = Awaited<ReturnType<Setting['next']>>
  const arrived: Held[] = []
  const wanted: ((held: Held) => void)[] = []
  const hold = (held: Held) => {
    const take = wanted.shift()
    if (take === undefined) arrived.push(held)
    else take(held)
  }
  await withServer(
    ({ method }, response) => {
      if (method === 'POST' || holdsList) hold({ method, response })
      else sendJson(response, [])
    },
    async ({ url, requests }) => {
      const { home, root } = await sampleArchive({ projects: 1, checklistsPerProject: 0 })
      mkdirSync(home, { recursive: true })
      const source = settingsSource(home, root, url)
      let onReplacing = () => undefined as void
      // Called right before the engine is replaced.
      const ports = hostPorts(tokens, { setLogLevel: () => onReplacing(), stop: () => void app.close() })
      const app = await createApp({ source, ports })
      onTestFinished(() => app.close())
      const call: Setting['call'] = async (name, input) => (await app.api.call(name, input)) as never
      await use({
        app,
        home,
        call,
        next: () =>
          new Promise((resolve) => {
            const held = arrived.shift()
            if (held === undefined) wanted.push(resolve)
            else resolve(held)
          }),
        sent: () => requests.filter(({ method }) => method === 'POST').map(({ body }) => body),
        async save() {
          const replacing = new Promise<void>((resolve) => {
            onReplacing = resolve
          })
          const saved = call('settings.save', { concurrency: 3 })
          await replacing
          await setImmediate()
          return { saved }
        },
        async draft(homeownerName) {
          const texts = { ...filledIn, homeownerName }
          const { orderId } = valueOf(await call('orders.create', { projectId, texts }))
          const { fingerprint } = valueOf(await call('orders.review', { orderId }))
          return { orderId, fingerprint: fingerprint ?? '', newModule: true }
        },
      })
      await app.close()
    },
  )
}

const restarted = (safe: string) =>
  `The running Solarchive (process ${process.pid}) restarted with other settings or ended; ${safe}. Run the command again.`

const restarting = expect.stringContaining('restarts with other settings') as string

function valueOf<Value>(answer: Answer<Value>): Value {
  if (answer.ok) return answer.value
  throw new Error(answer.error.message)
}

/** Returns a CSV file with an order for each homeowner. */
function listOf(...names: string[]): string {
  const fields = Object.keys(filledIn) as (keyof typeof filledIn)[]
  const rows = names.map((homeownerName) => {
    const texts = { ...filledIn, homeownerName }
    return [projectId, ...fields.map((field) => `"${texts[field] ?? ''}"`)].join(',')
  })
  return [['projectId', ...fields].join(','), ...rows].join('\n')
}

test('saving settings waits for the response to an order in flight, and nothing is sent meanwhile', async () => {
  await withApp(async ({ call, next, save, sent, draft }) => {
    const [first, second] = [await draft('Ann'), await draft('Bo')]
    const placing = call('orders.place', first)
    const { response } = await next()
    const { saved } = await save()
    expect(await call('orders.place', second)).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    // The order stays visible meanwhile.
    expect(valueOf(await call('orders.get', { orderId: first.orderId })).state).toBe('submitting')
    expect(sent()).toHaveLength(1)
    sendJson(response, { id: 'A', status: 'ordered' })
    expect(valueOf(await placing)).toMatchObject({ state: 'placed', serviceId: 'A' })
    expect(valueOf(await saved)).toMatchObject({ concurrency: 3 })
    expect(valueOf(await call('orders.get', { orderId: first.orderId }))).toMatchObject({ state: 'placed' })
    expect(sent()).toHaveLength(1)
    // The refused order is a draft, which the next engine can send.
    expect(valueOf(await call('orders.get', { orderId: second.orderId }))).toMatchObject({
      state: 'draft',
      problem: null,
    })
    const later = call('orders.place', second)
    sendJson((await next()).response, { id: 'B', status: 'ordered' })
    expect(valueOf(await later)).toMatchObject({ state: 'placed', serviceId: 'B' })
    expect(sent()).toHaveLength(2)
  })
})

test('an order whose response is lost while settings are saved is unconfirmed, and the settings apply', async () => {
  await withApp(async ({ call, next, save, sent, draft }) => {
    const order = await draft('Ann')
    const placing = call('orders.place', order)
    const { response } = await next()
    const { saved } = await save()
    response.destroy()
    expect(valueOf(await placing)).toMatchObject({ state: 'unconfirmed' })
    expect(valueOf(await saved)).toMatchObject({ concurrency: 3 })
    expect(valueOf(await call('orders.get', { orderId: order.orderId })).state).toBe('unconfirmed')
    expect(sent()).toHaveLength(1)
  })
})

test('an order that was not sent yet does not delay saving settings, and stays a draft', async () => {
  await withApp(
    async ({ call, next, sent, draft }) => {
      const drafting = draft('Ann')
      sendJson((await next()).response, [])
      const order = await drafting
      const placing = call('orders.place', order)
      // The list that is requested before anything is sent.
      await next()
      expect(valueOf(await call('settings.save', { concurrency: 3 }))).toMatchObject({ concurrency: 3 })
      expect(await placing).toMatchObject({ ok: false, error: { code: 'cancelled' } })
      const { state, problem } = valueOf(await call('orders.get', { orderId: order.orderId }))
      expect({ state, problem }).toEqual({ state: 'draft', problem: null })
      expect(sent()).toEqual([])
    },
    { holdsList: true },
  )
})

test('a review that waits for the list of orders while settings are saved is cancelled, and works again', async () => {
  await withApp(
    async ({ call, next }) => {
      const { orderId } = valueOf(await call('orders.create', { projectId, texts: filledIn }))
      const list = { text: listOf('Ann', 'Bo') }
      const { batchId } = valueOf(await call('batches.create', { list, name: 'June.csv' }))
      const reviews = [() => call('orders.review', { orderId }), () => call('batches.review', { batchId, ask: true })]
      for (const [index, review] of reviews.entries()) {
        const stopped = review()
        await next()
        valueOf(await call('settings.save', { concurrency: 3 + index }))
        expect(await stopped).toMatchObject({ error: { code: 'cancelled', message: restarting } })
        const again = review()
        sendJson((await next()).response, [])
        expect(await again).toMatchObject({ ok: true, value: { listProblem: null } })
      }
    },
    { holdsList: true },
  )
})

test('a command whose work is stopped by saved settings is told what is safe, and to run again', async () => {
  await withApp(
    async ({ call, home, next, draft }) => {
      const list = async () => sendJson((await next()).response, [])
      const found = await connectToOwner(home)
      if (found.kind !== 'connected') throw new Error('Nobody answers')
      onTestFinished(() => found.client.close())
      const { orderId } = valueOf(await call('orders.create', { projectId, texts: filledIn }))
      const [order] = await Promise.all([draft('Ann'), list()])
      const placing = call('orders.place', order)
      await list()
      const { response } = await next()
      response.destroy()
      await list()
      expect(valueOf(await placing)).toMatchObject({ state: 'unconfirmed' })
      const check = () => found.client.call('orders.check', { orderId: order.orderId })
      const works = [
        { start: () => found.client.call('orders.review', { orderId }), safe: 'this command sent no order' },
        { start: check, safe: 'nothing was sent now' },
        { start: () => found.client.call('projects.discover', {}), safe: 'what is archived so far is safe' },
      ]
      for (const [index, { start, safe }] of works.entries()) {
        const stopped = expect(start()).rejects.toMatchObject({
          code: 'data-folder-locked',
          message: restarted(safe),
        })
        await next()
        valueOf(await call('settings.save', { concurrency: 3 + index }))
        await stopped
      }
    },
    { holdsList: true },
  )
})

test('a command that loses its draft to saved settings is told so at once, and the draft is gone', async () => {
  await withApp(
    async ({ call, home, next, sent }) => {
      const found = await connectToOwner(home)
      if (found.kind !== 'connected') throw new Error('Nobody answers')
      onTestFinished(() => found.client.close())
      const { orders } = accessOver(found.client, () => {
        throw new Error('Nothing is read')
      })
      const started = Promise.withResolvers<number>()
      // It asks its user something.
      const work = (orderId: number, held: AbortSignal) =>
        new Promise<never>((_, reject) => {
          held.addEventListener('abort', () => reject(held.reason as Error))
          started.resolve(orderId)
        })
      const texts = { ...filledIn, projectId }
      const lost = expect(orders.withDraft(texts, work)).rejects.toMatchObject({
        code: 'data-folder-locked',
        message: restarted('this command sent no order'),
      })
      const orderId = await started.promise
      expect(valueOf(await call('orders.get', { orderId }))).toMatchObject({ state: 'draft', source: 'command-line' })
      valueOf(await call('settings.save', { concurrency: 3 }))
      await lost
      expect(await call('orders.get', { orderId })).toMatchObject({ error: { code: 'not-found' } })

      const { promise: placed, resolve } = Promise.withResolvers<Answer<CallOutput<'orders.place'>>>()
      const again = orders.withDraft(texts, async (id) => {
        const reviewing = orders.review(id)
        sendJson((await next()).response, [])
        const { fingerprint } = await reviewing
        const placing = call('orders.place', { orderId: id, fingerprint: fingerprint ?? '', newModule: true })
        sendJson((await next()).response, [])
        sendJson((await next()).response, { id: 'A', status: 'ordered' })
        resolve(await placing)
      })
      expect(valueOf(await placed)).toMatchObject({ state: 'placed', serviceId: 'A' })
      await again
      expect(sent()).toHaveLength(1)
    },
    { holdsList: true },
  )
})

test('a list of orders stops after the one in flight, and continues with the others on request', async () => {
  await withApp(async ({ call, next, save, sent }) => {
    const { batchId } = valueOf(await call('batches.create', { list: { text: listOf('Ann', 'Bo') }, name: 'June.csv' }))
    await call('batches.start', { batchId, newModule: true })
    const { response } = await next()
    const { saved } = await save()
    sendJson(response, { id: 'A', status: 'ordered' })
    await saved
    const stopped = valueOf(await call('batches.get', { batchId }))
    expect(stopped).toMatchObject({ state: 'stopped', stoppedBecause: null, counts: { placed: 1, waiting: 1 } })
    expect(sent()).toHaveLength(1)
    await call('batches.start', { batchId, newModule: true })
    sendJson((await next()).response, { id: 'B', status: 'ordered' })
    const counts = async () => valueOf(await call('batches.get', { batchId })).counts
    await expect.poll(counts).toMatchObject({ placed: 2, waiting: 0 })
    expect(sent().map((body) => (JSON.parse(body) as { form: { homeownerName: string } }).form.homeownerName)).toEqual([
      'Ann',
      'Bo',
    ])
  })
})

test('Solarchive ends without waiting for a response, even if saving settings waits', async () => {
  await withApp(async ({ app, call, next, save, draft }) => {
    const order = await draft('Ann')
    const placing = call('orders.place', order)
    await next()
    const { saved } = await save()
    await app.close()
    expect(valueOf(await placing)).toMatchObject({ state: 'unconfirmed', problem: { code: 'cancelled' } })
    expect(valueOf(await saved)).toMatchObject({ concurrency: 3 })
  })
})

test('an owner that is asked to end waits for the response to an order in flight, and sends no other', async () => {
  await withApp(async ({ call, home, next, sent, draft }) => {
    const [first, second] = [await draft('Ann'), await draft('Bo')]
    const placing = call('orders.place', first)
    const { response } = await next()
    const found = await connectToOwner(home)
    if (found.kind !== 'connected') throw new Error('Nobody answers')
    onTestFinished(() => found.client.close())
    for (let asked = 0; asked < 2; asked += 1) expect(await found.client.call('owner.stop', {})).toEqual({})
    expect(await call('orders.place', second)).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    sendJson(response, { id: 'A', status: 'ordered' })
    expect(valueOf(await placing)).toMatchObject({ state: 'placed', serviceId: 'A' })
    await until('it has ended', () => found.client.hasEnded())
    expect(sent()).toHaveLength(1)
  })
})

test('a draft that is saved right before Solarchive ends is stored first', async () => {
  const tokens = tokenStore('A-token')
  const reading = Promise.withResolvers<string>()
  let isSlow = false
  const read = () => (isSlow ? reading.promise : tokens.read())
  await withApp(
    async ({ app, call }) => {
      const { orderId, revision } = valueOf(await call('orders.create', { projectId, texts: {} }))
      isSlow = true
      const saving = call('orders.saveDraft', { orderId, texts: { homeownerName: 'Ann' }, region: null, revision })
      const closed = app.close()
      await setImmediate()
      reading.resolve('A-token')
      expect(valueOf(await saving)).toMatchObject({ revision: revision + 1 })
      await closed
    },
    { tokens: { ...tokens, read } },
  )
})

test('before a restart, a list of orders is placed to its end, and no other order is sent afterwards', async () => {
  await withApp(async ({ app, call, next, sent, draft }) => {
    const order = await draft('Cy')
    const { batchId } = valueOf(await call('batches.create', { list: { text: listOf('Ann', 'Bo') }, name: 'June.csv' }))
    await call('batches.start', { batchId, newModule: true })
    const ended = app.requestsEnded()
    for (const id of ['A', 'B']) sendJson((await next()).response, { id, status: 'ordered' })
    expect([await ended, await app.requestsEnded()]).toEqual([true, false])
    await app.finishOrders()
    expect(valueOf(await call('batches.get', { batchId }))).toMatchObject({ state: 'done', counts: { placed: 2 } })
    expect(await call('orders.place', order)).toMatchObject({ ok: false, error: { code: 'cancelled' } })
    expect(sent()).toHaveLength(2)
  })
})
