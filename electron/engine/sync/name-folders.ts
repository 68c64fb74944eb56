import { errorPolicy } from '../../../shared/error-policy.ts'
import { AppError } from '../../../shared/errors.ts'
import { checklistFolderName, projectFolderName } from '../archive/layout.ts'
import { caseKey, uniqueName } from '../archive/safe-name.ts'
import { HostDownError } from '../lib/outage.ts'
import type { Ports } from '../lib/ports.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { CallOptions } from '../service/service-types.ts'
import type { ChecklistRow } from '../store/checklists-store.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'

/**
 * Only a public client of the service documents the project call: if it never answered and is unsupported, it is
 * skipped for a day.
 */
const skipMs = 24 * 60 * 60_000
const skipKey = 'project-call-skipped-until'
const answeredKey = 'project-call-answered-at'
/** Set while the last call for a project's name failed in a way that passes. */
const failedKey = (projectId: string) => `project-call-failed:${projectId}`

/**
 * Creates a project's folder name if it has none. The service is asked for the name of an unnamed project first, since
 * a folder keeps its name; if it does not say, the id is used. To be called after the project's list was read. Throws
 * what any call would meet (token, network, limit), and the first failure of a service that named a project before.
 */
export async function ensureProjectFolder(
  store: Store,
  client: ServiceClient,
  sanitizer: Sanitizer,
  ports: Ports,
  project: ProjectRow,
  call: CallOptions,
): Promise<void> {
  if (project.folder !== null) return
  const name = project.name ?? (await askName(store, client, sanitizer, ports, project, call))
  const folder = uniqueName(projectFolderName(name ?? project.id, project.id), (candidate) =>
    store.projects.isFolderTaken(caseKey(candidate)),
  )
  store.projects.setFolder(project.id, folder, caseKey(folder))
}

async function askName(
  store: Store,
  client: ServiceClient,
  sanitizer: Sanitizer,
  ports: Ports,
  { id: projectId }: ProjectRow,
  call: CallOptions,
): Promise<string | null> {
  const now = ports.clock.nowMs()
  const skipLeftMs = Date.parse(store.meta.get(skipKey) ?? '') - now
  // Skipped for longer by a clock that was ahead.
  if (skipLeftMs > 0 && skipLeftMs <= skipMs) return null
  try {
    const answer = await client.getProject(projectId, call)
    const name = answer.name === null ? null : sanitizer.text(answer.name)
    const address = answer.address === null ? null : sanitizer.text(answer.address)
    store.projects.describe(projectId, name, address)
    store.meta.set(answeredKey, new Date(now).toISOString())
    store.meta.remove(failedKey(projectId))
    return name
  } catch (error) {
    if (!(error instanceof AppError) || error instanceof HostDownError) throw error
    const { answer, retry, stopsPass } = errorPolicy[error.code]
    const hasAnswered = store.meta.get(answeredKey) !== undefined
    const mayPass = retry === 'transient' && stopsPass !== true && (answer === undefined || hasAnswered)
    // The list was just read, and the last time as well: it is this call alone that fails.
    const isItsOwn = mayPass && store.meta.get(failedKey(projectId)) !== undefined
    if (mayPass) store.meta.set(failedKey(projectId), new Date(now).toISOString())
    if ((answer === undefined || mayPass) && !isItsOwn) throw error
    if (answer === 'unsupported' && !hasAnswered) {
      store.meta.set(skipKey, new Date(now + skipMs).toISOString())
    }
    return null
  }
}

/** Returns a checklist's folder, and creates its name if it has none. The project's folder has to be named already. */
export function ensureChecklistFolder(store: Store, row: ChecklistRow): string {
  if (row.folder !== null) return row.folder
  const projectFolder = store.projects.get(row.projectId)?.folder
  if (projectFolder == null)
    throw new AppError('internal', 'A checklist is to be archived before its project has a folder.')
  const name = uniqueName(checklistFolderName(row.title, row.id), (candidate) =>
    store.checklists.isFolderTaken(caseKey(`${projectFolder}/${candidate}`)),
  )
  const folder = `${projectFolder}/${name}`
  store.checklists.setFolder(row.key, folder, caseKey(folder))
  return folder
}
