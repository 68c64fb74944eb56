import { dirname } from 'node:path'
import { AppError } from '../../../shared/errors.ts'
import { isSafeToOpen, type Location } from '../../engine/catalog/locate-files.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Handlers, HandlersDeps } from './handlers.ts'

/** Returns the handlers of the calls that list archived data and show files. */
export function createCatalogHandlers({ engines, tasks, ports, signal }: HandlersDeps) {
  const { desktop } = ports
  const engine = () => engines.require()
  const located = ({ path, relativePath }: Location) => ({ path, relativePath, canShow: desktop !== undefined })
  return {
    overview() {
      const current = engine()
      const { catalog } = current
      return {
        watch: current.watch.state(),
        sync: tasks.sync.state,
        verify: tasks.verify.state,
        counts: catalog.counts(),
        progress: catalog.progress(),
        damagedFiles: catalog.damagedFiles(),
        api: current.apiBudget(),
      }
    },
    'attention.groups': () => ({ groups: engine().catalog.attention() }),
    'attention.projects': ({ cause }) => ({ projectIds: engine().catalog.attentionProjects(cause) }),
    'projects.list': (query) => engine().catalog.projects(query),
    'projects.names': (query) => ({ items: engine().catalog.projectNames(query) }),
    'projects.get': ({ projectId, ...page }) => engine().catalog.project(projectId, page),
    'projects.add': ({ projects }) => ({ projects: engine().projects.add(projects) }),
    'projects.preview': (list) => engine().projects.preview(list),
    'projects.remove': ({ projectId }) => ({ project: engine().projects.remove(projectId) }),
    'projects.discover': () => engine().projects.discover(signal),
    'checklists.get': ({ projectId, checklistId }) => engine().catalog.checklist(projectId, checklistId),
    'checklists.list': (query) => engine().catalog.checklists(query),
    'hints.checklist': ({ projectId, checklistId }) => ({ hints: engine().catalog.hints(projectId, checklistId) }),
    'hints.list': (page) => engine().catalog.hintedChecklists(page),
    'activity.list': (query) => engine().activity(query),
    search: (query) => engine().search(query),
    'photos.facts': ({ assetId }) => engine().photoFacts(assetId),
    'photos.places': (query) => engine().photoPlaces(query),
    'photos.words': (query) => ({ words: engine().photoWords(query) }),
    'files.locate': async (target) => located(await engine().locate(target)),
    'files.show': async (target) => {
      if (desktop === undefined) throw cannotShow()
      const location = await engine().locate(target)
      await (location.isFile ? desktop.showInFolder(location.path) : desktop.openFolder(location.path))
      return located(location)
    },
    'files.open': async (target) => {
      if (desktop === undefined) throw cannotShow()
      const location = await engine().locate(target)
      if (!isSafeToOpen(location.path)) throw cannotOpen()
      await desktop.openFile(location.path)
      return located(location)
    },
    'files.paths': async ({ assetIds }) => {
      const paths = await pathsOf(engine(), assetIds)
      if (paths.length === 0) throw new AppError('not-found', 'None of these files is in the archive folder.')
      return { paths }
    },
    'files.saveCopies': async ({ assetIds }) => {
      if (desktop?.chooseFolder === undefined) throw cannotSave()
      const { files } = await engine().copies(assetIds)
      const folder = files.length === 0 ? null : await desktop.chooseFolder('')
      if (folder === null) return { kind: 'canceled' }
      return { kind: 'saved', folder, ...(await engine().saveCopies(assetIds, folder)) }
    },
    'files.saveAs': async ({ assetId }) => {
      if (desktop?.chooseFile === undefined) throw cannotSave()
      const { files } = await engine().copies([assetId])
      const path = await desktop.chooseFile(files[0]?.name ?? '')
      if (path === null) return { kind: 'canceled' }
      await engine().saveCopy(assetId, path)
      return { kind: 'saved', folder: dirname(path), files: 1, missing: 0 }
    },
    'files.versions': ({ assetId }) => ({ items: engine().versions(assetId) }),
  } satisfies Partial<Handlers>
}

/** Returns the paths of the files that are in the archive and on the disk. */
async function pathsOf(engine: Engine, assetIds: readonly number[]): Promise<string[]> {
  const paths: string[] = []
  for (const assetId of assetIds) {
    try {
      paths.push((await engine.locate({ assetId })).path)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'not-found')) throw error
    }
  }
  return paths
}

function cannotSave(): AppError {
  return new AppError('wrong-usage', 'Solarchive has no file dialog here. Download the files instead.')
}

function cannotShow(): AppError {
  return new AppError('wrong-usage', 'Solarchive cannot open folders on your machine from here. Copy the path instead.')
}

function cannotOpen(): AppError {
  return new AppError('wrong-usage', 'Solarchive opens reports and photos only. Show this file in its folder instead.')
}
