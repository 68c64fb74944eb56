import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket as NetSocket } from 'node:net'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { accessOver } from '../../electron/app/archive-access.ts'
import { connectToOwner, type OwnerClient } from '../../electron/app/api/owner-client.ts'
import { readOwnerFacts } from '../../electron/app/api/owner-file.ts'
import { type OwnerSocket, offerOf, openOwnerSocket, socketAddress } from '../../electron/app/api/owner-socket.ts'
import type { Engine } from '../../electron/engine/engine.ts'
import { lockDataFolder } from '../../electron/engine/store/data-folder-lock.ts'
import { exampleOrder } from '../../electron/sample-service/orders/order-book.ts'
import { ownerCalls, type OwnerCallName, type OwnerEvent } from '../../shared/contract/owner-calls.ts'
import type { OwnerFacts } from '../../shared/contract/owner-facts.ts'
import { AppError } from '../../shared/errors.ts'
import { readOrderJson } from '../../shared/order/order-payload.ts'
import { sampleArchive, type SampleArchive, shareArchive } from '../support/sample-archive.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/watching.ts'

const shared = shareArchive(async (onDone) => {
  const options = { projects: 1, checklistsPerProject: 1, statuses: ['completed'], existingOrders: 0 } as const
  const archive = await sampleArchive({ ...options, token: 'canary-token-of-the-service' }, undefined, onDone)
  await archive.sync()
  return archive
})

interface Listening {
  readonly archive: SampleArchive
  readonly engine: Engine
  readonly socket: OwnerSocket
  readonly facts: OwnerFacts
  readonly client: OwnerClient
  /** Number of times that the owner was asked to end. */
  readonly stops: () => number
  /** Unexpected errors that the owner has logged. */
  readonly unexpected: unknown[]
}

/** Options of an owner without an engine. */
function ownerWithoutEngine(homeFolder: string) {
  return {
    homeFolder,
    command: 'watch',
    readToken: () => Promise.resolve(undefined),
    stop: () => undefined,
    settings: () => offerOf({ serviceUrl: '', archiveFolder: homeFolder, homeFolder }, false),
    engine: () => {
      throw new AppError('setup-needed', '')
    },
    log: { debug() {}, info() {}, warn() {}, error() {} },
  }
}

/** Runs `work` with an owner that listens, and a client that is connected to it. */
async function withOwner(
  work: (listening: Listening) => Promise<void>,
  {
    home,
    requireWritableArchive,
    offered,
  }: { home?: string; requireWritableArchive?: () => void; offered?: () => Engine } = {},
): Promise<void> {
  const archive = shared()
  const settings = home === undefined ? {} : { homeFolder: home }
  await archive.withEngine(async (engine) => {
    const homeFolder = home ?? archive.home
    let stops = 0
    const unexpected: unknown[] = []
    const silent = () => undefined
    const socket = await openOwnerSocket({
      homeFolder,
      command: 'watch',
      settings: () => offerOf({ serviceUrl: archive.service.url, archiveFolder: archive.root, homeFolder }, false),
      engine: offered ?? (() => engine),
      ...(requireWritableArchive !== undefined && { requireWritableArchive }),
      readToken: () => Promise.resolve(archive.service.token),
      log: { debug: silent, info: silent, warn: silent, error: (_, fields) => void unexpected.push(fields) },
      stop: () => void (stops += 1),
    })
    if (socket === undefined) throw new Error('There is no socket')
    const facts = JSON.parse(readFileSync(join(homeFolder, 'owner', 'owner.json'), 'utf8')) as OwnerFacts
    const found = await connectToOwner(homeFolder)
    if (found.kind !== 'connected') throw new Error('Nobody answers')
    try {
      await work({ archive, engine, socket, facts, client: found.client, stops: () => stops, unexpected })
    } finally {
      found.client.close()
      await socket.close()
    }
  }, settings)
}

interface Reply {
  readonly status: number
  readonly body: string
}

