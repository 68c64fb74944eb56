import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../electron/app/create-app.ts'
import type { ExportState } from '../../shared/background-tasks.ts'
import type { CallInput, CallName, CallOutput } from '../../shared/contract/calls.ts'
import type { Answer } from '../../shared/envelope.ts'
import { hostPorts, settingsSource, tokenStore } from '../support/host-ports.ts'
import { sampleArchive } from '../support/sample-archive.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/watching.ts'

const everything = { kind: 'everything' } as const

test('a page previews an export, starts it, follows it, and stops it', async () => {
  const archive = await sampleArchive({
    projects: 2,
    checklistsPerProject: 2,
    statuses: ['completed', 'awaitingMedia'],
  })
  await archive.sync()
  const source = settingsSource(archive.home, archive.root, archive.service.url)
  const app = await createApp({ source, ports: hostPorts(tokenStore(archive.service.token)) })
  onTestFinished(() => app.close())
  const call = async <Name extends CallName>(name: Name, input: CallInput<Name>): Promise<Answer<CallOutput<Name>>> =>
    (await app.api.call(name, input)) as never
  const states: ExportState[] = []
  const phases = new Set<string>()
  let stopAtProgress = false
  app.api.subscribe(({ name, value }) => {
    if (name === 'export-state') states.push(value as ExportState)
    if (name !== 'export-progress' || !('phase' in value)) return
    phases.add(value.phase)
    if (stopAtProgress) void call('export.stop', {})
  })
  const ended = async () => {
    const isIdle = () => states.at(-1)?.kind === 'idle'
    await until('the export has ended', isIdle)
    const state = states.at(-1)
    return state?.kind === 'idle' ? state.last : null
  }
  expect(states).toEqual([{ kind: 'idle', last: null }])

  const options = { names: '{project}/{sequence:3} {date} {question}' }
  const preview = await call('export.preview', { selection: everything, options })
  expect(preview).toMatchObject({
    ok: true,
    value: { title: 'Solarchive export', projects: 2, checklists: 4, leftOut: 0, problem: null },
  })
  if (!preview.ok) throw new Error('No preview')
  expect(preview.value.names[1]).toMatch(/^[^/]+\/001 \d{4}-\d\d-\d\d .+\.jpg$/)
  expect(preview.value.gaps).toBeGreaterThan(0)
  const wrong = await call('export.preview', {
    selection: everything,
    options: { names: '{foto}', onlyComplete: true },
  })
  expect(wrong).toMatchObject({
    value: { leftOut: 2, gaps: 0, names: [], problem: expect.stringContaining('{foto}') as string },
  })

  const folder = temporaryFolder()
  const started = await call('export.start', { selection: everything, options, to: folder })
  expect(started).toMatchObject({ value: { kind: 'running', order: { to: folder, format: 'folder' } } })
  expect(await call('export.start', { selection: everything, options, to: folder })).toMatchObject({
    error: { code: 'wrong-usage', message: expect.stringContaining('running already') as string },
  })
  const last = await ended()
  expect(last).toMatchObject({
    ok: true,
    report: { path: join(folder, 'Solarchive export'), files: preview.value.files },
  })
  if (last?.ok !== true) throw new Error('The export failed')
  expect(last.report.gapCount).toBe(preview.value.gaps)
  for (const name of preview.value.names) expect(existsSync(join(last.report.path, name))).toBe(true)
  expect(phases).toContain('copying')

  stopAtProgress = true
  await call('export.start', { selection: everything, options: {}, to: join(folder, 'stopped') })
  expect(await ended()).toMatchObject({ ok: false, error: { code: 'cancelled' } })
  expect(readdirSync(folder)).toEqual(['Solarchive export'])
  expect(await call('export.start', { selection: everything, options: {}, to: 'here' })).toMatchObject({
    error: { code: 'wrong-usage', message: expect.stringContaining('full path') as string, details: { input: 'to' } },
  })
  for (const name of ['mistyped', join('Solarchive export', 'SHA256SUMS')]) {
    const inFolder = { selection: everything, to: join(folder, name), inFolder: true }
    const refused = { error: { code: 'wrong-usage', details: { input: 'to' } } }
    expect(await call('export.start', { ...inFolder, options: { format: 'zip' } })).toMatchObject(refused)
    expect(await call('packets.start', { ...inFolder, template: 'permit-photos' })).toMatchObject(refused)
  }
  expect(readdirSync(folder)).toEqual(['Solarchive export'])
})
