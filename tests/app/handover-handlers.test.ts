import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../electron/app/create-app.ts'
import type { SampleServiceOptions } from '../../electron/sample-service/start-sample-service.ts'
import type { ExportState, PacketState } from '../../shared/background-tasks.ts'
import type { CallInput, CallName, CallOutput } from '../../shared/contract/calls.ts'
import type { Answer } from '../../shared/envelope.ts'
import { hostPorts, settingsSource, tokenStore } from '../support/host-ports.ts'
import { sampleArchive } from '../support/sample-archive.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/watching.ts'

const selection = { kind: 'everything' } as const

/** A page of an app with an archive, which follows what it hands over. */
async function opened(
  what: 'export' | 'packet',
  stopCall: 'export.stop' | 'packets.stop',
  sample: SampleServiceOptions,
) {
  const archive = await sampleArchive(sample)
  await archive.sync()
  const source = settingsSource(archive.home, archive.root, archive.service.url)
  const app = await createApp({ source, ports: hostPorts(tokenStore(archive.service.token)) })
  onTestFinished(() => app.close())
  const call = async <Name extends CallName>(name: Name, input: CallInput<Name>): Promise<Answer<CallOutput<Name>>> =>
    (await app.api.call(name, input)) as never
  const states: (ExportState | PacketState)[] = []
  const phases = new Set<string>()
  let isStopping = false
  app.api.subscribe(({ name, value }) => {
    if (name === `${what}-state`) states.push(value as ExportState | PacketState)
    if (name !== `${what}-progress`) return
    if ('phase' in value) phases.add(value.phase)
    if (isStopping) void call(stopCall, {})
  })
  expect(states).toEqual([{ kind: 'idle', last: null }])
  return {
    call,
    phases,
    stopAtProgress: () => {
      isStopping = true
    },
    ended: async () => {
      await until(`the ${what} has ended`, () => states.at(-1)?.kind === 'idle')
      const state = states.at(-1)
      return state?.kind === 'idle' ? state.last : null
    },
  }
}

test('a page previews an export, starts it, follows it, and stops it', async () => {
  const { call, phases, stopAtProgress, ended } = await opened('export', 'export.stop', {
    projects: 2,
    checklistsPerProject: 2,
    statuses: ['completed', 'awaitingMedia'],
  })

  const options = { names: '{project}/{sequence:3} {date} {question}' }
  const preview = await call('export.preview', { selection, options })
  expect(preview).toMatchObject({
    ok: true,
    value: { title: 'Solarchive export', projects: 2, checklists: 4, leftOut: 0, problem: null },
  })
  if (!preview.ok) throw new Error('No preview')
  expect(preview.value.names[1]).toMatch(/^[^/]+\/001 \d{4}-\d\d-\d\d .+\.jpg$/)
  expect(preview.value.gaps).toBeGreaterThan(0)
  const wrong = await call('export.preview', {
    selection,
    options: { names: '{foto}', onlyComplete: true },
  })
  expect(wrong).toMatchObject({
    value: { leftOut: 2, gaps: 0, names: [], problem: expect.stringContaining('{foto}') as string },
  })

  const folder = temporaryFolder()
  const started = await call('export.start', { selection, options, to: folder })
  expect(started).toMatchObject({ value: { kind: 'running', order: { to: folder, format: 'folder' } } })
  expect(await call('export.start', { selection, options, to: folder })).toMatchObject({
    error: { code: 'wrong-usage', message: expect.stringContaining('already running') as string },
  })
  const last = await ended()
  expect(last).toMatchObject({
    ok: true,
    report: { path: join(folder, 'Solarchive export'), files: preview.value.files, gapCount: preview.value.gaps },
  })
  if (last?.ok !== true) throw new Error('The export failed')
  for (const name of preview.value.names) expect(existsSync(join(last.report.path, name))).toBe(true)
  expect(phases).toContain('copying')

  stopAtProgress()
  await call('export.start', { selection, options: {}, to: join(folder, 'stopped') })
  expect(await ended()).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  expect(readdirSync(folder)).toEqual(['Solarchive export'])
  expect(await call('export.start', { selection, options: {}, to: 'here' })).toMatchObject({
    error: { code: 'wrong-usage', message: expect.stringContaining('full path') as string, details: { input: 'to' } },
  })
  for (const name of ['mistyped', join('Solarchive export', 'SHA256SUMS')]) {
    const inFolder = { selection, to: join(folder, name), inFolder: true }
    const refused = { error: { code: 'wrong-usage', details: { input: 'to' } } }
    expect(await call('export.start', { ...inFolder, options: { format: 'zip' } })).toMatchObject(refused)
    expect(await call('packets.start', { ...inFolder, template: 'permit-photos' })).toMatchObject(refused)
  }
  expect(readdirSync(folder)).toEqual(['Solarchive export'])
})

test('a page saves a template, corrects a preview, starts a packet, follows it, and stops it', async () => {
  const sample = { projects: 1, checklistsPerProject: 1, statuses: ['completed'] } as const
  const { call, stopAtProgress, ended } = await opened('packet', 'packets.stop', sample)

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

  stopAtProgress()
  await call('packets.start', { selection, template: 'ours', to: join(folder, 'stopped') })
  expect(await ended()).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  expect(readdirSync(folder)).toEqual(['out'])
  expect(await call('packets.start', { selection, template: 'ours', to: 'here' })).toMatchObject({
    error: { code: 'wrong-usage', message: expect.stringContaining('full path') as string },
  })
  expect(await call('packets.removeTemplate', { id: 'ours' })).toMatchObject({ ok: true })
  expect(await call('packets.removeTemplate', { id: 'permit-photos' })).toMatchObject({ error: { code: 'not-found' } })
})