/** Sends a request as any program could. Resolves without a status if the connection is cut. */
function send(
  { address, key, version }: OwnerFacts,
  path: string,
  { headers = {}, body = '{}', method = 'POST' }: { headers?: object; body?: string; method?: string } = {},
): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>()
  const own = {
    'x-solarchive-key': key,
    'x-solarchive-version': version,
    'x-solarchive-request': `id-${Math.random()}`,
  }
  const sent = request(
    { socketPath: address, path, method, agent: false, headers: { ...own, ...headers } },
    (response) => {
      let text = ''
      const end = () => resolve({ status: response.statusCode ?? 0, body: text })
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('close', end).on('error', end)
    },
  )
  sent.on('error', () => resolve({ status: 0, body: '' }))
  sent.end(body)
  return promise
}

const codeOf = ({ body }: Reply) =>
  (JSON.parse(body.trimEnd().split('\n').at(-1) ?? '') as { answer: { ok: boolean; error?: { code: string } } }).answer
    .error?.code

test('folder, socket, and owner.json are for their user alone, and are removed at the end', async () => {
  await withOwner(({ archive, facts }) => {
    const mode = (path: string) => statSync(path).mode & 0o777
    expect(facts).toMatchObject({ pid: process.pid, command: 'watch', archiveFolder: archive.root })
    expect(facts.address).toBe(join(archive.home, 'owner', 'socket'))
    if (process.platform !== 'win32') {
      expect([join(archive.home, 'owner'), facts.address, join(archive.home, 'owner', 'owner.json')].map(mode)).toEqual(
        [0o700, 0o600, 0o600],
      )
    }
    return Promise.resolve()
  })
  const found = await connectToOwner(shared().home)
  expect(found).toEqual({ kind: 'none' })
})

test('settings that cannot be written are withdrawn, and the owner continues', async () => {
  await withOwner(async ({ archive, socket, client }) => {
    const blocked = join(archive.home, 'owner', 'owner.json.new')
    mkdirSync(blocked)
    socket.publish()
    expect(readOwnerFacts(archive.home)).toBeUndefined()
    expect(await client.call('owner.state', {})).toMatchObject({ kind: expect.any(String) as string })
    rmdirSync(blocked)
    socket.publish()
    expect(readOwnerFacts(archive.home)).toMatchObject({ pid: process.pid, archiveFolder: archive.root })
  })
})

test('a path that is too long for a socket moves it to a private folder elsewhere', async () => {
  const home = join(shared().root, '..', 'a long name '.repeat(12).trim())
  let address = ''
  await withOwner(
    async ({ facts, client }) => {
      address = facts.address
      expect(Buffer.byteLength(address)).toBeLessThan(100)
      expect(statSync(dirname(address)).mode & 0o777).toBe(0o700)
      expect(await client.call('projects.add', { projects: [{ id: 'p-1' }] })).toMatchObject({
        projects: [{ id: 'p-1' }],
      })
    },
    { home },
  )
  expect(() => statSync(dirname(address))).toThrow('ENOENT')
})

test.skipIf(process.platform === 'win32')('a socket that is possible nowhere leaves no folder behind', async () => {
  const home = join(temporaryFolder(), 'a long name '.repeat(12).trim())
  mkdirSync(home)
  vi.stubEnv('TMPDIR', home)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await openOwnerSocket(ownerWithoutEngine(home))).toBeUndefined()
  expect(readdirSync(home)).toEqual(['owner'])
})

test('the socket of a data folder has a path in it, or on Windows a name that nobody can guess', () => {
  expect(socketAddress('/home/me/solarchive', 'linux')).toBe('/home/me/solarchive/owner/socket')
  const pipes = [1, 2].map(() => socketAddress('C:\\Users\\me\\AppData\\Local\\Solarchive', 'win32'))
  for (const pipe of pipes) expect(pipe).toMatch(/^\\\\\.\\pipe\\solarchive-[0-9a-f]{32}$/)
  expect(new Set(pipes).size).toBe(2)
})

test('a command is served beside connections that say nothing, however many', async () => {
  await withOwner(async ({ archive, facts }) => {
    const silent: NetSocket[] = []
    onTestFinished(() => void silent.forEach((socket) => socket.destroy()))
    let closed = 0
    while (closed < 100) {
      const socket = connect(facts.address).on('error', () => undefined)
      socket.on('close', () => (closed += 1))
      silent.push(socket)
      await once(socket, 'connect')
    }
    const found = await connectToOwner(archive.home)
    if (found.kind !== 'connected') throw new Error('Nobody answers')
    expect(await found.client.call('owner.state', {})).toMatchObject({ kind: expect.any(String) as string })
    found.client.close()
    expect(closed).toBeLessThan(silent.length / 2)
  })
})

