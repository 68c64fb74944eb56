import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../../electron/app/create-app.ts'
import { parseSettings } from '../../../electron/app/settings/settings-file.ts'
import type { Desktop } from '../../../electron/engine/lib/ports.ts'
import type { CallInput, CallName, CallOutput } from '../../../shared/contract/calls.ts'
import type { Answer } from '../../../shared/envelope.ts'
import { hostPorts, settingsSource, tokenStore } from '../../support/host-ports.ts'
import { readZip } from '../../support/read-zip.ts'
import { runMain } from '../../support/run-main.ts'
import { sampleArchive } from '../../support/sample-archive.ts'
import { until } from '../../support/watching.ts'
import { hookSecret, withReceiver } from '../../support/webhook-receiver.ts'

const program = { kind: 'program' as const, path: '/usr/local/bin/hook', args: ['--from', 'solarchive'] }
const webhook = { kind: 'webhook' as const, url: 'https://hooks.example.com/a', secret: hookSecret }
const hook = (target: typeof program | (typeof webhook & { allowPrivate?: boolean }), more: object = {}) => ({
  id: 'one',
  name: 'One',
  events: ['checklist-complete' as const],
  target,
  ...more,
})

/** An app on a data folder whose settings.json has these hooks. `desktop` only where there is a window. */
async function opened(hooks: readonly object[] = [], desktop?: Pick<Desktop, 'confirm'>) {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  const file = join(archive.home, 'settings.json')
  mkdirSync(archive.home, { recursive: true })
  writeFileSync(file, JSON.stringify({ schedule: 'manual', hooks }), { mode: 0o600 })
  const secrets: string[] = []
  const app = await createApp({
    source: settingsSource(archive.home, archive.root, archive.service.url),
    ports: hostPorts(tokenStore(archive.service.token), {
      keepSecret: (text) => secrets.push(text),
      desktop: desktop as Desktop | undefined,
    }),
  })
  onTestFinished(() => app.close())
  const call = async <Name extends CallName>(name: Name, input: CallInput<Name>): Promise<Answer<CallOutput<Name>>> =>
    (await app.api.call(name, input)) as never
  const saved = () => (JSON.parse(readFileSync(file, 'utf8')) as { hooks?: unknown[] }).hooks
  return { archive, app, call, saved, secrets, file }
}

test('without a window, no program can be added, changed, or turned on, but removed and turned off', async () => {
  const { call, saved } = await opened([hook(program), hook(program, { id: 'off', isOn: false })])
  const before = saved()
  const list = await call('hooks.list', {})
  expect(list).toMatchObject({ value: { canAddPrograms: false, hooks: [{ id: 'one' }, { id: 'off' }] } })
  const attempts = [
    [hook(program, { id: 'new' })],
    [hook({ ...program, path: '/bin/sh' })],
    [hook({ ...program, args: ['-c', 'id'] })],
    [hook(program, { id: 'off' })],
    [hook(webhook, { id: 'other' }), hook({ ...program, path: '/bin/sh' }, { isOn: false })],
  ]
  for (const hooks of attempts) {
    const answer = await call('hooks.save', { hooks })
    expect(answer, JSON.stringify(hooks)).toMatchObject({ error: { code: 'wrong-usage' } })
    expect(saved()).toEqual(before)
  }
  expect(await call('settings.save', { hooks: [hook(program, { id: 'new' })] } as object)).toMatchObject({ ok: false })
  const off = [hook(program, { isOn: false }), hook(webhook, { id: 'other' })]
  expect(await call('hooks.save', { hooks: off })).toMatchObject({ ok: true })
  expect(await call('hooks.save', { hooks: [] })).toMatchObject({ value: { hooks: [] } })
  expect(saved()).toBeUndefined()
})

test('an address at which a webhook could never be notified is refused, and the way to allow it is said', async () => {
  const confirmed: string[] = []
  const confirm = ({ message }: { readonly message: string }) => Promise.resolve(confirmed.push(message) > 0)
  for (const [desktop, remedy] of [
    [undefined, 'settings.json with "allowPrivate"'],
    [{ confirm }, 'Allow such an address below'],
  ] as const) {
    const { call, saved } = await opened([], desktop)
    for (const url of [
      'http://127.0.0.1:9999/hook',
      'https://localhost/hook',
      'https://10.1.2.3/',
      'http://crm.test/',
    ]) {
      expect(await call('hooks.save', { hooks: [hook({ ...webhook, url })] }), url).toMatchObject({
        error: {
          code: 'link-unsafe',
          details: { input: 'url' },
          message: expect.stringContaining(remedy) as string,
        },
      })
    }
    expect(saved()).toEqual([])
  }
  expect(confirmed).toEqual([])
})

