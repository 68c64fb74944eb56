import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** The declaration of an exported type, but no `export { … }` of one from elsewhere. */
const exportedType = /^export (?:(?:abstract|const|declare|default) )*(?:class|enum|interface|type) (\w+)/gm

test('two exported types never share a name', () => {
  const files = ['electron', 'renderer', 'scripts', 'shared'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(mjs|ts|vue)$/.test(name))
      .map((name) => join(folder, name)),
  )
  const types = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(exportedType)].map(([, name = '']) => ({ name, file })),
  )
  expect(types.length).toBeGreaterThan(500)
  const shared = [...Map.groupBy(types, ({ name }) => name).values()].filter(({ length }) => length > 1)
  expect(shared).toEqual([])
})
