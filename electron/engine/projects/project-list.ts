import type { Project } from '../../../shared/domain.ts'
import { AppError } from '../../../shared/errors.ts'
import type { ListSource } from '../../../shared/csv.ts'
import type { ProjectPreview } from '../../../shared/project-list.ts'
import type { ArchiveReader, Engine } from '../engine.ts'
import { inTurns } from '../lib/in-turns.ts'
import type { Clock } from '../lib/ports.ts'
import type { Sanitizer } from '../lib/sanitizer.ts'
import type { ServiceClient } from '../service/service-client.ts'
import type { RemoteProject } from '../service/service-types.ts'
import type { Store } from '../store/create-store.ts'
import type { ProjectRow } from '../store/projects-store.ts'
import { guessText } from '../lib/decode-text.ts'
import { listText } from '../lib/read-table.ts'
import { readPastedRows } from './project-rows.ts'

/** Projects that the service lists are added in transactions of this many, some 30 ms. */
const projectsPerTransaction = 1_000

/** Queries about the list, also beside the process that owns the data folder. */
export function projectQueries(store: Store): ArchiveReader['projects'] {
  return {
    list: () => store.projects.listActive().map(toProject),
    known(ids) {
      const known = [...new Set(ids)].filter((id) => store.projects.isActive(id))
      if (known.length > 0) return known
      throw new AppError(
        'not-found',
        ids.length === 1
          ? 'This project is no longer in the list. Add it again to continue archiving it.'
          : 'None of these projects is in the list any longer. Add them again to continue archiving them.',
      )
    },
  }
}

/** The engine's `projects`: the list of projects to archive. */
export function createProjectList(
  store: Store,
  client: ServiceClient,
  sanitizer: Sanitizer,
  clock: Clock,
  /** Called after every change, with the id of a project that was removed. */
  onChanged: (removedId?: string) => void,
): Engine['projects'] {
  const now = () => new Date(clock.nowMs()).toISOString()

  function requireProject(id: string): Project {
    const row = store.projects.get(id)
    if (row === undefined || !store.projects.isActive(id)) throw unknownProject(id)
    return toProject(row)
  }

  function put(projects: Parameters<Engine['projects']['add']>[0], by: 'person' | 'service'): Project[] {
    return store.transaction(() => {
      const added = new Set(projects.map(({ id }) => id).filter((id) => !store.projects.isActive(id)))
      for (const { id, name, address } of projects) store.projects.put(id, name ?? null, address ?? null, now())
      if (added.size > 0) {
        const projectId = added.size === 1 ? [...added].at(0) : undefined
        store.activity.record({ at: now(), kind: 'projects-added', projectId, facts: { count: added.size, by } })
      }
      return projects.map(({ id }) => requireProject(id))
    })
  }

  /** Records the name of a known project that has none. Its folder keeps its own. */
  function addName({ id, name, address }: RemoteProject): void {
    const known = store.projects.get(id)
    if (known === undefined || known.name !== null || name === null) return
    const newAddress = known.address === null && address !== null ? sanitizer.text(address) : null
    store.projects.describe(id, sanitizer.text(name), newAddress)
  }

  return {
    add(projects) {
      const added = put(projects, 'person')
      onChanged()
      return added
    },
    preview: (list) => previewProjects(store, list),
    ...projectQueries(store),
    remove(projectId) {
      const project = requireProject(projectId)
      store.transaction(() => {
        store.projects.remove(projectId, now())
        store.activity.record({ at: now(), kind: 'project-removed', projectId, facts: {} })
      })
      onChanged(projectId)
      return project
    },
    async discover(signal) {
      let isPartial = false
      const onPartial = () => {
        isPartial = true
      }
      const found = await client.listProjects({ priority: 'user', onPartial, ...(signal !== undefined && { signal }) })
      // A project that a user named keeps its name, and one that a user removed stays removed.
      const unknown = found.filter(({ id }) => store.projects.get(id) === undefined)
      const text = (value: string | null) => (value === null ? undefined : sanitizer.text(value))
      const added: Project[] = []
      for await (const piece of inTurns(unknown, projectsPerTransaction)) {
        const named = piece.map(({ id, name, address }) => ({ id, name: text(name), address: text(address) }))
        added.push(...put(named, 'service'))
      }
      for await (const piece of inTurns(found, projectsPerTransaction)) {
        store.transaction(() => {
          for (const project of piece) addName(project)
        })
      }
      onChanged()
      return { found: found.length, added, isPartial }
    },
  }
}

/** A project without a name is called by its id. */
export function toProject({ id, name, address, folder }: ProjectRow): Project {
  return { id, name: name ?? id, address, folder }
}

/** Returns all active projects, or the requested ones. Throws `not-found` for one that is not in the list. */
export function chosenProjects(active: readonly ProjectRow[], ids: readonly string[] | undefined): ProjectRow[] {
  if (ids === undefined || ids.length === 0) return [...active]
  const byId = new Map(active.map((project) => [project.id, project]))
  return [...new Set(ids)].map((id) => {
    const row = byId.get(id)
    if (row === undefined) throw unknownProject(id)
    return row
  })
}

/** Returns whether no sync pass has completed the project, or the last one failed. */
export function isUnsynced({ lastSyncedAt, errorCode }: ProjectRow): boolean {
  return lastSyncedAt === null || errorCode !== null
}

function unknownProject(id: string): AppError {
  const message = `The project ${id} is not in the list of projects. Check the ID, or add the project.`
  return new AppError('not-found', message, { details: { projectId: id } })
}

/**
 * Returns what adding a list of projects would do, row by row, without changing anything. Throws `wrong-usage` if the
 * list is too long.
 */
async function previewProjects(store: Store, list: ListSource): Promise<ProjectPreview> {
  const { rows, reading } = await readPastedRows(listText(list, guessText))
  const counts = { new: 0, known: 0, duplicate: 0, wrong: 0 }
  const described = rows.map(({ line, id, name = null, address = null, problem, isRepeated }) => {
    const state = problem !== null ? 'wrong' : isRepeated ? 'duplicate' : store.projects.isActive(id) ? 'known' : 'new'
    counts[state] += 1
    return { line, id, name, address, state, problem } as const
  })
  return { rows: described, reading, counts }
}
