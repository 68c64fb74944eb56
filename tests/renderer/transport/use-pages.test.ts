import { afterEach, expect, test, vi } from 'vitest'
import { effectScope, nextTick, ref } from 'vue'
import { usePages } from '../../../renderer/transport/use-pages.ts'

afterEach(() => void vi.unstubAllGlobals())

test('a list that is sorted at its top loads all rows of a high window again', async () => {
  vi.stubGlobal('window', globalThis)
  const sort = ref('name')
  const scope = effectScope()
  const offsets: number[] = []
  const load = ({ offset, limit }: { offset: number; limit: number }) => {
    offsets.push(offset)
    const total = sort.value === 'few' ? 3 : 100
    const items = Array.from({ length: limit }, (_, index) => `${offset + index} by ${sort.value}`)
    return Promise.resolve({ total, items: items.slice(0, Math.max(0, total - offset)) })
  }
  const pages = scope.run(() => usePages(load, { key: () => sort.value }))
  pages?.show(0, 50)
  await expect.poll(() => pages?.at(50)).toBe('50 by name')
  sort.value = 'date'
  await nextTick()
  await expect.poll(() => [pages?.at(0), pages?.at(50)]).toEqual(['0 by date', '50 by date'])
  // Nothing is asked for beyond the end.
  offsets.length = 0
  sort.value = 'few'
  await nextTick()
  await expect.poll(() => pages?.at(2)).toBe('2 by few')
  expect(offsets).toEqual([0])
  scope.stop()
})
