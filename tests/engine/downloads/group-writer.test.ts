import fs, { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createGroupWriter, GroupMemory } from '../../../electron/engine/downloads/group-writer.ts'
import { Thread } from '../../../electron/engine/lib/thread.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('groups are written by a new thread after the last one has ended, and by one started in advance', async () => {
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

test('all files of a group are on the disk before the first has its name, and then their folder is', async () => {
  const root = temporaryFolder()
  mkdirSync(join(root, 'project'))
  const done: string[] = []
  const { fsync, fsyncSync, linkSync } = fs
  const spies = [
    vi.spyOn(fs, 'fsync').mockImplementation((descriptor, callback) =>
      fsync(descriptor, (error) => {
        done.push('file')
        callback(error)
      }),
    ),
    vi.spyOn(fs, 'linkSync').mockImplementation((part, path) => {
      linkSync(part, path)
      done.push('name')
    }),
    vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
      // Before the call: Windows syncs no folder.
      done.push('folder')
      fsyncSync(descriptor)
    }),
  ]
  syncBuiltinESMExports()
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
    syncBuiltinESMExports()
  })
  const memory = new GroupMemory()
  const files = ['one', 'other'].map((name) => {
    const start = memory.add([Buffer.from(name)]) ?? -1
    return { partPath: `project/${name}.part`, path: `project/${name}.jpg`, start, sizeBytes: name.length }
  })
  await createGroupWriter('inline').write(root, files, memory)
  expect(done).toEqual(['file', 'file', 'name', 'name', 'folder'])
})

test('a message that cannot be sent leaves the answers to others in their order', async () => {
  const url = new URL('../../../electron/engine/integrity/check-thread.ts', import.meta.url)
  const thread = Thread.take({ url })
  onTestFinished(() => thread.end())
  const ask = (files: readonly object[]) => thread.ask({ root: tmpdir(), files })
  const missing = { path: 'missing.jpg', sizeBytes: 1, sha256: '0'.repeat(64) }
  const first = ask([missing])
  expect(() => thread.ask(() => undefined)).toThrow(/could not be cloned/)
  expect(await Promise.all([first, ask([missing, missing]), ask([])])).toEqual([[false], [false, false], []])
})
