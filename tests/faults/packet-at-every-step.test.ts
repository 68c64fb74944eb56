import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultPacketNames } from '../../shared/export-parts.ts'
import { builtInTemplates } from '../../shared/packet-templates.ts'
import { systemClock } from '../../electron/engine/lib/system-clock.ts'
import { planExport } from '../../electron/engine/export/plan-export.ts'
import { writePacket } from '../../electron/engine/export/write-packet.ts'
import { storeOf, upToDate } from '../engine/export/exported.ts'
import { checkSums, judge } from '../engine/export/outside-judges.ts'
import { watchCalls } from '../support/hooks/watch-calls.ts'
import { sampleArchive } from '../support/sample-archive.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A packet is made again in the state before each of these steps. */
const isRepeatedFrom = (step: number) => step < 6 || step % 20 === 0

test('a packet that is killed at any step leaves no half result, and is repeated', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  const store = storeOf(archive)
  const deps = { store, root: archive.root, homeFolder: archive.home, clock: systemClock, ...upToDate }
  const plan = planExport(store, systemClock, { kind: 'everything' })
  const [template] = builtInTemplates
  if (template === undefined) throw new Error('No template')
  const documents = ['certificate' as const]
  const order = { plan, certified: plan, template, corrections: [], documents, names: defaultPacketNames }
  const run = (to: string) => writePacket(deps, { ...order, to })
  const judged = (path: string) => {
    checkSums(path, 'SHA256SUMS')
    judge('qpdf', ['--check', join(path, 'packet.pdf')])
  }

  const folder = temporaryFolder()
  const left: string[] = []
  const snapshots = temporaryFolder()
  const calls = watchCalls({ roots: [folder], outside: snapshots }, (step) => {
    // What is on the disk now is what a kill before this step leaves.
    if (existsSync(join(folder, 'out'))) return checkSums(join(folder, 'out'), 'SHA256SUMS')
    if (!isRepeatedFrom(step)) return
    const snapshot = join(snapshots, String(step))
    cpSync(folder, snapshot, { recursive: true, preserveTimestamps: true })
    left.push(snapshot)
  })
  try {
    await run(join(folder, 'out'))
  } finally {
    calls.stop()
  }
  judged(join(folder, 'out'))
  expect(left.length).toBeGreaterThan(5)
  for (const snapshot of left) {
    expect(readdirSync(snapshot).filter((name) => !/^\.out\..*\.partial$/.test(name))).toEqual([])
    await run(join(snapshot, 'out'))
    judged(join(snapshot, 'out'))
    expect(readdirSync(snapshot)).toEqual(['out'])
  }
})