test('a question about a program that is open when the app closes is answered with no', async () => {
  const asked = Promise.withResolvers<void>()
  const confirm: Desktop['confirm'] = (_question, signal) =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(false))
      asked.resolve()
    })
  const { app, call, saved } = await opened([], { confirm })
  const saving = call('hooks.save', { hooks: [hook(program)] })
  await asked.promise
  await app.close()
  expect(await saving).toMatchObject({ error: { code: 'cancelled' } })
  expect(saved()).toEqual([])
})

test('without a window, no webhook can be sent to a private address that is not in settings.json', async () => {
  await withReceiver(async ({ url, messages }) => {
    const near = { ...webhook, url, allowPrivate: true }
    const { call, saved } = await opened([hook(near), hook(webhook, { id: 'far' })])
    const before = saved()
    const attempts = [
      [hook(near), hook(near, { id: 'new' })],
      [hook({ ...near, url: `${url}/other` })],
      [hook({ ...near, url: 'http://169.254.169.254/latest' })],
      [hook(near), hook({ ...webhook, allowPrivate: true }, { id: 'far' })],
    ]
    for (const hooks of attempts) {
      const answer = await call('hooks.save', { hooks })
      const error = { code: 'wrong-usage', message: expect.stringMatching(/private network.*settings\.json/) as string }
      expect(answer, JSON.stringify(hooks)).toMatchObject({ error })
      expect(saved()).toEqual(before)
    }
    // The address that the file allows may be turned off and on, and notified of other events.
    for (const isOn of [false, true]) {
      const kept = hook(near, { isOn, events: ['order-status'] })
      expect(await call('hooks.save', { hooks: [kept] })).toMatchObject({ ok: true })
    }
    expect(messages).toEqual([])
  })
})

test('with a window, a user is asked by the system about each new target, and no changes nothing', async () => {
  const asked: string[] = []
  let answer = false
  const confirm: Desktop['confirm'] = ({ detail }) => {
    asked.push(detail)
    return Promise.resolve(answer)
  }
  const { call, saved } = await opened([], { confirm })
  expect(await call('hooks.save', { hooks: [hook(program)] })).toMatchObject({ error: { code: 'cancelled' } })
  expect([asked, saved()]).toEqual([['/usr/local/bin/hook\n"--from"\n"solarchive"'], []])
  answer = true
  const hooks = [hook(program), hook(webhook, { id: 'other' })]
  expect(await call('hooks.save', { hooks })).toMatchObject({ value: { canAddPrograms: true } })
  expect(asked.slice(1)).toEqual([asked[0], webhook.url])
  // Nothing new: other events, and the same targets.
  const more = hooks.map((one) => ({ ...one, events: ['order-status' as const] }))
  expect(await call('hooks.save', { hooks: more })).toMatchObject({ ok: true })
  expect(asked).toHaveLength(3)
  // The arguments can be distinguished.
  for (const args of [['a', 'b'], ['a\nb'], ['a', 'b', '']]) {
    expect(await call('hooks.save', { hooks: [hook({ ...program, args })] })).toMatchObject({ ok: true })
  }
  expect(new Set(asked.slice(3)).size).toBe(3)
})

test('a secret is stored in the private file, never shown, and not sent to another address', async () => {
  const { call, saved, secrets, file } = await opened()
  const first = await call('hooks.save', { hooks: [hook(webhook)] })
  expect(first).toMatchObject({ value: { hooks: [{ id: 'one', target: { url: webhook.url } }] } })
  expect(JSON.stringify([first, await call('hooks.list', {}), await call('activity.list', {})])).not.toContain('canary')
  expect(secrets).toContain(hookSecret)
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  const { secret: _, ...target } = webhook
  const changed = { ...target, url: 'https://hooks.example.com/b' }
  expect(await call('hooks.save', { hooks: [{ ...hook(webhook), target: changed }] })).toMatchObject({ ok: true })
  expect(saved()).toMatchObject([{ target: { ...changed, secret: hookSecret } }])
  const elsewhere = { ...target, url: 'https://evil.example.com/' }
  const refused = await call('hooks.save', { hooks: [{ ...hook(webhook), target: elsewhere }] })
  expect(refused).toMatchObject({ error: { code: 'wrong-settings' } })
  expect(saved()).toMatchObject([{ target: changed }])
})

test('hooks that were added to settings.json by hand are not overwritten, also while a question is open', async () => {
  const byHand = () => writeFileSync(file, JSON.stringify({ hooks: [hook(webhook), hook(program, { id: 'byHand' })] }))
  const confirm: Desktop['confirm'] = () => {
    byHand()
    return Promise.resolve(true)
  }
  const { call, saved, file } = await opened([hook(webhook)], { confirm })
  const refused = {
    error: { code: 'wrong-settings', message: expect.stringContaining('Restart Solarchive') as string },
  }
  const hooks = [hook(webhook), hook(program, { id: 'new' })]
  expect(await call('hooks.save', { hooks })).toMatchObject(refused)
  expect(saved()).toMatchObject([{ id: 'one' }, { id: 'byHand' }])
  expect(await call('hooks.save', { hooks: [] })).toMatchObject(refused)
  expect(saved()).toMatchObject([{ id: 'one' }, { id: 'byHand' }])
})

