import { createPinia } from 'pinia'
import { expect, it } from 'vitest'
import { createApp, effectScope, nextTick, ref } from 'vue'
import { useSite } from '../../../../renderer/features/orders/form/use-site.ts'
import { useEngine } from '../../../../renderer/stores/engine-store.ts'
import { clientKey, type Client } from '../../../../renderer/transport/transport.ts'

it('the checklist that is shown stays, also if another one has more files after a sync', async () => {
  let files: Readonly<Record<string, number>> = { attic: 0, garage: 0 }
  const checklist = (id: string) => ({ id, title: id, status: 'completed', archivedFiles: files[id] ?? 0 })
  const call = (name: string, { checklistId = '' }: { readonly checklistId?: string }) =>
    Promise.resolve(
      name === 'projects.get'
        ? { project: { id: 'p' }, checklists: { items: Object.keys(files).map(checklist) } }
        : { checklist: checklist(checklistId), sections: [] },
    )
  // Only what a site uses of a client.
  const app = createApp({})
    .use(createPinia())
    .provide(clientKey, { call } as unknown as Client)
  const projectId = ref('p')
  const made = app.runWithContext(() =>
    effectScope().run(() => ({ engine: useEngine(), site: useSite(() => projectId.value) })),
  )
  if (made === undefined) throw new Error('There is no site')
  const { engine, site } = made
  const shown = () => site.detail.value.value?.checklist
  const sync = async (archived: typeof files) => {
    files = archived
    engine.changes += 1
    await expect
      .poll(() => site.checklists.value.map(({ archivedFiles }) => archivedFiles))
      .toEqual(Object.values(files))
    await expect.poll(() => shown()?.archivedFiles).toBe(files[site.checklistId.value ?? ''])
  }
  await expect.poll(() => shown()?.id).toBe('attic')
  // There is nothing to look at yet.
  await sync({ attic: 0, garage: 1 })
  expect(shown()?.id).toBe('garage')
  await sync({ attic: 9, garage: 2 })
  expect(shown()).toMatchObject({ id: 'garage', archivedFiles: 2 })
  projectId.value = 'other'
  await nextTick()
  await expect.poll(() => shown()?.id).toBe('attic')
})
