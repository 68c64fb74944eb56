import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ArchiveFolders } from '../../../electron/engine/archive/archive-folders.ts'
import { requeueMissing } from '../../../electron/engine/downloads/requeue-missing.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { createStore } from '../../../electron/engine/store/create-store.ts'
import { databaseName } from '../../../electron/engine/store/database-files.ts'
import { sampleArchive } from '../../support/sample-archive.ts'

const nothing = () => undefined
const logger = { debug: nothing, info: nothing, warn: nothing, error: nothing, showMessage: nothing }

it('records no file as lost in the empty folder that an unplugged drive leaves', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  const store = createStore(join(archive.home, databaseName))
  try {
    const folders = new ArchiveFolders(archive.root)
    folders.recognizeRoot()
    renameSync(archive.root, `${archive.root} elsewhere`)
    mkdirSync(archive.root)
    const [project] = store.projects.listAll()
    if (project === undefined) throw new Error('no project')
    const work = requeueMissing({ folders, store, ports: { clock: systemClock, logger } }, project)
    await expect(work).rejects.toMatchObject({ code: 'archive-unavailable' })
    expect(store.archivedFiles.lostAssets(project.id)).toEqual([])
  } finally {
    store.close()
  }
})
