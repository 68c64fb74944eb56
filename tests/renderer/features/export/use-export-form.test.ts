import { createPinia } from 'pinia'
import { expect, it, vi } from 'vitest'
import { createApp, effectScope, nextTick } from 'vue'
import { useExportForm } from '../../../../renderer/features/export/use-export-form.ts'
import { useEngine } from '../../../../renderer/stores/engine-store.ts'
import { clientKey, type Client } from '../../../../renderer/transport/transport.ts'

it('an export of something that has no files yet can start as soon as it has some', async () => {
  let files = 0
  const call = vi.fn((_name: string, _input: object) => Promise.resolve({ files, problem: null }))
  // Only what the form uses of a client.
  const app = createApp({})
    .use(createPinia())
    .provide(clientKey, { call } as unknown as Client)
  const subject = { title: 'Elm', selection: { kind: 'everything' as const } }
  const made = app.runWithContext(() =>
    effectScope().run(() => ({ engine: useEngine(), form: useExportForm(() => subject) })),
  )
  if (made === undefined) throw new Error('There is no form')
  const { engine, form } = made
  form.parts.value = ['photos']
  const options: unknown = expect.objectContaining({ include: ['photos'] })
  await expect.poll(() => call).toHaveBeenLastCalledWith('export.preview', { selection: subject.selection, options })
  await nextTick()
  expect(form.problem.value).toBe('Nothing of this is archived yet.')
  // Tables alone have no files either, and can start.
  form.parts.value = ['tables']
  await expect.poll(() => call).toHaveBeenCalledTimes(2)
  engine.changes += 1
  await nextTick()
  expect([call.mock.calls.length, form.problem.value]).toEqual([2, null])
  form.parts.value = ['photos']
  await expect.poll(() => form.problem.value).toBe('Nothing of this is archived yet.')
  files = 3
  engine.changes += 1
  await expect.poll(() => [form.problem.value, form.canStart.value]).toEqual([null, true])
  // What an export has is not counted again with every file that arrives.
  call.mockClear()
  engine.changes += 1
  await nextTick()
  expect(call).not.toHaveBeenCalled()
})
