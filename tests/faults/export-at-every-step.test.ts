import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exportFormats } from '../../shared/export-parts.ts'
import { exportFrom } from '../engine/export/exported.ts'
import { checkSums, findBagProblems, judge } from '../engine/export/outside-judges.ts'
import { watchCalls } from '../support/hooks/watch-calls.ts'
import { hashFiles, sampleArchive } from '../support/sample-archive.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** An export is resumed from the state before each of these steps. */
const isResumedFrom = (step: number) => step < 12 || step % 23 === 0

test.for(exportFormats)(
  'an export to a %s that is killed at any step leaves no half result, and is repeated',
  async (format) => {
    const archive = await sampleArchive({ projects: 1, checklistsPerProject: 2, statuses: ['completed'] })
    await archive.sync()
    const options = { format, include: ['reports', 'photos', 'tables', 'xmp'] as const }
    const run = (to: string) => exportFrom(archive, { to, options: { ...options, include: [...options.include] } })
    const whole = join(temporaryFolder(), 'out')
    await run(whole)
    /** Tables have the time of the export. */
    const contentOf = (path: string) =>
      [...hashFiles(path)].filter(([name]) => /\.(jpg|pdf|xmp)$/.test(name)).sort(([a], [b]) => a.localeCompare(b))
    const judged = (path: string) => {
      if (format === 'zip') return void judge('unzip', ['-tqq', path])
      if (format === 'bagit') expect(findBagProblems(path)).toEqual([])
      else checkSums(path, 'SHA256SUMS')
      expect(contentOf(path)).toEqual(contentOf(whole))
    }

    const folder = temporaryFolder()
    const left: string[] = []
    const snapshots = temporaryFolder()
    const calls = watchCalls({ roots: [folder], outside: snapshots }, (step) => {
      // What is on the disk now is what a kill before this step leaves.
      if (existsSync(join(folder, 'out'))) return judged(join(folder, 'out'))
      if (!isResumedFrom(step)) return
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
    expect(calls.count).toBeGreaterThan(format === 'zip' ? 8 : 100)
    expect(left.length).toBeGreaterThan(5)
    for (const snapshot of left) {
      const names = readdirSync(snapshot)
      expect(names.filter((name) => !/^\.out\..*\.partial$/.test(name))).toEqual([])
      await run(join(snapshot, 'out'))
      judged(join(snapshot, 'out'))
      expect(readdirSync(snapshot)).toEqual(['out'])
    }
  },
)