test('a request without the key, of another version, or without a call is refused, and nothing is disclosed', async () => {
  await withOwner(async ({ facts, engine, archive, unexpected, stops }) => {
    const add = { body: JSON.stringify({ projects: [{ id: 'p-intruder' }] }) }
    for (const key of ['', 'x', facts.key.slice(1), `${facts.key}x`, facts.key.toLowerCase()]) {
      for (const path of ['/attach', '/cancel', '/call/projects.add', '/call/owner.stop', '/']) {
        const reply = await send(facts, path, { ...add, headers: { 'x-solarchive-key': key } })
        expect([path, codeOf(reply)]).toEqual([path, 'data-folder-locked'])
        expect(reply.body).not.toContain(archive.root)
      }
    }
    const old = await send(facts, '/call/projects.add', { ...add, headers: { 'x-solarchive-version': '0.0.1' } })
    expect([codeOf(old), old.body]).toEqual([
      'data-folder-locked',
      expect.stringContaining(`is version ${facts.version}`),
    ])
    for (const [path, options] of [
      ['/call/projects.add', { method: 'GET', body: '' }],
      ['/call/projects.add', { body: '{' }],
      ['/call/projects.add', { body: '[]' }],
      ['/call/projects.add', { ...add, headers: { 'x-solarchive-request': '' } }],
      ['/call/constructor', add],
      ['/call/__proto__', add],
      ['/call/settings.get', add],
      ['/call/', add],
      ['/', add],
      ['/call/projects.add', { body: JSON.stringify({ projects: [{ id: 'a/b' }] }) }],
      ['/call/projects.add', { body: JSON.stringify({ projects: [{ id: 'canary-token-of-the-service' }] }) }],
      ['/call/projects.add', { body: JSON.stringify({ projects: [{ id: 'p', name: 'x'.repeat(14_000_000) }] }) }],
    ] as const) {
      const reply = await send(facts, path, options)
      // The connection of a body that is too large may be cut first.
      if (reply.status !== 0) expect([path, codeOf(reply)]).toEqual([path, 'wrong-usage'])
      expect(reply.body).not.toContain('canary')
    }
    expect(engine.projects.list()).toHaveLength(1)
    expect([unexpected, stops()]).toEqual([[], 0])
  })
})

test('bytes that are no request, and input of any shape, harm nobody', async () => {
  await withOwner(async ({ archive, facts, client, engine, unexpected }) => {
    const raw = (bytes: Uint8Array) => {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      const socket = connect(facts.address, () => socket.end(bytes))
      socket.on('error', () => undefined).on('close', () => resolve(undefined))
      socket.resume()
      return promise
    }
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), (bytes) => raw(bytes)),
      { numRuns: 60 },
    )
    await raw(
      Buffer.from(`POST /call/projects.add HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}`),
    )
    await raw(Buffer.from(`POST /attach HTTP/1.1\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`))

    const { texts } = readOrderJson(exampleOrder(archive.service.projects[0]!))
    const draft = engine.orders.create({ texts })
    const valid: Record<OwnerCallName, object> = {
      'projects.add': { projects: [{ id: 'p-2', name: 'Two' }] },
      'projects.remove': { projectId: 'p-2' },
      'projects.discover': {},
      'sync.run': { projectIds: [archive.service.projects[0]!.id] },
      'verify.run': { repair: false },
      'evidence.stamp': { authority: 'http://127.0.0.1:9/' },
      'orders.holdDraft': { texts: { ...texts, homeownerName: 'Held' } },
      'orders.preview': { texts },
      'orders.review': { orderId: draft.orderId },
      'orders.place': { orderId: draft.orderId, fingerprint: 'x', again: false },
      'orders.check': { orderId: draft.orderId },
      'orders.settle': { orderId: draft.orderId, decision: 'placed' },
      'owner.budget': {},
      'owner.state': {},
      'owner.stop': {},
    }
    const names = (Object.keys(ownerCalls) as OwnerCallName[]).filter((name) => name !== 'owner.stop')
    const make = async (name: OwnerCallName, input: unknown) => {
      // A draft is held until the caller cancels that.
      const done = new AbortController()
      const onEvent = ({ event }: OwnerEvent) => event === 'draft' && done.abort()
      const error = await client.call(name, input as never, { signal: done.signal, onEvent }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (error !== undefined) expect(error).toBeInstanceOf(AppError)
      if (error instanceof AppError) expect(error.code, JSON.stringify([name, input])).not.toBe('internal')
    }
    for (const name of names) await make(name, valid[name])
    const value = fc.oneof(
      fc.jsonValue(),
      fc.integer({ min: -1, max: 5 }),
      fc.constantFrom(null, true, '', '..', '\0', '__proto__', "'", 'x'.repeat(3000), 2 ** 53, 1e300, -0.5),
    )
    const fields = [...new Set(Object.values(valid).flatMap((input) => Object.keys(input)))]
    const changes = fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 3 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), changes, fc.boolean(), (name, changed, isNear) =>
        make(name, isNear ? { ...valid[name], ...changed } : changed),
      ),
      { numRuns: 200 },
    )
    expect(unexpected).toEqual([])
    expect(await client.call('projects.add', { projects: [{ id: 'p-3' }] })).toMatchObject({
      projects: [{ id: 'p-3' }],
    })
  })
})

