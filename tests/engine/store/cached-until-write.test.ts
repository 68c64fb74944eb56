import { expect, test } from 'vitest'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { storeFolder } from './store-folder.ts'

const at = '2026-01-01T00:00:00.000Z'

function counted() {
  const { file } = storeFolder()
  const [store, other] = [createStore(file), createStore(file)]
  let computed = 0
  const projects = store.cachedUntilWrite(() => {
    computed += 1
    return store.projects.listAll().map(({ id }) => id)
  })
  return { store, other, projects, computed: () => computed }
}

test('a cached result is computed once until a write, here or in another process', () => {
  const { store, other, projects, computed } = counted()
  expect([projects(), projects()]).toEqual([[], []])
  expect(computed()).toBe(1)
  store.projects.put('a', null, null, at)
  expect([projects(), projects()]).toEqual([['a'], ['a']])
  expect(computed()).toBe(2)
  other.projects.put('b', null, null, at)
  expect([projects(), projects()]).toEqual([
    ['a', 'b'],
    ['a', 'b'],
  ])
  expect(computed()).toBe(3)
  store.close()
  other.close()
})

test('a result read in a transaction that is rolled back is not cached', () => {
  const { store, other, projects } = counted()
  expect(projects()).toEqual([])
  const fails = () =>
    store.transaction(() => {
      store.projects.put('a', null, null, at)
      expect(projects()).toEqual(['a'])
      throw new RangeError('not after all')
    })
  expect(fails).toThrow(RangeError)
  expect(projects()).toEqual([])
  store.close()
  other.close()
})
