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

test('the preview of an earlier text is not current, even if it arrives before the next one is requested', async () => {
  const answers: PromiseWithResolvers<string>[] = []
  const { text, preview, isCurrent, refresh } = useListPreview(() => {
    const answer = Promise.withResolvers<string>()
    answers.push(answer)
    return answer.promise
  })
  text.value = 'one order'
  const first = refresh()
  text.value = 'another order'
  answers[0]?.resolve('of one order')
  await first
  expect([preview.value, isCurrent.value]).toEqual(['of one order', false])
  const second = refresh()
  answers[1]?.resolve('of another order')
  await second
  expect([preview.value, isCurrent.value]).toEqual(['of another order', true])
})