test('a client that ends, or cancels, ends its own call and no other', async () => {
  await withOwner(async ({ archive, facts, client, engine, socket }) => {
    const { service } = archive
    const hanging = async (owner: OwnerClient, signal?: AbortSignal) => {
      const before = service.requests.count('api')
      service.faults.add({ route: 'projects', fault: { kind: 'hang' }, count: 1 })
      const call = owner.call('projects.discover', {}, { signal }).catch((error: unknown) => error)
      await until('the service is asked', () => service.requests.count('api') > before)
      return { call }
    }
    const stop = new AbortController()
    const cancelled = await hanging(client, stop.signal)
    const other = await connectToOwner(archive.home)
    if (other.kind !== 'connected') throw new Error('Nobody answers')
    const kept = await hanging(other.client)
    stop.abort()
    expect(await cancelled.call).toMatchObject({ code: 'cancelled' })
    await send(facts, '/cancel')

    const finished: string[] = []
    const waiting: number[] = []
    void kept.call.then(() => finished.push('call'))
    const finish = socket
      .finish((processes) => void waiting.push(processes), new AbortController().signal)
      .then(() => finished.push('owner'))
    expect([waiting, finished]).toEqual([[2], []])
    expect(await connectToOwner(archive.home)).toMatchObject({ kind: 'not-ready' })
    other.client.close()
    expect(await kept.call).toMatchObject({ code: 'data-folder-locked' })
    client.close()
    await finish
    expect(finished).toEqual(['call', 'owner'])
    expect(engine.projects.list()).toHaveLength(1)
  })
})

test('a draft is released by a command that is done, however many others are connected', async () => {
  await withOwner(async ({ archive, client, engine, socket }) => {
    const { orders } = accessOver(client, () => {
      throw new Error('Nothing is read')
    })
    const { texts } = readOrderJson(exampleOrder(archive.service.projects[0]!))
    const waiting: OwnerClient[] = []
    onTestFinished(() => void waiting.forEach((one) => one.close()))
    await orders.withDraft(texts, async (orderId) => {
      const connect = async () => {
        const found = await connectToOwner(archive.home)
        return found.kind === 'connected' && waiting.push(found.client) > 0
      }
      while (await connect());
      const tooMany = { message: expect.stringContaining('works for too many commands at once') as string }
      await expect(client.call('owner.state', {})).rejects.toMatchObject(tooMany)
      expect(engine.orders.get(orderId)).toMatchObject({ state: 'draft', source: 'command-line' })
      // An app that restarts for an update does not wait for it.
      expect(await socket.callsEnded()).toBe(false)
    })
    expect(engine.orders.list({ offset: 0, limit: 1, search: '', filter: 'all' }).total).toBe(0)
  })
})

