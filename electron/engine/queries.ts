import type { DeliveryQuery } from '../../shared/hooks.ts'
import type { FilesTarget, FileVersion } from '../../shared/views.ts'
import type { PhotoWordsQuery, SearchPage, SearchQuery } from '../../shared/search.ts'
import { createCatalog } from './catalog/create-catalog.ts'
import { listCopies, saveCopies, saveCopy } from './catalog/copies.ts'
import { locateFiles } from './catalog/locate-files.ts'
import { openAsset } from './catalog/open-asset.ts'
import { photoFacts } from './catalog/photo-facts.ts'
import { createPhotoPlaces } from './catalog/photo-places.ts'
import { findWords } from './catalog/search/match-text.ts'
import { search } from './catalog/search/search.ts'
import { listRenamed } from './checklists/find-misplaced.ts'
import { measureArchivedFiles, recordedFiles } from './checklists/archived-files.ts'
import type { EngineSettings } from './engine.ts'
import { createExports } from './export/create-exports.ts'
import { createPackets } from './export/create-packets.ts'
import type { ExportDeps } from './export/exports.ts'
import { readLastVerify } from './integrity/verify-run.ts'
import type { Clock } from './lib/ports.ts'
import { toIso } from './lib/time.ts'
import { isUnsynced, toProject } from './projects/project-list.ts'
import type { Store } from './store/create-store.ts'
import { readLastSync } from './sync/last-sync.ts'

/** More failures than anyone reads; the others follow when the first ones are fixed. */
const maxFailures = 1000

/** Answers from the database and from single files of the archive, for the owner of a data folder and for readers. */
export function createQueries(
  store: Store,
  {
    archiveFolder,
    homeFolder,
    readPhotos = false,
  }: Pick<EngineSettings, 'archiveFolder' | 'homeFolder' | 'readPhotos'>,
  clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
  /** `mayBlock`: the process does nothing else while it answers. */
  { mayBlock = false, ...ofHost }: Pick<ExportDeps, 'mayBlock' | 'recordLost' | 'completeIndex' | 'requireRebuilt'>,
) {
  const catalog = createCatalog(store, clock)
  const ofExports = { store, root: archiveFolder, homeFolder, clock, mayBlock, ...ofHost }
  return {
    unsynced: () =>
      store.projects
        .listActive()
        .filter(isUnsynced)
        .map((row) => ({ id: row.id, name: toProject(row).name, code: row.errorCode, message: row.errorMessage })),
    rebuilt: () => store.checklists.unread(),
    failures: (projectIds: readonly string[] = []) => store.jobs.listFailed(maxFailures, projectIds),
    countFailures: (projectIds: readonly string[] = []) => store.jobs.countFailed(projectIds),
    lastSync: () => readLastSync(store),
    lastCheckAt: () => store.projects.lastPolledAt(toIso(clock.nowMs())),
    lastVerify: () => readLastVerify(store),
    catalog,
    search: (query: SearchQuery): SearchPage => ({
      ...search(store, query),
      isReading: store.analysis.hasUnread(readPhotos),
    }),
    photoFacts: (assetId: number) => photoFacts(store, archiveFolder, assetId),
    photoWords: ({ assetId, find }: PhotoWordsQuery) => findWords(store.analysis.wordsOn(assetId), find),
    photoPlaces: createPhotoPlaces({ store, root: archiveFolder, clock, catalog }),
    locate: (target: FilesTarget) => locateFiles(store, archiveFolder, target),
    openAsset: (assetId: number, version?: string) => openAsset(store, archiveFolder, assetId, version),
    versions: (assetId: number): FileVersion[] =>
      store.versions
        .listForAsset(assetId)
        .map(({ sha256, sizeBytes, replacedAt }) => ({ version: sha256, sizeBytes, replacedAt })),
    copies: (assetIds: readonly number[]) => listCopies(store, archiveFolder, assetIds),
    saveCopies: (assetIds: readonly number[], folder: string) => saveCopies(store, archiveFolder, { assetIds, folder }),
    saveCopy: (assetId: number, path: string) => saveCopy(store, archiveFolder, assetId, path),
    exports: createExports(ofExports),
    packets: createPackets(ofExports),
    renamedFolders: (projectIds: readonly string[], signal?: AbortSignal) =>
      listRenamed({ store, root: archiveFolder }, projectIds, signal),
    archivedFolders: () => store.assets.foldersInUse(),
    projectFolders: () => store.projects.listAll().flatMap(({ folder }) => folder ?? []),
    hookDeliveries: (query: DeliveryQuery) => store.hooks.page(query),
    failingHooks: (hookIds: readonly string[]) => store.hooks.failing(hookIds),
    archiveSize: () => measureArchivedFiles(store),
    recordedFiles: () => recordedFiles(store),
  }
}

/** Identifies a data folder and the archive that is worked on with it. */
export function archiveKey({
  homeFolder,
  archiveFolder,
}: Pick<EngineSettings, 'homeFolder' | 'archiveFolder'>): string {
  return JSON.stringify([homeFolder, archiveFolder])
}
