import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createGroupWriter, GroupMemory } from '../../../electron/engine/downloads/group-writer.ts'

test('groups are written by a new thread after the last one has ended, and by one that was started in advance', async () => {
  const root = mkdtempSync(join(tmpdir(), 'solarchive-groups-'))
  const writer = createGroupWriter('thread', 0)
  onTestFinished(async () => {
    await writer.close()
    rmSync(root, { recursive: true, force: true })
  })
  writer.prepare()
  for (let number = 0; number < 12; number += 1) {
    const memory = new GroupMemory()
    const text = `group ${number}`
    const start = memory.add([Buffer.from(text)]) ?? -1
    const file = { partPath: `${number}.part`, path: `${number}.jpg`, start, sizeBytes: text.length }
    expect(await writer.write(root, [file], memory)).toMatchObject({ files: [{ isPublished: true }] })
    expect(readFileSync(join(root, file.path), 'utf8')).toBe(text)
    // Some threads end before the next group, some are asked in time.
    for (let turn = 0; turn < number; turn += 1) await nextTurn()
    if (number % 4 === 3) writer.prepare()
  }
})
