import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { refuseThreads } from '../support/refuse-threads.ts'
import { sampleArchive } from '../support/sample-archive.ts'

test('without more threads, everything is archived and verified, and documents end with a clear error', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await refuseThreads()
  const report = await archive.sync()
  expect(report.failures).toEqual([])
  expect(report.filesDownloaded).toBeGreaterThan(10)
  await archive.withEngine(async (engine) => {
    const { ok, checked } = await engine.verify({})
    expect(ok).toBe(checked)
    expect(ok).toBeGreaterThanOrEqual(report.filesDownloaded)
    const [project] = engine.projects.list()
    const packet = engine.packets.write({
      selection: { kind: 'projects', projectIds: [project?.id ?? ''] },
      template: 'financing-site-survey',
      to: temporaryFolder(),
    })
    await expect(packet).rejects.toThrow(/cannot start the thread.*allow it more processes/)
  })
})
