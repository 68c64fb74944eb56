import { expect, test } from 'vitest'
import { useListPreview } from '../../../renderer/stores/use-list-preview.ts'
import { listTooLarge, maxListBytes } from '../../../shared/csv.ts'

test('a list that is too large is refused before it is sent, whether pasted, chosen, or dropped', async () => {
  const sent: unknown[] = []
  const { text, file, error, preview, refresh } = useListPreview((list) => Promise.resolve(sent.push(list)))
  const most = 'x'.repeat(maxListBytes)
  text.value = most
  await refresh()
  expect(preview.value).toBe(1)
  text.value = `${most.slice(1)}é`
  await refresh()
  expect([preview.value, error.value?.message]).toEqual([null, listTooLarge()])
  text.value = ''
  file.value = new File([most, 'x'], 'list.csv')
  await refresh()
  expect([preview.value, error.value?.message]).toEqual([null, listTooLarge()])
  expect(sent).toHaveLength(1)
})