test('a restart waits for the calls of other processes, and not for questions about the watch', async () => {
  await withOwner(async ({ archive: { service }, client, socket }) => {
    expect(await socket.callsEnded()).toBe(false)
    const held = service.faults.add({ route: 'projects', fault: { kind: 'hang' }, count: 1 })
    const before = service.requests.count('api')
    const stop = new AbortController()
    const call = client.call('projects.discover', {}, { signal: stop.signal }).catch((error: unknown) => error)
    await until('the service is asked', () => service.requests.count('api') > before)
    held.remove()
    const ended: string[] = []
    void call.then(() => ended.push('call'))
    const waiting = socket.callsEnded().then((had) => ended.push(`owner, ${had}`))
    await client.call('owner.state', {})
    expect(ended).toEqual([])
    stop.abort()
    await Promise.all([call, waiting])
    expect(ended.toSorted()).toEqual(['call', 'owner, true'])
    expect(await socket.callsEnded()).toBe(false)
  })
})

test('the owner ends when it is asked to, and refuses to write into an archive that is being moved', async () => {
  const requireWritableArchive = () => {
    throw new AppError('wrong-usage', 'The archive is being moved.')
  }
  await withOwner(
    async ({ client, stops }) => {
      for (const [name, input] of [
        ['sync.run', {}],
        ['verify.run', { repair: true }],
      ] as const) {
        await expect(client.call(name, input)).rejects.toMatchObject({ message: 'The archive is being moved.' })
      }
      expect(await client.call('owner.stop', {})).toEqual({})
      await until('it ends', () => stops() === 1)
    },
    { requireWritableArchive },
  )
})

test('an owner that is not set up ends when it is asked to', async () => {
  const offered = () => {
    throw new AppError('setup-needed', 'Solarchive is not set up yet.')
  }
  await withOwner(
    async ({ client, stops }) => {
      expect(await client.call('owner.stop', {})).toEqual({})
      await until('it ends', () => stops() === 1)
    },
    { offered },
  )
})

test('an owner counts as gone only if that is certain', async () => {
  await withOwner(async ({ archive, client }) => {
    const pidFile = join(archive.home, 'solarchive.pid')
    expect(await client.hasEnded()).toBe(false)
    rmSync(pidFile)
    expect(await client.hasEnded()).toBe(false)
    mkdirSync(pidFile)
    expect(await client.hasEnded()).toBe(false)
    rmdirSync(pidFile)
    writeFileSync(pidFile, '1\n')
    expect(await client.hasEnded()).toBe(true)
  })
})

test('a link in place of a new owner.json is not followed', async () => {
  const folder = join(shared().home, 'owner')
  const precious = join(temporaryFolder(), 'precious')
  writeFileSync(precious, 'keep')
  mkdirSync(folder, { recursive: true })
  symlinkSync(precious, join(folder, 'owner.json.new'))
  await withOwner(({ facts }) => {
    expect(facts.pid).toBe(process.pid)
    expect(readFileSync(precious, 'utf8')).toBe('keep')
    return Promise.resolve()
  })
})

test('what a killed owner left is replaced, and a link in its place is not followed', async () => {
  const { home, root } = shared()
  const folder = join(home, 'owner')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'owner.json'), '{"pid": 1')
  writeFileSync(join(folder, 'socket'), 'of before')
  const lock = lockDataFolder(home)
  expect(await connectToOwner(home)).toEqual({ kind: 'not-ready', pid: process.pid })
  lock.release()
  rmSync(folder, { recursive: true })
  symlinkSync(root, folder)
  onTestFinished(() => rmSync(folder))
  expect(await openOwnerSocket(ownerWithoutEngine(home))).toBeUndefined()
})

test.skipIf(process.platform === 'win32')('what stands in place of owner.json keeps no command waiting', () => {
  const home = temporaryFolder()
  const file = join(home, 'owner', 'owner.json')
  mkdirSync(join(home, 'owner'))
  execFileSync('mkfifo', [file])
  expect(readOwnerFacts(home)).toBeUndefined()
  rmSync(file)
  const facts = JSON.stringify({
    pid: 1,
    version: '1',
    command: 'watch',
    serviceUrl: '',
    archiveFolder: '',
    useSample: false,
    apiCallsPerMinute: null,
    concurrency: null,
    address: '',
    key: '',
  })
  writeFileSync(file, facts)
  expect(readOwnerFacts(home)).toMatchObject({ command: 'watch' })
  writeFileSync(file, facts + ' '.repeat(100_000))
  expect(readOwnerFacts(home)).toBeUndefined()
  rmSync(file)
  writeFileSync(join(home, 'elsewhere.json'), facts)
  symlinkSync(join(home, 'elsewhere.json'), file)
  expect(readOwnerFacts(home)).toBeUndefined()
})
