import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { exportOptionsSchema, type ExportResult, type ExportSelection } from '../../../shared/export.ts'
import type { ExportDeps, ExportRequest } from '../../../electron/engine/export/exports.ts'
import { writeExport } from '../../../electron/engine/export/write-export.ts'
import { systemClock } from '../../../electron/engine/lib/system-clock.ts'
import { openReadOnly } from '../../../electron/engine/store/create-store.ts'
import { databaseName } from '../../../electron/engine/store/database-files.ts'
import { openWorkFolder, type WorkFolder } from '../../../electron/engine/export/work-folder.ts'
import type { SampleArchive } from '../../support/sample-archive.ts'

/** Opens the database of an archive for reading until the end of the test. */
export function storeOf({ home }: Pick<SampleArchive, 'home'>) {
  const store = openReadOnly(join(home, databaseName))
  onTestFinished(() => store.close())
  return store
}

/** For a reader beside which no owner indexes or restores anything. */
export const upToDate = { completeIndex: () => Promise.resolve(), requireRebuilt: () => undefined }

export interface ExportCall extends Partial<Omit<ExportRequest, 'options' | 'selection'>> {
  readonly to: string
  readonly selection?: ExportSelection
  readonly options?: Partial<ExportRequest['options']>
}

/** Returns the dependencies of exports and packets of a reader, which stay open until the end of the test. */
export function depsOf(archive: Pick<SampleArchive, 'home' | 'root'>): ExportDeps {
  const { home, root } = archive
  return { store: storeOf(archive), root, homeFolder: home, clock: systemClock, ...upToDate }
}

/** Exports everything, or what the call says. */
export function exportFrom(archive: Pick<SampleArchive, 'home' | 'root'>, call: ExportCall): Promise<ExportResult> {
  const { options, selection = { kind: 'everything' }, ...rest } = call
  return writeExport(depsOf(archive), { ...rest, selection, options: exportOptionsSchema.parse(options ?? {}) })
}

/** Leaves the empty folder of an export to a folder that was interrupted, and returns it. */
export async function leaveWork(to: string): Promise<WorkFolder> {
  const work = await openWorkFolder({ path: to }, { kind: 'folder', resumes: false })
  await work.close()
  return work
}
