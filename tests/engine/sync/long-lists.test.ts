import { expect, test } from 'vitest'
import { readChecklistList } from '../../../electron/engine/service/readers/read-checklist-list.ts'
import { readMediaList } from '../../../electron/engine/service/readers/read-media.ts'
import { readProjects } from '../../../electron/engine/service/readers/read-projects.ts'
import { readServiceRequestList } from '../../../electron/engine/service/readers/read-service-requests.ts'

const entry = (index: number) => ({
  id: `c${index}`,
  title: 'Survey',
  name: 'x',
  status: 'completed',
  imgUrl: 'https://f.example/x.jpg',
})
const entries = (count: number) => Array.from({ length: count }, (_, index) => entry(index))

test.each<[string, (answer: unknown) => readonly unknown[]]>([
  ['checklists', readChecklistList],
  ['photos', readMediaList],
  ['projects', readProjects],
  ['orders', readServiceRequestList],
])('a list of 10,000 %s is read, a longer one refused', (_name, read) => {
  const byId = (count: number) => Object.fromEntries(entries(count).map((record) => [record.id, record]))
  expect(read(entries(10_000))).toHaveLength(10_000)
  expect(read(byId(10_000))).toHaveLength(10_000)
  for (const answer of [entries(10_001), { data: entries(20_000) }, byId(10_001)]) {
    expect(() => read(answer)).toThrow('it is far too long')
  }
})
