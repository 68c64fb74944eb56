import { appendFileSync, existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ArchiveFolders } from '../../../electron/engine/archive/archive-folders.ts'
import { requeueMissing } from '../../../electron/engine/integrity/requeue-missing.ts'
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
    const work = requeueMissing({ folders, store, ports: { clock: systemClock, logger } }, project, nothing)
    await expect(work).rejects.toMatchObject({ code: 'archive-unavailable' })
    expect(store.archivedFiles.lostAssets(project.id)).toEqual([])
  } finally {
    store.close()
  }
})

it('calls no file undamaged that was moved before a kill', async () => {
  const archive = await sampleArchive({ projects: 1, checklistsPerProject: 1, statuses: ['completed'] })
  await archive.sync()
  const store = createStore(join(archive.home, databaseName))
  try {
    const [file] = store.archivedFiles.assets(0, 1)
    const [project] = store.projects.listAll()
    if (file === undefined || project === undefined) throw new Error('no file')
    appendFileSync(join(archive.root, file.path), 'edited')
    const folders = new KilledFolders(archive.root)
    const work = requeueMissing({ folders, store, ports: { clock: systemClock, logger } }, project, nothing)
    await expect(work).rejects.toMatchObject({ code: 'internal' })
    expect(existsSync(join(archive.root, file.path))).toBe(false)
    expect(store.assets.get(file.id)).toMatchObject({ sha256: file.sha256, damage: 'changed' })
  } finally {
    store.close()
  }
})

/** Folders of a process that ends after the first move. */
class KilledFolders extends ArchiveFolders {
  override async move(from: string, to: string): Promise<void> {
    await super.move(from, to)
    throw new Error('killed')
  }
}