test('hooks that were added to settings.json by hand take effect at the next start, not with another change', async () => {
  const { call, saved, secrets, file } = await opened([hook(webhook)])
  const secret = 'a-canary-that-was-added-by-hand'
  writeFileSync(file, JSON.stringify({ hooks: [hook(webhook), hook({ ...webhook, secret }, { id: 'byHand' })] }))
  expect(await call('settings.save', { appearance: 'dark', concurrency: 3 })).toMatchObject({ ok: true })
  expect(await call('hooks.list', {})).toMatchObject({ value: { hooks: [{ id: 'one' }] } })
  expect(await call('hooks.save', { hooks: [] })).toMatchObject({ error: { code: 'wrong-settings' } })
  expect(saved()).toMatchObject([{ id: 'one' }, { id: 'byHand', target: { secret } }])
  expect(secrets).not.toContain(secret)
})

test('the app notifies hooks of what it archives, lists it, and repeats it', async () => {
  await withReceiver(async ({ url, messages }) => {
    const { archive, call } = await opened([hook({ ...webhook, url, allowPrivate: true })])
    const ids = archive.service.projects.map(({ id }) => ({ id }))
    await call('projects.add', { projects: ids })
    await call('sync.now', {})
    await until('the hook was notified', () => messages.length === 1)
    const page = async () => {
      const answer = await call('hooks.deliveries', { hookId: 'one' })
      return answer.ok ? answer.value : undefined
    }
    await until('that is recorded', async () => (await page())?.items[0]?.state === 'delivered')
    const [delivery] = (await page())?.items ?? []
    expect(delivery).toMatchObject({ eventId: messages[0]?.id, result: 'HTTP status 204' })
    await call('hooks.repeat', { deliveryId: delivery?.deliveryId ?? 0 })
    await until('it was notified again', () => messages.length === 2)
    expect(messages[1]).toEqual(messages[0])
  })
})

test('a command notifies hooks before it ends, and a support bundle has nothing of them', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await withReceiver(async ({ url, messages }) => {
    mkdirSync(archive.home, { recursive: true })
    const target = { ...webhook, url, allowPrivate: true }
    const settings = { hooks: [hook(target), hook({ ...program, path: '/canary/path' }, { id: 'two' })] }
    writeFileSync(join(archive.home, 'settings.json'), JSON.stringify(settings))
    const env = {
      SOLARCHIVE_HOME: archive.home,
      SOLARCHIVE_ARCHIVE: archive.root,
      SOLARCHIVE_URL: archive.service.url,
      SOLARCHIVE_TOKEN: archive.service.token,
    }
    const run = (...args: string[]) => runMain(['--api-rate', '0', ...args], { env, cwd: archive.home })
    for (const { id } of archive.service.projects) await run('projects', 'add', id)
    expect(await run('sync')).toMatchObject({ exitCode: 0 })
    expect(messages).toMatchObject([{ event: 'checklist-complete' }])
    expect(await run('support-bundle', '--output', 'bundle.zip')).toMatchObject({ exitCode: 0 })
    const log = readFileSync(join(archive.home, 'logs', 'solarchive.log'), 'utf8')
    const files = await readZip(readFileSync(join(archive.home, 'bundle.zip')))
    const bundle = [...files.values()].map(({ bytes }) => bytes.toString()).join('\n')
    for (const text of [log, bundle]) expect(text).not.toMatch(/canary|\/hook/)
    expect(bundle).toContain('webhook')
  })
})

test('settings.json is checked, and messages do not repeat its values', () => {
  const parse = (hooks: unknown) => () => parseSettings(JSON.stringify({ hooks }), '/h/settings.json')
  const wrong = [
    hook({ ...program, path: 'hook.sh' }),
    hook({ ...program, args: ['a\0b'] }),
    hook({ ...program, args: 'x' } as never),
    hook({ ...webhook, secret: 'canary' }),
    hook({ ...webhook, url: 'https://canary:canary@example.com' }),
    hook({ ...webhook, url: 'file:///canary' }),
    hook(program, { id: 'a/b' }),
    hook(program, { events: ['canary'] }),
    hook(program, { shell: true }),
  ]
  for (const one of wrong) expect(parse([one]), JSON.stringify(one)).toThrow(/^\/h\/settings.json: (?!.*canary)/)
  expect(parse([hook(program), hook(webhook)])).toThrow('each id once')
  expect(parse(Array.from({ length: 21 }, (_, index) => hook(program, { id: `${index}` })))).toThrow('at most 20')
  expect(parse([hook(program)])).not.toThrow()
})
