import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { listText, readTable } from '../../../electron/engine/lib/read-table.ts'
import { maxListBytes } from '../../../shared/csv.ts'

const tooLong = { code: 'wrong-usage', message: expect.stringContaining('at most 10 rows are read at once') as string }
const tooLarge = { code: 'wrong-usage', message: expect.stringContaining('larger than 4.0 MB') as string }

test('a large table is read piece by piece, and other work runs between the pieces', async () => {
  const name = 'Zoë "Bob" Núñez, 太陽光発電所 '.repeat(6).trim()
  const rows = Array.from({ length: 10_000 }, (_, row) => [`id-${row}`, name, `${row} Elm St\nIthaca`])
  const quoted = rows.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\r\n')
  const [other, reading] = [{ turns: 0 }, { isOver: false }]
  const read = readTable(quoted, rows.length).finally(() => (reading.isOver = true))
  while (!reading.isOver) {
    await nextTurn()
    other.turns += 1
  }
  expect((await read).map(({ cells }) => cells)).toEqual(rows)
  expect((await read).at(-1)).toMatchObject({ line: 20_000, width: 3 })
  // At least one turn for every 16 KB.
  expect(other.turns).toBeGreaterThan(Buffer.byteLength(quoted) / 2 ** 14)
})

test('a table has a maximum of rows, of lines, and of bytes in a row', async () => {
  expect(await readTable(`id\n${'a\n'.repeat(10)}`, 10)).toHaveLength(11)
  await expect(readTable(`id\n${'a\n'.repeat(11)}`, 10)).rejects.toMatchObject(tooLong)
  expect(await readTable(`${'\r\n'.repeat(99)}a`, 10)).toHaveLength(1)
  await expect(readTable('\n'.repeat(1_000_000), 10)).rejects.toMatchObject(tooLong)
  await expect(readTable(`id,name\na,"${'x'.repeat(2 ** 20)}`, 10)).rejects.toThrow('the row is longer than 64 KB')
  await expect(readTable('"a"b,\n', 10)).rejects.toThrow('a quotation mark is out of place')
})

test('a list has a maximum size in bytes, as text and as a file', () => {
  const most = 'x'.repeat(maxListBytes)
  expect(listText({ text: most })).toBe(most)
  expect(listText({ base64: Buffer.from(most).toString('base64') })).toBe(most)
  expect(() => listText({ text: `${most.slice(1)}é` })).toThrow(expect.objectContaining(tooLarge))
  expect(() => listText({ base64: Buffer.from(`${most}x`).toString('base64') })).toThrow(
    expect.objectContaining(tooLarge),
  )
})
