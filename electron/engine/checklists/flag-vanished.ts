import type { Logger } from '../lib/ports.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'

/**
 * To be called before the service is asked about a project; what it answers, afterwards. A shorter answer than before
 * deletes nothing, but may be a mistake of the service's, so that a person is told of it once.
 */
export function watchForVanished(store: Store, logger: Logger, project: ProjectRow): () => void {
  const count = () => ({
    checklists: store.checklists.countGone(project.id),
    files: store.assets.countGone(project.id),
  })
  const before = count()
  return () => {
    const after = count()
    const checklists = Math.max(0, after.checklists - before.checklists)
    const files = Math.max(0, after.files - before.files)
    if (checklists + files === 0) return
    logger.info('The service does not list any more what it listed before', { project: project.id, checklists, files })
    const what = [
      ...(checklists === 0 ? [] : [checklists === 1 ? '1 checklist' : `${checklists} checklists`]),
      ...(files === 0 ? [] : [files === 1 ? '1 archived file' : `${files} archived files`]),
    ].join(' and ')
    logger.tell(
      `The service does not list ${what} of ${project.name ?? project.id} any more. They stay in the archive, marked as ` +
        "no longer upstream. If that is a mistake of the service's, nothing is lost.",
    )
  }
}
