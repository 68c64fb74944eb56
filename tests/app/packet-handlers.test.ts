import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../electron/app/create-app.ts'
import type { PacketState } from '../../shared/background-tasks.ts'
import type { CallInput, CallName, CallOutput } from '../../shared/contract/calls.ts'
import type { Answer } from '../../shared/envelope.ts'
import { hostPorts, settingsSource, tokenStore } from '../support/host-ports.ts'
import { sampleArchive } from '../support/sample-archive.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/watching.ts'

const selection = { kind: 'everything' } as const

test('a page saves a template, corrects a preview, starts a packet, follows it, and stops it', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  const source = settingsSource(archive.home, archive.root, archive.service.url)
  const app = await createApp({ source, ports: hostPorts(tokenStore(archive.service.token)) })
  onTestFinished(() => app.close())
  const call = async <Name extends CallName>(name: Name, input: CallInput<Name>): Promise<Answer<CallOutput<Name>>> =>
    (await app.api.call(name, input)) as never
  const states: PacketState[] = []
  let stopAtProgress = false
  app.api.subscribe(({ name, value }) => {
    if (name === 'packet-state') states.push(value as PacketState)
    if (name === 'packet-progress' && stopAtProgress) void call('packets.stop', {})
  })
  const ended = async () => {
    await until('the packet has ended', () => states.at(-1)?.kind === 'idle')
    const state = states.at(-1)
    return state?.kind === 'idle' ? state.last : null
  }
  expect(states).toEqual([{ kind: 'idle', last: null }])

  const slots = [{ id: 'any', title: 'Any', patterns: ['nothing of this kind'] }]
  expect(await call('packets.saveTemplate', { template: { id: 'ours', title: 'Ours', slots } })).toMatchObject({
    ok: true,
  })
  const listed = await call('packets.templates', {})
  expect(listed).toMatchObject({ value: { items: [{}, {}, {}, {}, { isBuiltIn: false, template: { id: 'ours' } }] } })
  const before = await call('packets.preview', { selection, template: 'ours' })
  if (!before.ok) throw new Error('No preview')
  const [question] = before.value.others
  if (question === undefined) throw new Error('No question with photos')
  const { checklistTitle, section, question: label, photos } = question
  const place = { templateId: 'ours', slotId: 'any', checklistTitle, section, question: label }
  expect(await call('packets.correct', { ...place, fills: true })).toMatchObject({ ok: true })
  expect(await call('packets.preview', { selection, template: 'ours' })).toMatchObject({
    value: { complete: true, slots: [{ filled: true, questions: [{ question: label, corrected: true, photos }] }] },
  })

  const folder = temporaryFolder()
  const started = await call('packets.start', { selection, template: 'OURS', to: join(folder, 'out') })
  expect(started).toMatchObject({ value: { kind: 'running', order: { to: join(folder, 'out'), template: 'ours' } } })
  expect(await call('packets.start', { selection, template: 'ours', to: folder })).toMatchObject({
    error: { code: 'wrong-usage', message: expect.stringContaining('being written already') as string },
  })
  expect(await ended()).toMatchObject({ ok: true, report: { path: join(folder, 'out'), complete: true } })
  expect(existsSync(join(folder, 'out', 'packet.pdf'))).toBe(true)

  stopAtProgress = true
  await call('packets.start', { selection, template: 'ours', to: join(folder, 'stopped') })
  expect(await ended()).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  expect(readdirSync(folder)).toEqual(['out'])
  expect(await call('packets.start', { selection, template: 'ours', to: 'here' })).toMatchObject({
    error: { code: 'wrong-usage', message: expect.stringContaining('full path') as string },
  })
  expect(await call('packets.removeTemplate', { id: 'ours' })).toMatchObject({ ok: true })
  expect(await call('packets.removeTemplate', { id: 'permit-photos' })).toMatchObject({ error: { code: 'not-found' } })
})
